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


def test_states_by_name(robot):
    model = robot("quadruped")
    q = model.q({"base.pz": 0.5})
    assert q[2] == 0.5
    assert q[6] == 1
    assert model.v({"base.vx": 2.0}).sum() == 2
    assert numpy.array_equal(model.random(5, seed=2), model.random(5, seed=2))
    assert model.random(seed=2).shape == (model.nq,)
