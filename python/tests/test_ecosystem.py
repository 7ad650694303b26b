"""limb.jax, limb.torch and limb.casadi, and processes, with the real packages where they are installed."""

from __future__ import annotations

import concurrent.futures
import functools
import multiprocessing
import re
import shutil
import subprocess

import limb
import numpy
import pytest
from conftest import ROOT, states


def test_notebook(tmp_path, monkeypatch):
    """A notebook shows robots, pages and motions by themselves."""
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    page = tmp_path / "limb-view.html"
    page.write_text('<html><meta content="connect-src \'none\'"><script id="robot">null</script></html>\n')
    monkeypatch.setenv("LIMB_VIEW_PAGE", str(page))
    code = ["import limb; arm = limb.load('planar_2r')", "arm", "arm.view()", "arm.simulate([0.5, 0], times=[0, 0.1])"]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in code])
    where = {"metadata": {"path": tmp_path}}
    nbclient.NotebookClient(book, timeout=60, kernel_name="python3", resources=where).execute()
    robot, view, motion = ([x["data"] for x in cell["outputs"] if "data" in x] for cell in book.cells[1:])
    assert "joint1" in robot[0]["text/html"]
    for shown in (view, motion):
        assert shown[0]["text/html"].startswith('<iframe sandbox="allow-scripts allow-downloads"')
        assert "planar_2r" in shown[0]["text/html"]


def test_jax(panda):
    jax = pytest.importorskip("jax")
    import limb.jax

    jax.config.update("jax_enable_x64", True)
    dynamics = limb.jax.Dynamics(panda)
    q, v, a, tau = states(panda, 6)
    x = jax.jit(dynamics.inverse_dynamics)(q[0], v[0], a[0])
    assert numpy.array_equal(x, panda.inverse_dynamics(q[0], v[0], a[0]))
    many = jax.jit(jax.vmap(dynamics.inverse_dynamics, in_axes=(0, 0, None)))(q, v, a[0])
    assert numpy.array_equal(many, panda.inverse_dynamics(q, v, a[0]))
    expected = panda.forward_dynamics_derivatives(q[0], v[0], tau[0])
    for jacobian in (jax.jacfwd, jax.jacrev):
        found = jax.jit(jacobian(dynamics.forward_dynamics, argnums=(0, 1, 2)))(q[0], v[0], tau[0])
        for D, E in zip(found, expected, strict=True):
            assert abs(numpy.asarray(D) - E).max() < 1e-12 * (1 + abs(E).max())
    gradient = jax.grad(lambda q: (dynamics.inverse_dynamics(q, v, a) ** 2).sum())(q)
    by_hand = 2 * numpy.einsum(
        "ni,nij->nj", panda.inverse_dynamics(q, v, a), panda.inverse_dynamics_derivatives(q, v, a).dq
    )
    assert abs(numpy.asarray(gradient) - by_hand).max() < 1e-9 * abs(by_hand).max()
    with pytest.raises(ValueError, match="free joints"):
        limb.jax.Dynamics(limb.load("quadruped", check=False))


def test_jax_second_derivatives_and_frames(panda):
    jax = pytest.importorskip("jax")
    import limb.jax

    jax.config.update("jax_enable_x64", True)
    dynamics = limb.jax.Dynamics(panda)
    q, v, a, _ = (x[0] for x in states(panda, 1))
    found = jax.jit(jax.hessian(dynamics.inverse_dynamics, argnums=(0, 1, 2)))(q, v, a)
    expected = panda.inverse_dynamics_second_derivatives(q, v, a)
    for row, column, D in ((0, 0, expected.dqdq), (0, 1, expected.dqdv), (1, 1, expected.dvdv), (0, 2, expected.dqda)):
        assert abs(found[row][column] - D).max() < 1e-12 * (1 + abs(D).max())
        assert abs(found[column][row] - D.swapaxes(1, 2)).max() < 1e-12 * (1 + abs(D).max())
    position = jax.jit(jax.jacobian(lambda q: dynamics.frame_position("flange", q)))(q)
    assert abs(position - panda.frame_jacobian("flange", q)[3:]).max() < 1e-14


def test_jax_numbers_failures_and_threads(panda):
    jax = pytest.importorskip("jax")
    import limb.jax

    jax.config.update("jax_enable_x64", True)
    dynamics = limb.jax.Dynamics(panda)
    q, v, a, tau = states(panda, 100)
    floats = [x.astype(numpy.float32) for x in (q, v, tau)]
    slope = jax.jit(jax.vmap(jax.jacfwd(dynamics.forward_dynamics)))(*floats)
    exact = panda.forward_dynamics_derivatives(q, v, tau).dq
    assert slope.dtype == numpy.float32
    assert abs(slope - exact).max() < 1e-4 * abs(exact).max()
    expected = panda.inverse_dynamics(q, v, a)
    assert numpy.array_equal(limb.jax.Dynamics(panda, threads=2).inverse_dynamics(q, v, a), expected)
    assert dynamics.inverse_dynamics(q[:0], v[:0], a[:0]).shape == (0, 7)
    q[3, 2] = numpy.nan
    failed = numpy.isnan(jax.jit(dynamics.inverse_dynamics)(q, v, a)).all(axis=1)
    assert failed.nonzero()[0].tolist() == [3]
    with pytest.raises(Exception, match=r"state 3 of 100: .*not finite"):
        limb.jax.Dynamics(panda, on_error="raise").inverse_dynamics(q, v, a).block_until_ready()
    with pytest.raises(ValueError, match=r"v has shape \(3,\), expected \(..., 7\)"):
        dynamics.inverse_dynamics(q, v[0, :3], a)
    with pytest.raises(TypeError, match="float16"):
        dynamics.inverse_dynamics(*(x.astype(numpy.float16) for x in (q, v, a)))


def test_jax_refuses_programs_of_other_processes(panda):
    """A program names its plan; one whose plan is not here must not run."""
    jax = pytest.importorskip("jax")
    import limb.jax

    nobody = jax.ffi.ffi_call(limb.jax.TARGET, jax.ShapeDtypeStruct((7,), numpy.float32))
    with pytest.raises(Exception, match="compiled in another process"):
        nobody(numpy.zeros(7, numpy.float32), plan="0" * 64).block_until_ready()
    dynamics = limb.jax.Dynamics(panda)
    dynamics.inverse_dynamics(*(x[0] for x in states(panda, 1)[:3]))
    plan = dynamics._call(("tau",), ("q", "v", "a")).__closure__
    key = next(cell.cell_contents for cell in plan if isinstance(cell.cell_contents, str))
    with pytest.raises(Exception, match="buffers are not those of the plan"):
        nobody(numpy.zeros(7, numpy.float32), plan=key).block_until_ready()


LAYOUT = {  # structs of python/src/xla.h and of XLA: members, where their names differ both
    "xla_extension XLA_FFI_Extension_Base": "type next",
    "xla_version XLA_FFI_Api_Version": "major:major_version minor:minor_version",
    "xla_metadata XLA_FFI_Metadata": "version:api_version traits",
    "xla_metadata_extension XLA_FFI_Metadata_Extension": "metadata",
    "xla_error_arguments XLA_FFI_Error_Create_Args": "message code:errc",
    "xla_api XLA_FFI_Api": "version:api_version create_error:XLA_FFI_Error_Create",
    "xla_buffer XLA_FFI_Buffer": "type:dtype data rank dims",
    "xla_list XLA_FFI_Args": "count:size types items:args",
    "xla_list XLA_FFI_Rets": "count:size types items:rets",
    "xla_span XLA_FFI_ByteSpan": "text:ptr length:len",
    "xla_attributes XLA_FFI_Attrs": "count:size types names values:attrs",
    "xla_frame XLA_FFI_CallFrame": "api stage arguments:args results:rets attributes:attrs",
}
WHOLE = "xla_version xla_error_arguments xla_list xla_attributes xla_span"  # structs with the same sizes
VALUES = {
    "XLA_MAJOR": "API_MAJOR",
    "XLA_METADATA": "Extension_Metadata",
    "XLA_EXECUTE": "ExecutionStage_EXECUTE",
    "XLA_BUFFER": "RetType_BUFFER",
    "XLA_STRING": "AttrType_STRING",
    "XLA_F32": "DataType_F32",
    "XLA_F64": "DataType_F64",
    "XLA_INVALID_ARGUMENT": "Error_Code_INVALID_ARGUMENT",
    "XLA_FAILED_PRECONDITION": "Error_Code_FAILED_PRECONDITION",
    "XLA_INTERNAL": "Error_Code_INTERNAL",
}


def test_layout_of_xla():
    """The structs by which XLA calls limb are those of the header of the installed jaxlib."""
    jax = pytest.importorskip("jax")
    if not shutil.which("cc"):
        pytest.skip("no C compiler")
    facts = [f"(int){own} == (int)XLA_FFI_{other}" for own, other in VALUES.items()]
    for structs, members in LAYOUT.items():
        own, other = structs.split()
        for names in members.split():
            mine, theirs = (names.split(":") * 2)[:2]
            facts.append(f"offsetof({own}, {mine}) == offsetof({other}, {theirs})")
        if own in WHOLE.split():
            facts.append(f"sizeof({own}) == sizeof({other})")
    program = '#include "xla.h"\n#include "xla/ffi/api/c_api.h"\n'
    program += "".join(f'_Static_assert({fact}, "{fact}");\n' for fact in facts)
    folders = [f"-I{ROOT / 'python' / 'src'}", "-isystem", jax.ffi.include_dir()]
    subprocess.run(["cc", "-std=c17", "-fsyntax-only", "-xc", *folders, "-"], input=program, text=True, check=True)


def test_casadi(panda):
    casadi = pytest.importorskip("casadi")
    import limb.casadi

    dynamics = limb.casadi.Dynamics(panda)
    q, v, a, _ = (x[0] for x in states(panda, 1))
    assert numpy.array_equal(numpy.array(dynamics.inverse_dynamics(q, v, a)).ravel(), panda.inverse_dynamics(q, v, a))
    x = [casadi.MX.sym(name, 7) for name in "qva"]
    tau = dynamics.inverse_dynamics(*x)
    slopes = casadi.Function("slopes", x, [casadi.jacobian(tau, y) for y in x])
    for D, E in zip(slopes(q, v, a), panda.inverse_dynamics_derivatives(q, v, a), strict=True):
        assert numpy.array_equal(numpy.array(D), E)
    # Curvature of y' acc along y, from the tensors.
    y = numpy.arange(1.0, 8.0)
    H = casadi.hessian(casadi.dot(dynamics.forward_dynamics(*x), casadi.DM(y)), casadi.vertcat(*x))[0]
    found = numpy.array(casadi.Function("H", x, [H])(q, v, a))
    D = panda.forward_dynamics_second_derivatives(q, v, a)
    qq, qv, vv, qt = (numpy.einsum("i,ijk->jk", y, T) for T in (D.dqdq, D.dqdv, D.dvdv, D.dqdtau))
    zero = numpy.zeros((7, 7))
    expected = numpy.block([[qq, qv, qt], [qv.T, vv, zero], [qt.T, zero, zero]])
    assert abs(found - expected).max() < 1e-11 * abs(expected).max()
    with pytest.raises(ValueError, match="free joints"):
        limb.casadi.Dynamics(limb.load("quadruped", check=False))


def test_casadi_optimises(panda):
    casadi = pytest.importorskip("casadi")
    import limb.casadi

    position = limb.casadi.Dynamics(panda).frame_position("flange")
    problem = casadi.Opti()
    q = problem.variable(7)
    problem.minimize(casadi.sumsqr(q - panda.start()))
    problem.subject_to(position(q) == [0.5, 0.2, 0.5])
    problem.set_initial(q, panda.start())
    problem.solver("ipopt", {"print_time": False, "ipopt.print_level": 0, "ipopt.sb": "yes"})
    best = problem.solve().value(q)
    assert abs(panda.frame_position("flange", best) - [0.5, 0.2, 0.5]).max() < 1e-8
    assert problem.stats()["iter_count"] < 40


def test_torch(panda):
    torch = pytest.importorskip("torch")
    import limb.torch

    dynamics = limb.torch.Dynamics(panda)
    q, v, a, tau = (torch.from_numpy(x).requires_grad_() for x in states(panda, 3))
    inverse, forward = dynamics.inverse_dynamics, dynamics.forward_dynamics
    for function, x in ((inverse, (q, v, a)), (inverse, (q, v[0], a)), (forward, (q, v, tau))):
        assert torch.autograd.gradcheck(function, x)
        assert torch.autograd.gradgradcheck(function, x)
    tip = functools.partial(dynamics.frame_position, "flange")
    assert torch.autograd.gradcheck(tip, (q,))
    assert torch.autograd.gradgradcheck(tip, (q,))
    assert inverse(q.float(), v.float(), a.float()).dtype == torch.float32
    assert inverse(q.float(), v, a).dtype == torch.float64

    numbers = [x.detach().numpy() for x in (q, v, a)]
    assert numpy.array_equal(inverse(q, v, a).detach().numpy(), panda.inverse_dynamics(*numbers))
    assert torch.equal(torch.vmap(inverse)(q, v, a), inverse(q, v, a))
    assert torch.equal(torch.vmap(inverse, (0, None, 0))(q, v[1], a), inverse(q, v[1], a))
    assert torch.equal(limb.torch.Dynamics(panda, threads=2).forward_dynamics(q, v, tau), forward(q, v, tau))
    slopes = torch.vmap(torch.func.jacrev(inverse, (0, 1, 2)))(q, v, a)
    for x, y in zip(slopes, panda.inverse_dynamics_derivatives(*numbers), strict=True):
        assert numpy.abs(x.detach().numpy() - y).max() < 1e-12
    curve = torch.vmap(torch.func.jacrev(torch.func.jacrev(inverse)))(q, v, a)
    dd = panda.inverse_dynamics_second_derivatives(*numbers)
    assert numpy.abs(curve.detach().numpy() - dd.dqdq).max() < 1e-11


def test_torch_refuses(panda, robot):
    torch = pytest.importorskip("torch")
    import limb.torch

    dynamics, q = limb.torch.Dynamics(panda), torch.zeros(7, dtype=torch.float64)
    with pytest.raises(ValueError, match=re.escape("v has shape (6,), expected (..., 7)")):
        dynamics.inverse_dynamics(q, q[:6], q)
    with pytest.raises(TypeError, match="expected float32 or float64"):
        dynamics.inverse_dynamics(q.int(), q.int(), q.int())
    with pytest.raises(ValueError, match="ball or free joints"):
        limb.torch.Dynamics(robot("quadruped"))
    with pytest.raises(limb.NonFiniteError):
        dynamics.inverse_dynamics(q, q * float("nan"), q)


def test_processes(panda):
    """Methods go to processes with their robot and its environment; results have the same bits."""
    q = panda.random(50)
    push = panda.environment(wrenches=[("flange", "world", (0, 0, 0, 10, 0, 0))])
    torques = functools.partial(panda.inverse_dynamics, env=push)
    parts = [(x, 0.1 * x, 0 * x) for x in numpy.array_split(q, 3)]
    expected = torques(q, 0.1 * q, 0 * q)
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as pool:
        jobs = [pool.submit(torques, *part) for part in parts]
        assert numpy.array_equal(numpy.concatenate([job.result() for job in jobs]), expected)


def test_joblib(panda):
    joblib = pytest.importorskip("joblib")
    q = panda.random(50)
    calls = (joblib.delayed(panda.mass_matrix)(part) for part in numpy.array_split(q, 3))
    assert numpy.array_equal(numpy.concatenate(joblib.Parallel(n_jobs=2)(calls)), panda.mass_matrix(q))
    assert joblib.hash(panda) == joblib.hash(limb.load("panda"))


def test_dask(panda):
    pytest.importorskip("dask")
    import dask.array
    from dask.base import tokenize

    q = panda.random(50)
    lazy = dask.array.from_array(q, chunks=(20, 7)).map_blocks(panda.gravity, dtype=float)
    assert numpy.array_equal(lazy.compute(scheduler="processes", num_workers=2), panda.gravity(q))
    assert tokenize(panda.gravity) == tokenize(limb.load("panda").gravity)
