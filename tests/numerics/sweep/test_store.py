"""A sweep on disk: killed and resumed, damaged and mended, locked, refused."""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import zarr

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.numerics.sweep import stored, sweep
from dalembert.numerics.sweep.store import AXES, JOURNAL, LOCK, RESULTS, TASK
from dalembert.systems import chaplygin_sleigh

from .long_sweep import arguments

SCRIPT = Path(__file__).with_name("long_sweep.py")
BATCHES = 12
SOME = 60, 130  # times that something is brought to the disk: 1 to 4 batches, and 2 to 6 where it goes on


def content(store):
    """The bytes of all chunks of the results by name, and the lines of the journal in order of the batches."""
    chunks = {p.relative_to(store): p.read_bytes() for p in (store / RESULTS).rglob("*") if p.is_file()}
    return chunks, sorted((store / JOURNAL).read_text().splitlines())


def begin(store, how, number):
    """A process that sweeps until it is killed, or interrupted, or waits: see the script."""
    command = [sys.executable, str(SCRIPT), str(store), how, str(number)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A store that was never interrupted, and its result."""
    equations, given = arguments()
    store = tmp_path_factory.mktemp("whole") / "sweep"
    return store, sweep(equations, store=store, **given)


@pytest.fixture
def copy(whole, tmp_path):
    shutil.copytree(whole[0], tmp_path / "sweep")
    return tmp_path / "sweep"


def again(store, **changes):
    equations, given = arguments()
    return sweep(equations, store=store, **{**given, **changes})


def cut_to(store, batches):
    """Take back all but some batches, as if they had not been computed."""
    lines = (store / JOURNAL).read_bytes().splitlines(keepends=True)
    (store / JOURNAL).write_bytes(b"".join(lines[:batches]))


def test_what_is_on_disk_is_what_memory_has(whole):
    equations, given = arguments()
    assert sweep(equations, **given).attrs["checksum"] == whole[1].attrs["checksum"]
    assert not (whole[0] / LOCK).exists()


def test_killed_at_random_and_resumed_it_is_the_same_to_the_last_bit(whole, tmp_path):
    store, rng = tmp_path / "sweep", random.Random(os.getpid())
    done = 0
    for _ in range(2):
        process = begin(store, "killed", rng.randint(*SOME))
        process.communicate()
        assert process.returncode == -signal.SIGKILL
        after = (store / JOURNAL).read_bytes().count(b"\n")
        assert after >= done  # nothing that was there is lost
        done = after
    assert 0 < done < BATCHES
    ends = again(store)
    assert content(store) == content(whole[0])
    assert ends.drop_attrs().equals(whole[1].drop_attrs())
    assert ends.attrs["checksum"] == whole[1].attrs["checksum"]


def test_an_interrupt_leaves_a_store_that_says_how_to_resume(whole, tmp_path):
    store = tmp_path / "sweep"
    process = begin(store, "interrupted", 2)
    words = process.communicate()[1]
    assert process.returncode != 0 and "KeyboardInterrupt" in words
    assert "batches are in" in words and "the same call goes on from there" in words
    assert not (store / LOCK).exists()
    assert again(store).attrs["checksum"] == whole[1].attrs["checksum"]


def test_a_finished_sweep_is_read_from_its_folder_alone(whole, copy):
    found = stored(copy)
    assert found.drop_attrs().equals(whole[1].drop_attrs()) and found.attrs["checksum"] == whole[1].attrs["checksum"]
    assert {name: c.attrs for name, c in found.coords.items()} == {n: c.attrs for n, c in whole[1].coords.items()}
    (copy / AXES).write_bytes((copy / AXES).read_bytes()[:-30])
    with pytest.raises(DalembertError, match="E523"):
        stored(copy)
    (copy / AXES).unlink()
    with pytest.raises(DalembertError, match="E520"):
        stored(copy)
    for name in (None, 3, b"x", "", "x" * 5000):
        with pytest.raises(DalembertError, match="E501"):
            stored(name)


def test_a_finished_sweep_is_only_read(copy, monkeypatch):
    monkeypatch.setattr(
        "dalembert.numerics.sweep.thread_pool.on_threads", lambda task, spans, count, tick: iter(list(spans) and 1 / 0)
    )
    again(copy)


def test_a_damaged_batch_is_computed_again(whole, copy):
    victims = sorted((copy / RESULTS / "x" / "c").iterdir(), key=lambda p: int(p.name))
    data = bytearray(victims[3].read_bytes())
    data[10] ^= 1
    victims[3].write_bytes(data)
    victims[5].unlink()
    victims[7].write_bytes(victims[8].read_bytes())  # whole, but of another batch
    victims[9].write_bytes(victims[9].read_bytes()[:-9])
    victims[4].with_suffix(".0a.partial").write_bytes(b"torn")  # as Zarr leaves it where it is killed
    assert again(copy).attrs["checksum"] == whole[1].attrs["checksum"]
    lines = [json.loads(line)["batch"] for line in (copy / JOURNAL).read_text().splitlines()]
    assert sorted(lines[BATCHES:]) == [3, 5, 7, 9]
    assert content(copy)[0] == content(whole[0])[0]


def test_a_torn_journal_costs_the_torn_batch(whole, copy):
    data = (copy / JOURNAL).read_bytes()
    (copy / JOURNAL).write_bytes(data[:-10])
    assert again(copy).attrs["checksum"] == whole[1].attrs["checksum"]
    assert content(copy)[1] == content(whole[0])[1]


def test_the_batch_size_of_the_beginning_stays(whole, copy):
    cut_to(copy, 4)
    assert again(copy, batch=7, jobs=1).attrs["checksum"] == whole[1].attrs["checksum"]
    assert content(copy) == content(whole[0])


def highest(path, upto):
    return path.at(np.linspace(0, upto, 20))["x"].max()


def test_measures_that_are_the_same_go_on(tmp_path):
    def made(upto):
        return {"part": partial(highest, upto=upto), "closed": lambda path: highest(path, upto)}

    equations, given = arguments()
    given["starts"]["vx"], given["starts"]["theta"] = [0.5, 1.0], 0.2
    sweep(equations, store=tmp_path / "sweep", **{**given, "keep": made(1.0)})
    sweep(equations, store=tmp_path / "sweep", **{**given, "keep": made(1.0)})
    with pytest.raises(DalembertError, match=r"^E521 .*keep"):
        sweep(equations, store=tmp_path / "sweep", **{**given, "keep": made(2.0)})


CHANGES = {
    "starts": {
        "starts": {"x": 0.0, "y": 0.0, "theta": np.linspace(0, 3, 30), "vx": np.linspace(-1, 1, 8), "omega": 0.5}
    },
    "parameters": {"parameters": {"m": 1.4}},
    "until": {"until": 5.5},
    "keep": {"keep": ["x", "energy"]},
    "options": {"rtol": 1e-10},
    "times": {"times": [1.0, 2.0]},
}


@pytest.mark.parametrize("part", CHANGES)
def test_another_sweep_does_not_go_on_there(copy, part):
    before = content(copy)
    with pytest.raises(DalembertError, match=f"^E521 .* holds another sweep: .*{part}"):
        again(copy, **CHANGES[part])
    assert content(copy) == before and not (copy / LOCK).exists()


def test_other_equations_do_not_go_on_there(copy):
    equations, given = arguments()
    other = equations.system.changed(parameters={"m": 1.3, "a": 0.31})
    with pytest.raises(DalembertError, match=r"^E521 .*equations"):
        sweep(da.nonholonomic(other), store=copy, **given)


def test_equations_of_other_roundings_do_not_go_on_there(tmp_path):
    starts = {"x": 0.0, "y": 0.0, "theta": 0.1, "d_vx": [0.2, 0.3], "omega": 0.3}
    given = {"starts": starts, "until": 0.1, "store": tmp_path / "sweep"}
    restricted = da.symmetry.restrict(chaplygin_sleigh.system()).system
    space = restricted.space
    # the same tables, as a file holds them: not what they were projected with
    tables = space.with_frame(space.velocities, space.anchor, space.brackets)
    sweep(da.free(restricted), **given)
    with pytest.raises(DalembertError, match=r"^E521 .*equations"):
        sweep(da.free(restricted.changed(space=tables)), **given)


def test_a_second_writer_is_refused_while_the_first_lives(whole, tmp_path):
    store = tmp_path / "sweep"
    process = begin(store, "waiting", 1)
    assert process.stdout.readline() == "waiting\n"
    try:
        with pytest.raises(DalembertError, match=rf"^E531 .* process {process.pid} on {socket.gethostname()}"):
            again(store)
    finally:
        process.kill()
        process.communicate()
    assert (store / LOCK).exists()  # of the dead process, which is taken over
    assert again(store).attrs["checksum"] == whole[1].attrs["checksum"]
    assert not (store / LOCK).exists()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x"}', '{"pid": 1, "began": 0}'])
def test_a_lock_without_an_owner_is_taken_over(whole, copy, text):
    lock = json.loads(text) if text.startswith('{"') else None
    (copy / LOCK).write_text(json.dumps({**lock, "host": socket.gethostname()}) if lock else text)
    assert again(copy).attrs["checksum"] == whole[1].attrs["checksum"]


def test_a_lock_of_another_machine_is_kept(copy):
    (copy / LOCK).write_text('{"pid": 1, "host": "elsewhere", "began": 0}')
    with pytest.raises(DalembertError, match=r"^E531 .*elsewhere"):
        again(copy)
    assert (copy / LOCK).exists()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("{", "E520"),
        ("[]", "E520"),
        ('{"format": "1"}', "E520"),
        ('{"format": 1, "total": 240, "batch": 0, "parts": {}}', "E520"),
        ('{"format": 99}', "E522"),
    ],
)
def test_a_manifest_that_is_none_is_refused(copy, text, code):
    (copy / TASK).write_text(text)
    with pytest.raises(DalembertError, match=f"^{code} "):
        again(copy)
    assert (copy / TASK).read_text() == text


def test_a_folder_of_something_else_is_left_alone(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(DalembertError, match=r"^E520 "):
        again(tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == ["letter.txt"]
    with pytest.raises(DalembertError, match=r"^E520 "):
        again(tmp_path / "letter.txt")


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="needs POSIX")
def test_a_place_where_nothing_can_be_written_is_refused(tmp_path):
    with pytest.raises(DalembertError, match=r"^E530 ") as refusal:
        again(tmp_path / ("x" * 300))
    assert isinstance(refusal.value, OSError)
    assert not list(tmp_path.iterdir())


def test_a_full_disk_leaves_a_valid_store(whole, tmp_path, monkeypatch):
    store, count, ordinary = tmp_path / "sweep", iter(range(1000)), os.fsync

    def full(handle):
        if next(count) > 100:
            raise OSError(28, "No space left on device")
        ordinary(handle)

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DalembertError, match=r"^E530 .*No space left"):
        again(store)
    monkeypatch.undo()
    assert 0 < (store / JOURNAL).read_bytes().count(b"\n") < BATCHES and not (store / LOCK).exists()
    group = zarr.open_group(store / RESULTS, mode="r", zarr_format=3)
    assert group["outcome"][-1] == -1 and np.isnan(group["x"][-1])  # what is not there does not look like a result
    assert again(store).attrs["checksum"] == whole[1].attrs["checksum"]
    assert content(store) == content(whole[0])


def test_nothing_half_written_is_left_where_it_could_not_begin(tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(DalembertError, match=r"^E530 "):
        again(tmp_path / "sweep")
    assert not list(tmp_path.iterdir())


def test_the_results_are_plain_zarr_with_checksums(whole):
    group = zarr.open_group(whole[0] / RESULTS, mode="r", zarr_format=3)
    assert [c["name"] for c in group["x"].metadata.to_dict()["codecs"]] == ["bytes", "crc32c"]
    assert group["x"].metadata.dimension_names == ("member",)
    np.testing.assert_array_equal(group["x"][:], whole[1].x.values.ravel())


def test_a_large_result_is_read_when_it_is_needed(copy, whole, monkeypatch):
    monkeypatch.setattr("dalembert.numerics.sweep.dataset.IN_MEMORY", 10)
    ends = again(copy)
    assert ends.x.chunks is not None
    assert ends.compute().drop_attrs().equals(whole[1].drop_attrs())
