#!/usr/bin/env python3
"""What `limb eval` knows of derivatives, geometry, tasks and parameters, and how `limb verify` compares them.

    test_cli_derivatives.py <limb>
"""
import json
import math

import test_cli_b as tool
from test_cli_b import ARM, BODY, G, PENDULUM, SINGULAR, read_csv, table

ROW = table("time,q.hinge,v.hinge,a.hinge,tau.hinge", [[0.5, 0.3, 2, -4, 1.5]])
DOFS = ["shoulder", "elbow", "slide & grip"]
ARM_HEAD = ",".join(f"{k}.{d}" for k in ("q", "v", "a", "tau") for d in DOFS)
ARM_ROWS = [[0.4, -1.1, 0.1, 0.7, -0.4, 0.3, 1.5, 0.2, -0.8, 3.0, -2.0, 5.0],
            [-1.3, 0.6, 0.15, -0.2, 1.4, -0.5, 0.3, -1.1, 0.9, -1.0, 4.0, 2.0]]
PAN_TILT = """limb: 1
name: pan_tilt
bodies:
  - {name: pan, mass: 0}
  - {name: tilt, mass: 3, com: [0.5, 0, 0]}
joints:
  - {name: j1, type: revolute, parent: world, child: pan, axis: [0, 0, 1]}
  - {name: j2, type: revolute, parent: pan, child: tilt, axis: [0, 1, 0]}
"""
STIFFNESS = 2 * G * 0.5  # m g l of the pendulum
INERTIA = 0.1 + 2 * 0.25


def flat(x):
    if isinstance(x, dict):
        x = list(x.values())
    return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]


def shape(x):
    return [len(x), *shape(x[0])] if isinstance(x, list) else []


def times(A, x):
    return [sum(a * b for a, b in zip(row, x)) for row in A]


def product(A, B):
    return [times(list(zip(*B)), row) for row in A]


class Case(tool.Case):
    def arm(self, what, *options):
        return self.eval(ARM, table(ARM_HEAD, ARM_ROWS), what, *options)

    def refused(self, text, states, what, *options, code=2):
        return self.run_limb("eval", self.file("m.urdf", text), "--states", self.file("s.csv", states), "--what", what,
                             *options, code=code).stderr


class Answers(Case):
    def pendulum(self, what, *options):
        return self.eval(PENDULUM, ROW, what, *options)["results"][0]

    def test_derivatives_of_a_pendulum(self):
        q, v = 0.3, 2.0
        r = self.pendulum("dtau_dq,dtau_dv,dacc_dq,dacc_dv,dacc_dtau,dM_dq,christoffel,curvature,Mdot,d2tau,d2acc,"
                          "dtau_dgravity,dacc_dgravity")
        stiffness = STIFFNESS * math.cos(q)
        self.close(flat(r["dtau_dq"]) + flat(r["dtau_dv"]), [stiffness, 0.3])
        self.close(flat([r["dacc_dq"], r["dacc_dv"], r["dacc_dtau"]]),
                   [-stiffness / INERTIA, -0.3 / INERTIA, 1 / INERTIA])
        self.close(flat([r["dM_dq"], r["christoffel"], r["curvature"], r["Mdot"]]), [0, 0, 0, 0])
        self.assertEqual(shape(r["curvature"]), [1, 1, 1, 1])
        self.assertEqual(list(r["d2tau"]), ["dqdq", "dqdv", "dvdv", "dqda"])
        self.assertEqual(list(r["d2acc"]), ["dqdq", "dqdv", "dvdv", "dqdtau"])
        self.close(flat(r["d2tau"]), [-STIFFNESS * math.sin(q), 0, 0, 0])
        self.close(flat(r["d2acc"]), [STIFFNESS * math.sin(q) / INERTIA, 0, 0, 0])
        self.close(flat(r["dtau_dgravity"]), [math.cos(q), 0, -math.sin(q)])
        self.close(flat(r["dacc_dgravity"]), [-math.cos(q) / INERTIA, 0, math.sin(q) / INERTIA])
        # Coulomb friction that is smooth has a slope.
        x = self.eval(PENDULUM, ROW, "tau,dtau_dv", "--coulomb-width", "0.5")
        self.assertEqual(x["coulomb_width"], 0.5)
        self.close(flat(x["results"][0]["dtau_dv"]), [0.3 + 0.2 / 0.5 / math.cosh(v / 0.5) ** 2])
        self.close(x["results"][0]["tau"],
                   [INERTIA * -4 + STIFFNESS * math.sin(q) + 0.3 * v + 0.2 * math.tanh(v / 0.5)])
        self.close(flat(self.pendulum("dtau_dv", "--no-friction")["dtau_dv"]), [0])

    def test_linear_model_of_a_pendulum(self):
        dt, k, c = 0.1, STIFFNESS * math.cos(0.3) / INERTIA, 0.3 / INERTIA
        x = self.eval(PENDULUM, ROW, "A,B,Ad,Bd", "--dt", dt)
        self.assertEqual(x["dt"], dt)
        r = x["results"][0]
        self.close(flat(r["A"]), [0, 1, -k, -c])
        self.close(flat(r["B"]), [0, 1 / INERTIA])
        # x'' = -k x - c x' + u / I
        w = math.sqrt(k - c * c / 4)
        e, co, si = math.exp(-c * dt / 2), math.cos(w * dt), math.sin(w * dt)
        Ad = [e * (co + c / 2 / w * si), e * si / w, -k * e * si / w, e * (co - c / 2 / w * si)]
        self.close(flat(r["Ad"]), Ad)
        self.close(flat(r["Bd"]), [(1 - Ad[0]) / k / INERTIA, -Ad[2] / k / INERTIA])

    def test_task_of_a_pendulum(self):
        s, c, v = math.sin(0.3), math.cos(0.3), 2.0
        what = "Lambda,eta,mu,p,Jbar,N,condition"
        r = self.pendulum(what, "--frame", "tip", "--directions", "vx")
        inertia = INERTIA / c ** 2
        mu, p = [-inertia * s * v * v], [-STIFFNESS * s / c]
        self.close(flat(r["Lambda"]) + r["mu"] + r["p"] + r["eta"], [inertia, *mu, *p, mu[0] + p[0]])
        self.close(flat(r["Jbar"]) + flat(r["N"]) + [r["condition"]], [-1 / c, 0, 1])
        x = self.eval(PENDULUM, ROW, what, "--frame", "tip", "--directions", "wy")
        r = x["results"][0]
        self.assertEqual((x["directions"], x["damping"], x["frame"]), (["wy"], 0, "tip"))
        self.close(flat(r["Lambda"]) + r["eta"], [INERTIA, STIFFNESS * s])
        r = self.pendulum("Lambda", "--frame", "tip", "--directions", "wy", "--damping", "0.5")
        self.close(flat(r["Lambda"]), [1 / (1 / INERTIA + 0.5)])
        r = self.pendulum("Lambda,condition", "--frame", "tip", "--damping", "0.5")
        self.assertEqual(shape(r["Lambda"]), [6, 6])
        self.assertTrue(r["condition"] is None or r["condition"] > 1e12)
        self.assertTrue(self.pendulum("condition", "--frame", "tip")["condition"] is None)

    def test_frames_of_a_pendulum(self):
        s, c, v, a = math.sin(0.3), math.cos(0.3), 2.0, -4.0
        r = self.pendulum("dJ_dq,dvelocity_dq,dacceleration_dq,dacceleration_dv,dtau_dwrench,dacc_dwrench", "--frame",
                          "tip")
        self.close(flat(r["dJ_dq"]), [0, 0, 0, s, 0, c])
        self.close(flat(r["dvelocity_dq"]), [0, 0, 0, s * v, 0, c * v])
        self.close(flat(r["dacceleration_dq"]), [0, 0, 0, c * v * v + s * a, 0, -s * v * v + c * a])
        self.close(flat(r["dacceleration_dv"]), [0, 0, 0, 2 * s * v, 0, 2 * c * v])
        self.close(flat(r["dtau_dwrench"]), [0, -1, 0, c, 0, -s])
        self.close(flat(r["dacc_dwrench"]), [x / INERTIA for x in (0, 1, 0, -c, 0, s)])

    def test_parameters_of_a_pendulum(self):
        s, v, a = math.sin(0.3), 2.0, -4.0
        x = self.eval(PENDULUM, ROW, "Y,theta,tau")
        r, names = x["results"][0], x["parameters"]
        self.assertEqual(names[:10], [f"rod.{k}" for k in "m mx my mz Ixx Ixy Ixz Iyy Iyz Izz".split()])
        self.assertEqual(names[10:], [f"hinge.{k}" for k in "rotor viscous coulomb stiffness offset".split()])
        Y, theta = dict(zip(names, r["Y"][0])), dict(zip(names, r["theta"]))
        self.close([Y["rod.Iyy"], Y["rod.mz"], Y["rod.m"], Y["hinge.viscous"], Y["hinge.coulomb"], Y["hinge.rotor"]],
                   [a, -G * s, 0, v, 1, a])
        self.close([theta["rod.m"], theta["rod.mz"], theta["rod.Iyy"], theta["hinge.viscous"]], [2, -1, INERTIA, 0.3])
        self.close(times(r["Y"], r["theta"]), r["tau"])

    def test_by_the_length_of_a_link(self):
        # Ghosal 2010, (27), by l_1: the masses of point_mass_2r are at the tips, m_2 = 1, r_2 = 0.8, l_1 = 1.
        q, v, a = (0.3, 0.5), (1.1, -0.7), (0.4, 0.9)
        c2, s2 = math.cos(q[1]), math.sin(q[1])
        rate = 2 * v[0] * v[1] + v[1] ** 2
        wanted = ((2 + 1.6 * c2) * a[0] + 0.8 * c2 * a[1] - 0.8 * s2 * rate + 9.81 * math.cos(q[0]),
                  0.8 * c2 * a[0] + 0.8 * s2 * v[0] ** 2)
        state = [f"--{k}=joint1={x[0]},joint2={x[1]}" for k, x in (("q", q), ("v", v), ("a", a))]
        run = self.run_limb("eval", "point_mass_2r", *state, "--what",
                            "dtau_dgeometry,dpose_dgeometry.tip,dJ_dgeometry.tip,geometry")
        answer = json.loads(run.stdout)
        at = answer["geometry_parameters"].index("joint2.x")
        x = answer["results"][0]
        for k in range(2):
            self.assertAlmostEqual(x["dtau_dgeometry"][k][at], wanted[k], 12)
        twist = [row[at] for row in x["dpose_dgeometry.tip"]]
        for got, want in zip(twist, [0, 0, 0, math.cos(q[0]), math.sin(q[0]), 0]):
            self.assertAlmostEqual(got, want, 14)
        for got, want in zip([row[0][at] for row in x["dJ_dgeometry.tip"]],
                             [0, 0, 0, -math.sin(q[0]), math.cos(q[0]), 0]):
            self.assertAlmostEqual(got, want, 14)
        self.assertEqual(x["geometry"][at], 1)
        named = json.loads(self.run_limb("eval", "panda", "--q", "0", "--what", "dpose_dgeometry.flange").stdout)
        self.assertEqual(named["geometry_parameters"][8], "joint2.alpha")  # in the form of the file
        self.assertIn("joint2", self.run_limb("eval", "panda", "--what", "geometry", "--form", "dh", code=2).stderr)

    def test_regressor_of_slotine_and_li(self):
        """With one joint there is no C: inertia a_r, weight, friction at v_r."""
        row = table("q.hinge,v.hinge,v_r.hinge,a_r.hinge", [[0.3, 2, 0.7, -4]])
        x = self.eval(PENDULUM, row, "Y_r,theta")
        r, names = x["results"][0], x["parameters"]
        Y = dict(zip(names, r["Y_r"][0]))
        self.close([Y["rod.Iyy"], Y["rod.mz"], Y["rod.m"], Y["hinge.viscous"], Y["hinge.coulomb"], Y["hinge.rotor"]],
                   [-4, -G * math.sin(0.3), 0, 0.7, 1, -4])
        motion = self.eval(PENDULUM, table("q.hinge,v.hinge,a.hinge", [[0.3, 0.7, -4]]), "tau")["results"][0]
        self.close(times(r["Y_r"], r["theta"]), motion["tau"])

    def test_what_belongs_together(self):
        """Identities of an arm with a slide, one row after the other."""
        x = self.arm("tau,acc,M,C,Mdot,dM_dq,christoffel,christoffel2,ricci,scalar_curvature,curvature,Y,theta,Y_base,"
                     "theta_base,dacc_dq,dacc_dv,A,B,Minv,J,Lambda,Jbar,N", "--frame", "grip.tool", "--directions",
                     "linear")
        self.assertEqual(len(x["base_parameters"]), len(x["results"][0]["theta_base"]))
        self.assertEqual(x["directions"], ["vx", "vy", "vz"])
        n = range(3)
        for row, r in zip(ARM_ROWS, x["results"]):
            v = row[3:6]
            self.close(times(r["Y"], r["theta"]), r["tau"])
            self.close(times(r["Y_base"], r["theta_base"]), r["tau"])
            self.close(flat([times(T, v) for T in r["dM_dq"]]), flat(r["Mdot"]))
            self.close([sum(a * b for a, b in zip(times(T, v), v)) for T in r["christoffel"]], times(r["C"], v))
            self.close(flat(product(r["M"], [flat(T) for T in r["christoffel2"]])), flat(r["christoffel"]))
            R, W = r["curvature"], r["Minv"]
            self.close(flat(r["ricci"]),
                       [sum(W[i][k] * R[i][j][k][l] for i in n for k in n) for j in n for l in n], 1e-10)
            self.close([r["scalar_curvature"]], [sum(flat(product(W, r["ricci"]))[:: 4])], 1e-10)
            A, B = r["A"], r["B"]
            self.close(flat([A[i][j] for i in n for j in range(6)]), [float(j == i + 3) for i in n for j in range(6)])
            self.close(flat([A[3 + i][:3] for i in n]), flat(r["dacc_dq"]))
            self.close(flat([A[3 + i][3:] for i in n]), flat(r["dacc_dv"]))
            self.close(flat(B), [0.0] * 9 + flat(W))
            J = r["J"][3:]
            self.close(flat(product(J, r["Jbar"])), [1.0, 0, 0, 0, 1, 0, 0, 0, 1], 1e-10)
            self.close(flat(product(r["Lambda"], product(product(J, W), list(zip(*J))))),
                       [1.0, 0, 0, 0, 1, 0, 0, 0, 1], 1e-10)
            self.close(flat(r["N"]), [0.0] * 9, 1e-10)

    def test_forward_and_inverse_derivatives(self):
        r = self.arm("acc,M,dacc_dq,dacc_dv")["results"][0]
        row = ARM_ROWS[0][:6] + r["acc"] + ARM_ROWS[0][9:]
        d = self.eval(ARM, table(ARM_HEAD, [row]), "dtau_dq,dtau_dv")["results"][0]
        for y in ("q", "v"):
            self.close([-z for z in flat(product(r["M"], r[f"dacc_d{y}"]))], flat(d[f"dtau_d{y}"]), 1e-11)


class Forms(Case):
    WHAT = "dtau_dq,d2tau,christoffel,curvature,Y,A,B,Lambda,Jbar,condition,theta_base"

    def test_forms_agree(self):
        words = ("eval", self.file("m.urdf", ARM), "--states", self.file("s.csv", table(ARM_HEAD, ARM_ROWS)), "--what",
                 self.WHAT, "--frame", "grip.tool", "--directions", "vz,wy", "--format")
        answer = json.loads(self.run_limb(*words, "json").stdout)
        head, rows = read_csv(self.run_limb(*words, "csv").stdout)
        text = self.run_limb(*words, "text").stdout
        for r, row in zip(answer["results"], rows):
            self.assertEqual(flat(r), row)
        self.assertEqual(answer["directions"], ["wy", "vz"])  # the order of motions
        for name in ("dtau_dq.shoulder.slide & grip", "d2tau.dqdv.elbow.shoulder.slide & grip",
                     "christoffel.elbow.elbow.elbow", "curvature.shoulder.elbow.shoulder.elbow",
                     "Y.elbow.fore.Ixx", "Y.elbow.elbow.viscous", "A.q.elbow.v.elbow", "B.v.elbow.shoulder",
                     "Lambda.wy.vz", "Jbar.shoulder.wy", "condition"):
            self.assertIn(name, head)
        self.assertEqual(len(head), len(set(head)))
        self.assertIn("  d2tau.dqda (i = elbow; j down, k across)\n", text)
        self.assertIn("  christoffel (i = slide & grip; j down, k across)\n", text)
        self.assertIn("  curvature (i = shoulder, j = elbow; k down, l across)\n", text)
        self.assertNotRegex(text, r"(?m)^ +$")
        self.assertRegex(text, r"(?m)^  condition +[0-9.e+]+ *$")

    def test_shapes_of_a_floating_body(self):
        parts = ["px", "py", "pz", "qx", "qy", "qz", "qw"]
        head = ",".join([f"q.base.{k}" for k in parts] +
                        [f"{g}.base.{k}" for g in ("v", "a", "tau") for k in ("wx", "wy", "wz", "vx", "vy", "vz")])
        row = [1, 2, 3, 0, 0, math.sin(0.4), math.cos(0.4), *[0.1 * k - 0.7 for k in range(18)]]
        what = "dtau_dq,dacc_dv,christoffel,dM_dq,curvature,d2tau,A,B,Y,Lambda,eta"
        x = self.eval(BODY, table(head, [row]), what, "--base", "floating", "--frame", "hull")
        r = x["results"][0]
        self.assertEqual({k: shape(r[k]) for k in r if k != "d2tau"}, {
            "dtau_dq": [6, 6], "dacc_dv": [6, 6], "christoffel": [6] * 3, "dM_dq": [6] * 3, "curvature": [6] * 4,
            "A": [12, 12], "B": [12, 6], "Y": [6, 10], "Lambda": [6, 6], "eta": [6]})
        self.assertEqual({k: shape(y) for k, y in r["d2tau"].items()},
                         {k: [6] * 3 for k in ("dqdq", "dqdv", "dvdv", "dqda")})
        self.close(flat(r["dM_dq"]), [0.0] * 216)
        names, _ = read_csv(self.run_limb("eval", self.file("m.urdf", BODY), "--base", "floating", "--states",
                                          self.file("s.csv", table(head, [row])), "--what", "dtau_dq,A", "--format",
                                          "csv").stdout)
        self.assertIn("dtau_dq.base.wx.base.vz", names)
        self.assertIn("A.q.base.wx.v.base.vz", names)

    def test_infinite_numbers_in_text(self):
        text = self.run_limb("eval", self.file("m.urdf", PENDULUM), "--states", self.file("s.csv", ROW), "--what",
                             "condition", "--frame", "tip", "--format", "text").stdout
        self.assertRegex(text, r"\nrow 1, time 0.5\n  condition +inf\n$")

    def test_what_needs_no_states(self):
        path = self.file("m.urdf", PENDULUM)
        with_states = self.eval(PENDULUM, ROW, "theta")["results"][0]["theta"]
        answer = json.loads(self.run_limb("eval", path, "--what", "theta,theta_base").stdout)
        self.assertEqual(len(answer["results"]), 1)
        self.assertEqual(answer["results"][0]["theta"], with_states)
        for form in ("csv", "text"):
            self.assertIn("rod.mz", self.run_limb("eval", path, "--what", "theta", "--format", form).stdout)
        text = self.run_limb("eval", path, "--what", "theta,M", code=2).stderr
        self.assertIn("--states FILE is missing: the states to compute 'M' for", text)

    def test_list(self):
        answer = json.loads(self.run_limb("eval", "--list", "--format", "json").stdout)
        answer = {q["name"]: q for q in answer["quantities"]}
        for name, needs, form, frame in (
                ("dtau_dq", ["q", "v", "a"], "nv x nv", False), ("dacc_dv", ["q", "v", "tau"], "nv x nv", False),
                ("christoffel", ["q"], "nv x nv x nv", False), ("curvature", ["q"], "nv x nv x nv x nv", False),
                ("dM_dq", ["q"], "nv x nv x nv", False), ("Y", ["q", "v", "a"], "nv x np", False),
                ("A", ["q", "v", "tau"], "2nv x 2nv", False), ("B", ["q", "v", "tau"], "2nv x nv", False),
                ("Lambda", ["q", "directions"], "directions x directions", True),
                ("eta", ["q", "v", "directions"], "directions", True),
                ("d2tau", ["q", "v", "a"], "dqdq, dqdv, dvdv, dqda: nv x nv x nv", False),
                ("condition", ["q", "directions"], "1", True), ("theta", [], "np", False)):
            self.assertEqual([answer[name][k] for k in ("needs", "shape", "frame")], [needs, form, frame])


class Complaints(Case):
    def test_singular_tasks(self):
        text = self.refused(PENDULUM, ROW, "Lambda", "--frame", "tip", code=4)
        self.assertIn("6 directions are more than the robot has velocities, 1", text)
        self.assertNotIn("no mass", text)
        # The upper arm turns about z, and nothing else.
        at_rest = table(ARM_HEAD, [[0, 0, 0.1] + [0.0] * 9])
        for directions in ("wz,vz", "angular"):
            done = self.refused(ARM, at_rest, "Lambda", "--frame", "upper", "--directions", directions, code=4)
            self.assertRegex(done, r"s\.csv:2: error: row 1: Lambda: .*'upper' cannot move in all of its \d "
                                   r"directions: condition number \S+, the limit is 1e\+12; choose fewer "
                                   r"directions, or damping")
        text = self.refused(SINGULAR, ROW, "Lambda", "--frame", "tip", "--directions", "wy", code=4)
        reason = "joint 'hinge': it moves no inertia"
        self.assertIn(reason, text)
        self.assertIn(reason, self.refused(SINGULAR, ROW, "condition", "--frame", "tip", code=4))
        self.assertIn(reason, self.refused(SINGULAR, ROW, "dacc_dq", code=4))
        done = self.run_limb("eval", self.file("m.urdf", SINGULAR), "--states", self.file("s.csv", ROW), "--what",
                             "dacc_dq", code=4)
        self.assertIn(json.loads(done.stdout)["error"]["text"] + "\n", done.stderr)
        self.assertIn(reason, json.loads(done.stdout)["error"]["text"])
        self.run_limb("eval", self.file("m.urdf", SINGULAR), "--states", self.file("s.csv", ROW), "--what", "dtau_dq,Y")

    def test_samples_too_far_apart(self):
        for what in ("Ad", "Bd"):
            for dt in ("1e9", "1e300"):
                text = self.refused(PENDULUM, ROW, what, "--dt", dt, code=4)
                self.assertIn(f"{what}: the time between samples is too long for this A: choose a shorter one", text)
                self.assertNotIn("not supported", text)

    def test_options(self):
        for what, words, says in (
                ("Lambda", (), "'Lambda' is of a frame: name it, as in Lambda.<frame>, or for all by --frame"),
                ("Lambda", ("--frame", "tip", "--directions", "vx,ox"), "'ox' is none of wx, wy"),
                ("Lambda", ("--frame", "tip", "--directions", "vx,"), "'' is none of"),
                ("Lambda", ("--frame", "tip", "--directions", "vx,linear"), "'linear' is there twice"),
                ("Lambda", ("--frame", "tip", "--damping", "-1"), "--damping must not be negative"),
                ("Lambda", ("--frame", "tip", "--damping", "much"), "takes a number"),
                ("Ad", (), "'Ad' needs the time between samples, dt"), ("Bd", ("--dt", "0"), "--dt must be above zero"),
                ("tau", ("--coulomb-width", "0"), "--coulomb-width must be above zero"),
                ("tau", ("--dt", "0.1"), "--dt has no effect"), ("A", ("--dt", "0.1"), "--dt has no effect"),
                ("J", ("--frame", "tip", "--directions", "vx"), "--directions has no effect"),
                ("tau", ("--damping", "0.1"), "--damping has no effect"),
                ("ddq_dq", (), "did you mean 'dacc_dq'?"), ("ddq_dtau", (), "did you mean 'dacc_dtau'?"),
                ("regressor", (), "did you mean 'Y'?"), ("dtau_qd", (), "did you mean 'dtau_dq'?")):
            self.assertIn(says, self.refused(PENDULUM, ROW, what, *words))
        text = self.refused(PENDULUM, table("q.hinge", [[0.1]]), "A,dtau_dv")
        self.assertIn("A needs", text)
        self.assertIn("missing: v.hinge", text)
        self.assertIn("v.hinge", self.refused(PENDULUM, table("q.hinge", [[0.1]]), "eta", "--frame", "tip"))

    def test_tensors_that_do_not_fit(self):
        joints = json.loads(self.run_limb("info", "protein", "--format", "json").stdout)["joints"]
        columns = [f"{k}.{j['name']}" for k in "qva" for j in joints]
        states = self.file("s.csv", table(",".join(columns), [[0.0] * len(columns)]))
        for what, name, numbers, size in (
                ("christoffel", "christoffel", 10 ** 9, "8"), ("M,dM_dq", "dM_dq", 10 ** 9, "8"),
                ("curvature", "curvature", 10 ** 12 + 2 * 10 ** 9, "8.02e+03"), ("d2tau", "d2tau", 4 * 10 ** 9, "32")):
            done = self.run_limb("eval", "protein", "--states", states, "--what", what, code=2)
            self.assertEqual(done.stdout, "")
            self.assertIn(f"'{name}' of a robot with 1000 velocities takes {numbers} numbers ({size} GB of memory); "
                          "more than 134217728 are not computed at once", done.stderr)
        done = self.run_limb("eval", "protein", "--states", states, "--what", "theta_base", code=3)
        self.assertIn("more than 2048 parameters", done.stderr)


class Verify(Case):
    def checks(self, *words, code=0):
        answer = json.loads(self.run_limb("verify", *words, "--format", "json", code=code).stdout)
        return [c for c in answer["checks"] if c["quantity"] != "base_acc"]  # arms have none

    def test_new_quantities_are_compared(self):
        checks = self.checks("panda", "--states", "5")
        quantities = {c["quantity"] for c in checks}
        self.assertTrue({"dtau_dq", "dtau_dv", "dacc_dq", "d2tau", "A, B", "Mdot", "dM_dq", "christoffel", "curvature",
                         "Lambda", "dJ_dq", "dvelocity_dq"} <= quantities, quantities)
        self.assertEqual({c["verdict"] for c in checks}, {"ok"})
        self.assertTrue({"Y theta", "Y_base theta_base", "Lagrange's equations", "dual numbers"} <=
                        {c["and_by"] for c in checks})

    def test_what_grows_too_fast_is_left_out_and_named(self):
        skipped = [c for c in self.checks("humanoid", "--states", "3") if c["verdict"] == "skipped"]
        self.assertEqual({c["quantity"] for c in skipped}, {"curvature"})
        self.assertEqual({c["why"] for c in skipped}, {"not for more than 20 velocities"})
        text = self.run_limb("verify", "humanoid", "--states", "1").stdout
        self.assertIn("skipped: not for more than 20 velocities", text)

    def test_accelerations_near_a_pole(self):
        """The pan of a pan and tilt moves nothing but the tilt, which may point along its axis."""
        path = self.file("pan_tilt.yaml", PAN_TILT)
        checks = self.checks(path)
        self.assertEqual({c["verdict"] for c in checks if c["quantity"] == "A, B"}, {"ok"})
        self.assertFalse([c for c in checks if c["verdict"] == "FAILED"])

    def test_smooth_friction(self):
        checks = self.checks("puma560", "--states", "20", "--coulomb-width", "0.3")
        self.assertEqual({c["verdict"] for c in checks}, {"ok"})


if __name__ == "__main__":
    tool.main(__doc__)
