"""No crash, no leak, threads."""

from __future__ import annotations

import concurrent.futures
import contextlib
import gc
import multiprocessing
import os
import subprocess
import sys
import warnings

import limb
import numpy
import pytest
from conftest import states
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from limb import _limb

ALLOWED = (
    TypeError, ValueError, KeyError, limb.Error, OverflowError, BufferError, MemoryError, AttributeError,
    NotImplementedError, IndexError, OSError,
)  # fmt: skip

EFFORT = 50 if os.environ.get("LIMB_TEST_EFFORT") == "all" else 1

METHODS = [name for name in dir(limb.Model) if callable(getattr(limb.Model, name)) and not name.startswith("__")]
ARRAYS = [
    numpy.zeros(7), numpy.ones((3, 7)), numpy.zeros((0, 7)), numpy.full(7, numpy.nan), numpy.full((2, 7), numpy.inf),
    numpy.zeros((2, 0)), numpy.zeros(()), numpy.zeros((1,) * 30 + (7,)), numpy.zeros(7, ">f4"), numpy.zeros(7, "O"),
    numpy.zeros(7, "f4"), numpy.broadcast_to(0.0, (5, 7)), numpy.zeros((7, 7)).T, numpy.zeros(7, "M8[s]"),
    numpy.frombuffer(bytes(57), dtype="u1")[1:].view("f8"), numpy.zeros(7, "f8,f8"), numpy.zeros((4, 7))[::-1],
]  # fmt: skip
THINGS = st.one_of(
    st.sampled_from(ARRAYS),
    st.sampled_from([None, "flange", "link\0", "", "a" * 5000, b"", object(), [], {}, (), 0, -1, 2**70, 1.5, True]),
    st.lists(st.floats(allow_nan=True), max_size=8),
    st.text(max_size=5),
)
NAMES = st.sampled_from(["q", "v", "a", "tau", "out", "threads", "env", "ref", "on_error", "time", "names", "frame"])


def attempt(function, *args, **named):
    """Whatever happens, it is an exception that says so."""
    with warnings.catch_warnings(), contextlib.suppress(*ALLOWED):
        warnings.simplefilter("ignore")
        function(*args, **named)


@settings(max_examples=400 * EFFORT, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(METHODS), st.lists(THINGS, max_size=5), st.dictionaries(NAMES, THINGS, max_size=2))
def test_methods_take_anything(panda, method, args, named):
    if isinstance(named.get("threads"), int) and not 0 < named["threads"] < 3:
        named["threads"] = 1
    attempt(getattr(panda, method), *args, **named)


@settings(max_examples=200 * EFFORT, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(sorted(vars(_limb))), st.lists(THINGS, max_size=9))
def test_the_extension_takes_anything(panda, name, args):
    value = getattr(_limb, name)
    if callable(value) and not name.startswith("__"):
        attempt(value, *args)
        attempt(value, panda, *args)


@settings(max_examples=100 * EFFORT, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(["body", "joint", "loop", "frame", "shaft", "motor", "gravity"]), st.data())
def test_the_builder_takes_anything(method, data):
    b = _limb.Builder("x")
    members = st.dictionaries(
        st.sampled_from(["parent", "child", "axis", "mass", "com", "pose", "joint", "mimic"]), THINGS
    )
    texts = st.sampled_from(["a", "revolute", "pin", ""])
    attempt(getattr(b, method), *data.draw(st.lists(st.one_of(texts, members, THINGS), max_size=3)))
    attempt(b.build)


@settings(max_examples=100 * EFFORT)
@given(st.text(alphabet="abMtau@._,\n{}\0é", max_size=30))
def test_names_of_quantities(panda, name):
    attempt(panda.eval, name, numpy.zeros(7))


@settings(max_examples=100 * EFFORT)
@given(st.binary(max_size=200))
def test_texts_of_robots(text):
    attempt(limb.loads, text)


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_no_leak(panda):
    effort = 20000 * EFFORT
    q, v, a, _ = (x[0] for x in states(panda, 1))
    rows = numpy.array([q, q])[:, ::-1]

    def work(n):
        for _ in range(n):
            panda.inverse_dynamics(q, v, a)
            panda.gravity(rows)
            panda.energies(q, v)
            attempt(panda.gravity, q[:3])
            attempt(panda.frame_velocity, "flange", q, v, ref="nowhere")
        for _ in range(n // 200):
            attempt(panda.eval, "nothing", q)
            limb.loads(panda.to_text(), check=False).gravity(q)

    work(effort // 2)
    gc.collect()
    before = resident()
    work(effort)
    gc.collect()
    assert resident() - before < 4e6


def test_many_threads_of_python_share_a_model(panda):
    q, v, a, _ = states(panda, 400)
    expected = panda.inverse_dynamics(q, v, a)
    fresh = limb.load("panda")
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(fresh.inverse_dynamics, q, v, a) for _ in range(64)]
        jobs += [pool.submit(fresh.inverse_dynamics, q[0], v[0], a[0]) for _ in range(64)]
        for job in jobs:
            x = job.result()
            assert numpy.array_equal(x, expected if x.ndim == 2 else expected[0])


def test_threads_give_the_same_bits(panda):
    q, v, a, _ = states(panda, 1000)
    for name, args in (("inverse_dynamics", (q, v, a)), ("coriolis_matrix", (q, v)), ("mass_matrix", (q,))):
        one = getattr(panda, name)(*args)
        assert numpy.array_equal(getattr(panda, name)(*args, threads=2), one)
        assert numpy.array_equal(getattr(panda, name)(*args, threads=0), one)


LONG = {
    "simulate": "panda.simulate(panda.start(), times=[0, 1e5])",
    "eval": "panda.eval('christoffel', panda.random(1_000_000))",
    "ik": "panda.ik({'flange': panda.frame_pose('flange', panda.random(400_000))})",
    "wrenches": "panda.eval('d2tau', q := panda.random(200_000), q, q, env=panda.environment(wrenches=["
    "('flange', 'world', q[:, :6])]))",
    "random": "panda.random(50_000_000)",
    "codegen": "limb.load('humanoid').codegen('tau,M,acc', effort=100)",
    "close": "(bars := limb.load('four_bar')).close(bars.start() + panda.random(1_000_000)[:, :1] * [1e-3, 0, 0])",
}


@pytest.mark.parametrize("what", LONG)
def test_interrupts_end_long_calls(what):
    """Ctrl-C ends what runs in C, and leaves nothing behind."""
    program = f"""if True:
        import limb, os, signal, threading, warnings
        warnings.simplefilter("ignore")
        signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in the background of a shell
        panda = limb.load("panda")
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            {LONG[what]}
        except KeyboardInterrupt:
            print(panda.gravity(panda.random(10000)).shape)"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300, check=False)
    assert run.stdout == "(10000, 7)\n", run.stderr


def in_child(model, q, queue):
    queue.put(model.gravity(q, threads=2))


def test_a_forked_child_makes_threads_of_its_own(panda):
    q = panda.random(100)
    expected = panda.gravity(q, threads=2)
    fork = multiprocessing.get_context("fork")
    queue = fork.SimpleQueue()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", RuntimeWarning)  # of JAX, if other tests have loaded it
        child = fork.Process(target=in_child, args=(panda, q, queue))
        child.start()
    child.join(20)
    assert child.exitcode == 0
    assert numpy.array_equal(queue.get(), expected)
