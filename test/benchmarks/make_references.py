#!/usr/bin/env python3
"""Computes references.json: end states of the benchmarks, by equations that are not limb's.

    make_references.py [CASE...]

Run by hand, with mpmath and SciPy (and gmpy2, for speed). Per case, the equations of motion are written out from the
Lagrangian of a textbook, in coordinates of their own, and integrated by the extrapolated midpoint rule in 40 digits.
Where a closed solution exists, both must agree to 25 digits. The governor is stiff and takes SciPy's DOP853 at 1e-13.
"""
import json
import pathlib
import sys

import mpmath as mp

mp.mp.dps = 40
HERE = pathlib.Path(__file__).resolve().parent
G = mp.mpf("9.81")
AGREE = mp.mpf(10) ** -25
mpf, sin, cos, sqrt, pi = mp.mpf, mp.sin, mp.cos, mp.sqrt, mp.pi

# Solution of the test set for IVP solvers at 0.03 s, by PSIDE at 1e-14: F. Mazzia, C. Magherini: Test Set for Initial
# Value Problem Solvers, release 2.4, 2008. lambda are the forces along x and y that the three closures at E transmit.
ANDREWS = {
    "q.beta": 15.81077119629904, "q.theta": -15.75637105984298, "q.gamma": 0.04082224013073101,
    "q.phi": -0.5347301163226948, "q.delta": 0.5244099658805304, "q.omega": 0.5347301163226948,
    "q.epsilon": 1.048080741042263,
    "v.beta": 1139.920302151208, "v.theta": -1424.379294994111, "v.gamma": 11.03291221937134,
    "v.phi": 19.29337464421385, "v.delta": 0.5735699284790808, "v.omega": -19.29337464421385,
    "v.epsilon": 0.3231791658026955,
    "a.beta": -24631.76316945196, "a.theta": 51850.37701610329, "a.gamma": 324102.5686413781,
    "a.phi": 566749.3645176213, "a.delta": 16743.62929479361, "a.omega": -566749.3645176222,
    "a.epsilon": 9826.520791458422,
    "E3.x": 199.1753333731910, "E3.y": -29.75531228015052, "E4.x": 23.06654119098399, "E4.y": 31.45271365475927,
    "E6.x": 22.64249232082739, "E6.y": 11.61740700019,
}


def midpoint(f, t, y, length, count):
    """A step by the modified midpoint rule in `count` parts, smoothed (Gragg)."""
    h = length / count
    before, now = y, [a + h * b for a, b in zip(y, f(t, y))]
    for k in range(1, count):
        rate = f(t + k * h, now)
        before, now = now, [a + 2 * h * b for a, b in zip(before, rate)]
    rate = f(t + length, now)
    return [(a + b + h * c) / 2 for a, b, c in zip(before, now, rate)]


def extrapolated(f, t, y, length, columns):
    """Aitken and Neville over 2, 4, ... parts (Bulirsch and Stoer), and an estimate of the error."""
    before = []
    for j in range(1, columns + 1):
        row = [midpoint(f, t, y, length, 2 * j)]
        for k in range(1, j):
            ratio = (mpf(j) / (j - k)) ** 2 - 1
            row.append([a + (a - b) / ratio for a, b in zip(row[k - 1], before[k - 1])])
        before = row
    return before[-1], max(abs(a - b) for a, b in zip(before[-1], before[-2]))


def integrate(f, y, end, tolerance="1e-32", columns=14, first="0.01"):
    """y(end) of y' = f(t, y) from y(0)."""
    t, h, tolerance = mpf(0), mpf(first), mpf(tolerance)
    y, end = [mpf(x) for x in y], mpf(end)
    while t < end:
        h = min(h, end - t)
        reached, error = extrapolated(f, t, y, h, columns)
        if error <= tolerance * (1 + max(map(abs, reached))):
            t, y = t + h, reached
        ratio = (tolerance / error) ** (mpf(1) / (2 * columns - 1)) if error else mpf(2)
        h *= min(max(mpf("0.8") * ratio, mpf("0.2")), mpf(2))
    return y


def agree(found, wanted):
    worst = max(abs(a - b) for a, b in zip(found, wanted))
    assert worst < AGREE, (worst, found, wanted)


# ---- IFToMM library of computational benchmark problems


# Andrews' squeezer, A03: fixed points, and points of bodies as a sum of vectors that turn with sums of angles, in the
# notation of Hairer and Wanner. Angles: beta, theta, gamma, phi, delta, omega, epsilon.
A, B, C = ("-0.06934", "-0.00227"), ("-0.03635", "0.03273"), ("0.014", "0.072")
O = ("0", "0")
CRANK = ((0,), "0.007", "0")
BODIES = (  # mass, moment of inertia, angles, fixed point, terms
    ("0.04325", "2.194e-6", (0,), O, (((0,), "0.00092", "0"),)),
    ("0.00365", "4.410e-7", (0, 1), O, (CRANK, ((0, 1), "-0.0115", "0"))),
    ("0.02373", "5.255e-6", (2,), B, (((2,), "0.01043", "-0.01874"),)),
    ("0.00706", "5.667e-7", (3, 4), A, (((4,), "0.04", "0"), ((3, 4), "0", "-0.00579"))),
    ("0.07050", "1.169e-5", (4,), A, (((4,), "0.02308", "0.00916"),)),
    ("0.00706", "5.667e-7", (5, 6), A, (((6,), "0", "-0.04"), ((5, 6), "0.00579", "0"))),
    ("0.05498", "1.912e-5", (6,), A, (((6,), "-0.00449", "-0.01228"),)),
)
CLOSED_AT = ((O, (CRANK, ((0, 1), "-0.028", "0"))), (B, (((2,), "0", "-0.035"),)),
             (A, (((4,), "0.04", "0"), ((3, 4), "0", "-0.02"))), (A, (((6,), "0", "-0.04"), ((5, 6), "0.02", "0"))))
SPRING_AT = (B, (((2,), "0.02", "-0.018"),))
START = ("-0.0617138900142764496358948458001", "0", "0.455279819163070380255912382449",
         "0.222668390165885884674473185609", "0.487364979543842550225598953530",
         "-0.222668390165885884674473185609", "1.23054744454982119249735015568")


def point(place, q, v):
    """Position, its derivatives by angles, and its acceleration for v' = 0."""
    fixed, terms = place
    at, slopes, bias = [mpf(fixed[0]), mpf(fixed[1])], [[mpf(0), mpf(0)] for _ in range(7)], [mpf(0), mpf(0)]
    for angles, x, y in terms:
        turn, rate = sum(q[k] for k in angles), sum(v[k] for k in angles)
        c, s, x, y = cos(turn), sin(turn), mpf(x), mpf(y)
        along = c * x - s * y, s * x + c * y
        for i in range(2):
            at[i] += along[i]
            bias[i] -= along[i] * rate ** 2
        for k in angles:
            slopes[k][0] -= along[1]
            slopes[k][1] += along[0]
    return at, slopes, bias


def solved(rows):
    """The solution of linear equations, by elimination; the last column is the right-hand side."""
    n = len(rows)
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        for i in range(k + 1, n):
            if rows[i][k]:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b if b else a for a, b in zip(rows[i], rows[k])]
    x = [mpf(0)] * n
    for k in range(n - 1, -1, -1):
        x[k] = (rows[k][n] - sum(rows[k][j] * x[j] for j in range(k + 1, n))) / rows[k][k]
    return x


def andrews_motion(q, v):
    """Accelerations, and the forces lambda: M a + G' lambda = f, with G of E2 - E3, E2 - E4, E2 - E6."""
    rows = [[mpf(0)] * 14 for _ in range(13)]
    rows[0][13] = mpf("0.033")
    for mass, inertia, angles, fixed, terms in BODIES:
        mass = mpf(mass)
        _, slopes, bias = point((fixed, terms), q, v)
        for i in range(7):
            for j in range(7):
                rows[i][j] += mass * dot(slopes[i], slopes[j])
            rows[i][13] -= mass * dot(slopes[i], bias)
        for i in angles:
            for j in angles:
                rows[i][j] += mpf(inertia)
    at, slopes, _ = point(SPRING_AT, q, v)
    arm = [at[i] - mpf(C[i]) for i in range(2)]
    length = sqrt(dot(arm, arm))
    for i in range(7):
        rows[i][13] -= 4530 * (length - mpf("0.07785")) / length * dot(arm, slopes[i])
    ends = [point(place, q, v) for place in CLOSED_AT]
    for loop in range(3):
        for i in range(2):
            row = 7 + 2 * loop + i
            for k in range(7):
                rows[row][k] = rows[k][row] = ends[0][1][k][i] - ends[loop + 1][1][k][i]
            rows[row][13] = ends[loop + 1][2][i] - ends[0][2][i]
    return solved(rows)


def andrews():
    """Published figures; integration in 34 digits shows how many of them are right."""
    names, end = ("beta", "theta", "gamma", "phi", "delta", "omega", "epsilon"), "0.03"
    start = [mpf(x) for x in START]
    y = integrate(lambda t, y: [*y[7:], *andrews_motion(y[:7], y[7:])[:7]], [*start, *[0] * 7], end, "1e-24", 10,
                  "1e-4")
    x = andrews_motion(y[:7], y[7:])
    found = {f"q.{n}": a for n, a in zip(names, y)} | {f"v.{n}": a for n, a in zip(names, y[7:])}
    found |= {f"a.{n}": a for n, a in zip(names, x)}
    found |= {key: a for key, a in zip(("E3.x", "E3.y", "E4.x", "E4.y", "E6.x", "E6.y"), x[7:])}
    for letter in "qvaE":
        worst = max(abs(a - ANDREWS[key]) / max(1, abs(a)) for key, a in found.items() if key[0] == letter)
        print("andrews: the published", letter, "differ by", mp.nstr(worst, 3))
    return found, end


def pendulum():
    """A01: x' = sin. The angle is counted from the lowest position, -90 degrees at first."""
    w, k = sqrt(G), sin(pi / 4)
    angle, rate = integrate(lambda t, y: (y[1], -G * sin(y[0])), (-pi / 2, 0), 10)
    agree([sin(angle / 2)], [-k * mp.ellipfun("cd", w * 10, k=k)])
    return {"q.hinge": angle, "v.hinge": rate}, "10"


def four_bars(cells, end):
    """A02: posts are parallel and couplers translate, so that N cells are one pendulum. The angle is from upright."""
    inertia = mpf(cells + 1) / 3 + cells
    weight = (mpf(cells + 1) / 2 + cells) * G
    angle, rate = integrate(lambda t, y: (y[1], weight / inertia * sin(y[0])), (0, 1), end)
    x, y = sin(angle), cos(angle)
    return {"pos.B0.x": x, "pos.B0.y": y, "vel.B0.vx": rate * y, "vel.B0.vy": -rate * x}, str(end)


def four_bars_2():
    return four_bars(2, 10)


def four_bars_40():
    return four_bars(40, 20)


# A04: bars along x, -y, z, -x, y, and the axes of the hinges before them. Hinges 1, 3, 5 turn by a, 2 and 4 by b.
AXES = ((0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))
BARS = ((1, 0, 0), (0, -1, 0), (0, 0, 1), (-1, 0, 0), (0, 1, 0))


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def turned(axis, angle, v):
    """v turned about a unit vector (Rodrigues)."""
    c, s, k = cos(angle), sin(angle), dot(axis, v)
    return [c * x + s * y + (1 - c) * k * z for x, y, z in zip(v, cross(axis, v), axis)]


def bricard_at(a):
    """P3, kinetic energy for a' = 1, potential energy. Of trihedral mechanisms with equal bars (Bricard; Chen, You and
    Tarnai 2005), with right angles at a = b = 0: sin a + sin b + sin a sin b = 0."""
    b = -mp.asin(sin(a) / (1 + sin(a)))
    rate = -cos(a) / (1 + sin(a)) ** 2 / cos(b)
    place, speed, spin = [mpf(0)] * 3, [mpf(0)] * 3, [mpf(0)] * 3
    frame = [[mpf(i == j) for i in range(3)] for j in range(3)]
    kinetic = potential = mpf(0)
    across, along, points = mpf("1.01") / 12, mpf("0.02") / 12, []
    for i, (axis, bar) in enumerate(zip(AXES, BARS)):
        hinge = [dot(axis, [f[k] for f in frame]) for k in range(3)]
        frame = [turned(hinge, (a, b)[i % 2], f) for f in frame]
        spin = [x + (1, rate)[i % 2] * y for x, y in zip(spin, hinge)]
        bar = [dot(bar, [f[k] for f in frame]) for k in range(3)]
        half = [x + y / 2 for x, y in zip(speed, cross(spin, bar))]
        twist = dot(spin, bar)
        kinetic += (dot(half, half) + across * (dot(spin, spin) - twist ** 2) + along * twist ** 2) / 2
        potential += G * (place[1] + bar[1] / 2)
        place, speed = [x + y for x, y in zip(place, bar)], [x + y for x, y in zip(speed, cross(spin, bar))]
        points.append(place)
    agree(points[4], (0, 0, 1))
    return points[2], kinetic, potential


def bricard():
    """The energies as Chebyshev series in a between -0.2 and pi + 0.2, of which the motion stays inside."""
    count, middle, half = 72, pi / 2, pi / 2 + mpf("0.2")
    angles = [pi * (k + mpf(1) / 2) / count for k in range(count)]
    samples = [bricard_at(middle + half * cos(x))[1:] for x in angles]

    def series(i):
        return [2 * sum(s[i] * cos(j * x) for s, x in zip(samples, angles)) / count / (2 if j == 0 else 1)
                for j in range(count)]

    inertia, potential = series(0), series(1)

    def value_and_slope(c, x):
        b0 = b1 = d0 = d1 = mpf(0)
        for k in range(count - 1, 0, -1):
            b0, b1, d0, d1 = c[k] + 2 * x * b0 - b1, b0, 2 * b0 + 2 * x * d0 - d1, d0
        return c[0] + x * b0 - b1, (b0 + x * d0 - d1) / half

    def rates(t, y):
        m, dm = value_and_slope(inertia, (y[0] - middle) / half)
        _, dv = value_and_slope(potential, (y[0] - middle) / half)
        return y[1], -(dm * y[1] ** 2 + dv) / (2 * m)

    a, rate = integrate(rates, (0, 0), 10, "1e-24", 10)
    point = bricard_at(a)[0]
    return {"q.hinge1": a, "v.hinge1": rate, "pos.P3.x": point[0], "pos.P3.y": point[1], "pos.P3.z": point[2]}, "10"


def governor():
    """A05: slider z, rods at the angle alpha below the horizontal, rate of the shaft from its angular momentum."""
    from math import cos as c, hypot, pi as p, sin as s

    from scipy.integrate import solve_ivp
    g, e, thin, k, damp = 9.81, 0.05, 1e-4, 8e5, 4e4
    across, along = 0.3 * (1 + thin) / 12, 0.3 * 2 * thin / 12
    hinge = across + 0.3 / 4 + 5                     # of rod and ball about the hinge
    hub = 0.3 * 2 * thin / 12 + 3 * 0.02 / 12        # shaft and slider about the axis

    def about_axis(a):
        """J, dJ/da"""
        rod = 0.3 * (e + c(a) / 2) ** 2 + across * c(a) ** 2 + along * s(a) ** 2 + 5 * (e + c(a)) ** 2
        slope = -0.3 * (e + c(a) / 2) * s(a) + 2 * (along - across) * c(a) * s(a) - 10 * (e + c(a)) * s(a)
        return hub + 2 * rod, 2 * slope

    momentum = about_axis(p / 6)[0] * 2 * p

    def rates(t, y):
        z, a, dz, da = y
        x, h = c(a) / 2, 1 - s(a) / 2 - z            # spring, from slider to rod
        length, dx, dh = hypot(x, h), -s(a) * da / 2, -c(a) * da / 2 - dz
        force = k * (length - 0.5) + damp * (x * dx + h * dh) / length
        j, dj = about_axis(a)
        along_a = force * (x * s(a) + h * c(a)) / 2 / length + g * (0.3 / 2 + 5) * c(a)
        return dz, da, 2 * force * h / length / 3 - g, (along_a + (momentum / j) ** 2 * dj / 4) / hinge

    found = solve_ivp(rates, (0, 10), (0.5, p / 6, 0, 0), "DOP853", rtol=1e-13, atol=1e-14)
    other = solve_ivp(rates, (0, 10), (0.5, p / 6, 0, 0), "Radau", rtol=1e-10, atol=1e-12)
    z, a, dz, da = found.y[:, -1]
    print("governor: DOP853 and Radau differ by", max(abs(found.y[:, -1] - other.y[:, -1])))
    return {"q.slide": z, "q.right": a, "v.slide": dz, "v.right": da, "v.turn": momentum / about_axis(a)[0]}, "10"


# ---- closed solutions


def sphere():
    """Slides at first, v = v0 - mu g t, and rolls from 2 v0 / (7 mu g) on, with 5/7 of v0."""
    v0, mu, r, end = mpf(2), mpf("0.2"), mpf("0.1"), mpf(1)
    change = 2 * v0 / (7 * mu * G)
    roll = mpf(5) / 7 * v0
    x = v0 * change - mu * G * change ** 2 / 2 + roll * (end - change)
    spin = 5 * mu * G / (2 * r) * change ** 2 / 2 + roll / r * (end - change)
    return {"pos.ball.x": x, "q.roll": r * spin, "vel.ball.vx": roll, "v.roll": roll}, "1"


def top():
    """Lagrange's top, released with its spin only; inertias about the pivot. u = cos theta is elliptic."""
    i1, i3, mgl, spin, end = mpf("0.006"), mpf("0.0008"), mpf("0.05") * G, mpf(150), mpf(2)
    a, beta, u0 = i3 * spin / i1, 2 * mgl / i1, mpf(1) / 2
    b = a * u0

    def rates(t, y):
        s, c = sin(y[0]), cos(y[0])
        return y[1], mgl / i1 * s - (b - a * c) * (a - b * c) / s ** 3, (b - a * c) / s ** 2

    theta, _, phi = integrate(rates, (pi / 3, 0, 0), end)
    lam = a ** 2 / (2 * beta)
    root = sqrt(lam ** 2 - 2 * lam * u0 + 1)
    u1, u3 = lam - root, lam + root
    m = (u0 - u1) / (u3 - u1)
    sn = mp.ellipfun("sn", sqrt(beta * (u3 - u1)) / 2 * end + mp.ellipk(m), m=m)
    agree([cos(theta)], [u1 + (u0 - u1) * sn ** 2])
    return {"pos.tip.x": sin(theta) * sin(phi), "pos.tip.y": -sin(theta) * cos(phi), "pos.tip.z": cos(theta)}, "2"


def euler(inertia, start, end, closed):
    """A free body: Euler's equations, and its axes in the world."""
    i1, i2, i3 = map(mpf, inertia)

    def rates(t, y):
        w, x, y_, z = y[:3], y[3:6], y[6:9], y[9:]
        return ([(i2 - i3) * w[1] * w[2] / i1, (i3 - i1) * w[2] * w[0] / i2, (i1 - i2) * w[0] * w[1] / i3]
                + [w[2] * b - w[1] * c for b, c in zip(y_, z)] + [w[0] * c - w[2] * a for a, c in zip(x, z)]
                + [w[1] * a - w[0] * b for a, b in zip(x, y_)])

    found = integrate(rates, [*start, 1, 0, 0, 0, 1, 0, 0, 0, 1], end)
    agree(found[:3], closed(mpf(end)))
    names = ("v.base.wx", "v.base.wy", "v.base.wz", "pos.X.x", "pos.X.y", "pos.X.z")
    return {**dict(zip(names, found[:6])), **{f"pos.Z.{c}": x for c, x in zip("xyz", found[9:])}}, str(end)


def euler_symmetric():
    rate = mpf(4 - 3) / 3 * 3                          # (I3 - I1) w3 / I1: about its axis, w turns backwards
    return euler((3, 3, 4), (1, 0, 3), 10, lambda t: (cos(rate * t), sin(rate * t), 3))


def euler_general():
    i1, i2, i3, a, c = map(mpf, (2, 3, 4, 1, 2))
    e2, l2 = i1 * a ** 2 + i3 * c ** 2, i1 ** 2 * a ** 2 + i3 ** 2 * c ** 2
    rate = sqrt((i3 - i2) * (l2 - e2 * i1) / (i1 * i2 * i3))
    m = (i2 - i1) * (e2 * i3 - l2) / ((i3 - i2) * (l2 - e2 * i1))
    b = sqrt((e2 * i3 - l2) / (i2 * (i3 - i2)))
    return euler((2, 3, 4), (a, 0, c), 10, lambda t: (a * mp.ellipfun("cn", rate * t, m=m),
                                                      b * mp.ellipfun("sn", rate * t, m=m),
                                                      c * mp.ellipfun("dn", rate * t, m=m)))


def euler_separatrix():
    a, b, c, rate = sqrt(3), mpf(2), sqrt(mpf(3) / 2), 2 / sqrt(mpf(8))
    return euler((2, 3, 4), (a, 0, c), 10, lambda t: (a * mp.sech(rate * t), b * mp.tanh(rate * t),
                                                      c * mp.sech(rate * t)))


def sleigh():
    """Chaplygin's sleigh of models/sled.limb.yaml: u along the edge, w about it; Neimark and Fufaev."""
    mass, ahead, end = mpf(4), mpf("0.15"), mpf(5)
    inertia = mass * (mpf("0.8") ** 2 + mpf("0.35") ** 2) / 12 + mass * ahead ** 2

    def rates(t, y):
        _, _, turn, u, w = y
        return u * cos(turn), u * sin(turn), w, ahead * w ** 2, -mass * ahead / inertia * u * w

    x, y, turn, u, w = integrate(rates, (0, 0, 0, -1, 4), end)
    energy = mass + inertia * 16                         # twice
    top_u, top_w = sqrt(energy / mass), sqrt(energy / inertia)
    rate, before = ahead * top_w ** 2 / top_u, mp.atanh(-1 / top_u)
    agree([u, w], [top_u * mp.tanh(rate * end + before), top_w * mp.sech(rate * end + before)])
    return {"q.glide.px": x, "q.glide.py": y, "q.glide.rz": turn, "v.glide.wz": w}, "5"


DISC_TURN = mpf(2)  # rad/s, of the plane of the disc


def disc():
    """The disc of models/rolling_disc.limb.yaml rolls steadily round a circle, leaning by 30 degrees (Routh)."""
    mass, r, end, theta = mpf(2), mpf("0.2"), mpf(3), pi / 3
    i1, i3 = mass * (3 * r ** 2 + mpf("0.01") ** 2) / 12, mass * r ** 2 / 2
    spin = (i1 * DISC_TURN * cos(theta) - mass * G * r * cos(theta) / (DISC_TURN * sin(theta))) / (i3 + mass * r ** 2)
    print("disc: spin", mp.nstr(spin, 20))
    radius, turn = r * spin / DISC_TURN, DISC_TURN * end
    # at the start the centre moves along +x with r spin; it goes round a point at the side
    x, y, z = radius * sin(turn), radius * (1 - cos(turn)), r * sin(theta)
    return {"pos.disc.x": x, "pos.disc.y": y, "pos.disc.z": z, "v.disc.wz": spin}, "3"


def hoop():
    """A bead on a hoop of 0.5 m that turns at 7 rad/s; w^2 R / g = 2.5: it bifurcates at 1."""
    k, w = 2 * G, mpf(7)
    start, end = mpf("0.2"), mpf(10)
    angle, rate = integrate(lambda t, y: (y[1], sin(y[0]) * (w ** 2 * cos(y[0]) - k)), (start, 0), end)
    # energy: y'^2 = w^2 (cos y0 - cos y)(cos y - c1) between the turning points
    c0 = cos(start)
    c1 = 2 * k / w ** 2 - c0
    agree([rate ** 2], [w ** 2 * (c0 - cos(angle)) * (cos(angle) - c1)])
    return {"q.bead": angle, "v.bead": rate}, "10"


def kapitza():
    """An upright pendulum of 1 m; its pivot oscillates by 0.1 m at 10 Hz. The angle is from upright."""
    w = 20 * pi
    angle, rate = integrate(lambda t, y: (y[1], (G - w ** 2 / 10 * sin(w * t)) * sin(y[0])), ("0.2", 0), 10)
    return {"q.hinge": angle, "v.hinge": rate}, "10"


# ---- chaotic, stiff


def double_pendulum():
    """Two points of 1 kg on rods of 1 m, absolute angles from the lowest position (Landau and Lifshitz, 5)."""
    def rates(t, y):
        a, b, u, v = y
        s, c = sin(a - b), cos(a - b)
        d = 2 - c ** 2
        left, right = -s * v ** 2 - 2 * G * sin(a), s * u ** 2 - G * sin(b)
        return u, v, (left - c * right) / d, (2 * right - c * left) / d

    found = integrate(rates, (pi / 2, 5 * pi / 6, 0, 0), 20)
    nearby = integrate(rates, (pi / 2 + mpf("1e-15"), 5 * pi / 6, 0, 0), 20)
    print("double pendulum: an error of 1e-15 grows to", mp.nstr(max(abs(x - y) for x, y in zip(found, nearby)), 3))
    a, b, u, v = found
    return {"q.upper": a, "q.lower": b - a, "v.upper": u, "v.lower": v - u}, "20"


def shafts():
    """A planar arm whose motors drive the joints through shafts of 1e6 N m/rad and 200 N m s/rad (Spong)."""
    m1, m2, c1, c2, i1, i2 = map(mpf, ("10", "6", "0.5", "0.4", "1", "0.4"))
    k, damp, ratio, motor = mpf(10) ** 6, mpf(200), 100, mpf("1e-4")

    def rates(t, y):
        q, r, th, ps, dq, dr, dth, dps = y
        c, s = cos(r), sin(r)
        a11, a12, a22 = i1 + i2 + m1 * c1 ** 2 + m2 * (1 + c2 ** 2 + 2 * c2 * c), i2 + m2 * (c2 ** 2 + c2 * c), \
            i2 + m2 * c2 ** 2
        t1 = k * (th / ratio - q) + damp * (dth / ratio - dq)
        t2 = k * (ps / ratio - r) + damp * (dps / ratio - dr)
        far = m2 * c2 * G * cos(q + r)
        f1 = t1 + m2 * c2 * s * dr * (2 * dq + dr) - (m1 * c1 + m2) * G * cos(q) - far
        f2 = t2 - m2 * c2 * s * dq ** 2 - far
        d = a11 * a22 - a12 ** 2
        return (dq, dr, dth, dps, (a22 * f1 - a12 * f2) / d, (a11 * f2 - a12 * f1) / d,
                (mpf("1.4") + sin(4 * t) / 2 - t1 / ratio) / motor, (mpf("0.25") + sin(5 * t) / 5 - t2 / ratio) / motor)

    found = integrate(rates, [0] * 8, 1, first="0.0001")
    names = ("shoulder", "elbow", "shoulder_motor", "elbow_motor")
    return {**{f"q.{n}": x for n, x in zip(names, found)}, **{f"v.{n}": x for n, x in zip(names, found[4:])}}, "1"


CASES = (andrews, pendulum, four_bars_2, four_bars_40, bricard, governor, sphere, top, euler_symmetric, euler_general,
         euler_separatrix, sleigh, disc, hoop, kapitza, double_pendulum, shafts)


def main():
    path = HERE / "references.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    chosen = sys.argv[1:] or [case.__name__ for case in CASES]
    for case in CASES:
        if case.__name__ in chosen:
            values, end = case()
            known[case.__name__] = {"end": float(end), "values": {name: float(x) for name, x in values.items()}}
            if case is andrews:
                known["andrews"]["published"] = ANDREWS
            print(case.__name__, known[case.__name__], flush=True)
    ordered = {case.__name__: known[case.__name__] for case in CASES if case.__name__ in known}
    path.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
