#!/usr/bin/env python3
"""Operations of customised inverse dynamics, for an arm on a fixed base that stands upright.

    count_customised.py <limb> MODEL...

The equations are those of Khalil 2010, (18) to (31), the method of SYMORO: Newton and Euler's recursion in
frames of Khalil's rows, with the matrix U = [w']x + [w]x[w]x and base parameters; every intermediate result has a name,
and what is zero, one, constant or not needed is left out. Friction and rotors are not counted. The result is evaluated
and compared with `limb id`.

limb prints these numbers beside its own (cli/commands/codegen_counts.c).
"""
import json
import math
import pathlib
import subprocess
import sys
import tempfile

TINY = 1e-12  # of kg, m and sines: what rounding has left of a zero


class Names:
    """Intermediate results, each once. A value is None for zero, or (sign, index of a node); node 0 is one."""

    def __init__(self):
        self.nodes, self.found = [("one",)], {}

    def keep(self, sign, node):
        if node not in self.found:
            self.found[node] = len(self.nodes)
            self.nodes.append(node)
        return sign, self.found[node]

    def variable(self, name):
        return self.keep(1, ("variable", name))

    def constant(self, x):
        if abs(x) < TINY:
            return None
        sign = 1 if x > 0 else -1
        return (sign, 0) if abs(abs(x) - 1) < TINY else self.keep(sign, ("constant", round(abs(x), 12)))

    def times(self, a, b):
        if a is None or b is None:
            return None
        sign = a[0] * b[0]
        if a[1] == 0 or b[1] == 0:
            return sign, a[1] + b[1]
        x, y = self.nodes[a[1]], self.nodes[b[1]]
        if x[0] == y[0] == "constant":
            return self.constant(sign * x[1] * y[1])
        return self.keep(sign, ("*", *sorted((a[1], b[1]))))

    def plus(self, a, b):
        if a is None or b is None:
            return b if a is None else a
        if a[1] == b[1] and a[0] != b[0]:
            return None
        a, b = sorted((a, b), key=lambda x: x[1])
        return self.keep(a[0], ("+", a[1], b[1], a[0] * b[0]))

    def sum(self, *terms):
        total = None
        for term in terms:
            total = self.plus(total, term)
        return total

    def minus(self, a, b):
        return self.plus(a, negative(b))

    def dot(self, a, b):
        return self.sum(*[self.times(x, y) for x, y in zip(a, b)])

    def turn(self, matrix, vector):
        return [self.dot(row, vector) for row in matrix]

    def cross(self, a, b):
        pairs = ((1, 2), (2, 0), (0, 1))
        return [self.minus(self.times(a[i], b[k]), self.times(a[k], b[i])) for i, k in pairs]

    def add(self, *vectors):
        return [self.sum(*parts) for parts in zip(*vectors)]


def negative(a):
    return a and (-a[0], a[1])


def base_parameters(rows):
    """limb's regrouped parameters with YY moved on to the antecedent: m, mx, my, mz, XX, XY, XZ, YY, YZ, ZZ."""
    table = [list(row["regrouped"]) for row in rows]
    for j in range(len(rows) - 1, -1, -1):
        if rows[j]["sigma"] == 1:
            continue
        moved = table[j][7]
        table[j][4] -= moved
        table[j][7] = 0
        if j > 0:  # moved (1 - a a'), a: the axis seen from the antecedent
            s, c = math.sin(rows[j]["alpha"]), math.cos(rows[j]["alpha"])
            for k, part in ((4, 1), (7, c * c), (8, s * c), (9, s * s)):
                table[j - 1][k] += moved * part
    return table


def place(n, j, row):
    """Rotation and origin of link j in its antecedent."""
    if row["sigma"] == 0:
        c, s, r = n.variable(("cos", j)), n.variable(("sin", j)), n.constant(row["r"])
    else:
        c, s, r = n.constant(math.cos(row["theta"])), n.constant(math.sin(row["theta"])), n.variable(("r", j))
    ca, sa = n.constant(math.cos(row["alpha"])), n.constant(math.sin(row["alpha"]))
    turn = [[c, negative(s), None], [n.times(ca, s), n.times(ca, c), negative(sa)],
            [n.times(sa, s), n.times(sa, c), ca]]
    return turn, [n.constant(row["d"]), negative(n.times(sa, r)), n.times(ca, r)]


def move(n, j, row, turn, w, dw, acceleration):
    """Angular velocity, its rate and linear acceleration of link j, from its antecedent's."""
    back = list(zip(*turn))
    w, dw, dv = n.turn(back, w), n.turn(back, dw), n.turn(back, acceleration)
    v, a = n.variable(("v", j)), n.variable(("a", j))
    if row["sigma"] == 0:
        dw = [n.plus(dw[0], n.times(w[1], v)), n.minus(dw[1], n.times(w[0], v)), n.plus(dw[2], a)]
        return [w[0], w[1], n.plus(w[2], v)], dw, dv
    twice = n.times(n.constant(2), v)
    return w, dw, [n.plus(dv[0], n.times(w[1], twice)), n.minus(dv[1], n.times(w[0], twice)), n.plus(dv[2], a)]


def rates(n, w, dw):
    """U, and the differences of squares of w."""
    xx, yy, zz = [n.times(x, x) for x in w]
    xy, xz, yz = n.times(w[0], w[1]), n.times(w[0], w[2]), n.times(w[1], w[2])
    u = [[negative(n.plus(yy, zz)), n.minus(xy, dw[2]), n.plus(xz, dw[1])],
         [n.plus(xy, dw[2]), negative(n.plus(xx, zz)), n.minus(yz, dw[0])],
         [n.minus(xz, dw[1]), n.plus(yz, dw[0]), negative(n.plus(xx, yy))]]
    return u, (xy, xz, yz), (xx, yy, zz)


def load(n, parameters, w, dw, dv, u, mixed, squares):
    """Force and moment on a link: F = m dv + U mr; N = J dw + w x J w + mr x dv, by entries of U."""
    m, *mr = [n.constant(x) for x in parameters[:4]]
    xx, xy, xz, yy, yz, zz = parameters[4:]
    k = n.constant
    force = n.add([n.times(m, x) for x in dv], n.turn(u, mr))
    moment = [
        n.sum(n.times(k(xx), dw[0]), n.times(k(zz - yy), mixed[2]), negative(n.times(k(xy), u[2][0])),
              n.times(k(xz), u[1][0]), n.times(k(yz), n.minus(squares[1], squares[2]))),
        n.sum(n.times(k(yy), dw[1]), n.times(k(xx - zz), mixed[1]), n.times(k(xy), u[2][1]),
              n.times(k(xz), n.minus(squares[2], squares[0])), negative(n.times(k(yz), u[0][1]))),
        n.sum(n.times(k(zz), dw[2]), n.times(k(yy - xx), mixed[0]),
              n.times(k(xy), n.minus(squares[0], squares[1])), negative(n.times(k(xz), u[1][2])),
              n.times(k(yz), u[0][2]))]
    return force, n.add(moment, n.cross(mr, dv))


def torques(n, rows):
    """Newton and Euler's recursion over names."""
    w, dw, dv, u = [None] * 3, [None] * 3, [None, None, n.variable("gravity")], [[None] * 3] * 3
    places, loads, tau = [], [], [None] * len(rows)
    for j, (row, parameters) in enumerate(zip(rows, base_parameters(rows))):
        places.append(place(n, j, row))
        turn, origin = places[j]
        w, dw, dv = move(n, j, row, turn, w, dw, n.add(n.turn(u, origin), dv))
        u, mixed, squares = rates(n, w, dw)
        loads.append(load(n, parameters, w, dw, dv, u, mixed, squares))
    f, m = loads[-1]
    for j in range(len(rows) - 1, -1, -1):
        tau[j] = m[2] if rows[j]["sigma"] == 0 else f[2]
        if j > 0:
            turn, origin = places[j]
            f, m = n.turn(turn, f), n.turn(turn, m)
            m = n.add(loads[j - 1][1], m, n.cross(origin, f))
            f = n.add(loads[j - 1][0], f)
    return tau


def evaluate(names, index, known, counts):
    """Value of a node; counts each operation once."""
    node = names.nodes[index]
    if node[0] == "one":
        return 1.0
    if node[0] == "constant":
        return node[1]
    if node[0] == "variable":
        return known[node[1]]
    if index not in known:
        a, b = [evaluate(names, k, known, counts) for k in node[1:3]]
        known[index] = a * b if node[0] == "*" else a + node[3] * b
        counts[node[0]] += 1
    return known[index]


def ask(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def library(limb, model, info, state):
    """Torques by limb id, without friction and rotors."""
    joints = [x for x in info["joints"] if x["nv"] == 1]
    columns = [f"{kind}.{x['name']}" for kind in "qva" for x in joints]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "state.csv"
        path.write_text("time," + ",".join(columns) + "\n0," + ",".join(map(repr, sum(state, []))) + "\n")
        answer = ask(limb, "id", model, str(path), "--no-friction")
    tau = [float(x) for x in answer.split()[-1].split(",")[1:]]
    rotor = [(x["rotor_inertia"] or 0) * (x["gear_ratio"] or 1)**2 for x in joints]
    return [t - r * a for t, r, a in zip(tau, rotor, state[2])]


def count(limb, model):
    """Multiplications, additions, and the largest relative difference to limb id."""
    info = json.loads(ask(limb, "info", model, "--mdh", "--format", "json"))
    rows, names, counts = info["mdh"], Names(), {"*": 0, "+": 0}
    state = [[math.sin(3.0 * i + k) for i in range(len(rows))] for k in range(3)]
    known = {"gravity": -info["gravity"][2]}
    for j, row in enumerate(rows):
        q, v, a = [x[row["q"]] * row["multiplier"] for x in state]
        known.update({("cos", j): math.cos(row["theta"] + q), ("sin", j): math.sin(row["theta"] + q),
                      ("r", j): row["r"] + q, ("v", j): v, ("a", j): a})
    tau = [x[0] * evaluate(names, x[1], known, counts) * row["multiplier"]
           for x, row in zip(torques(names, rows), rows)]
    expected = library(limb, model, info, state)
    scale = max(abs(x) for x in expected)
    return counts["*"], counts["+"], max(abs(x - y) for x, y in zip(tau, expected)) / scale


if __name__ == "__main__":
    for arm in sys.argv[2:]:
        mul, add, difference = count(sys.argv[1], arm)
        print(f"{arm}: {mul} multiplications, {add} additions; differs from limb id by {difference:.1e}")
