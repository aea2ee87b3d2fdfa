"""What a store says is held against what was written: any change is refused, in words that name the file."""

import hashlib
import os
import shutil
import struct
import zipfile

import numpy as np
import pytest

from dalembert.errors import DalembertError
from dalembert.numerics.sweep import manifest, stored, sweep
from dalembert.numerics.sweep.manifest import of_array, sealed, unsealed

GIVEN = {
    "starts": {"x": [0.1, 0.2, 0.3, 0.4], "y": 1.0, "vx": 0.0, "vy": [0.0, 1.0]},
    "until": 0.5,
    "batch": 3,
    "jobs": 1,
}


@pytest.fixture(scope="module")
def whole(pair, tmp_path_factory):
    store = tmp_path_factory.mktemp("whole") / "sweep.zarr"
    return store, sweep(pair, store=store, times=[0.0, 0.25, 0.5], **GIVEN)


@pytest.fixture
def copy(whole, tmp_path):
    shutil.copytree(whole[0], tmp_path / "sweep.zarr")
    return tmp_path / "sweep.zarr"


def test_what_was_not_changed_is_read(copy, whole):
    assert stored(copy).identical(whole[1].assign_attrs(store=whole[1].attrs["store"]))


def chunk(store, name="x", index=1):
    return next(p for p in (store / "results.zarr" / name / "c" / str(index)).rglob("*") if p.is_file())


def metadata(store):
    return store / "results.zarr" / "x" / "zarr.json"


def replaced(text, other):
    def act(store):
        file = metadata(store)
        assert text in file.read_text()
        file.write_text(file.read_text().replace(text, other))

    return act


def rewrite(store, name, **changes):
    """A line of JSON with a checksum of its own, as one who knows the format would forge it."""
    file = store / name
    entry = unsealed(file.read_text().splitlines()[0])
    file.write_text("\n".join([sealed({**entry, **changes}), *file.read_text().splitlines()[1:]]) + "\n")


def exchange(one, other):
    a, b = one.read_bytes(), other.read_bytes()
    one.write_bytes(b)
    other.write_bytes(a)


def npz(change):
    def act(store):
        with zipfile.ZipFile(store / "axes.npz") as container:
            members = {name: container.read(name) for name in container.namelist()}
        with zipfile.ZipFile(store / "axes.npz", "w") as container:
            for name, data in change(members).items():
                container.writestr(name, data)

    return act


def flipped(file):
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def fifo(file):
    file.unlink()
    os.mkfifo(file)


def folder(file):
    file.unlink()
    file.mkdir()


def first_line_gone(file):
    file.write_text("".join(file.read_text().splitlines(keepends=True)[1:]))


def exchange_folders(above, one, other):
    (above / one).rename(above / "aside")
    (above / other).rename(above / one)
    (above / "aside").rename(above / other)


CHANGES = {
    "a chunk is missing": ("E523", "results.zarr/x/c/1", lambda s: chunk(s).unlink()),
    "a bit of a chunk": ("E523", "results.zarr/x/c/1", lambda s: flipped(chunk(s))),
    "a chunk is cut": ("E523", "results.zarr/x/c/1", lambda s: os.truncate(chunk(s), chunk(s).stat().st_size - 3)),
    "a chunk is huge": ("E523", "results.zarr/x/c/1", lambda s: os.truncate(chunk(s), 2**33)),
    "a chunk is a folder": ("E523", "results.zarr/x/c/1", lambda s: folder(chunk(s))),
    "a chunk is a pipe": ("E523", "results.zarr/x/c/1", lambda s: fifo(chunk(s))),
    "chunks of two arrays": ("E523", "results.zarr/x/c/0", lambda s: exchange(chunk(s, "x", 0), chunk(s, "y", 0))),
    "chunks of two batches": ("E523", "results.zarr/x/c/0", lambda s: exchange(chunk(s, "x", 0), chunk(s, "x", 1))),
    "two arrays": ("E523", "results.zarr/x/c/0", lambda s: exchange_folders(s / "results.zarr", "x/c", "y/c")),
    "folders of two arrays": ("E523", "results.zarr/", lambda s: exchange_folders(s / "results.zarr", "x", "vy")),
    "the order of bytes": ("E523", "results.zarr/x/zarr.json", replaced('"little"', '"big"')),
    "the type of numbers": ("E523", "results.zarr/x/zarr.json", replaced("float64", "int64")),
    "an attribute": ("E523", "results.zarr/x/zarr.json", replaced('"attributes": {', '"attributes": {"units": "km",')),
    "metadata are cut": ("E523", "results.zarr/x/zarr.json", lambda s: os.truncate(metadata(s), 300)),
    "metadata are empty": ("E523", "results.zarr/x/zarr.json", lambda s: os.truncate(metadata(s), 0)),
    "metadata are gone": ("E523", "results.zarr/x/zarr.json", lambda s: metadata(s).unlink()),
    "the group is cut": ("E523", "results.zarr/zarr.json", lambda s: os.truncate(s / "results.zarr/zarr.json", 9)),
    "all results are gone": ("E523", "results.zarr/zarr.json", lambda s: shutil.rmtree(s / "results.zarr")),
    "the journal is cut": ("E523", "journal.jsonl", lambda s: os.truncate(s / "journal.jsonl", 900)),
    "a line of the journal is gone": ("E520", "", lambda s: first_line_gone(s / "journal.jsonl")),
    "a bit of the journal": ("E523", "journal.jsonl", lambda s: flipped(s / "journal.jsonl")),
    "the journal is huge": ("E523", "journal.jsonl", lambda s: os.truncate(s / "journal.jsonl", 2**33)),
    "the journal is gone": ("E523", "journal.jsonl", lambda s: (s / "journal.jsonl").unlink()),
    "the journal of another sweep": ("E523", "journal.jsonl", lambda s: rewrite(s, "journal.jsonl", sweep="0")),
    "a forged line of the journal": ("E523", "results.zarr/", lambda s: rewrite(s, "journal.jsonl", sha256={})),
    "the journal is a pipe": ("E523", "journal.jsonl", lambda s: fifo(s / "journal.jsonl")),
    "the journal is a folder": ("E523", "journal.jsonl", lambda s: folder(s / "journal.jsonl")),
    "the manifest is a pipe": ("E523", "task.json", lambda s: fifo(s / "task.json")),
    "axes are a folder": ("E523", "axes.npz", lambda s: folder(s / "axes.npz")),
    "a bit of the manifest": ("E523", "task.json", lambda s: flipped(s / "task.json")),
    "the manifest is cut": ("E520", "task.json", lambda s: os.truncate(s / "task.json", 300)),
    "the manifest is gone": ("E520", "", lambda s: (s / "task.json").unlink()),
    "the manifest of another sweep": ("E523", "journal.jsonl", lambda s: rewrite(s, "task.json", about={})),
    "a newer manifest": ("E522", "", lambda s: rewrite(s, "task.json", format=3)),
    "an older manifest": ("E520", "", lambda s: rewrite(s, "task.json", format=1)),
    "an axis": ("E523", "axes.npz", npz(lambda m: {**m, "axis_0.npy": m["axis_0.npy"][:-1] + b"\x40"})),
    "axes without a seal": ("E523", "axes.npz", npz(lambda m: {k: v for k, v in m.items() if k != "seal.npy"})),
    "axes beside more": ("E523", "axes.npz", npz(lambda m: {**m, "more.npy": m["seal.npy"]})),
    "axes are cut": ("E523", "axes.npz", lambda s: os.truncate(s / "axes.npz", 200)),
    "axes are gone": ("E520", "", lambda s: (s / "axes.npz").unlink()),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_a_store_that_was_changed_is_refused_and_the_file_named(copy, what):
    code, file, change = CHANGES[what]
    change(copy)
    with pytest.raises(DalembertError) as refusal:
        stored(copy)
    assert refusal.value.code == code, str(refusal.value)
    assert f"{copy / file}".removesuffix("/") in refusal.value.fact
    assert refusal.value.remedy


@pytest.mark.parametrize("what", [w for w in CHANGES if CHANGES[w][1][:9] in ("results.z", "journal.j")])
def test_a_sweep_goes_on_only_where_the_numbers_stay(copy, whole, pair, what):
    CHANGES[what][2](copy)
    try:
        again = sweep(pair, store=copy, times=[0.0, 0.25, 0.5], **GIVEN)
    except DalembertError as error:
        assert error.code in ("E501", "E523", "E530"), str(error)
    else:
        assert again.attrs["checksum"] == whole[1].attrs["checksum"]
        assert stored(copy).drop_attrs().equals(whole[1].drop_attrs())


def test_the_axes_of_another_sweep_are_refused(copy, whole, pair, tmp_path):
    sweep(pair, store=tmp_path / "other", times=[0.0, 0.2, 0.5], **GIVEN)
    shutil.copy(tmp_path / "other" / "axes.npz", copy / "axes.npz")
    with pytest.raises(DalembertError, match=r"^E523 .*axes.npz belongs to another sweep"):
        stored(copy)


def test_a_manifest_that_announces_more_than_there_is_makes_no_room(copy):
    rewrite(copy, "task.json", total=10**13, batch=10**13)
    line = {"sweep": manifest.read_manifest(copy).identity, "batch": 0, "sha256": {}}
    (copy / "journal.jsonl").write_text(sealed(line) + "\n")
    with pytest.raises(DalembertError, match=r"^E524"):
        stored(copy)


def test_the_sum_of_an_array_is_of_its_place_its_name_its_type_its_shape_and_its_numbers():
    said = b'["a/0", "x", "<f8", [2, 1]]' + struct.pack("<2d", 1.5, -2.0)
    array = np.array([[1.5], [-2.0]])
    assert of_array(array, "x", "a/0") == hashlib.sha256(said).hexdigest()
    assert of_array(array.astype(">f8"), "x", "a/0") == of_array(array, "x", "a/0")
    assert of_array(np.asfortranarray(np.ones((2, 3))), "x", "") == of_array(np.ones((2, 3)), "x", "")


# --- folders -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["results.zarr", "journal.jsonl", "axes.npz", "task.json", "lock", "lock.txt", "letter.txt"]
)
def test_a_folder_that_is_no_store_is_left_alone(pair, tmp_path, name):
    (tmp_path / name).write_text("dear")
    with pytest.raises(DalembertError, match=r"^E520 "):
        sweep(pair, store=tmp_path, **GIVEN)
    assert [(p.name, p.read_text()) for p in tmp_path.iterdir()] == [(name, "dear")]


def test_a_sweep_that_was_refused_leaves_nothing_and_the_next_one_runs(pair, tmp_path):
    def fails(path):
        raise RuntimeError("no")

    store = tmp_path / "sweep"
    with pytest.raises(DalembertError, match="E318"):
        sweep(pair, store=store, keep={"m": fails}, **GIVEN)
    assert not store.exists()
    with pytest.raises(DalembertError, match="E205"):
        sweep(pair, store=store, **{**GIVEN, "parameters": {"k": -1.0}})
    assert not store.exists()
    assert sweep(pair, store=store, **GIVEN).sizes


def test_what_a_killed_sweep_began_and_did_not_use_is_no_other_sweep(pair, tmp_path, whole, copy):
    shutil.rmtree(copy / "results.zarr" / "x" / "c")
    for chunks in (copy / "results.zarr").glob("*/c"):
        shutil.rmtree(chunks)
    (copy / "journal.jsonl").write_text("")
    assert sweep(pair, store=copy, **{**GIVEN, "until": 0.3}).attrs["until"] == "0.3"


def test_a_folder_that_vanishes_on_the_way_is_not_made_anew(pair, tmp_path, monkeypatch):
    from dalembert.numerics.sweep import thread_pool

    store, at_once = tmp_path / "sweep", thread_pool.on_threads

    def vanishing(*task):
        for i, batch in enumerate(at_once(*task)):
            if i == 1:
                shutil.rmtree(store)
            yield batch

    monkeypatch.setattr(thread_pool, "on_threads", vanishing)
    with pytest.raises(DalembertError, match=r"^E530 .*removed"):
        sweep(pair, store=store, **GIVEN)
    assert not store.exists()


@pytest.mark.parametrize("function", ["write", "fsync", "replace"])
def test_what_was_reported_as_done_outlives_any_failure(pair, tmp_path, whole, monkeypatch, function):
    """The n-th call of a system's function fails, for each n; then the same call goes on to the same numbers."""
    store, ordinary = tmp_path / "sweep", getattr(os, function)
    for n in (0, 4, 17):
        count = iter(range(10_000))

        def failing(*given, n=n, count=count, **more):
            if next(count) == n:
                raise OSError(28, "No space left on device")
            return ordinary(*given, **more)

        before = len((store / "journal.jsonl").read_text().splitlines()) if store.exists() else 0
        monkeypatch.setattr(os, function, failing)
        try:
            sweep(pair, store=store, times=[0.0, 0.25, 0.5], **GIVEN)
        except DalembertError as error:
            assert error.code == "E530" and error.remedy
        monkeypatch.undo()
        after = len((store / "journal.jsonl").read_text().splitlines()) if store.exists() else 0
        assert after >= before and not (store / "lock").exists()
    assert sweep(pair, store=store, times=[0.0, 0.25, 0.5], **GIVEN).attrs["checksum"] == whole[1].attrs["checksum"]
    assert stored(store).drop_attrs().equals(whole[1].drop_attrs())


def test_two_threads_on_one_store_do_not_take_each_others_lock(pair, tmp_path):
    from dalembert.numerics.sweep.manifest import Lock

    one, two = Lock(tmp_path / "lock"), Lock(tmp_path / "lock")
    one.take()
    with pytest.raises(DalembertError, match="E531"):
        two.take()
    two.release()
    assert one.held
    one.release()
    assert not list(tmp_path.iterdir())


def test_the_owner_of_a_lock_is_told_without_the_clock(tmp_path, monkeypatch):
    import psutil

    from dalembert.numerics.sweep.manifest import Lock

    one = Lock(tmp_path / "lock")
    one.take()
    monkeypatch.setattr(psutil.Process, "create_time", lambda self: 1e9)
    with pytest.raises(DalembertError, match="E531"):
        Lock(tmp_path / "lock").take()
    one.release()
    assert not (tmp_path / "lock").exists()


@pytest.mark.parametrize("name", [".DS_Store", "._task.json", ".nfs000000001", "Thumbs.db", "desktop.ini"])
def test_what_a_file_manager_leaves_in_a_store_does_not_stop_it(pair, copy, whole, name):
    (copy / name).write_text("of the file manager")
    assert sweep(pair, store=copy, times=[0.0, 0.25, 0.5], **GIVEN).identical(whole[1].assign_attrs(store=str(copy)))
    assert (copy / name).read_text() == "of the file manager"


def test_what_lies_in_a_store_beside_it_is_named(pair, copy):
    (copy / "notes.txt").write_text("mine")
    with pytest.raises(DalembertError, match=r"notes\.txt") as refused:
        sweep(pair, store=copy, times=[0.0, 0.25, 0.5], **GIVEN)
    assert "move" in str(refused.value)
    (copy / "notes.txt").unlink()
    sweep(pair, store=copy, times=[0.0, 0.25, 0.5], **GIVEN)
