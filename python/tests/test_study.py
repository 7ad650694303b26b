"""Studies: the same rows from threads, processes, joblib, Dask and the tool; Arrow files; what fails."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import pickle
import subprocess

import limb
import numpy
import pytest

TEXT = """study: 1
run: {model: planar_2r, duration: 20ms, solver: {step: 1ms}}
samples: 6
sampling: latin
vary:
  solver.method: [rk4, euler]
  start.q.joint1: {uniform: [-1, 1]}
  model.parameters.link2.mass: {normal: [1, 0.1]}
collect: {final: [q], peak: [tau]}
"""


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(TEXT)
    return limb.Study(path)


def same(a, b):
    """Equal to the bit; NaN equals NaN."""
    return a.dtype == b.dtype and a.tobytes() == b.tobytes()


def test_rows(study):
    rows = study.run()
    assert len(study) == len(rows) == 12
    assert study.varied == ["solver.method", "start.q.joint1", "model.parameters.link2.mass"]
    assert list(rows.dtype.names) == ["case", "status", "reason", *study.columns]
    assert study.units["final.q.joint1"] == "rad"
    assert set(rows["solver.method"]) == {"rk4", "euler"}
    assert (rows["status"] == 0).all() and (rows["time"] == 0.02).all()
    assert same(study.run(range(3, 12, 4)), rows[3::4])
    assert same(study.run([5, 2]), rows[[5, 2]])
    assert len(study.run([])) == 0
    with pytest.raises(IndexError, match="12 cases"):
        study.run(range(5, 14))


def test_executors(study):
    rows = study.run()
    assert same(limb.sweep(study), rows)
    assert same(limb.sweep(study.path, chunk=5), rows)
    with concurrent.futures.ThreadPoolExecutor(3) as threads:
        assert same(limb.sweep(study, threads, chunk=1), rows)
    with concurrent.futures.ProcessPoolExecutor(2, multiprocessing.get_context("spawn")) as processes:
        assert same(limb.sweep(study, processes), rows)
    with pytest.raises(TypeError, match="submit"):
        limb.sweep(study, 5)


def test_joblib(study):
    joblib = pytest.importorskip("joblib")
    assert same(limb.sweep(study, joblib.Parallel(2, prefer="threads"), chunk=4), study.run())


def test_dask(study):
    dask = pytest.importorskip("dask")
    tasks = [dask.delayed(study.run)(range(k, k + 4)) for k in range(0, 12, 4)]
    parts = dask.compute(*tasks, scheduler="threads")
    assert same(numpy.concatenate(parts), study.run())


def test_dask_cluster(study):
    """Two worker processes and a scheduler, as on a cluster: studies and models travel as they are."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        assert same(limb.sweep(study, client, chunk=2), study.run())
        model = limb.load("planar_2r")
        q = numpy.array([[0.1, 0.2], [0.3, -0.4]])
        assert (client.submit(model.gravity, q).result() == model.gravity(q)).all()


def test_the_tool_makes_the_same(study, tmp_path):
    rows = study.run()
    for name in ("out.npy", "out.arrow", "out.parquet"):
        subprocess.run(
            [os.environ["LIMB_TOOL"], "sweep", study.path, "--quiet", "--output", tmp_path / name], check=True
        )
    table = numpy.load(tmp_path / "out.npy")
    for name in study.columns:
        told = numpy.char.decode(table[name]) if table[name].dtype.kind == "S" else table[name]
        assert (told == rows[name]).all()
    arrow = pytest.importorskip("pyarrow.ipc").open_file(tmp_path / "out.arrow").read_all()
    arrow.validate(full=True)
    assert arrow.column_names == list(rows.dtype.names)
    assert arrow.schema.field("final.q.joint1").metadata == {b"unit": b"rad"}
    for name in study.columns:
        assert arrow[name].to_pylist() == rows[name].tolist()
    parquet = pytest.importorskip("pyarrow.parquet").read_table(tmp_path / "out.parquet")
    parquet.validate(full=True)
    assert parquet.equals(arrow) and parquet.schema.equals(arrow.schema, check_metadata=True)


def test_pickle(study):
    assert same(pickle.loads(pickle.dumps(study)).run(range(2)), study.run(range(2)))
    sent = pickle.dumps(study)
    with open(study.path, "a", encoding="ascii") as f:
        f.write("seed: 5\n")
    with pytest.raises(ValueError, match="not the study that was sent"):
        pickle.loads(sent)


def test_failures(study, tmp_path):
    path = tmp_path / "bad.yaml"
    path.write_text(TEXT.replace("[rk4, euler]", "[rk4, rk5]"))
    rows = limb.sweep(path)
    assert (rows["status"][:6] == 0).all() and (rows["status"][6:] != 0).all()
    assert "did you mean 'rk4'" in rows["reason"][7] and numpy.isnan(rows["final.q.joint1"][7])
    path.write_text(TEXT.replace("joint1: {", "jiont1: {"))
    with pytest.raises(limb.Error, match=r"bad\.yaml:7:3: start\.q\.jiont1: .* did you mean 'joint1'"):
        limb.Study(path)
