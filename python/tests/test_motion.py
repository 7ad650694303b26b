"""Simulation with callbacks, inverse kinematics, changed copies, generated code, pictures."""

from __future__ import annotations

import base64
import gc
import json
import math
import os
import pickle
import shutil
import socket
import struct
import subprocess
import weakref
import zlib

import limb
import numpy
import pytest
from conftest import states


def test_energy_of_a_free_motion(panda):
    q, v, *_ = (x[0] for x in states(panda, 1))
    motion = panda.simulate(q, v, numpy.linspace(0, 0.5, 6), method="rk4", step=1e-4)
    energy = panda.total_energy(motion.q, motion.v)
    assert abs(energy - energy[0]).max() < 1e-9
    assert numpy.array_equal(motion.q[0], q)
    assert len(motion) == 6
    assert abs(panda.forward_dynamics(motion.q, motion.v, motion.tau) - motion.a).max() < 1e-9


def test_callbacks(panda):
    goal = panda.random(seed=5) * 0.3

    def control(t, q, v):
        return panda.gravity(q) + panda.mass_matrix(q) @ (100 * (goal - q) - 20 * v)

    start = numpy.zeros(7)
    motion = panda.simulate(start, times=[0, 0.1, 1.0, 3.0], tau=control, period=1e-3)
    assert abs(motion.q[-1] - goal).max() < 1e-3
    both = panda.simulate(start, times=[0, 0.1], tau=[lambda t, q, v: panda.gravity(q), lambda t, q, v: None])
    assert abs(both.v).max() < 1e-9
    still = panda.simulate(start, times=[0, 0.1], tau=panda.gravity(start))
    assert abs(still.v[-1]).max() < 1e-9


def test_events_and_conditions(robot):
    arm = robot("planar_2r")
    # A pendulum that falls from 60 degrees passes the lowest point, where its angle changes sign.
    down = -math.pi / 2
    motion = arm.simulate(
        [down + 0.3, 0.0], times=[0, 5], conditions=[(lambda t, q, v: q[0] - down, 0, True)], method="rk4"
    )
    event = motion.events[-1]
    assert event.kind == "condition"
    assert event.ends
    assert abs(motion.q[-1, 0] - down) < 1e-9
    assert motion.time[-1] == event.time < 5


def test_wrenches_of_callbacks(robot):
    arm = robot("planar_2r")
    frame = list(arm.frames)[-1]
    held = arm.simulate([0.1, 0.2], times=[0, 0.2], wrenches=[(frame, "aligned", lambda t, q, v: [0, 0, 0, 0, 9, 0])])
    env = arm.environment(wrenches=[(frame, "aligned", (0, 0, 0, 0, 9, 0))])
    assert abs(held.q - arm.simulate([0.1, 0.2], times=[0, 0.2], env=env).q).max() < 1e-12


class OwnError(Exception):
    pass


def test_exceptions_of_callbacks(panda):
    def fails(t, q, v):
        if t > 0.01:
            raise OwnError("enough")
        return q

    zero = numpy.zeros(7)
    with pytest.raises(OwnError, match="enough"):
        panda.simulate(zero, times=[0, 1], tau=fails)
    with pytest.raises(OwnError):
        panda.simulate(zero, times=[0, 1], conditions=[lambda t, q, v: fails(t, q, v).sum()])
    with pytest.raises(ValueError, match="tau does not return 7 numbers"):
        panda.simulate(zero, times=[0, 1], tau=lambda t, q, v: q[:3])
    with pytest.raises(TypeError):
        panda.simulate(zero, times=[0, 1], tau=lambda t, q, v: "force")
    with pytest.raises(ValueError, match="no method 'magic'"):
        panda.simulate(zero, method="magic")
    with pytest.raises(TypeError, match="no argument 'stepp'"):
        panda.simulate(zero, stepp=1)
    with pytest.raises(ValueError, match="times"):
        panda.simulate(zero, times=[1, 0])


def test_a_simulation_is_not_used_by_its_callbacks_and_is_collected(panda):
    runs = [limb._limb.Simulation(panda, "rk4", {}, None)]
    seen = []

    def nested(t, q, v):
        with pytest.raises(RuntimeError, match="its own simulation"):
            runs[0].advance(1.0)
        seen.append(t)
        return numpy.zeros(7)

    runs[0].force(nested, 0.0, 0.0)
    runs[0].start(0.0, numpy.zeros(7), numpy.zeros(7))
    runs[0].advance(0.001)
    assert seen
    gone = weakref.ref(nested)
    runs.clear()
    del nested
    gc.collect()
    assert gone() is None


def test_inverse_kinematics(panda):
    q = panda.random(20, seed=3)
    found = panda.ik({"flange": panda.frame_pose("flange", q)})
    assert found.solved.all()
    assert found.q.shape == (20, 7)
    pose = panda.frame_pose("flange", found.q)
    assert abs(pose.position - panda.frame_pose("flange", q).position).max() < 1e-9
    assert abs(pose.rotation - panda.frame_pose("flange", q).rotation).max() < 1e-9
    target = numpy.array([0.4, 0.1, 0.5])
    assert abs(panda.frame_position("flange", panda.ik({"flange": target}).q) - target).max() < 1e-9
    seven = numpy.concatenate([pose.position, pose.quaternion], axis=-1)
    assert panda.ik({"flange": seven}, start=found.q, threads=2).solved.all()
    matrix = numpy.eye(4)
    matrix[:3, :3], matrix[:3, 3] = pose.rotation[0], pose.position[0]
    held = panda.ik({"flange": matrix}, start=found.q[0], held=["joint1"])
    assert held.q[0] == found.q[0, 0]
    far = panda.ik({"flange": [5.0, 0, 0]}, restarts=3)
    assert not far.solved
    assert far.position > 3
    with pytest.raises(ValueError, match="expected"):
        panda.ik({"flange": [1.0, 2.0]})
    with pytest.raises(KeyError, match="hand"):
        panda.ik({"hand": target})


def test_changed_copies(panda):
    q, v, a, _ = states(panda, 10)
    same = panda.with_()
    assert same == panda
    heavy = panda.with_(payload=limb.Payload("flange", 2.0, (0, 0, 0.1), (0.01, 0, 0, 0.01, 0, 0.01)))
    extra = heavy.gravity(q) - panda.gravity(q)
    J = panda.frame_jacobian("flange", q, ref="aligned")
    at = panda.frame_pose("flange", q).rotation @ numpy.array([0, 0, 0.1])
    moment = numpy.cross(at, [0, 0, 2 * 9.81])
    force = numpy.concatenate([moment, numpy.broadcast_to([0, 0, 2 * 9.81], (10, 3))], axis=-1)
    assert abs(extra - (numpy.swapaxes(J, -1, -2) @ force[..., None])[..., 0]).max() < 1e-12
    six = panda.with_(locked=["joint3"], q=q[0])
    rest = [0, 1, 3, 4, 5, 6]
    assert six.nv == 6
    M = panda.mass_matrix(numpy.where(numpy.arange(7) == 2, q[0], q))
    assert abs(six.mass_matrix(q[:, rest]) - M[:, rest][:, :, rest]).max() < 1e-12
    changed = panda.with_(joints={"joint2": {"viscous": 3.0}}, gravity=(0, 0, 0), name="other")
    assert abs(changed.inverse_dynamics(q, v, a) - (panda.inverse_dynamics(q, v, a) - panda.gravity(q)))[
        :, 1
    ] == pytest.approx(abs(3.0 * v[:, 1]))
    assert changed.name == "other"
    with pytest.raises(KeyError, match="'panda' has no joint 'joint9'"):
        panda.with_(locked=["joint9"])
    with pytest.raises(KeyError, match="no body 'x'"):
        panda.with_(bodies={"x": {"mass": 1}})


def test_changed_parts(panda, robot):
    """Robots on robots, another root, a free base, parts that go, other names."""
    arm = robot("planar_2r")
    both = panda.with_(attach=[limb.Attachment("flange", arm, "a_"), limb.Attachment("flange", arm, "b_")])
    assert both.nv == panda.nv + 2 * arm.nv
    assert both.mass == pytest.approx(panda.mass + 2 * arm.mass)
    q = both.random(5)
    start = panda.frame_position("flange", q[:, :7])
    alone = panda.total_energy(q[:, :7], 0 * q[:, :7])
    assert (both.total_energy(q, 0 * q) != alone).all()
    assert abs(both.frame_position("flange", q) - start).max() < 1e-14
    back = both.with_(removed=[f"{side}_{body}" for side in "ab" for body in list(arm.bodies)[1:2]])
    assert abs(back.mass_matrix(q[:, :7]) - panda.mass_matrix(q[:, :7])).max() < 1e-12

    free = panda.with_(base="free")
    assert free.nv == 13
    rooted = free.with_(root="link4")
    assert rooted.nv == 13
    assert rooted.mass == pytest.approx(free.mass)
    assert panda.with_(renamed={"joint1": "turn", "link1": "post"}).joints["turn"].child == "post"
    with pytest.raises(limb.Error, match="a base is fixed, planar or free"):
        panda.with_(base="wheels")
    with pytest.raises(limb.Error, match="no body or frame 'hand'"):
        panda.with_(attach=[limb.Attachment("hand", arm)])


def test_locked_motor_of_an_elastic_joint(robot):
    """The shaft becomes a spring of the joint: with its motor held, the rest moves as before."""
    arm = robot("series_elastic_arm")
    motor = "elbow_motor"
    q, v, _, tau = (x[0] for x in states(arm, 1))
    at = arm.joints[motor].v
    held = arm.with_(locked=[motor], q=q)
    v[at] = 0.0
    kept = numpy.ones(arm.nv, bool)
    kept[at] = False
    a, _ = arm.hybrid_dynamics(q, v, 0 * v, tau, given=~kept)
    assert abs(held.forward_dynamics(q[kept], v[kept], tau[kept]) - a[kept]).max() < 1e-9 * abs(a).max()


@pytest.mark.parametrize("name", ["four_bar", "quadruped", "elastic2r", "tree5"])
def test_copies_of_all_kinds_of_robots(robot, name):
    assert robot(name).with_() == robot(name)


def test_generated_code(robot):
    arm = robot("planar_2r")
    code = arm.codegen(["tau", "M"], effort=0)
    assert "planar_2r_tau" in code.header
    assert "def planar_2r_tau" in arm.codegen("tau", language="python", effort=0).source
    if shutil.which("cc"):
        made = code.compile()
        q, v, a, _ = (x[0] for x in states(arm, 1))
        assert made["planar_2r_tau"](q, v, a) == pytest.approx(arm.inverse_dynamics(q, v, a))
        assert made["planar_2r_M"](q).reshape(2, 2) == pytest.approx(arm.mass_matrix(q))
        with pytest.raises(ValueError, match=r"q has shape \(3,\)"):
            made["planar_2r_M"](numpy.zeros(3))
    with pytest.raises(limb.Error, match="weight"):
        arm.codegen("weight")


def test_equations(robot):
    arm = robot("planar_2r")
    assert "cos(q2)" in arm.equations()
    latex = arm.equations("M", notation="latex")
    assert latex._repr_latex_().startswith("$$")
    assert arm.equations()._repr_latex_() is None


@pytest.mark.parametrize("name", ["panda", "four_bar", "quadruped"])
def test_pictures(robot, name, monkeypatch):
    model = robot(name)
    assert "<svg" in model.animate(model.random(3))
    with pytest.raises(ValueError, match="animate"):
        model.animate(numpy.zeros((2, model.nq + 1)))
    monkeypatch.setenv("LIMB_VIEW_PAGE", "nowhere.html")
    assert "<svg" in model._repr_html_()
    assert next(iter(model.joints)) in model._repr_html_()
    with pytest.raises(FileNotFoundError, match="make web"):
        model.view()


PAGE = '<html><meta content="connect-src \'none\'"><script type="application/json" id="robot">null</script></html>\n'


@pytest.fixture
def page(tmp_path, monkeypatch):
    """What stands for limb-view.html, and the data of a page that was made of it."""
    path = tmp_path / "limb-view.html"
    path.write_text(PAGE)
    monkeypatch.setenv("LIMB_VIEW_PAGE", str(path))
    head, tail = PAGE.split("null")

    def read(made):
        assert made.text.startswith(head) and made.text.endswith(tail)
        return json.loads(made.text[len(head) : -len(tail)])

    return read


def numbers(array):
    raw = base64.b64decode(array["bytes"])
    return numpy.frombuffer(zlib.decompress(raw) if array["compressed"] else raw)


def test_view(robot, page, tmp_path):
    arm = robot("planar_2r")
    data = page(arm.view(title="</script>"))
    assert data["title"] == "</script>" and "motion" not in data
    assert limb.loads(data["model"], name="copy.limb.yaml") == arm
    run = arm.simulate([0.5, 0.0], times=[0, 0.5, 1], stop="none")
    made = run.view()
    arrays = page(made)["motion"]["arrays"]
    for name in ("time", "q", "v", "a", "tau"):
        assert (numbers(arrays[name]).reshape(3, -1) == numpy.reshape(getattr(run, name), (3, -1))).all()
    made.save(tmp_path / "motion.html")
    assert (tmp_path / "motion.html").read_text() == made.text
    shown = run._repr_html_()
    assert shown.startswith("<iframe sandbox=") and shown.count("<script") == 0
    assert "<iframe" in arm._repr_html_()
    for wrong in ({"q": numpy.zeros((2, 3))}, {"q": numpy.zeros((2, 2)), "times": [0]}):
        with pytest.raises(ValueError, match="view"):
            arm.view(**wrong)
    with pytest.raises(limb.Error):
        arm.view([[0, 0], [0, numpy.nan]])


@pytest.mark.skipif(
    limb.view.find_page() is None or "LIMB_VIEW_PAGE" in os.environ,
    reason="make web builds the page; an empty one may stand for it",
)
def test_view_is_whole(panda, tool, tmp_path):
    """The page of this installation, from the package and from its tool."""
    text = panda.view().text
    assert len(text) > 2e6 and 'id="wasm"' in text
    subprocess.run([tool, "view", "panda", "-o", tmp_path / "panda.html"], check=True, capture_output=True)
    assert "connect-src 'none'" in (tmp_path / "panda.html").read_text(encoding="utf-8")


def test_view_has_shapes(page, tmp_path):
    body = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    (tmp_path / "a.urdf").write_text(
        f"""<robot name="a"><link name="base"/><link name="tip">{body}<visual><geometry>
        <sphere radius="0.5"/></geometry></visual>
        <visual><geometry><mesh filename="gone.stl"/></geometry></visual></link>
        <joint name="j" type="continuous"><parent link="base"/><child link="tip"/><axis xyz="0 0 1"/></joint></robot>"""
    )
    arm = limb.load(tmp_path / "a.urdf")
    for model in (arm, pickle.loads(pickle.dumps(arm)), arm.with_(payload=limb.Payload("tip", 1.0))):
        with pytest.warns(UserWarning, match=r"gone\.stl"):
            (shape,) = page(model.view())["shapes"]
        assert (shape["body"], shape["kind"], shape["size"]) == ("tip", "sphere", [0.5])


def test_live():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as viewer:
        viewer.bind(("127.0.0.1", 0))
        viewer.settimeout(10)
        with limb.Live(2, port=viewer.getsockname()[1], every=0.01) as live:
            for k in range(101):
                live.send(k / 1000, numpy.array([k, -k]))
            with pytest.raises(ValueError, match="expected 2"):
                live.send(1.0, [1.0])
        got = [struct.unpack("<8s3d", viewer.recv(100)) for _ in range(10)]
    assert [t for _, t, _, _ in got] == pytest.approx([k / 100 for k in range(10)])
    assert got[3][2:] == (30, -30) and got[0][0] == b"limbpose"
    with limb.Live(1, port=9) as nobody:  # nothing happens
        for k in range(10):
            nobody.send(float(k), [0.0])
