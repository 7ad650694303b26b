#!/usr/bin/env python3
"""What `limb eval` knows of hybrid dynamics, elastic joints and moving bases: which columns decide what, the numbers
of two worked examples, and how `limb verify` and `limb id` look at joints without motor.

    test_cli_hybrid.py <limb>
"""
import json
import math

import test_cli_b as tool
from test_cli_b import ARM, BODY, PENDULUM, SINGULAR, read_csv, table

TWIST = ["wx", "wy", "wz", "vx", "vy", "vz"]
BASE = [f"base.{k}" for k in TWIST]
JOINTS = ["joint1", "joint2", "joint3"]

# The planar 2R of Ghosal 2010 with an elastic second joint, stiffness 350, rest 0.2: Khalil 2010, section 6.
ELASTIC = {"q.joint1": 0.3, "q.joint2": 0.45, "v.joint1": 0.6, "v.joint2": -0.9}
ELASTIC_A2, ELASTIC_TAU1 = -29.368696603750177, -39.87533493634453
ELASTIC_DIRECT = [23.78269036932267, -79.94148733282181]  # under a torque of 250

# A free base with two rotations and a slide: Khalil 2010, section 7. Velocities of the base in its own axes.
V0 = [0.5, -0.4, 0.8, 0.3, -0.1, 0.2]
MOVING_ACC = [-1.376330821972569, -0.20023111588918172, 0.1157738055317314,
              -2.5492266426265857, -5.154521415784263, -7.496711781805794]  # angular; of the origin
MOVING_TAU = [0.055455144378284325, -0.3006281111003418, -0.7713781329959336]
DIRECT_TAU = [2.0, -1.5, 6.0]
DIRECT_QDD = [10.601192317429808, -2.041973455869705, 9.05667678266675]
DIRECT_ACC = [-3.09931529242199, 5.468201225977108, -2.035903142103888,
              -2.586110894626219, -5.258027486884409, -7.148865590902407]

POLE = """limb: 1
name: pole
bodies:
  - {name: rod, mass: 2, com: [0, 0, 0.5], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
joints:
  - {name: hinge, type: revolute, parent: world, child: rod, axis: [1, 0, 0], elastic: {stiffness: 5}}
"""

CART = """limb: 1
name: trolley
bodies:
  - {name: cart, mass: 3}
  - {name: arm, mass: 2, com: [0.5, 0, 0], inertia: [0.1, 0, 0, 0.1, 0, 0.1]}
joints:
  - {name: rail, type: prismatic, parent: world, child: cart, axis: [1, 0, 0], drive: passive}
  - {name: turn, type: revolute, parent: cart, child: arm, axis: [0, 0, 1]}
"""


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def quaternion(yaw, pitch, roll):
    """Of Rz(yaw) Ry(pitch) Rx(roll), x y z w."""
    (cy, sy), (cp, sp), (cr, sr) = [(math.cos(x / 2), math.sin(x / 2)) for x in (yaw, pitch, roll)]
    return [cy * cp * sr - sy * sp * cr, cy * sp * cr + sy * cp * sr, sy * cp * cr - cy * sp * sr,
            cy * cp * cr + sy * sp * sr]


def rates(acceleration):
    """Of the components of v, from the acceleration of the origin: less w x v."""
    turning = cross(V0[:3], V0[3:])
    return acceleration[:3] + [a - t for a, t in zip(acceleration[3:], turning)]


def space_arm():
    row = dict(zip([f"q.base.{k}" for k in ("px", "py", "pz", "qx", "qy", "qz", "qw")],
                   [0.1, -0.2, 0.5, *quaternion(0.4, -0.3, 0.6)]))
    row.update(zip([f"v.{k}" for k in BASE], V0))
    row.update(zip([f"q.{k}" for k in JOINTS], [0.5, -0.8, 0.12]))
    row.update(zip([f"v.{k}" for k in JOINTS], [1.1, -0.6, 0.25]))
    return row


MOVING = {**space_arm(), "a.joint1": 0.7, "a.joint2": 1.5, "a.joint3": -0.4}
DIRECT = {**space_arm(), **{f"tau.{k}": x for k, x in zip(JOINTS, DIRECT_TAU)}}


class Case(tool.Case):
    def states(self, *rows):
        return self.file("s.csv", table(",".join(rows[0]), [row.values() for row in rows]))

    def ask(self, model, what, *rows, options=(), code=0):
        return self.run_limb("eval", model, "--states", self.states(*rows), "--what", what, *options, code=code)

    def answer(self, model, what, row, *options):
        return json.loads(self.ask(model, what, row, options=options).stdout)["results"][0]


class Elastic(Case):
    def test_inverse(self):
        done = self.ask("elastic2r", "hybrid", {**ELASTIC, "a.joint1": 1.2})
        x = json.loads(done.stdout)
        r = x["results"][0]["hybrid"]
        self.assertEqual(list(r), ["a", "tau"])
        self.close(r["a"], [1.2, ELASTIC_A2])
        self.close(r["tau"], [ELASTIC_TAU1, 0])
        self.assertEqual((x["given"], x["dofs"]), (["a", "tau"], ["joint1", "joint2"]))
        self.assertIn("s.csv: note: hybrid takes forces of joints without motor and column for zero: joint2\n",
                      done.stderr)
        # The same with the force of the elastic joint told: there is nothing to note.
        done = self.ask("elastic2r", "hybrid", {**ELASTIC, "a.joint1": 1.2, "tau.joint2": 0})
        self.assertEqual(done.stderr, "")
        self.assertEqual(json.loads(done.stdout)["results"][0]["hybrid"], r)

    def test_direct(self):
        r = self.answer("elastic2r", "hybrid", {**ELASTIC, "tau.joint1": 250})["hybrid"]
        self.close(r["a"], ELASTIC_DIRECT)
        self.close(r["tau"], [250, 0])
        row = {**ELASTIC, "tau.joint1": 250, "tau.joint2": 0}
        self.close(self.answer("elastic2r", "acc", row)["acc"], ELASTIC_DIRECT)

    def test_all_of_one_kind(self):
        row = {**ELASTIC, "a.joint1": 1.2, "a.joint2": ELASTIC_A2}
        r = self.answer("elastic2r", "tau,hybrid", row)
        self.close(r["hybrid"]["tau"], r["tau"])
        self.close(r["tau"], [ELASTIC_TAU1, 0])
        # A force on the elastic joint changes the answer.
        r = self.answer("elastic2r", "hybrid", {**ELASTIC, "a.joint1": 1.2, "tau.joint2": 10})["hybrid"]
        self.assertGreater(r["a"][1], ELASTIC_A2 + 1)

    def test_derivatives(self):
        step = 1e-5
        row = {**ELASTIC, "a.joint1": 1.2, "tau.joint2": 3}
        r = self.answer("elastic2r", "dhybrid_dq,dhybrid_dv,dhybrid_dx", row)
        for name, columns in (("dhybrid_dq", ["q.joint1", "q.joint2"]), ("dhybrid_dv", ["v.joint1", "v.joint2"]),
                              ("dhybrid_dx", ["a.joint1", "tau.joint2"])):
            for k, column in enumerate(columns):
                y = [self.answer("elastic2r", "hybrid", {**row, column: row[column] + d})["hybrid"]
                     for d in (step, -step)]
                slope = [(y[0]["tau"][0] - y[1]["tau"][0]) / (2 * step), (y[0]["a"][1] - y[1]["a"][1]) / (2 * step)]
                self.close([r[name][0][k], r[name][1][k]], slope, 1e-8)

    def test_deflection(self):
        """At rest the spring carries the weight: K (q2 - rest) + m g r cos(q1 + q2) = 0."""
        r = self.answer("elastic2r", "deflection", {"q.joint1": 0.3, "q.joint2": 0.45})["deflection"]
        q2 = 0.45 + r[1]
        self.close([r[0], 350 * (q2 - 0.2)], [0, -12.456 * 9.81 * 0.583 * math.cos(0.3 + q2)], 1e-10)
        # Nothing gives way where everything has a motor.
        done = self.ask("planar_2r", "deflection", {"q.joint1": 0.3, "q.joint2": 0.45})
        self.close(json.loads(done.stdout)["results"][0]["deflection"], [0, 0])
        self.assertIn("note: deflection is zero: 'planar_2r' has no elastic joint, nothing gives way\n", done.stderr)
        done = self.ask("elastic2r", "deflection", {"q.joint1": 0.3, "q.joint2": 0.45})
        self.assertEqual(done.stderr, "")

    def test_deflection_that_nothing_holds(self):
        """A pole upright on a spring that is too weak: an equilibrium, but the load pushes out of it."""
        path = self.file("pole.yaml", POLE)
        done = self.ask(path, "deflection", {"q.hinge": 0}, code=4)
        self.assertIn("nothing holds a joint that gives way, or the load outweighs its spring: start elsewhere",
                      done.stderr)
        self.assertGreater(abs(self.answer(path, "deflection", {"q.hinge": 0.1})["deflection"][0]), 0.5)

    def test_reactions(self):
        """The same wrenches as reactions with the accelerations that hybrid finds."""
        row = {**ELASTIC, "a.joint1": 1.2}
        for options in ((), ("--ref", "body")):
            done = self.ask("elastic2r", "hybrid,hybrid_reactions", row, options=options)
            r = json.loads(done.stdout)["results"][0]
            full = {**row, "a.joint2": r["hybrid"]["a"][1]}
            self.assertEqual(r["hybrid_reactions"], self.answer("elastic2r", "reactions", full, *options)["reactions"])
        self.assertEqual(list(r["hybrid_reactions"]), ["joint1", "joint2"])
        self.close([r["hybrid_reactions"]["joint1"][2]], [ELASTIC_TAU1], 1e-9)

    def test_series_elastic(self):
        joints = ["shoulder", "elbow", "shoulder_motor", "elbow_motor"]
        row = {f"q.{k}": x for k, x in zip(joints, (0.3, -0.4, 31.0, -19.0))}
        row.update({f"v.{k}": x for k, x in zip(joints, (0.5, 0.2, 40.0, 12.0))})
        row.update({"tau.shoulder_motor": 0.4, "tau.elbow_motor": -0.1})
        x = json.loads(self.ask("series_elastic_arm", "hybrid", row).stdout)
        full = {**row, "tau.shoulder": 0, "tau.elbow": 0}
        y = json.loads(self.ask("series_elastic_arm", "acc", full).stdout)
        self.assertEqual(set(x["given"]), {"tau"})
        self.close(x["results"][0]["hybrid"]["a"], y["results"][0]["acc"])


class MovingBase(Case):
    def test_inverse(self):
        done = self.ask("space_arm", "base_acc,hybrid", MOVING)
        x = json.loads(done.stdout)
        r = x["results"][0]
        self.close(r["base_acc"], rates(MOVING_ACC))
        self.close(r["hybrid"]["a"], rates(MOVING_ACC) + [0.7, 1.5, -0.4])
        self.close(r["hybrid"]["tau"], [0.0] * 6 + MOVING_TAU)
        self.assertEqual(x["base_dofs"], BASE)
        self.assertEqual(x["given"], ["tau"] * 6 + ["a"] * 3)
        self.assertEqual(x["base_given"], x["given"])
        for what in ("base_acc", "hybrid"):
            self.assertIn(f"note: {what} takes forces of joints without motor and column for zero: "
                          + ", ".join(BASE) + "\n", done.stderr)

    def test_direct(self):
        r = self.answer("space_arm", "base_acc,hybrid", DIRECT)
        self.close(r["base_acc"], rates(DIRECT_ACC))
        self.close(r["hybrid"]["a"][6:], DIRECT_QDD)
        self.close(r["hybrid"]["tau"], [0.0] * 6 + DIRECT_TAU)

    def test_classical_acceleration(self):
        """What Khalil 2010 calls the acceleration of the base: in its axes."""
        for row, value in ((MOVING, MOVING_ACC), (DIRECT, DIRECT_ACC)):
            r = self.answer("space_arm", "base_acc_frame", row, "--frame", "link0", "--ref", "body")
            self.close(r["base_acc_frame"], value)
        # The kinematics of the row stay what they are.
        options = ("--frame", "link3")
        with_all = {**MOVING, **{f"a.{k}": 0.1 for k in BASE}}
        alone = self.answer("space_arm", "acceleration,momentum_rate", with_all, *options)
        beside = self.answer("space_arm", "base_acc_frame,acceleration,momentum_rate", with_all, *options)
        self.assertEqual({k: beside[k] for k in alone}, alone)

    def test_forces_and_wrenches_on_the_base(self):
        wrench = {f"wrench.link0.{k}": x for k, x in zip(("mx", "my", "mz", "fx", "fy", "fz"), (1, 2, -3, 40, 5, -6))}
        pushed = self.answer("space_arm", "base_acc", {**MOVING, **wrench}, "--wrench-ref", "body")["base_acc"]
        told = {f"tau.{k}": x for k, x in zip(BASE, wrench.values())}
        done = self.ask("space_arm", "base_acc", {**MOVING, **told})
        self.close(json.loads(done.stdout)["results"][0]["base_acc"], pushed)
        self.assertEqual(done.stderr, "")
        self.assertGreater(abs(pushed[3] - rates(MOVING_ACC)[3]), 1)

    def test_momentum_is_kept(self):
        r = self.answer("space_arm", "hybrid", MOVING, "--gravity", "0,0,0")
        row = {**MOVING, **{f"a.{k}": x for k, x in zip(BASE, r["hybrid"]["a"])}}
        r = self.answer("space_arm", "momentum_rate", row, "--gravity", "0,0,0")
        self.close(r["momentum_rate"], [0.0] * 6)

    def test_generalized_jacobian(self):
        """Without momentum the frame moves by it; motions of the null space leave the base alone."""
        x = json.loads(self.ask("space_arm", "generalized_jacobian,reaction_null_space,J,M", MOVING,
                                options=("--frame", "link3")).stdout)
        r, arm = x["results"][0], range(3)
        self.assertEqual(x["arm_dofs"], JOINTS)
        self.assertEqual([len(y) for y in r["generalized_jacobian"]], [3] * 6)
        P = r["reaction_null_space"]
        self.close([sum(P[i][k] * P[k][j] for k in arm) for i in arm for j in arm], [z for y in P for z in y], 1e-9)
        # Columns of -M_bb^-1 M_bm by elimination: J* = J_m + J_b times them.
        A = [row[:6] + [-z for z in row[6:]] for row in r["M"][:6]]
        for i in range(6):
            A[i] = [z / A[i][i] for z in A[i]]
            for k in range(6):
                if k != i:
                    A[k] = [y - A[k][i] * z for y, z in zip(A[k], A[i])]
        for J, G in zip(r["J"], r["generalized_jacobian"]):
            self.close(G, [J[6 + j] + sum(J[k] * A[k][6 + j] for k in range(6)) for j in arm], 1e-11)

    def test_any_base(self):
        """A trolley on a rail that nobody drives: m x'' + d2/dt2 of the arm's part = 0."""
        path = self.file("cart.yaml", CART)
        q, v, a = 0.7, 1.3, -2.0
        row = {"q.rail": 0.4, "q.turn": q, "v.rail": 0.2, "v.turn": v, "a.turn": a}
        x = json.loads(self.ask(path, "base_acc", row).stdout)
        self.assertEqual(x["base_dofs"], ["rail"])
        self.close(x["results"][0]["base_acc"], [2 * 0.5 * (math.sin(q) * a + math.cos(q) * v * v) / 5])

    def test_a_base_by_option(self):
        states = {**{f"q.base.{k}": x for k, x in zip(("px", "py", "pz", "qx", "qy", "qz", "qw"), [0] * 6 + [1])},
                  **{f"v.{k}": 0 for k in BASE}}
        path = self.file("body.urdf", BODY)
        done = self.ask(path, "base_acc", states, options=("--base", "floating"))
        self.close(json.loads(done.stdout)["results"][0]["base_acc"], [0, 0, 0, 0, 0, -9.81])
        # In a plane: the centre of mass, 0.1 from the origin, goes straight on.
        states = {"q.base.px": 0, "q.base.py": 0, "q.base.rz": 0, "v.base.vx": 2, "v.base.vy": 3, "v.base.wz": 4}
        done = self.ask(path, "base_acc", states, options=("--base", "planar"))
        x = json.loads(done.stdout)
        self.assertEqual(x["base_dofs"], ["base.vx", "base.vy", "base.wz"])
        self.close(x["results"][0]["base_acc"], [0.1 * 4 ** 2, 0, 0])


    def test_columns_make_a_base(self):
        """A trolley with a motor, by its force: the same as one without motor that is pushed."""
        row = {"q.rail": 0.4, "q.turn": 0.7, "v.rail": 0.2, "v.turn": 1.3, "tau.rail": 3, "a.turn": -2}
        answers = []
        for drive in ("passive", "active"):
            path = self.file("cart.yaml", CART.replace("passive", drive))
            x = json.loads(self.ask(path, "base_acc,reaction_null_space", row).stdout)
            self.assertEqual((x["base_dofs"], x["arm_dofs"]), (["rail"], ["turn"]))
            answers.append(x["results"])
        self.assertEqual(*answers)
        # Accelerations of the root make it no base; nor does the force of a joint farther out.
        for change in ({"a.rail": 1}, {"tau.rail": None, "a.rail": 1, "tau.turn": 1, "a.turn": None}):
            wrong = {k: x for k, x in {**row, **change}.items() if x is not None}
            text = self.ask(path, "base_acc", wrong, code=2).stderr
            for way in ('<limb drive="passive"/>', "drive: passive", "tau. columns", "--base floating"):
                self.assertIn(way, text)

    def test_no_arm(self):
        """A base alone: what has no numbers is an empty table, not an error."""
        path = self.file("body.urdf", BODY)
        row = {"q.base.px": 0, "q.base.py": 0, "q.base.rz": 0}
        words = ("--base", "planar", "--format")
        done = self.ask(path, "reaction_null_space", row, row, options=(*words, "csv"))
        self.assertEqual((done.stdout, done.stderr), ("", ""))
        row["time"] = 2
        self.assertEqual(self.ask(path, "reaction_null_space", row, options=(*words, "csv")).stdout, "time\n2\n")
        for form in ("json", "text"):
            self.ask(path, "reaction_null_space", row, options=(*words, form))
        # No joints at all.
        still = self.states({"time": 0.5})
        for words in (("eval", path, "--states", still, "--what", "tau,M", "--format", "csv"), ("id", path, still),
                      ("fd", path, still)):
            self.assertEqual(self.run_limb(*words).stdout, "time\n0.5\n")
        other = self.states({"x": 0.5})
        for words in (("eval", path, "--states", other, "--what", "tau,M", "--format", "csv"), ("id", path, other),
                      ("fd", path, other)):
            self.assertEqual(self.run_limb(*words).stdout, "")


class Forms(Case):
    WHAT = "hybrid,base_acc,dhybrid_dq,generalized_jacobian,reaction_null_space"

    def test_forms_agree(self):
        words = ("eval", "space_arm", "--states", self.states(MOVING, MOVING), "--what", self.WHAT, "--frame", "link3",
                 "--format")
        answer = json.loads(self.run_limb(*words, "json").stdout)
        head, rows = read_csv(self.run_limb(*words, "csv").stdout)
        text = self.run_limb(*words, "text").stdout
        flat = [z for k in ("a", "tau") for z in answer["results"][0]["hybrid"][k]]
        self.assertEqual(rows[0], rows[1])
        self.assertEqual(rows[0][:18], flat)
        self.assertEqual(rows[0][18:24], answer["results"][0]["base_acc"])
        self.assertEqual(head[:3], ["hybrid.a.base.wx", "hybrid.a.base.wy", "hybrid.a.base.wz"])
        for name in ("hybrid.tau.joint3", "base_acc.base.vz", "dhybrid_dq.joint1.base.wx",
                     "generalized_jacobian.vz.joint2", "reaction_null_space.joint1.joint3"):
            self.assertIn(name, head)
        self.assertEqual(len(head), len(set(head)))
        self.assertIn("\ngiven: a of joint1, joint2, joint3\n", text)
        self.assertIn("\ngiven: tau of " + ", ".join(f"{k} (0)" for k in BASE) + "\n", text)
        self.assertIn("\ngiven for the base: a of joint1, joint2, joint3\n", text)

    def test_list(self):
        text = self.run_limb("eval", "--list").stdout
        answer = json.loads(self.run_limb("eval", "--list", "--format", "json").stdout)
        answer = {q["name"]: q for q in answer["quantities"]}
        for name, needs, form, frame in (
                ("hybrid", ["q", "v", "a or tau by joint"], "a, tau: nv", False),
                ("hybrid_reactions", ["q", "v", "a or tau by joint"], "joints x 6, keyed by joint", False),
                ("dhybrid_dq", ["q", "v", "a or tau by joint"], "nv x nv", False),
                ("dhybrid_dv", ["q", "v", "a or tau by joint"], "nv x nv", False),
                ("dhybrid_dx", ["q", "v", "a or tau by joint"], "nv x nv", False),
                ("base_acc", ["q", "v", "a or tau by joint"], "base", False),
                ("base_acc_frame", ["q", "v", "a or tau by joint"], "6", True),
                ("generalized_jacobian", ["q"], "6 x arm", True), ("reaction_null_space", ["q"], "arm x arm", False),
                ("deflection", ["q"], "nv", False)):
            self.assertEqual([answer[name][k] for k in ("needs", "shape", "frame")], [needs, form, frame])
            self.assertRegex(text, rf"(?m)^{name} ")
        for page in (("eval", "--help"), ("help", "eval"), ("help", "--man")):
            self.assertIn("base_acc", self.run_limb(*page).stdout)


class Complaints(Case):
    def refused(self, what, row, model="elastic2r", options=(), code=2):
        done = self.ask(model, what, row, options=options, code=code)
        if code == 2:
            self.assertEqual(done.stdout, "")
        return done.stderr

    def test_both_columns(self):
        text = self.refused("hybrid", {**ELASTIC, "a.joint1": 1, "tau.joint1": 2, "a.joint2": 1, "tau.joint2": 1})
        self.assertIn("hybrid takes a. or tau. of a joint, not both", text)
        self.assertIn("  both are there: joint1, joint2\n", text)
        text = self.refused("dhybrid_dv", {**ELASTIC, "a.joint1": 1, "tau.joint1": 2})
        self.assertIn("both are there: joint1\n", text)

    def test_no_column(self):
        text = self.refused("hybrid", ELASTIC)
        self.assertIn("hybrid needs a column of every joint with a motor: a. when its acceleration is given, tau. when "
                      "its force is\n  neither is there: joint1\n", text)
        row = {k: x for k, x in MOVING.items() if k != "a.joint2"}
        self.assertIn("base_acc needs a column", self.refused("base_acc", row, "space_arm"))
        self.assertIn("neither is there: joint2\n", self.refused("base_acc", row, "space_arm"))
        text = self.refused("hybrid", {"q.joint1": 0.1, "a.joint1": 1})
        self.assertIn("missing: q.joint2\n", text)
        self.assertIn("missing: v.joint1, v.joint2\n", text)

    def test_columns_that_base_acc_does_not_use(self):
        row = {**MOVING, **{f"a.{k}": 9.0 for k in BASE}, "tau.joint1": 5}
        done = self.ask("space_arm", "base_acc", row)
        self.close(json.loads(done.stdout)["results"][0]["base_acc"], rates(MOVING_ACC))
        self.assertIn("s.csv:1: warning: base_acc does not use these columns, for accelerations of the base are its "
                      "answer: " + ", ".join(f"a.{k}" for k in BASE) + "\n", done.stderr)
        self.assertIn("does not use these columns, for the accelerations are there: tau.joint1\n", done.stderr)

    def test_no_moving_base(self):
        for what in ("base_acc", "generalized_jacobian", "reaction_null_space", "base_acc_frame"):
            text = self.refused(what, {**ELASTIC, "a.joint1": 1}, options=("--frame", "link2"))
            self.assertIn(f"'{what}' is of a moving base, and 'elastic2r' has none", text)
            self.assertIn("--base floating", text)

    def test_unknown_names(self):
        for wrong, right in (("hybird", "hybrid"), ("hybrid_dq", "dhybrid_dq"), ("baseacc", "base_acc"),
                             ("base_acceleration", "base_acc"), ("deflections", "deflection"),
                             ("generalised_jacobian", "generalized_jacobian")):
            self.assertIn(f"there is no quantity '{wrong}'; did you mean '{right}'?", self.refused(wrong, ELASTIC))
        done = self.ask("elastic2r", "hybrid", {**ELASTIC, "a.joint1": 1, "a.jont2": 2})
        self.assertIn("column 'a.jont2' is not used", done.stderr)
        self.assertIn("did you mean 'a.joint2'?", done.stderr)
        self.assertIn("the model has no frame 'link9'",
                      self.refused("base_acc_frame", MOVING, "space_arm", ("--frame", "link9")))

    def test_numbers_that_are_none(self):
        for bad in ("nan", "inf", "", "x"):
            head = ",".join([*ELASTIC, "a.joint1"])
            states = self.file("s.csv", f"{head}\n0,0,0,0,1\n0,0,0,0,{bad}\n")
            done = self.run_limb("eval", "elastic2r", "--states", states, "--what", "hybrid", code=2)
            self.assertIn("s.csv:3:", done.stderr)

    def test_empty_files(self):
        states = self.file("s.csv", "")
        self.run_limb("eval", "elastic2r", "--states", states, "--what", "hybrid", code=2)
        states = self.file("s.csv", "q.joint1,q.joint2,v.joint1,v.joint2,a.joint1\n")
        done = self.run_limb("eval", "elastic2r", "--states", states, "--what", "hybrid")
        self.assertIn("there are no rows", done.stderr)
        self.assertEqual(json.loads(done.stdout)["results"], [])
        text = self.run_limb("eval", "elastic2r", "--what", "hybrid", code=2).stderr
        self.assertIn("--states FILE is missing: the states to compute 'hybrid' for", text)

    def test_no_mass(self):
        path = self.file("m.urdf", SINGULAR)
        row = {"q.hinge": 0.1, "v.hinge": 0, "tau.hinge": 1}
        self.assertIn("limb check", self.refused("hybrid", row, path, code=4))
        self.ask(path, "hybrid", {"q.hinge": 0.1, "v.hinge": 0, "a.hinge": 1})


class OtherCommands(Case):
    def test_verify(self):
        answer = json.loads(self.run_limb("verify", "space_arm", "--states", "20", "--format", "json").stdout)
        checks = {(c["quantity"], c["by"], c["and_by"]): c for c in answer["checks"]}
        for name in (("hybrid", "articulated bodies", "partition of M"),
                     ("hybrid", "articulated bodies", "Khalil's recursion"),
                     ("hybrid", "all forces given", "forward dynamics"), ("hybrid", "all accelerations given", "RNEA"),
                     ("base_acc", "hybrid", "Khalil's recursion, inverse"),
                     ("base_acc", "hybrid", "Khalil's recursion, forward"),
                     ("base_acc", "rate of momentum", "weight"),
                     ("dhybrid_dq", "dq, dv, dx along a direction", "dual numbers")):
            self.assertEqual((checks[name]["verdict"], checks[name]["states"]), ("ok", 20))
        text = self.run_limb("verify", "elastic2r", "--states", "2").stdout
        self.assertIn("not applicable: its base is not one free joint", text)
        self.assertIn("\nAll formulations agree.\n", text)

    def test_fd_without_forces_of_joints_without_motor(self):
        done = self.run_limb("fd", "elastic2r", self.states({**ELASTIC, "tau.joint1": 250}))
        head, rows = read_csv(done.stdout)
        self.close(rows[0], ELASTIC_DIRECT)
        self.assertEqual(done.stderr.count("note: forward dynamics takes forces of joints without motor and column for "
                                           "zero: tau.joint2\n"), 1)
        full = self.run_limb("fd", "elastic2r", self.states({**ELASTIC, "tau.joint1": 250, "tau.joint2": 0}))
        self.assertEqual((full.stdout, full.stderr), (done.stdout, ""))
        done = self.run_limb("fd", "elastic2r", self.states({**ELASTIC, "tau.joint2": 0}), code=2)
        self.assertIn("forward dynamics needs the tau. columns; some are missing\n  missing: tau.joint1\n", done.stderr)
        # A quantity of eval takes what it says that it needs.
        done = self.ask("elastic2r", "acc", {**ELASTIC, "tau.joint1": 1}, code=2)
        self.assertIn("missing: tau.joint2\n", done.stderr)

    def test_id_names_hybrid(self):
        states = self.states({**ELASTIC, "a.joint1": 1.2})
        text = self.run_limb("id", "elastic2r", states, code=2).stderr
        self.assertIn("  missing: a.joint2\n  of joints without motor a is an answer: limb eval --what hybrid\n", text)
        states = self.states({**ELASTIC, "a.joint2": 1.2})
        self.assertNotIn("hybrid", self.run_limb("id", "elastic2r", states, code=2).stderr)

    def test_id_tells_of_forces_that_nobody_delivers(self):
        row = {**MOVING, **{f"a.{k}": 0 for k in BASE}}
        done = self.run_limb("id", "space_arm", self.states(row, row))
        self.assertRegex(done.stderr, r"s\.csv: note: the motion takes up to \S+ N( m)? at 'base\.[wv][xyz]', "
                                      r"which has no motor")
        self.assertEqual(len(done.stderr.splitlines()), 1)
        row.update({f"a.{k}": x for k, x in zip(BASE, rates(MOVING_ACC))})
        done = self.run_limb("id", "space_arm", self.states(row))
        self.assertEqual(done.stderr, "")
        head, rows = read_csv(done.stdout)
        self.close(rows[0], [0.0] * 6 + MOVING_TAU)
        for text, columns in ((PENDULUM, "hinge"), (ARM, "shoulder elbow slide_&_grip")):
            names = [k.replace("_", " ") for k in columns.split()]
            motion = self.states({f"{g}.{k}": 0.1 for g in "qva" for k in names})
            self.assertNotIn("no motor", self.run_limb("id", self.file("m.urdf", text), motion).stderr)


if __name__ == "__main__":
    tool.main(__doc__)
