"""Arguments and results: shapes, broadcasting, types, out, sentences about what is wrong."""

from __future__ import annotations

import array
import ctypes
import multiprocessing
import re
import resource

import hypothesis.extra.numpy as arrays
import limb
import numpy
import pytest
from conftest import states
from hypothesis import given
from hypothesis import strategies as st


@given(shapes=arrays.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3), seed=st.integers(0, 99))
def test_leading_shapes_broadcast_as_those_of_numpy(panda, shapes, seed):
    q, v, a = (numpy.random.default_rng(seed + k).uniform(-1, 1, (*s, 7)) for k, s in enumerate(shapes.input_shapes))
    tau = panda.inverse_dynamics(q, v, a)
    assert tau.shape == (*shapes.result_shape, 7)
    q, v, a = numpy.broadcast_arrays(q, v, a)
    for index in numpy.ndindex(shapes.result_shape):
        assert numpy.array_equal(tau[index], panda.inverse_dynamics(q[index], v[index], a[index]))


@given(
    steps=st.tuples(st.sampled_from([-2, -1, 1, 2, 3]), st.sampled_from([-1, 1, 2])),
    kind=st.sampled_from(["<f8", ">f8", "<f4", ">f4", "i4", "u1", "f2"]),
)
def test_any_layout_and_type_of_numbers(panda, steps, kind):
    rows, columns = 6 * abs(steps[0]), 7 * abs(steps[1])
    raw = numpy.arange(rows * columns).reshape(rows, columns) % 5
    q = raw.astype(kind)[:: steps[0], :: steps[1]]
    g = panda.gravity(q)
    expected = panda.gravity(numpy.ascontiguousarray(q, dtype=numpy.float64))
    if numpy.dtype(kind) == numpy.float32:
        assert g.dtype == numpy.float32
        assert numpy.allclose(g, expected, rtol=0, atol=1e-4)
    else:
        assert numpy.array_equal(g, expected)


def test_everything_with_the_buffer_protocol(panda):
    numbers = [0.1 * k for k in range(7)]
    expected = panda.gravity(numpy.array(numbers))
    structure = (ctypes.c_double * 7)(*numbers)
    for q in (numbers, tuple(numbers), array.array("d", numbers), memoryview(array.array("d", numbers)), structure):
        assert numpy.array_equal(panda.gravity(q), expected)


class OnlyDlpack:
    """An array of another library, without the buffer protocol."""

    def __init__(self, x):
        self.x = x

    def __dlpack__(self, **options):
        return self.x.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.x.__dlpack_device__()


def test_dlpack(panda):
    q = panda.random(3)
    assert numpy.array_equal(panda.gravity(OnlyDlpack(q)), panda.gravity(q))


def test_floats_are_computed_as_floats(panda):
    q, v, a, _ = (x.astype(numpy.float32) for x in states(panda, 100))
    for name in ("inverse_dynamics", "regressor", "inverse_dynamics_derivatives"):
        short = getattr(panda, name)(q, v, a)
        long = getattr(panda, name)(*(x.astype(numpy.float64) for x in (q, v, a)))
        for x, y in zip(*((r if isinstance(r, tuple) else (r,)) for r in (short, long)), strict=True):
            assert x.dtype == numpy.float32
            assert y.dtype == numpy.float64
            assert abs(x - y).max() < 1e-4 * (1 + abs(y).max())
    assert panda.coriolis_matrix(q, v).dtype == numpy.float32  # without a kernel over floats
    assert panda.inverse_dynamics(q, v, a.astype(numpy.float64)).dtype == numpy.float64


def test_out_is_written_and_returned(panda):
    q, v, a, _ = states(panda, 10)
    expected = panda.inverse_dynamics(q, v, a)
    for out in (numpy.empty((10, 7)), numpy.empty((10, 14))[:, ::2], numpy.empty((7, 10)).T):
        assert panda.inverse_dynamics(q, v, a, out=out) is out
        assert numpy.array_equal(out, expected)
    M, C = numpy.empty((10, 7, 7)), numpy.empty((10, 7, 7))
    result = panda.inverse_dynamics_derivatives(q, v, a, out=(M, None, C))
    assert result.dq is M
    assert result.da is C
    assert abs(C - panda.mass_matrix(q)).max() < 1e-14 * abs(C).max()


def test_out_may_be_an_input(panda):
    q, v, a, _ = states(panda, 50)
    expected = panda.inverse_dynamics(q, v, a)
    assert numpy.array_equal(panda.inverse_dynamics(q, v, a, out=a), expected)
    work = numpy.concatenate([v, v[:1]])
    expected = panda.bias_forces(q, work[:-1])
    panda.bias_forces(q, work[:-1], out=work[1:])
    assert numpy.array_equal(work[1:], expected)


def test_single_numbers_are_floats(panda):
    q, v, *_ = states(panda, 4)
    assert isinstance(panda.total_energy(q[0], v[0]), float)
    assert panda.total_energy(q, v).shape == (4,)
    assert panda.energies(q[0], v[0]).kinetic == panda.energies(q, v).kinetic[0]


def test_a_name_is_an_array_and_a_list_a_dict():
    robot = limb.load("planar_2r")
    for _ in range(2):  # whichever was asked for first
        assert set(robot.eval(["g"], [0.1, 0.2])) == {"g"}
        assert robot.eval("g", [0.1, 0.2]).shape == (2,)


@pytest.mark.parametrize("kind", [numpy.float64, numpy.float32])
def test_wrenches_of_states(panda, kind):
    """A wrench for each state is that of the call for that state alone, on threads or not."""
    q, v, a, _ = (x.reshape(10, 6, 7).astype(kind) for x in states(panda, 60))
    W = numpy.random.default_rng(3).uniform(-9, 9, (10, 6, 6))
    push = ("flange", "aligned", (1, 2, 3, 4, 5, 6))
    env = panda.environment(wrenches=[push, ("flange", "body", W), ("link3", "world", -W[:1])])
    close = 1e-12 if kind == numpy.float64 else 1e-5
    calls = [panda.inverse_dynamics, panda.forward_dynamics, panda.inverse_dynamics_derivatives, panda.joint_reactions]
    for call in calls:
        found = call(q, v, a, env=env)
        assert all(map(numpy.array_equal, found, call(q, v, a, env=env, threads=2)))
        for i, j in ((0, 0), (3, 5), (9, 2)):
            wrenches = [push, ("flange", "body", W[i, j]), ("link3", "world", -W[0, j])]
            one = call(q[i, j], v[i, j], a[i, j], env=panda.environment(wrenches=wrenches))
            for x, y in zip(found, one, strict=True) if isinstance(one, tuple) else [(found, one)]:
                assert abs(x[i, j] - y).max() < close * (1 + abs(y).max())
    single = panda.inverse_dynamics(q[0, 0], v[0, 0], a[0, 0], env=env)
    assert single.shape == (10, 6, 7)
    many = panda.environment(wrenches=[("flange", "world", W)] * 12)
    assert abs(panda.inverse_dynamics_derivatives(q, v, a, env=many).dq).max() < 1e6
    with pytest.raises(ValueError, match=r"env has wrenches .* \(10, 6\), the call has .* \(5,\)"):
        panda.gravity(q[:5, 0], env=env)
    with pytest.raises(ValueError, match="one shape"):
        panda.environment(wrenches=[("flange", "body", W[..., :5])])
    with pytest.raises(ValueError, match="many states"):
        panda.simulate(q[0, 0].astype(float), env=env)


def test_no_states(panda):
    assert panda.mass_matrix(numpy.empty((0, 7))).shape == (0, 7, 7)
    assert panda.inverse_dynamics(numpy.empty((0, 7)), numpy.ones(7), numpy.ones(7)).shape == (0, 7)


def in_little_memory(panda, q, out, queue):
    panda.gravity(q[:2])
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + q.nbytes // 2, -1))
    try:
        panda.gravity(q, out=out)
        queue.put("computed")
        panda.gravity(q[::-1], out=out)
        queue.put("a copy")
    except MemoryError:
        queue.put("no memory for a copy")


def test_no_copy_of_contiguous_input(panda):
    q = numpy.tile(panda.random(1000), (300, 1))
    fresh = multiprocessing.get_context("spawn")  # where other tests have left no room for a copy
    queue = fresh.SimpleQueue()
    child = fresh.Process(target=in_little_memory, args=(panda, q, numpy.empty_like(q), queue))
    child.start()
    child.join(60)
    assert queue.get() == "computed"
    assert queue.get() == "no memory for a copy"


WRONG = [
    (lambda p, q: p.inverse_dynamics(q, q), TypeError, "inverse_dynamics(): a is missing"),
    (lambda p, q: p.inverse_dynamics(q, q, q, q), TypeError, "4 arguments by position, expected at most 3"),
    (lambda p, q: p.inverse_dynamics(q, q, q[:3]), ValueError, "a has shape (3,), expected (..., 7)"),
    (lambda p, q: p.gravity(numpy.ones((2, 3))), ValueError, "gravity(): q has shape (2, 3), expected (..., 7)"),
    (lambda p, q: p.gravity(1.0), ValueError, "q has shape (), expected (..., 7)"),
    (lambda p, q: p.bias_forces(numpy.ones((2, 7)), numpy.ones((3, 7))), ValueError, "v is for states of shape (3,)"),
    (lambda p, q: p.gravity("x"), TypeError, "gravity(): q has numbers of type <U1"),
    (lambda p, q: p.gravity(q + 1j), TypeError, "numbers of type complex128"),
    (lambda p, q: p.gravity(q, q=q), TypeError, "q is given twice"),
    (lambda p, q: p.gravity(q, speed=1), TypeError, "there is no argument 'speed'"),
    (lambda p, q: p.gravity(q, threads=-1), ValueError, "threads is -1"),
    (lambda p, q: p.gravity(q, on_error="ignore"), ValueError, "on_error is 'ignore'"),
    (lambda p, q: p.gravity(q, env=1), TypeError, "env is 1"),
    (lambda p, q: p.gravity(q, out=numpy.empty(6)), ValueError, "out has shape (6,), expected (7,)"),
    (lambda p, q: p.gravity(q, out=numpy.empty(7, "i4")), TypeError, "neither float64 nor float32"),
    (lambda p, q: p.gravity(q, out=b"1234567"), (BufferError, TypeError, ValueError), "writable"),
    (lambda p, q: p.frame_position("hand", q), KeyError, "'panda' has no frame 'hand'"),
    (lambda p, q: p.frame_position(3, q), TypeError, "the frame is 3"),
    (lambda p, q: p.frame_velocity("flange", q, q, ref="tool"), ValueError, "ref is 'tool'"),
    (lambda p, q: p.eval("Mass", q), limb.ArgumentError, "Mass"),
    (lambda p, q: p.eval("tau", q), limb.OrderError, "tau"),
    (lambda p, q: p.q(knee=1), KeyError, "has no 'knee'; it has joint1"),
]


@pytest.mark.parametrize(("call", "error", "sentence"), WRONG)
def test_what_is_wrong_is_said(panda, call, error, sentence):
    with pytest.raises(error, match=re.escape(sentence)):
        call(panda, numpy.ones(7))


def test_overlapping_out(panda):
    q, v, a, _ = states(panda, 3)
    M = numpy.empty((3, 7, 7))
    with pytest.raises(ValueError, match="two arrays of out overlap"):
        panda.inverse_dynamics_derivatives(q, v, a, out=(M, M, None))


def test_states_that_fail(panda):
    q, v, *_ = states(panda, 5)
    v[3, 2] = numpy.nan
    with pytest.raises(limb.NonFiniteError, match="state 3 of 5"):
        panda.bias_forces(q, v)
    with pytest.raises(limb.NonFiniteError):
        panda.bias_forces(q[3], v[3])
    h = panda.bias_forces(q, v, on_error="nan")
    assert numpy.isnan(h[3]).all()
    assert numpy.array_equal(h[4], panda.bias_forces(q[4], v[4]))
    assert numpy.isnan(panda.bias_forces(q[3], v[3], on_error="nan")).all()
