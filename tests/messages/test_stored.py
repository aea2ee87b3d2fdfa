"""Rows 97 to 99: stored paths that are cut short, changed, forged, from the future; and places that cannot be written.

Each forged file is made from a good one by the means of its format, and the answer is checked with what it costs.
"""

import errno
import io
import json
import os
import random
import subprocess
import sys
import threading
import tracemalloc
import zipfile

import numpy as np
import pytest

import dalembert as da
from dalembert.trajectory import npz_archive

POSIX = os.name == "posix"


@pytest.fixture(scope="module")
def path():
    q = da.coordinates("x")
    system = da.System(q, q["vx"] ** 2 / 2 - q["x"] ** 2 / 2)
    return da.simulate(da.free(system), {"x": 1, "vx": 0}, until=1.0, events=[da.Event("half", q["x"] - 0.7)])


@pytest.fixture(scope="module")
def good(path, tmp_path_factory):
    file = tmp_path_factory.mktemp("good") / "path.npz"
    path.save(file)
    return file.read_bytes()


@pytest.fixture
def members(good):
    """The members of a good file by name."""
    with zipfile.ZipFile(io.BytesIO(good)) as container:
        return {name: container.read(name) for name in container.namelist()}


@pytest.fixture
def forged(tmp_path):
    """``forged(members, compression)``: a file of these members."""

    def make(members, compression=zipfile.ZIP_STORED):
        file = tmp_path / "forged.npz"
        with zipfile.ZipFile(file, "w", compression) as container:
            for name, data in members.items():
                container.writestr(name, data)
        return file

    return make


@pytest.fixture
def refused():
    def check(code, file):
        tracemalloc.start()
        with pytest.raises(da.DalembertError) as caught:
            da.load(file)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert caught.value.code == code, str(caught.value)
        assert caught.value.remedy
        assert caught.value.__suppress_context__ or caught.value.__context__ is None
        assert peak < 64e6, "room was made for what a header announced"
        return caught.value

    return check


def array(a, **more):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.asarray(a), **more)
    return stream.getvalue()


def header(shape, kind="<f8"):
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": kind, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def meta(members, **changes):
    found = json.loads(np.lib.format.read_array(io.BytesIO(members["meta.npy"])).tobytes().decode())
    text = json.dumps({**found, **changes}).encode()
    return {**members, "meta.npy": array(np.frombuffer(text, np.uint8))}


def raw_meta(members, text):
    return {**members, "meta.npy": array(np.frombuffer(text.encode(), np.uint8))}


# --- row 97 ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.7, 0.99, 0.9999])
def test_a_truncated_file(good, share, tmp_path, refused):
    file = tmp_path / "short.npz"
    file.write_bytes(good[: int(len(good) * share)])
    refused("E523" if len(good) * share >= 2 else "E520", file)


def test_a_flipped_bit_is_found_or_changes_nothing(good, path, tmp_path):
    file, draw, times = tmp_path / "flipped.npz", random.Random(20), np.linspace(0, 1, 9)
    found = 0
    for _ in range(300):
        place, bit = draw.randrange(len(good)), draw.randrange(8)
        file.write_bytes(good[:place] + bytes([good[place] ^ 1 << bit]) + good[place + 1 :])
        try:
            again = da.load(file)
        except da.DalembertError as error:
            assert error.code in ("E520", "E522", "E523", "E524", "E525"), str(error)
            found += 1
        else:  # a bit of the container that no reader looks at, such as a date
            np.testing.assert_array_equal(again.values, path.values)
            # the polynomials are those of the file, in another form than the run's: equal to rounding
            np.testing.assert_allclose(again.at(times)["x"], path.at(times)["x"], atol=1e-14)
            assert again.names == path.names
    assert found > 250


FORGED = {
    "a newer format": ("E522", lambda m: meta(m, format=99)),
    "a newer format with other arrays": ("E522", lambda m: {**meta(m, format=4), "more.npy": array([1.0])}),
    "a format that never was": ("E523", lambda m: meta(m, format="two")),
    "no format": ("E523", lambda m: raw_meta(m, "{}")),
    "no object": ("E523", lambda m: raw_meta(m, "[]")),
    "no JSON": ("E523", lambda m: raw_meta(m, "x = 1")),
    "nested JSON": ("E523", lambda m: raw_meta(m, "[" * 100_000)),
    "an integer of 5000 digits": ("E523", lambda m: raw_meta(m, f'{{"format": {"9" * 5000}}}')),
    "names that are numbers": ("E523", lambda m: meta(m, names=[1, 2, 3])),
    "too few names": ("E523", lambda m: meta(m, names=["x"])),
    "a name twice": ("E523", lambda m: meta(m, names=["x", "x", "energy"])),
    "more states than columns": ("E523", lambda m: meta(m, states=99)),
    "an audit of other fields": ("E523", lambda m: meta(m, audit={"notes": [], "mood": "good"})),
    "marks of another shape": ("E523", lambda m: meta(m, marks={"half": [[1.0], [[1.0]], ["x"] * 7]})),
    "an array is missing": ("E523", lambda m: {k: v for k, v in m.items() if k != "values.npy"}),
    "another member": ("E525", lambda m: {**m, "more.npy": array([1.0])}),
    "a member outside": ("E525", lambda m: {**m, "../x.npy": array([1.0])}),
    "a member at the root": ("E525", lambda m: {**m, "/etc/x.npy": array([1.0])}),
    "a script": ("E525", lambda m: {**m, "setup.py": b"import os"}),
    "objects": ("E525", lambda m: {**m, "t.npy": array(np.array([None]), allow_pickle=True)}),
    "texts": ("E525", lambda m: {**m, "t.npy": array(np.array(["a"]))}),
    "complex numbers": ("E525", lambda m: {**m, "t.npy": array(np.array([1j]))}),
    "records": ("E525", lambda m: {**m, "t.npy": array(np.zeros(2, "f8,f8"))}),
    "a header that announces 8 GB": ("E524", lambda m: {**m, "t.npy": header((10**9,)) + bytes(80)}),
    "a header that announces 8 EB": ("E524", lambda m: {**m, "t.npy": header((2**60, 2**60)) + bytes(80)}),
    "a negative shape": ("E523", lambda m: {**m, "t.npy": header((-1,)) + bytes(80)}),
    "a header that is code": (
        "E523",
        lambda m: {**m, "t.npy": b"\x93NUMPY\x01\x00\x30\x00" + b"__import__('os').system('id')".ljust(47) + b"\n"},
    ),
    "a header of brackets": ("E523", lambda m: {**m, "t.npy": b"\x93NUMPY\x02\x00\x00\x20\x00\x00" + b"(" * 8192}),
    "a header of version 9": ("E523", lambda m: {**m, "t.npy": b"\x93NUMPY\x09\x00" + m["t.npy"][8:]}),
    "shorter than announced": ("E524", lambda m: {**m, "values.npy": m["values.npy"][:-8]}),
    "longer than announced": ("E523", lambda m: {**m, "values.npy": m["values.npy"] + bytes(8)}),
    "of another shape": ("E523", lambda m: {**m, "step_h.npy": array(np.zeros((2, 2)))}),
    "an empty path": ("E523", lambda m: {**m, "step_t.npy": array(np.zeros(0)), "step_y.npy": array(np.zeros((0, 3)))}),
}


@pytest.mark.parametrize("row", FORGED)
def test_a_forged_file(row, members, forged, refused):
    code, change = FORGED[row]
    refused(code, forged(change(members)))


def test_a_bomb_of_zeros(members, forged, refused):
    bomb = forged({**members, "t.npy": header((2**27,)) + bytes(2**30)}, zipfile.ZIP_DEFLATED)
    assert bomb.stat().st_size < 2e6
    assert "announces 1.07e+09 bytes" in refused("E524", bomb).fact


def test_members_that_lie_over_each_other(good, members, tmp_path, refused):
    """Each is as large as the file: the sum is more than there is."""
    file = tmp_path / "over.npz"
    file.write_bytes(good)
    with zipfile.ZipFile(file, "a") as container:
        for name in ("a.npy", "b.npy", "c.npy"):
            info = container.getinfo("values.npy")
            again = zipfile.ZipInfo(name)
            again.file_size = again.compress_size = len(good) // 2
            again.header_offset, again.CRC = info.header_offset, info.CRC
            container.filelist.append(again)
            container.NameToInfo[name] = again
        container._didModify = True
    refused("E524", file)


def test_what_is_no_stored_path(tmp_path, refused):
    for name, data in {"text": b"t,x\n0,1\n", "empty": b"", "pickle": b"\x80\x04N.", "png": b"\x89PNG\r\n"}.items():
        (tmp_path / name).write_bytes(data)
        refused("E520", tmp_path / name)
    np.savez(tmp_path / "other.npz", a=np.zeros(3))
    refused("E520", tmp_path / "other.npz")


def test_a_pickle_is_never_opened(tmp_path, refused):
    class Trap:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "ran"),)

    import pickle

    (tmp_path / "trap.npz").write_bytes(pickle.dumps(Trap()))
    refused("E520", tmp_path / "trap.npz")
    np.savez(tmp_path / "objects.npz", meta=np.array([Trap()], object))
    refused("E525", tmp_path / "objects.npz")
    assert not (tmp_path / "ran").exists()


def test_files_that_are_none(tmp_path, refused):
    refused("E501", tmp_path / "nothing.npz")
    refused("E501", tmp_path / "no folder" / "path.npz")
    refused("E502", tmp_path)
    if POSIX:
        os.mkfifo(tmp_path / "pipe")
        refused("E510", tmp_path / "pipe")  # without waiting for somebody to write
    if os.path.exists("/dev/zero"):
        refused("E510", "/dev/zero")
    for name in ("", " ", "a\0b", None, 3, b"path.npz", ["path.npz"]):
        refused("E501", name)


def test_no_permission(path, good, tmp_path, monkeypatch, refused):
    file = tmp_path / "path.npz"
    file.write_bytes(good)
    real = io.open

    def opened(name, *args, **more):
        if str(name) == str(file):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        return real(name, *args, **more)

    monkeypatch.setattr(io, "open", opened)
    refused("E503", file)


# --- row 98 ----------------------------------------------------------------------------------------------------------


def unwritable(path, file):
    with pytest.raises(da.DalembertError) as caught:
        path.save(file)
    assert caught.value.code == "E530", str(caught.value)
    assert isinstance(caught.value, OSError)
    assert caught.value.remedy
    return str(caught.value)


def test_places_that_cannot_be_written(path, tmp_path):
    assert "make the folder" in unwritable(path, tmp_path / "no" / "folder" / "path.npz")
    assert "too long" in unwritable(path, tmp_path / ("x" * 300))
    (tmp_path / "file").write_text("a file")
    unwritable(path, tmp_path / "file" / "path.npz")
    unwritable(path, tmp_path)
    if POSIX:
        os.mkfifo(tmp_path / "pipe")
        unwritable(path, tmp_path / "pipe")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", *["pipe"] * POSIX]


@pytest.mark.skipif(not POSIX, reason="other systems have other lengths")
def test_a_name_that_just_fits(path, tmp_path):
    file = tmp_path / ("x" * 255)
    path.save(file)
    assert da.load(file).names == path.names


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT, errno.EIO])
@pytest.mark.parametrize("place", ["write", "fsync", "replace"])
def test_the_older_file_stays(path, good, number, place, tmp_path, monkeypatch):
    file = tmp_path / "path.npz"
    file.write_bytes(good)

    def fails(*_, **__):
        raise OSError(number, os.strerror(number))

    owner, name = {"write": (np, "savez"), "fsync": (os, "fsync"), "replace": (npz_archive.Path, "replace")}[place]
    monkeypatch.setattr(owner, name, fails)
    assert os.strerror(number) in unwritable(path, file)
    assert file.read_bytes() == good
    assert [p.name for p in tmp_path.iterdir()] == ["path.npz"]


_FULL = """
import resource, signal, sys
import dalembert as da
path = da.load(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    path.save(sys.argv[2])
except da.DalembertError as error:
    print(error.code)
"""


@pytest.mark.skipif(not POSIX, reason="limits of a process are POSIX")
def test_a_full_disk(path, good, tmp_path):
    """The system itself stops the writing in the middle."""
    source, target = tmp_path / "path.npz", tmp_path / "full" / "path.npz"
    source.write_bytes(good)
    target.parent.mkdir()
    assert len(good) > 1000
    done = subprocess.run(
        [sys.executable, "-c", _FULL, str(source), str(target)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "E530"
    assert not done.stderr
    assert not list(target.parent.iterdir())


# --- row 99 ----------------------------------------------------------------------------------------------------------


def test_two_writers_of_one_file(path, tmp_path):
    """A path is one file that appears whole: of two writers at once one is the last, and nothing is mixed."""
    file, failed = tmp_path / "path.npz", []

    def write():
        try:
            for _ in range(10):
                path.save(file)
                assert da.load(file).names == path.names
        except Exception as error:
            failed.append(error)

    writers = [threading.Thread(target=write) for _ in range(4)]
    for each in writers:
        each.start()
    for each in writers:
        each.join()
    assert not failed
    assert [p.name for p in tmp_path.iterdir()] == ["path.npz"]
