"""The batches of a sweep on a Dask cluster, of which a worker is killed."""

import os
import signal
import warnings

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.numerics.sweep import manifest, sweep

distributed = pytest.importorskip("distributed")


# machine code is compiled soon on the workers, as in the tests
SOON = "from dalembert.numerics.machine import compiler; compiler.LONG = 0"


@pytest.fixture(scope="module")
def client():
    with (
        warnings.catch_warnings(),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50, preload=[SOON]
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        warnings.simplefilter("ignore")
        yield client


def task(zoo):
    starts = {"x": 0.0, "y": 0.0, "theta": np.linspace(0, 3, 20), "vx": np.linspace(-1, 1, 15), "omega": 0.4}
    events = [da.Event("turned", sp.Symbol("theta", real=True) - 1)]
    return zoo.equations("sleigh"), {
        "events": events,
        "starts": starts,
        "until": 10.0,
        "rtol": 1e-9,
        "parameters": {"m": [1.0, 2.0]},
        "batch": 20,
    }


@pytest.fixture
def at_line(monkeypatch):
    """Do something once, as soon as the journal has so many lines; what it says is kept."""
    append, said = manifest.append, []

    def put(number, do):
        def appended(folder, *line):
            append(folder, *line)
            if not said and (folder / manifest.JOURNAL).read_bytes().count(b"\n") >= number:
                said.append(do())

        monkeypatch.setattr(manifest, "append", appended)
        return said

    return put


@pytest.mark.filterwarnings("ignore")
def test_a_killed_worker_changes_no_bit(zoo, client, tmp_path, at_line):
    equations, arguments = task(zoo)
    alone = sweep(equations, jobs=1, **arguments)
    first, *_ = client.run(os.getpid).values()
    killed = at_line(3, lambda: os.kill(first, signal.SIGKILL))
    there = sweep(equations, client=client, store=tmp_path / "sweep", **arguments)
    assert killed
    assert there.attrs["checksum"] == alone.attrs["checksum"]
    lines = (tmp_path / "sweep" / "journal.jsonl").read_text().splitlines()
    assert len(lines) == len(set(lines)) == 30
    assert there.drop_attrs().equals(alone.drop_attrs())


@pytest.mark.filterwarnings("ignore")
def test_a_mistake_on_a_worker_is_raised_here(zoo, client):
    equations, arguments = task(zoo)
    with pytest.raises(da.DalembertError, match=r"E318 .*measure"):
        sweep(equations, client=client, keep={"length": lambda path: path.nothing}, **arguments)


def test_a_client_is_asked_for(sleigh):
    with pytest.raises(TypeError, match="E307"):
        sweep(sleigh, starts={"x": 0, "y": 0, "theta": 0, "vx": 1, "omega": 0}, until=1.0, client="cluster")


@pytest.mark.filterwarnings("ignore")
def test_a_cluster_that_starts_afresh_is_given_the_lost_batches_again(zoo, client, tmp_path, at_line):
    equations, arguments = task(zoo)
    restarted = at_line(3, lambda: client.restart(wait_for_workers=False))
    there = sweep(equations, client=client, store=tmp_path / "sweep", **arguments)
    assert restarted
    assert there.attrs["checksum"] == sweep(equations, **arguments).attrs["checksum"]
