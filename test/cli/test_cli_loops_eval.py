#!/usr/bin/env python3
"""What `limb eval` and `limb verify` know of robots with loops: reference numbers, names of rows, columns that may be
missing, states that do not close the loops, and every built-in robot with loops in all its formulations.

    test_cli_loops_eval.py <limb>
"""
import json
import math

import test_cli_b as tool
from test_cli_b import read_csv, table

ARMS = ["left_shoulder", "left_elbow", "right_shoulder", "right_elbow"]
DRIVEN = ["left_shoulder", "right_shoulder"]
BARS = ["theta1", "phi2", "phi1"]

# Worked examples: Khalil 2010, section 4; the four-bar in the notation of Ghosal 2010.
FIVE_Q = [1.4, -0.3669975550819706, 1.9, 0.3933809588313926]
FIVE_V = [0.8, -1.7514444468319623, -1.1, 2.077117927543181]
FIVE_A = [0.5, -2.029505051078203, 0.9, -1.0067353005129003]
FIVE_TREE = [3.205765440096726, 1.6805392336694909, -4.970667024301056, -2.180076678393617]
FIVE_TAU = [-0.2526969407657417, -0.6935056098339045]
FIVE_FORCE = [-3.749555271648614, -0.8186990336046837]  # in the pin, in the axes of the world
FOUR_Q = [0.7, -0.145652786822976, 1.5237581508621456]
FOUR_V = [1.3, -1.7498541677143962, 0.11441346611865466]
FOUR_A = [-0.6, 1.475717900419038, 1.2677095240767216]
FOUR_TAU = 4.367274542153184
FOUR_FORCE = [1.316899673004004, 11.169271543385733]
# Gough and Stewart's platform, Khalil 2010, section 5: forces of the legs along a motion of the platform.
GSP_TAU = {
    0.0: [13.060967833926245, 52.50445973691679, 34.38638703706825, 38.81969491790577, 23.47507024247704,
          63.61568915196725],
    0.4: [46.533218788413826, 5.709729557252566, 22.531621717856016, 35.26840071912868, 9.916289847393465,
          59.571545534217094],
    0.8: [89.75306208845093, -6.720109634255065, 42.918880170961145, 89.49503842158525, 46.516848644495255,
          32.27436310900442],
}

TORN = """limb: 1
name: torn
bodies:
  - {name: crank, mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0, 0, 0.01, 0, 0.01]}
  - {name: rocker, mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0, 0, 0.01, 0, 0.01]}
joints:
  - {name: j1, type: revolute, parent: world, child: crank, axis: [0, 0, 1], start: 1}
  - {name: j2, type: revolute, parent: world, child: rocker, pose: {xyz: [2, 0, 0]}, axis: [0, 0, 1], start: 1.2}
loops:
  - {name: gap, type: point_on_line, a: {body: crank, xyz: [0.5, 0, 0]}, b: {body: rocker, xyz: [0.5, 0, 0]}}
"""
LAW = TORN[:TORN.index("loops:")].replace("[2, 0, 0]", "[0.6, 0, 0]") + """loops:
  - name: push
    type: distance
    length: 0.3
    a: {body: crank, xyz: [0.5, 0, 0]}
    b: {body: rocker, xyz: [0.5, 0, 0]}
    law: {row: 0, rate: 0.2, amplitude: 0.01, frequency: 1}
"""


def named(prefix, names, numbers):
    return {f"{prefix}.{k}": x for k, x in zip(names, numbers)}


def five_bar(*groups):
    numbers = {"q": FIVE_Q, "v": FIVE_V, "a": FIVE_A}
    return {k: x for g in groups for k, x in named(g, ARMS, numbers[g]).items()}


def four_bar():
    return {**named("q", BARS, FOUR_Q), **named("v", BARS, FOUR_V), **named("a", BARS, FOUR_A)}


def driven(**groups):
    return {k: x for g, numbers in groups.items() for k, x in named(g, DRIVEN, numbers).items()}


def turn(angle, x, y):
    c, s = math.cos(angle), math.sin(angle)
    return [c * x - s * y, s * x + c * y]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def platform_row(t):
    """Pose of the platform as seen from its home, twist in its axes, rates of its components."""
    w = math.pi
    p1 = [.08 * w * math.cos(w * t), -.06 * w * math.sin(w * t), .1 * w * math.cos(2 * w * t)]
    p2 = [-.08 * w * w * math.sin(w * t), -.06 * w * w * math.cos(w * t), -.2 * w * w * math.sin(2 * w * t)]
    p = [.08 * math.sin(w * t), .06 * math.cos(w * t) - .06, .05 * math.sin(2 * w * t)]
    yaw = [.15 * math.cos(w * t), -.15 * w * math.sin(w * t), -.15 * w * w * math.cos(w * t)]
    pitch = [.1 * math.sin(2 * w * t), .2 * w * math.cos(2 * w * t), -.4 * w * w * math.sin(2 * w * t)]
    roll = [.12 * math.sin(w * t + .3), .12 * w * math.cos(w * t + .3), -.12 * w * w * math.sin(w * t + .3)]
    (cy, sy), (cp, sp), (cr, sr) = [(math.cos(x[0]), math.sin(x[0])) for x in (yaw, pitch, roll)]
    R = [[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
         [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], [-sp, cp * sr, cp * cr]]
    omega = [roll[1] - yaw[1] * sp, pitch[1] * cr + yaw[1] * cp * sr, -pitch[1] * sr + yaw[1] * cp * cr]
    rate = [roll[2] - yaw[2] * sp - yaw[1] * pitch[1] * cp,
            pitch[2] * cr - pitch[1] * roll[1] * sr + yaw[2] * cp * sr - yaw[1] * pitch[1] * sp * sr
            + yaw[1] * roll[1] * cp * cr,
            -pitch[2] * sr - pitch[1] * roll[1] * cr + yaw[2] * cp * cr - yaw[1] * pitch[1] * sp * cr
            - yaw[1] * roll[1] * cp * sr]
    inward = lambda x: [sum(R[i][k] * x[i] for i in range(3)) for k in range(3)]
    v = inward(p1)
    a = [x - y for x, y in zip(inward(p2), cross(omega, v))]
    (hy, gy), (hp, gp), (hr, gr) = [(math.cos(x[0] / 2), math.sin(x[0] / 2)) for x in (yaw, pitch, roll)]
    q = [hy * hp * gr - gy * gp * hr, hy * gp * hr + gy * hp * gr, gy * hp * hr - hy * gp * gr,
         hy * hp * hr + gy * gp * gr]
    twist = ["wx", "wy", "wz", "vx", "vy", "vz"]
    return {"time": t, **named("q.platform", ["px", "py", "pz", "qx", "qy", "qz", "qw"], p + q),
            **named("v.platform", twist, omega + v), **named("a.platform", twist, rate + a)}


class Case(tool.Case):
    def states(self, *rows):
        return self.file("s.csv", table(",".join(rows[0]), [row.values() for row in rows]))

    def ask(self, model, what, *rows, options=(), code=0):
        return self.run_limb("eval", model, "--states", self.states(*rows), "--what", what, *options, code=code)

    def answers(self, model, what, *rows, options=()):
        return json.loads(self.ask(model, what, *rows, options=options).stdout)

    def answer(self, model, what, row, *options):
        return self.answers(model, what, row, options=options)["results"][0]

    def start(self, model):
        """A row with the configuration where the model closes, at rest."""
        done = self.run_limb("assemble", model)
        head, rows = read_csv(done.stdout)
        return {k: x for k, x in zip(head, rows[0]) if k.startswith("q.")}


def motors(tau):
    """Of the five-bar: the shoulders."""
    return tau[::2]


class Numbers(Case):
    def test_rounded_digits(self):
        """Start values as papers print them: closed, and every change told. A wrong value stays an error."""
        state = ("four_bar_spring", "--what", "q,v", "--format", "csv", "--q")
        done = self.run_limb("eval", *state, "theta1=0.01,phi2=-0.0102,phi1=0.0102", "--v", "theta1=1")
        head, rows = read_csv(done.stdout)
        q = dict(zip(head, rows[0]))
        self.assertRegex(done.stderr, r"to close the loops, these changed: q.theta1 by 1.9e-05, q.phi2 by 9.5e-06")
        self.close([q["q.theta1"], q["q.phi2"], q["q.phi1"]], [0.0100193, -0.0101905, 0.0101905], 1e-7)
        exact = ",".join(f"{name}={q['q.' + name]!r}" for name in BARS)
        self.assertEqual(self.run_limb("eval", *state, exact, "--v", "theta1=1").stderr, "")
        wrong = self.run_limb("eval", *state, "theta1=0.01,phi2=-0.0202,phi1=0.0102", code=4)
        self.assertIn("loop 'pin' is 0.0121 apart", wrong.stderr)

    def test_branch_by_number(self):
        """Row K of `limb assemble --branches`, to the last bit; the others follow from it, and a note says which."""
        listed = read_csv(self.run_limb("assemble", "four_bar", "--hold", "theta1=2", "--branches", "9").stdout)[1]
        self.assertEqual(len(listed), 2)
        ask = ("eval", "four_bar", "--q", "theta1=2", "--v", "theta1=1", "--what", "q,loop_rate", "--format", "csv")
        for k, q in enumerate(listed, 1):
            done = self.run_limb(*ask, "--branch", k)
            row = read_csv(done.stdout)[1][0]
            self.assertEqual(row[:3], q)
            self.assertLess(max(map(abs, row[3:])), 1e-12)
            self.assertIn(f"note: this is branch {k} of 2 that 200 starts found\n", done.stderr)
        self.assertIn("--branch 3: 200 starts found 2 branches\n", self.run_limb(*ask, "--branch", 3, code=4).stderr)

    def test_branch_of_the_start(self):
        """The same digits as without the option, and its number; whole turns do not matter."""
        for value in ("2", "2+2*pi"):
            ask = ("eval", "four_bar", "--q", "theta1=" + value, "--what", "q", "--format", "csv")
            done = self.run_limb(*ask, "--branch", "start")
            self.assertIn("note: this is branch 1 of 2 that 200 starts found\n", done.stderr)
            self.assertEqual(done.stdout, self.run_limb(*ask).stdout)
        # Without names the motors stay where they start; with all of them, there is nothing to complete.
        self.assertIn("branch 1 of 2 ", self.run_limb("eval", "four_bar", "--branch", "start", "--what", "M").stderr)
        q = read_csv(self.run_limb("eval", "four_bar", "--branch", "2", "--what", "q", "--format", "csv").stdout)[1][0]
        every = ",".join(f"{name}={x!r}" for name, x in zip(BARS, q))
        told = self.run_limb("eval", "four_bar", "--q", every, "--branch", "start", "--what", "q").stderr
        self.assertIn("branch 1 of 1 ", told)

    def test_branches_of_a_platform(self):
        """Flipped universal joints make many branches of one pose."""
        held = "leg1_slide=0.8," + ",".join(f"leg{k}_slide" for k in range(2, 7))
        listed = read_csv(self.run_limb("assemble", "gough_stewart", "--hold", held, "--branches", "200").stdout)[1]
        ask = ("eval", "gough_stewart", "--q", "leg1_slide=0.8", "--format", "csv", "--what")
        for k in (1, 2, len(listed)):
            done = self.run_limb(*ask, "q", "--branch", k)
            self.assertEqual(read_csv(done.stdout)[1][0], listed[k - 1])
            self.assertIn(f"branch {k} of {len(listed)} ", done.stderr)
        self.assertIn("note: this is branch 1 of ", self.run_limb(*ask, "pose.platform", "--branch", "start").stderr)
        poses = {tuple(round(x, 6) for x in q[:3]) for q in listed}
        self.assertGreater(len(listed), 4 * len(poses))
        self.assertGreater(len(poses), 1)

    def test_branch_is_refused(self):
        for words, told, code in (
                (["four_bar", "--branch", "0"], "--branch must be a whole number from 1 to 200", 2),
                (["four_bar", "--branch", "nan"], "--branch", 2),
                (["four_bar", "--branch", "first"], "--branch takes", 2),
                (["panda", "--branch", "1"], "--branch is for robots with loops", 2),
                (["four_bar", "--tree", "--branch", "1"], "--branch is for robots with loops", 2),
                (["four_bar", "--states", "x.csv", "--branch", "1"], "--branch: one of them", 2),
                (["four_bar", "--q", "phi1=1.5", "--branch", "1"], "the positions of --q the loops do not close", 4),
                (["five_bar", "--q", "left_elbow=-1.9", "--branch", "1"], "give 1 of 2 motions", 2)):
            done = self.run_limb("eval", *words, "--what", "M", code=code)
            self.assertIn(told, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_five_bar(self):
        r = self.answer("five_bar", "tau,lambda,loop_residual,loop_rate", five_bar("q", "v", "a"))
        self.close(motors(r["tau"]), FIVE_TAU)
        self.close(r["tau"][1::2], [0, 0])
        self.close(self.answer("five_bar", "tau", five_bar("q", "v", "a"), "--tree")["tau"], FIVE_TREE)
        # The rows are in the axes of frame a, on the right arm. It pushes b, on the left one.
        force = turn(FIVE_Q[2] + FIVE_Q[3], *r["lambda"])
        self.close(force, FIVE_FORCE)
        self.close(r["loop_residual"] + r["loop_rate"], [0] * 4)

    def test_four_bar(self):
        r = self.answer("four_bar", "tau,lambda", four_bar())
        self.close(r["tau"], [FOUR_TAU, 0, 0])
        force = turn(FOUR_Q[2], *r["lambda"])
        self.close([abs(x) for x in force], [abs(x) for x in FOUR_FORCE])

    def test_axes_of_the_world(self):
        # Ghosal 2010, (31): l_1 = 0.35, l_2 = 0.9, l_3 = 0.7 m; frame b is at the end of the coupler.
        state = [f"--{k}=" + ",".join(f"{n}={x!r}" for n, x in zip(BARS, row))
                 for k, row in (("q", FOUR_Q), ("v", FOUR_V), ("a", FOUR_A))]
        names = ["Psi", "lambda"] + [f"{n}@{r}" for n in ("loop_J", "loop_loads") for r in ("aligned", "body", "world")]
        answer = json.loads(self.run_limb("eval", "four_bar", *state, "--what", ",".join(names)).stdout)["results"][0]
        psi, one, two, three = answer["Psi"], FOUR_Q[0], FOUR_Q[0] + FOUR_Q[1], FOUR_Q[2]
        wanted = [[-0.35 * math.sin(one) - 0.9 * math.sin(two), -0.9 * math.sin(two), 0.7 * math.sin(three)],
                  [0.35 * math.cos(one) + 0.9 * math.cos(two), 0.9 * math.cos(two), -0.7 * math.cos(three)]]
        for got, want in zip(answer["loop_J@aligned"]["pin"][3:5], wanted):
            self.close(got, want)
        self.close(answer["loop_loads@aligned"]["pin"][3:5], FOUR_FORCE)
        forces = [sum(row[k] * x for row, x in zip(psi, answer["lambda"])) for k in range(3)]
        for ref in ("aligned", "body", "world"):
            J, load = answer[f"loop_J@{ref}"]["pin"], answer[f"loop_loads@{ref}"]["pin"]
            self.close([sum(J[i][k] * load[i] for i in range(6)) for k in range(3)], forces)

    def test_gough_stewart(self):
        # Only the platform is told: the legs follow.
        x = self.answers("gough_stewart", "tau", *map(platform_row, GSP_TAU))
        slides = [x["dofs"].index(f"leg{i}_slide") for i in range(1, 7)]
        for r in x["results"]:
            self.close([r["tau"][k] for k in slides], GSP_TAU[r["time"]], 1e-11)
            self.assertEqual(sum(abs(t) > 0 for t in r["tau"]), 6)

    def test_forward(self):
        row = {**five_bar("q", "v"), **driven(tau=FIVE_TAU)}
        r = self.answer("five_bar", "acc,lambda,reactions", row)
        self.close(r["acc"], FIVE_A, 1e-11)
        motion = self.answer("five_bar", "lambda,reactions", five_bar("q", "v", "a"))
        self.close(r["lambda"], motion["lambda"], 1e-11)
        for name, load in motion["reactions"].items():
            self.close(r["reactions"][name], load, 1e-11)

    def test_loads(self):
        r = self.answer("five_bar", "reactions,loop_loads@body,loop_loads,loop_loads@world,lambda,tau",
                        five_bar("q", "v", "a"))
        self.assertEqual(list(r["reactions"]), ARMS)
        # Moments about their axes are what motors deliver: nothing at the elbows.
        moments = [r["reactions"][k][2] for k in ARMS]
        self.close(moments, [FIVE_TAU[0], 0, FIVE_TAU[1], 0])
        self.close(r["loop_loads@body"]["pin"], [0, 0, 0, *r["lambda"], 0])
        self.close([math.hypot(*r["loop_loads"]["pin"][3:5])], [math.hypot(*r["lambda"])])
        self.assertGreater(abs(r["loop_loads"]["pin"][3] - r["lambda"][0]), 0.1)
        self.close(r["loop_loads@world"]["pin"][3:], r["loop_loads"]["pin"][3:])
        self.assertGreater(abs(r["loop_loads@world"]["pin"][2]), 0.1)

    def test_power(self):
        r = self.answer("five_bar", "tau,power", five_bar("q", "v", "a"))
        p = r["power"]
        self.close([r["tau"][0] * 0.8 - r["tau"][2] * 1.1],
                   [p["kinetic"] + p["gravity"] + p["springs"] + p["friction"]])

    def test_passive(self):
        rates = self.answer("five_bar", "passive,q", driven(q=[1.4, 1.9], v=[0.8, -1.1], a=[0.5, 0.9]))
        self.close(rates["passive"]["v"], FIVE_V)
        self.close(rates["passive"]["a"], FIVE_A)
        self.close(rates["q"], FIVE_Q)

    def test_psi(self):
        r = self.answer("five_bar", "Psi,gamma", five_bar("q", "v"))
        for row, gamma in zip(r["Psi"], r["gamma"]):
            self.close([sum(x * v for x, v in zip(row, FIVE_V)), sum(x * a for x, a in zip(row, FIVE_A))], [0, gamma])

    def test_mobility(self):
        r = self.answer("five_bar", "mobility", five_bar("q"))["mobility"]
        expected = {"nv": 4, "constraints": 2, "rank": 2, "gruebler": 2, "mobility": 2, "redundant": 0, "active": 2,
                    "passive": 2, "driven": 2, "undriven": 0, "overdriven": 0, "singularity": 0}
        self.assertEqual({k: r[k] for k in expected}, expected)
        r = self.answer("bennett", "mobility", self.start("bennett"))["mobility"]
        self.assertEqual((r["gruebler"], r["mobility"], r["redundant"]), (-2, 1, 3))

    def test_derivatives_are_those_of_acc(self):
        row = {**five_bar("q", "v"), **named("tau", ARMS, [0.3, -0.2, 0.5, 0.1])}
        h, loose = 1e-5, ("--loop-tolerance", "1")
        for group in ("q", "v", "tau"):
            got = self.answer("five_bar", f"dacc_d{group}", row)[f"dacc_d{group}"]
            for k, name in enumerate(ARMS):
                key = f"{group}.{name}"
                pair = [{**row, key: row[key] + e} for e in (h, -h)]
                up, down = [r["acc"] for r in
                            self.answers("five_bar", "acc", *pair, options=loose)["results"]]
                self.close([line[k] for line in got], [(x - y) / (2 * h) for x, y in zip(up, down)], 1e-7)

    def test_law(self):
        model = self.file("law.yaml", LAW)
        x = self.answers(model, "loop_residual,loop_rate,gamma",
                         {"time": 0.1, "q.j1": 1, "q.j2": 1.2, "v.j1": 0, "v.j2": 0})
        r = x["results"][0]
        self.assertEqual(x["constraints"], ["push.distance"])
        s1 = 0.2 + 0.01 * 2 * math.pi * math.cos(0.2 * math.pi)
        s2 = -0.01 * (2 * math.pi) ** 2 * math.sin(0.2 * math.pi)
        self.close(r["loop_rate"] + r["gamma"], [-s1, s2])


class Names(Case):
    def rows(self, model, row):
        return self.answers(model, "Psi", row)["constraints"]

    def test_rows(self):
        self.assertEqual(self.rows("bennett", self.start("bennett")),
                         [f"joint4.{k}" for k in ("turn_x", "turn_y", "move_x", "move_y", "move_z")])
        self.assertEqual(self.rows("rolling_disc", self.start("rolling_disc")),
                         ["contact.height", "contact.along", "contact.across"])
        self.assertEqual(self.rows("diff_drive", self.start("diff_drive"))[:2],
                         ["left_contact.along", "left_contact.across"])
        self.assertEqual([k.split(".")[1] for k in self.rows("sled", self.start("sled"))], ["knife"])
        kinds = {k.split(".")[1] for k in self.rows("gripper", self.start("gripper"))}
        self.assertEqual(kinds, {"move_x", "move_y", "gear", "polynomial"})

    def test_columns(self):
        done = self.ask("five_bar", "Psi,lambda,tau,loop_loads,passive,mobility,q",
                        five_bar("q", "v", "a"), options=["--format", "csv"])
        head, rows = read_csv(done.stdout)
        for name in ("Psi.pin.move_x.left_elbow", "lambda.pin.move_y", "tau.right_shoulder",
                     "loop_loads.pin.fx", "passive.v.left_elbow", "mobility.rank", "q.right_elbow"):
            self.assertIn(name, head)
        self.assertEqual(len(rows[0]), len(head))

    def test_text(self):
        text = self.ask("five_bar", "Psi,lambda", five_bar("q", "v", "a"), options=["--format", "text"]).stdout
        self.assertRegex(text, r"(?m)^ +Psi +left_shoulder +left_elbow")
        self.assertRegex(text, r"(?m)^ +pin\.move_y +3\.35396")

    def test_list(self):
        answer = json.loads(self.run_limb("eval", "--list", "--format", "json").stdout)
        listed = {q["name"]: q for q in answer["quantities"]}
        self.assertEqual((listed["Psi"]["shape"], listed["Psi"]["needs"]), ("nc x nv", ["q"]))
        self.assertEqual(listed["lambda"]["needs"], ["q", "v", "a or tau"])
        self.assertEqual((listed["Psi"]["robots"], listed["tau"]["robots"]), ("with loops", "all"))
        self.assertNotIn("tau_active", listed)
        done = self.run_limb("eval", "five_bar", "--what", "multipliers", code=2)
        self.assertIn("did you mean 'lambda'?", done.stderr)


class Columns(Case):
    def test_missing_ones_follow(self):
        full = self.answer("five_bar", "lambda,tau", five_bar("q", "v", "a"))
        done = self.ask("five_bar", "lambda,tau", driven(q=[1.4, 1.9], v=[0.8, -1.1], a=[0.5, 0.9]))
        part = json.loads(done.stdout)["results"][0]
        self.close(part["lambda"] + part["tau"], full["lambda"] + full["tau"], 1e-11)
        self.assertIn("note: columns that follow from the loops: q.left_elbow, q.right_elbow, v.left_elbow",
                      done.stderr)

    def test_motion_goes_before_forces(self):
        row = {**five_bar("q", "v", "a"), **driven(tau=[7, 7])}
        done = self.ask("five_bar", "lambda", row)
        self.assertIn("lambda is of the motion of a row, for the a. columns are there", done.stderr)
        r = json.loads(done.stdout)["results"][0]
        self.close(r["lambda"], self.answer("five_bar", "lambda", five_bar("q", "v", "a"))["lambda"])

    def test_neither(self):
        text = self.ask("five_bar", "lambda", five_bar("q", "v"), code=2).stderr
        self.assertIn("lambda needs the a. columns of a motion, or the tau. columns of what causes one", text)
        # Without a motor nothing causes it: no column is missed.
        row = {**self.start("sled"), **{f"v.glide.{k}": 0 for k in ("wz", "vx", "vy")}}
        self.close(self.answer("sled", "lambda", row)["lambda"], [0])

    def test_forces_that_are_zero_are_told_once(self):
        row = {**five_bar("q", "v"), **driven(tau=FIVE_TAU)}
        done = self.ask("five_bar", "acc,lambda,dacc_dq", row)
        self.assertEqual(done.stderr.count("for zero: tau.left_elbow, tau.right_elbow\n"), 1)

    def test_too_few(self):
        text = self.ask("five_bar", "tau", {"q.left_shoulder": 1.4, "v.left_shoulder": 1, "a.left_shoulder": 1},
                        code=4).stderr
        self.assertIn("determine 1 of 2 motions", text)


class Refused(Case):
    OPEN = {**five_bar("q", "v", "a"), "q.left_elbow": -0.36}

    def test_open_loop(self):
        for what in ("lambda", "tau", "passive", "mobility", "reactions"):
            done = self.ask("five_bar", what, five_bar("q", "v", "a"), self.OPEN, code=4)
            self.assertRegex(done.stderr,
                             r"s\.csv:3: error: row 2: loops: loop 'pin' is 0\.00399 apart; .*limb assemble")
            x = json.loads(done.stdout)
            self.assertEqual((len(x["results"]), x["error"]["exit"]), (1, 4))

    def test_open_loop_has_equations(self):
        done = self.ask("five_bar", "Psi,loop_residual", self.OPEN)
        self.assertIn("warning: row 1 does not close the loops: loop 'pin' is 0.00399 apart", done.stderr)
        r = json.loads(done.stdout)["results"][0]
        self.close([max(map(abs, r["loop_residual"]))], [0.00399], 1e-5)

    def test_velocities_and_accelerations(self):
        text = self.ask("five_bar", "tau", {**five_bar("q", "v", "a"), "v.left_elbow": 0}, code=4).stderr
        self.assertIn("the velocities open loop 'pin'", text)
        text = self.ask("five_bar", "tau", {**five_bar("q", "v", "a"), "a.left_elbow": 0}, code=4).stderr
        self.assertIn("the accelerations open loop 'pin'", text)

    def test_tolerance(self):
        self.ask("five_bar", "lambda", self.OPEN, options=["--loop-tolerance", "0.1"])
        self.ask("five_bar", "lambda", self.OPEN, options=["--loop-tolerance", "0"], code=2)

    def test_tree(self):
        row = {"q.joint1": 0, "q.joint2": 0}
        for what in ("Psi", "lambda", "independent", "passive", "mobility"):
            done = self.ask("planar_2r", what, row, code=2)
            self.assertEqual(done.stderr, f"limb eval: --what: '{what}' is of robots with loops, and 'planar_2r' has "
                                          "none: it is a tree of joints\n")

    def test_redundant_rows(self):
        q = self.start("bennett")
        row = {**q, **{k.replace("q.", "v."): 0 for k in q}, "tau.joint1": 1}
        self.ask("bennett", "dacc_dq", row)
        done = self.ask("bennett", "acc,lambda", row)
        self.assertIn("3 of 5 equations of the loops follow from others", done.stderr)

    def test_motions_without_motor_are_told(self):
        q = self.start("rolling_disc")
        row = {**q, **{f"{g}.disc.{k}": 0 for g in "va" for k in ("wx", "wy", "wz", "vx", "vy", "vz")}}
        done = self.ask("rolling_disc", "tau,lambda", row)
        self.assertEqual(json.loads(done.stdout)["results"][0]["tau"], [0] * 6)


class Verify(Case):
    CHECKS = {"Psi", "gamma", "acc", "acc, lambda", "tau, acc", "power", "reactions", "loop_loads", "v", "dacc_dq",
              "dtau_dq", "tau"}

    def verify(self, model, *options, code=0):
        done = self.run_limb("verify", model, "--format", "json", *options, code=code)
        x = json.loads(done.stdout)
        return x, {(c["quantity"], c["by"], c["and_by"]): c for c in x["checks"]}

    def robots(self):
        for model in json.loads(self.run_limb("models", "--format", "json").stdout)["models"]:
            if json.loads(self.run_limb("info", model["name"], "--format", "json").stdout)["loops"]:
                yield model["name"]

    def test_all_robots_with_loops(self):
        names = list(self.robots())
        self.assertLessEqual({"four_bar", "five_bar", "bennett", "gough_stewart", "delta", "planar_3rrr", "gripper",
                              "rolling_disc", "car", "stacked_platforms"}, set(names))
        platforms, cuts = set(), set()
        for name in names:
            x, checks = self.verify(name, "--states", "8")
            self.assertTrue(x["agree"])
            self.assertLessEqual(self.CHECKS, {c["quantity"] for c in x["checks"]})
            done = {k for k, c in checks.items() if c["verdict"] == "ok"}
            self.assertIn(("acc", "KKT", "reduced coordinates"), done)
            self.assertIn(("acc, lambda", "KKT", "Schur complement"), done)
            self.assertIn(("tau, acc", "inverse, then forward", "as given"), done)
            if ("tau", "legs and platform", "generic form") in done:
                platforms.add(name)
            if ("acc", "accelerations of bodies", "the same, cut elsewhere") in done:
                cuts.add(name)
            for c in x["checks"]:
                self.assertTrue(c["verdict"] == "ok" or c["why"], c)
        self.assertLessEqual({"gough_stewart", "delta", "planar_3rrr"}, platforms)
        self.assertLessEqual({"four_bar", "five_bar", "bennett", "slider_crank", "gough_stewart", "delta"}, cuts)

    def test_why_not(self):
        _, checks = self.verify("sled", "--states", "2")
        for key, why in ((("Psi", "Psi v", "rate of the residual by differences"),
                          "its loops constrain velocities only"),
                         (("acc", "legs and platform", "generic form"), "it is not a platform on legs"),
                         (("acc", "accelerations of bodies", "the same, cut elsewhere"),
                          "no joint can be cut instead of a closure")):
            self.assertEqual((checks[key]["verdict"], checks[key]["why"]), ("not applicable", why))
        _, checks = self.verify("bennett", "--states", "2")
        self.assertEqual(checks["dacc_dq", "dq, dv, dtau along a direction", "differences"]["why"],
                         "constraints of its loops are redundant")

    def test_failure(self):
        x, _ = self.verify("five_bar", "--states", "5", "--tolerance", "1e-18", code=1)
        self.assertFalse(x["agree"])

    def test_law(self):
        x, _ = self.verify(self.file("law.yaml", LAW), "--states", "20")
        self.assertTrue(x["agree"])

    def test_impossible(self):
        done = self.run_limb("verify", self.file("torn.yaml", TORN), code=4)
        self.assertRegex(done.stderr, r"no configuration that closes the loops was found: loop 'gap' stays "
                                      r"(0\.99\d*|1) apart; limb assemble")
        self.assertEqual(done.stdout, "")

    def test_trees_have_no_such_checks(self):
        x, _ = self.verify("planar_2r", "--states", "2")
        self.assertFalse({"Psi", "gamma", "acc, lambda", "tau, acc", "loop_loads", "v"} &
                         {c["quantity"] for c in x["checks"]})


if __name__ == "__main__":
    tool.main(__doc__)
