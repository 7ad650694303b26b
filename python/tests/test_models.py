"""Loading, findings, errors, parts, building, copies."""

from __future__ import annotations

import copy
import pickle
import re

import limb
import numpy
import pytest
from conftest import small_robots

ARM = """<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.2"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="10" velocity="2"/></joint>
</robot>
"""


def test_load_from_text_file_and_name(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(ARM)
    by_text, by_file = limb.load(ARM), limb.load(file)
    assert by_text == by_file
    assert hash(by_text) == hash(by_file)
    assert by_file.source == str(file)
    assert by_file.format == "urdf"
    assert limb.load("panda") != by_text
    assert by_text.joints["shoulder"].effort_max == 10
    assert by_text.limits[1] == [1.0]


XACRO = """<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:arg name="mass" default="1.0"/><xacro:include filename="$(find arm_parts)/rod.xacro"/>
<xacro:rod mass="$(arg mass)"/></robot>"""
ROD = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="rod" params="mass"><link name="base"/>
<link name="rod"><inertial><mass value="${mass}"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
</link><joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 0 1"/></joint>
</xacro:macro></robot>"""


def test_options_of_reading(tmp_path):
    parts = tmp_path / "elsewhere" / "arm_parts"
    parts.mkdir(parents=True)
    (parts / "package.xml").write_text("<package><name>arm_parts</name></package>")
    (parts / "rod.xacro").write_text(ROD)
    file = tmp_path / "arm.xacro"
    file.write_text(XACRO)
    with pytest.raises(limb.Error, match="arm_parts"):
        limb.load(file)
    arm = limb.load(file, args={"mass": 3.5}, package_path=tmp_path / "elsewhere", check=False)
    assert (arm.mass, arm.format) == (3.5, "urdf")
    assert limb.load(file, package_path=["/nowhere", str(tmp_path / "elsewhere")], check=False).mass == 1.0
    with pytest.warns(limb.ModelWarning, match="the argument 'weight' is given"):
        limb.load(file, args={"weight": 1}, package_path=tmp_path / "elsewhere", check=False)
    with pytest.warns(limb.ModelWarning, match="the file is not xacro"):
        limb.load("panda", args={"weight": 1}, check=False)

    model = "<model name='{}'><link name='b'><inertial><mass>{}</mass></inertial></link></model>"
    world = f"<sdf version='1.9'><world name='w'>{model.format('one', 1)}{model.format('two', 2)}</world></sdf>"
    assert limb.loads(world, format="sdf", model_name="two", check=False).mass == 2.0
    with pytest.raises(limb.Error, match="several models"):
        limb.loads(world, check=False)
    with pytest.raises(ValueError, match="no format 'stl'"):
        limb.load("panda", format="stl")
    with pytest.raises(TypeError, match="bass"):
        limb.load("panda", bass="fixed")


def test_loop_tolerance():
    bars = limb.load("four_bar", loop_tolerance=1e-5)
    assert "loop_tolerance: 1e-05" in bars.to_text()
    assert "loop_tolerance: 1e-05" in bars.with_(joints={"theta1": {"viscous": 1.0}}).to_text()
    assert pickle.loads(pickle.dumps(bars)) == bars != limb.load("four_bar")
    with pytest.raises(limb.Error, match="loop_tolerance must be"):
        limb.load("four_bar", loop_tolerance=-1.0)


def test_findings_are_warnings():
    with pytest.warns(limb.ModelWarning, match="inertia"):
        model = limb.load(ARM.replace('izz="0.002"', 'izz="0.2"'))
    found = [finding for finding in model.findings if finding.severity != "note"]
    assert found[0].line == 3 or found[0].line == 4
    assert found[0].rule in limb.rules()


@pytest.mark.parametrize(
    ("text", "error", "sentence"),
    [
        (ARM.replace('<child link="upper"/>', '<child link="lower"/>'), limb.ModelError, "lower"),
        (ARM.replace("</robot>", ""), limb.ModelSyntaxError, "arm.urdf"),
        ("\n", limb.Error, "arm.urdf"),
        ("robot: {\n", limb.Error, "arm.urdf"),
    ],
)
def test_errors_have_file_and_line(tmp_path, text, error, sentence):
    file = tmp_path / "arm.urdf"
    file.write_text(text)
    with pytest.raises(error, match=re.escape(sentence)) as caught:
        limb.load(file)
    assert caught.value.file == str(file)
    assert str(file) in str(caught.value)
    assert caught.value.text
    with pytest.raises(limb.Error):
        limb.loads(text, name="memory")


def test_files_that_are_not_there():
    with pytest.raises(limb.FileError, match="no_such"):
        limb.load("no_such_robot.urdf")
    with pytest.raises(OSError, match="no_such"):
        limb.load("no_such_robot.urdf")
    with pytest.raises(TypeError, match=r"limb\.load"):
        limb.Model(1)


@pytest.mark.parametrize("name", small_robots())
def test_copies_are_equal_to_the_bit(robot, name):
    model = robot(name)
    again = pickle.loads(pickle.dumps(model))
    assert again == model
    assert again is not model
    assert hash(again) == hash(model)
    assert again.findings == model.findings
    assert copy.deepcopy(model) is model
    assert again.to_text() == model.to_text()
    q = model.random(3, seed=4)
    if not model.loops:
        assert numpy.array_equal(again.mass_matrix(q), model.mass_matrix(q))


def test_parts(panda):
    assert next(iter(panda.joints)) == "joint1"
    assert panda.bodies["link3"].parent == "link2"
    assert panda.frames["flange"].body in panda.bodies
    assert [c.name for c in panda.coordinates] == list(panda.joints)
    assert panda.velocities[0].force_unit == "N m"
    assert panda.mass == pytest.approx(sum(body.mass for body in panda.bodies.values()))
    assert len(panda.base_formulas) == len(panda.base_parameters())
    assert repr(panda) == "<limb.Model 'panda': 7 bodies, nq 7, nv 7>"


def test_builder_says_what_the_file_says(panda):
    b = limb.Builder(panda.name, panda.gravity_acceleration)
    for body in list(panda.bodies.values())[1:]:
        b.body(body.name, mass=body.mass, com=body.com, inertia=body.inertia)
    for j in panda.joints.values():
        b.joint(
            j.name, j.type, j.parent, j.child, placement=j.placement, axis=j.axis, q_min=j.q_min, q_max=j.q_max,
            v_max=j.v_max, effort_max=j.effort_max, viscous=j.viscous, coulomb=j.coulomb,
            rotor_inertia=j.rotor_inertia, gear_ratio=j.gear_ratio,
        )  # fmt: skip
    for frame in panda.frames.values():
        if frame.name not in panda.bodies:
            b.frame(frame.name, frame.body, frame.placement)
    model = b.build()
    q = panda.random(4)
    assert numpy.array_equal(model.mass_matrix(q), panda.mass_matrix(q))
    assert numpy.array_equal(model.frame_position("flange", q), panda.frame_position("flange", q))


def test_builder_with_loop_motor_and_shaft():
    b = limb.Builder()
    for name in ("crank", "rod", "rocker"):
        b.body(name, mass=1, inertia=(0.1, 0, 0, 0.1, 0, 0.1))
    b.joint("a", "revolute", "world", "crank")
    b.joint("b", "revolute", "crank", "rod", placement=(1, 0, 0))
    b.joint("c", "revolute", "world", "rocker", placement=(2, 0, 0))
    b.loop("pin", "pin", "rod", "rocker", pose_a=(2, 0, 0), pose_b=(0, 1, 0))
    motor = b.motor("a", rotor_inertia=0.01, stiffness=100.0, ratio=50.0)
    model = b.build()
    assert motor in model.joints
    assert model.loops["pin"].constraints == slice(0, 5)
    with pytest.raises(limb.ArgumentError, match="hinge"):
        b.joint("hinge", "revolute", "world", "crank", axis=(0, 0, 0))
    with pytest.raises(TypeError, match="no argument 'weight'"):
        b.body("x", weight=1)
    with pytest.raises(KeyError, match="no body 'y'"):
        b.joint("h", "revolute", "world", "y")


def test_tendons_and_rotors_of_balls_are_kept_in_copies():
    b = limb.Builder()
    for name in ("one", "two"):
        b.body(name, mass=1, inertia=(0.1, 0, 0, 0.1, 0, 0.1))
    b.joint("slide", "prismatic", "world", "one", rotor_inertia=0.2)
    b.joint("ball", "spherical", "one", "two", armature=(0.5, 0.5, 0.5, 0, 0, 0), damping=(1, 2, 3, 0, 0, 0))
    b.tendon("cord", {"slide": 0.5}, stiffness=40.0, damping=2.0, rest=0.1)
    model = b.build()
    q, v = numpy.array([0.3, 0, 0, 0, 1]), numpy.array([1.0, 1, 1, 1])
    assert numpy.allclose(numpy.diag(model.mass_matrix(q)), [2.2, 0.6, 0.6, 0.6])
    copy = model.with_(gravity=(0.0, 0.0, 0.0))
    tau = copy.inverse_dynamics(q, v, numpy.zeros(4))
    assert numpy.allclose(tau, [0.5 * (40 * (0.15 - 0.1) + 2 * 0.5), 1, 2, 3])
    with pytest.raises(KeyError, match="no joint 'rail'"):
        b.tendon("other", {"rail": 1.0})


def test_tendons_through_points_and_springs_of_balls():
    b = limb.Builder(gravity=(0.0, 0.0, 0.0))
    for name in ("one", "two"):
        b.body(name, mass=1, inertia=(0.1, 0, 0, 0.1, 0, 0.1))
    b.joint("slide", "prismatic", "world", "one", axis=(1, 0, 0))
    b.joint("ball", "spherical", "one", "two", stiffness=3)
    course = [("world", (0, 0, 2)), ("one", (0, 0, 0)), ("one", (0, 0, 0), 2), ("world", (0, 3, 0))]
    b.tendon("line", points=course, stiffness=40.0, rest=1.0)
    b.tendon("rope", points=[("one", (0, 0, 0)), ("world", (0, 0, 2))], damping=5.0)
    model = b.build()
    x, rate = 1.5, 0.7
    q, v = numpy.array([x, 0, 0, numpy.sin(0.2), numpy.cos(0.2)]), numpy.array([rate, 0, 0, 0])
    tau = model.with_(gravity=(0.0, 0.0, 0.0)).inverse_dynamics(q, v, numpy.zeros(4))
    slope, half = x / numpy.hypot(x, 2), x / numpy.hypot(x, 3) / 2
    tension = 40 * (numpy.hypot(x, 2) + numpy.hypot(x, 3) / 2 - 1)
    assert numpy.allclose(tau, [(slope + half) * tension + slope * 5 * slope * rate, 0, 0, 3 * 0.4])
    with pytest.raises(KeyError, match="no body 'three'"):
        b.tendon("other", points=[("three", (0, 0, 0))])


def test_states_by_name(robot):
    model = robot("quadruped")
    q = model.q({"base.pz": 0.5})
    assert q[2] == 0.5
    assert q[6] == 1
    assert model.v({"base.vx": 2.0}).sum() == 2
    assert numpy.array_equal(model.random(5, seed=2), model.random(5, seed=2))
    assert model.random(seed=2).shape == (model.nq,)


def things(panda):
    """One of everything that users hold."""
    q = panda.random(3)
    env = panda.environment(wrenches=[("flange", "world", q[:, :6]), ("link3", "body", (0, 0, 0, 1, 2, 3))])
    b = limb.Builder("rod")
    b.body("rod", mass=1.0)
    b.joint("hinge", "revolute", "world", "rod", axis=(0, 0, 1))
    return [
        panda, panda.joints["joint2"], panda.bodies["link1"], panda.frames["flange"], panda.coordinates[0],
        panda.velocities[0], panda.theta_names[0], panda.base_formulas[0], panda.findings, limb.quantities()["M"],
        limb.load("four_bar").loops, limb.rules()["unknown-format"], limb.robots()["panda"], b.build(),
        limb.Payload("flange", 1.0), limb.Goal("flange", directions=["vx", "vy"]), limb.Placement(), env,
        panda.plan(["M", "g"]), panda.plan("tau", inputs=("q", "v", "a")), panda.simulate(q[0], times=[0, 0.01]),
        panda.ik({"flange": panda.frame_pose("flange", q)}), limb.load("planar_2r").codegen("M", effort=0),
        limb.load("planar_2r").equations("M", notation="latex"),
    ]  # fmt: skip


def test_everything_pickles_copies_and_hashes_by_content(panda):
    for x, y in zip(things(panda), things(pickle.loads(pickle.dumps(panda))), strict=True):
        for again in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x), y):
            assert type(again) is type(x)
            assert again == x, x
            assert isinstance(x, dict) or hash(again) == hash(x), x
        assert x != (x, x)
    q = panda.random(3)
    env = pickle.loads(pickle.dumps(panda.environment(gravity=(0, 0, 1), wrenches=[("flange", "world", q[:, :6])])))
    again = pickle.loads(pickle.dumps(panda.plan("tau")))
    assert env == panda.environment(gravity=(0, 0, 1), wrenches=[("flange", "world", q[:, :6])])
    assert env != panda.environment(gravity=(0, 0, 1), wrenches=[("flange", "world", q[:, :6] + 1)])
    assert again != panda.plan("g")
    assert again(q, q, q).shape == (3, 7)
    d = panda.inverse_dynamics_derivatives(q, q, q)
    assert numpy.array_equal(pickle.loads(pickle.dumps(d)).dq, d.dq)
    error = pickle.loads(pickle.dumps(limb.FileError("gone")))
    assert type(error) is limb.FileError
    assert str(error) == "gone"
