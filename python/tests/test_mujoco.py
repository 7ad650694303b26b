"""Robots in MJCF have the dynamics that MuJoCo computes for them.

Skipped without the wheel `mujoco`. Robots of MuJoCo Menagerie are read from ../shared or from $LIMB_MENAGERIE, those of
dm_control from its wheel. What limb reports as dropped is taken out of MuJoCo's model: fluids, compensation of gravity,
tendons that wrap around geoms, springs of free joints. Friction and loops are constraints in MuJoCo, and left out.
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import warnings
from typing import Any

import limb
import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FRAGMENTS = ("keyframe", "_actuators")  # parts that other files include


@pytest.fixture(autouse=True)
def folder_for_logs(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """MuJoCo logs warnings into the current folder."""
    monkeypatch.chdir(tmp_path)


def public_files() -> list[pathlib.Path]:
    """Robots beside the project."""
    folder = pathlib.Path(os.environ.get("LIMB_MENAGERIE", ROOT.parent / "shared" / "menagerie"))
    files = [f for f in sorted(folder.glob("*/*.xml")) if not any(word in f.name for word in FRAGMENTS)]
    suite = importlib.util.find_spec("dm_control")
    if suite and suite.submodule_search_locations:
        files += sorted((pathlib.Path(suite.submodule_search_locations[0]) / "suite").glob("*.xml"))
    return files


def without_what_is_dropped(m: Any) -> None:
    """Takes constraints, motors and forces out of a model that limb leaves out."""
    m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    m.opt.density = m.opt.viscosity = 0
    m.body_gravcomp[:] = 0
    geoms = (mujoco.mjtWrap.mjWRAP_SPHERE, mujoco.mjtWrap.mjWRAP_CYLINDER)
    for k, (first, count) in enumerate(zip(m.tendon_adr, m.tendon_num, strict=True)):
        if any(kind in geoms for kind in m.wrap_type[first : first + count]):
            m.tendon_stiffness[k] = m.tendon_damping[k] = 0
    m.jnt_stiffness[m.jnt_type == mujoco.mjtJoint.mjJNT_FREE] = 0


def transform(m: Any, q: Any, v: Any) -> tuple[Any, Any, Any]:
    """The configuration in limb's order, T with v = T v_limb, and a - T a_limb.

    Of a free joint MuJoCo takes linear velocity in world axes first, limb angular velocity first, both in body axes;
    its derivative has no w x v. With armature limb reads it as three slides and a ball.
    """
    own, T, rest = q.copy(), np.eye(m.nv), np.zeros(m.nv)
    for kind, k, d in zip(m.jnt_type, m.jnt_qposadr, m.jnt_dofadr, strict=True):
        if kind == mujoco.mjtJoint.mjJNT_BALL:
            own[k : k + 4] = np.roll(q[k : k + 4], -1)
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            own[k + 3 : k + 7] = np.roll(q[k + 3 : k + 7], -1)
            if m.dof_armature[d] > 0:
                continue
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, q[k + 3 : k + 7])
            R = R.reshape(3, 3)
            T[d : d + 6, d : d + 6] = np.block([[np.zeros((3, 3)), R], [np.eye(3), np.zeros((3, 3))]])
            rest[d : d + 3] = np.cross(R @ v[d + 3 : d + 6], v[d : d + 3])
    return own, T, rest


def friction(m: Any, v: Any) -> Any:
    """Coulomb friction, which limb has in its torques."""
    force = m.dof_frictionloss * np.sign(v)
    for kind, d in zip(m.jnt_type, m.jnt_dofadr, strict=True):
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            force[d : d + 6] = 0
        if kind == mujoco.mjtJoint.mjJNT_BALL:
            force[d : d + 3] = 0
    return force


def mass_matrix(m: Any, d: Any) -> Any:
    """M, dense."""
    M = np.zeros((m.nv, m.nv))
    try:
        mujoco.mj_fullM(m, M, d.qM)
    except (AttributeError, TypeError):  # since 4.0
        mujoco.mj_fullM(m, d, M)
    return M


def check_dynamics(robot: limb.Model, m: Any, tolerance: float = 1e-8) -> None:
    """M, bias, inverse and forward dynamics in random states. Accelerations are judged by the forces they stand for."""
    without_what_is_dropped(m)
    assert (robot.nq, robot.nv) == (m.nq, m.nv)
    d, rng, cut = mujoco.MjData(m), np.random.default_rng(1), {"tree": True} if robot.loops else {}
    for _ in range(3 if m.nv else 0):
        q, v, a = m.qpos0.copy(), rng.uniform(-1, 1, m.nv), rng.uniform(-1, 1, m.nv)
        mujoco.mj_integratePos(m, q, rng.uniform(-1, 1, m.nv), 1)
        d.qpos[:], d.qvel[:] = q, v
        mujoco.mj_forward(m, d)
        M, h = mass_matrix(m, d), d.qfrc_bias.copy()
        d.qacc[:] = a
        mujoco.mj_inverse(m, d)
        own, T, rest = transform(m, q, v)
        w, b = np.linalg.solve(T, v), np.linalg.solve(T, a - rest)
        tau = T.T @ d.qfrc_inverse + friction(m, v)
        want = {"M": T.T @ M @ T, "h": T.T @ (h + M @ rest), "tau": tau, "acc": T.T @ M @ T @ b}
        got = {
            "M": robot.eval("M", own, **cut),
            "h": robot.eval("h", own, w, **cut),
            "tau": robot.eval("tau", own, w, b, **cut),
            "acc": want["M"] @ robot.eval("acc", own, w, tau=tau, **cut),
        }
        scale = max(np.abs(tau).max(), 1e-3 * np.abs(want["M"]).max())
        for name, x in want.items():
            size = np.abs(x).max() if name == "M" else scale
            assert np.abs(np.reshape(got[name], x.shape) - x).max() <= tolerance * size, name


@pytest.mark.parametrize("path", public_files(), ids=lambda f: f"{f.parent.name}/{f.name}")
def test_public_robots(path: pathlib.Path) -> None:
    try:
        m = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        pytest.skip(f"MuJoCo refuses it: {error}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", limb.ModelWarning)
        robot = limb.load(path, mimic=False)
    check_dynamics(robot, m)


BOX = "0 0 0  1 0 0  1 2 0  0 2 0  0 0 3  1 0 3  1 2 3  0 2 3"
CHAIN = "<body><joint axis='1 2 3'/>{}<body pos='.1 .2 .3' euler='10 20 30'><joint/><geom size='.1'/></body></body>"
OWN = {
    "shells": "".join(
        CHAIN.format(f"<geom type='{kind}' size='.1 .2 .3' pos='.1 .2 .3' euler='10 20 30' shellinertia='true'/>")
        for kind in ("sphere", "capsule", "cylinder", "box", "ellipsoid")
    ),
    "solids": "".join(
        CHAIN.format(f"<geom type='{kind}' size='.1 .2 .3' pos='.1 .2 .3' euler='10 20 30' mass='2'/>")
        for kind in ("sphere", "capsule", "cylinder", "box", "ellipsoid")
    ),
    "meshes": "".join(
        CHAIN.format(f"<geom type='mesh' mesh='{mesh}' pos='.1 .2 .3' euler='10 20 30'/>")
        for mesh in ("cloud", "convex", "turned", "hollow")
    ),
    "fitted": "".join(
        CHAIN.format(f"<geom type='{kind}' mesh='cloud' pos='.1 .2 .3' euler='10 20 30'/>")
        for kind in ("sphere", "capsule", "cylinder", "box", "ellipsoid")
    ),
    "copies": "<replicate count='3' offset='.1 0 0' euler='0 0 20' sep='_'><replicate count='2' offset='0 .3 .1'>"
    "<body name='a' pos='0 1 0'><joint name='j' axis='1 1 0'/><geom name='g' type='box' size='.1 .2 .3'/>"
    "<frame pos='1 0 0' euler='0 30 0'><body><joint type='slide'/><geom size='.2' pos='.1 0 0'/></body></frame>"
    "</body></replicate></replicate>",
    "several": "<body><freejoint/><geom size='.1' pos='.1 .2 .3'/><geom type='box' size='.1 .2 .3' density='10'/>"
    "<geom size='1' group='4'/><geom size='1' mass='0'/><body pos='0 0 1'><joint type='ball' pos='.1 .2 .3'/>"
    "<geom type='capsule' fromto='0 0 0 1 2 3' size='.1'/></body></body>",
    "aligned": "<body pos='1 2 3' euler='30 0 0'><freejoint align='true'/><inertial pos='.1 .2 .3' quat='1 2 3 4'"
    " mass='2' diaginertia='.03 .02 .04'/></body>",
    "rotors": "<body><joint type='free' armature='.3' damping='.2'/><geom size='.1' pos='.1 .2 .3'/><body pos='0 0 1'>"
    "<joint type='ball' armature='.4' damping='.5' pos='.1 .2 .3'/><geom type='capsule' fromto='0 0 0 1 2 3'"
    " size='.1'/>"
    "<body pos='1 0 0'><joint type='ball' springdamper='.1 1'/><geom type='box' size='.1 .2 .3' pos='0 1 0'/></body>"
    "</body></body><body><joint type='free' damping='.7'/><geom type='box' size='.1 .2 .3' pos='0 1 0'/></body>",
    "tendons": "<body><joint name='a' ref='20' springref='30'/><geom size='.1' pos='0 1 0'/><body pos='1 0 0'>"
    "<joint name='b' axis='1 0 0' springref='5'/><geom size='.1' pos='0 1 0'/><body pos='1 0 0'><joint name='c'"
    " type='slide'/><geom size='.1'/></body></body></body></worldbody><tendon><fixed name='t' stiffness='30'"
    " damping='2'>"
    "<joint joint='a' coef='.5'/><joint joint='b' coef='-2'/><joint joint='c' coef='.3'/></fixed><fixed stiffness='7'"
    " springlength='.1'><joint joint='b' coef='3'/></fixed><fixed name='u'><joint joint='a' coef='1'/><joint joint='c'"
    " coef='2'/></fixed></tendon><actuator><motor tendon='u' gear='3' damping='.2'/></actuator><worldbody>",
    "cords": "<site name='w' pos='.3 .2 .1'/><body><freejoint/><geom size='.1' pos='0 1 0'/>"
    "<site name='s' pos='.1 .2 0'/>"
    "<body pos='1 0 0'><joint name='b' axis='1 0 0' springref='25'/><geom size='.1' pos='0 1 0'/><site name='t'"
    " pos='.3 0 .1'/><body pos='1 0 0'><joint type='ball' stiffness='4'/><geom size='.1' pos='.1 0 0'/><site name='u'"
    " pos='.3 .2 0'/></body></body></body></worldbody><tendon><spatial stiffness='30' damping='2'><site site='w'/>"
    "<site site='s'/><site site='u'/></spatial><spatial stiffness='7' springlength='.1'><pulley divisor='3'/>"
    "<site site='s'/><site site='t'/><pulley divisor='2'/><site site='w'/><site site='u'/><site site='t'/></spatial>"
    "<spatial name='m'><site site='s'/><site site='u'/></spatial></tendon><actuator><motor tendon='m' gear='3'"
    " damping='.2'/></actuator><worldbody>",
    "springs": "<body><joint springdamper='.1 1' ref='30' axis='1 0 0'/><geom type='box' size='.1 .2 .3' pos='0 1 0'/>"
    "<body pos='1 0 0'><joint springdamper='.2 .5' springref='20'/><geom type='box' size='.1 .3 .2' pos='1 0 0'/>"
    "</body></body>",
}


@pytest.mark.parametrize("name", OWN)
def test_own_robots(name: str, tmp_path: pathlib.Path) -> None:
    model = f"""<mujoco><compiler inertiagrouprange="0 3"/><asset>
      <mesh name="cloud" vertex="{BOX}" scale=".1 .2 .1"/>
      <mesh name="convex" inertia="convex" vertex="{BOX} .5 .5 .5" scale=".1 -.2 .1"/>
      <mesh name="turned" inertia="exact" vertex="{BOX}" refpos="1 2 3" refquat="1 2 3 4" scale=".1 .1 .2"/>
      <mesh name="hollow" inertia="shell" vertex="{BOX}" scale=".1 .1 .1"/>
    </asset><worldbody>{OWN[name]}</worldbody></mujoco>"""
    path = tmp_path / "model.xml"
    path.write_text(model)
    robot = limb.load(path, mimic=False)
    check_dynamics(robot, mujoco.MjModel.from_xml_path(str(path)), 1e-10)


def test_actuators_have_rotors_and_dampers(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "model.xml"
    path.write_text("""<mujoco><default><motor damping="0.5" gear="2"/></default><worldbody><body><joint name="j"/>
      <geom size=".1"/><body pos="1 0 0"><joint name="k" damping=".3" armature=".1"/><geom size=".1"/></body></body>
      </worldbody><actuator><motor joint="j" gear="3" armature=".7"/><motor joint="k"/></actuator></mujoco>""")
    check_dynamics(limb.load(path), mujoco.MjModel.from_xml_path(str(path)), 1e-10)


def test_attached_models(tmp_path: pathlib.Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "inertia.xml").write_text(
        "<mujocoinclude><geom type='box' size='.1 .2 .3' pos='.1 .2 .3'/></mujocoinclude>"
    )
    (tmp_path / "parts" / "finger.xml").write_text("""<mujoco><compiler angle="radian" eulerseq="ZYX"/>
      <default><joint armature=".1"/><default class="heavy"><geom density="3000"/></default></default>
      <worldbody><body name="base" childclass="heavy" euler=".1 .2 .3"><joint name="j"/><include file="inertia.xml"/>
      <body name="tip" pos="0 0 1"><joint name="k" axis="0 1 0"/><geom size=".1"/></body></body></worldbody>
      </mujoco>""")
    path = tmp_path / "hand.xml"
    path.write_text("""<mujoco><asset><model name="finger" file="parts/finger.xml"/></asset>
      <default><joint damping="2"/></default>
      <worldbody><body><joint axis="1 0 0"/><geom size=".3"/><attach model="finger" body="base" prefix="a_"/>
      <frame pos="1 0 0" euler="0 0 90"><attach model="finger" prefix="b_"/></frame></body></worldbody></mujoco>""")
    robot = limb.load(path)
    assert {"a_j", "a_k", "b_j", "b_k"} <= set(robot.joints)
    check_dynamics(robot, mujoco.MjModel.from_xml_path(str(path)), 1e-10)


# ---- written by limb ------------------------------------------------------------------------------------------------


def converted() -> list[str]:
    """Built-in robots, and URDF files beside the project."""
    folder = ROOT.parent / "shared" / "robots"
    return [name for name in limb.robots() if name != "protein"] + [str(f) for f in sorted(folder.glob("*/*.urdf"))]


@pytest.mark.parametrize("name", converted(), ids=lambda name: pathlib.Path(name).name)
def test_written_for_mujoco(name: str, tmp_path: pathlib.Path) -> None:
    """What limb writes as MJCF has in MuJoCo the M, bias and torques of the robot, to 1e-10."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", limb.ModelWarning)
        robot = limb.load(name)
        try:
            path = tmp_path / "robot.xml"
            path.write_text(robot.to_text("mjcf"))
        except limb.Error as error:
            pytest.skip(f"MJCF cannot say it: {error}")
        try:
            m = mujoco.MjModel.from_xml_path(str(path))
        except ValueError as error:
            if "A + B >= C" not in str(error) and "positive eigenvalues" not in str(error):
                raise
            pytest.skip(f"MuJoCo refuses moments that no body can have: {error}")
        read = limb.load(path, mimic=False)
    check_dynamics(read, m, 1e-10)
    if not any(j.mimic for j in robot.joints.values()) and not robot.loops:
        same_robot(robot, read)


def same_robot(robot: limb.Model, read: limb.Model) -> None:
    """Torques of the robot as it was and as it was read back, coordinate by coordinate."""
    rng = np.random.default_rng(2)
    names = [c.name for c in robot.coordinates]
    if sorted(names) != sorted(c.name for c in read.coordinates):
        return  # compound joints, whose coordinates are joints of their own
    order = [names.index(c.name) for c in read.coordinates]
    dofs = [[c.name for c in robot.velocities].index(c.name) for c in read.velocities]
    for _ in range(3):
        q, v, a = robot.random(seed=int(rng.integers(1000))), rng.uniform(-1, 1, robot.nv), rng.uniform(-1, 1, robot.nv)
        want = robot.inverse_dynamics(q, v, a)[dofs]
        got = read.inverse_dynamics(q[order], v[dofs], a[dofs])
        assert np.abs(got - want).max() <= 1e-12 * max(np.abs(want).max(), 1)
