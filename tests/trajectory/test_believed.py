"""A stored path is held against itself: what no run leaves is refused, also in the format that had no seal."""

import hashlib
import json
import struct
import zipfile

import numpy as np
import pytest

import dalembert as da
from dalembert.trajectory.npz_archive import seal, write


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    q = da.coordinates("x")
    system = da.System(q, q["vx"] ** 2 / 2 - q["x"] ** 2 / 2)
    file = tmp_path_factory.mktemp("path") / "path.npz"
    da.simulate(da.free(system), {"x": 1, "vx": 0}, until=1.0, events=[da.Event("half", q["x"] - 0.7)]).save(file)
    return file


@pytest.fixture
def parts(whole):
    """Arrays by name, and what the file says about itself."""
    arrays = dict(np.load(whole))
    arrays.pop("seal")
    meta = json.loads(arrays.pop("meta").tobytes())
    return arrays, meta


def refused(file, arrays, meta, code="E523"):
    write(file, {"meta": np.frombuffer(json.dumps(meta).encode(), np.uint8), **arrays})
    with pytest.raises(da.DalembertError) as refusal:
        da.load(file)
    assert refusal.value.code == code and str(file) in refusal.value.fact and refusal.value.remedy


def put(name, place, value):
    def change(arrays, meta):
        arrays[name] = arrays[name].copy()
        arrays[name][place] = value

    return change


def times(name, change):
    def act(arrays, meta):
        arrays[name] = change(arrays[name])

    return act


def said(*place, value):
    def act(arrays, meta):
        *above, last = place
        for key in above:
            meta = meta[key]
        meta[last] = value

    return act


NUMBERS = {
    "a state is no number": put("values", (3, 0), np.nan),
    "energy is infinite": put("values", (3, 2), np.inf),
    "a step is no number": put("step_y", (2, 1), np.nan),
    "times fall": times("t", lambda t: t[::-1]),
    "a time stands twice": put("t", 2, 0.0),
    "a time is outside": put("t", -1, 5.0),
    "steps fall": times("step_t", lambda t: t[::-1]),
    "steps are shorter than they are": times("step_h", lambda h: h / 2),
    "steps go back": times("step_h", lambda h: -h),
    "a sample is off": put("values", (3, 0), 7.0),
    "samples are exchanged": times("values", lambda v: v[:, [1, 0, 2]]),
    "steps are off": times("step_y", lambda y: y * 1.01),
    "polynomials are off": times("step_F", lambda F: F * 1.01),
}
WORDS = {
    "verdict of another word": said("audit", "verdict", value="fine"),
    "ok with reasons": said("audit", "reasons", value=["E405 drift"]),
    "suspect without reasons": said("audit", "verdict", value="suspect"),
    "ok, but not ended": said("reached", value=False),
    "a residual is no number": said("audit", "constraints", value={"c": float("nan")}),
    "the largest residual is not the largest": said("audit", "constraint_residual", value=3.0),
    "a residual below 0": said("audit", "constraint_residual", value=-1.0),
    "work is no number": said("audit", "work_balance", value=float("nan")),
    "work that is not accounted for": said("audit", "work_balance", value=1.0),
    "energy is no number": said("audit", "energy_start", value=float("nan")),
    "the change of energy is no number": said("audit", "energy_change", value=float("nan")),
    "a parameter is no number": said("provenance", "parameters", value={"m": float("nan")}),
    "a start is infinite": said("provenance", "start", "x", value=float("inf")),
    "the end is no number": said("provenance", "until", value=float("nan")),
    "the tolerance is no number": said("provenance", "rtol", value=float("nan")),
    "a momentum is no number": said("audit", "momenta", value={"p": float("inf")}),
    "an integer beyond all floats": said("provenance", "t0", value=10**400),
    "a name that steers a terminal": said("names", 0, value="x\x1b[2J"),
    "a name that turns the text": said("names", 0, value="x\u202e"),
    "an empty name": said("names", 0, value=""),
    "an outcome that steers": said("outcome", value="ok\x07"),
    "a note that steers": said("audit", "notes", value=["\x9b31m"]),
    "an event that steers": said("marks", value={"\x1b]0;": [[], [], []]}),
    "what is said besides steers": said("provenance", "more", value={"a": ["\x1b[2J"]}),
    "an event at no time": said("marks", "half", 0, value=[float("nan")]),
    "an event after the end": said("marks", "half", 0, value=[1.5]),
    "an event at another time": said("marks", "half", 0, value=[0.5]),
    "an event in another state": said("marks", "half", 1, value=[[0.9, -0.7, 0.5]]),
    "a start elsewhere": said("provenance", "start", "x", value=2.0),
    "a start at another time": said("provenance", "t0", value=0.5),
    "an end before the last step": said("provenance", "until", value=0.5),
    "a contact that flies": said("modes", value=[[0.0, "floor", "flies"]]),
    "a contact at no time": said("modes", value=[[float("nan"), "floor", "slides"]]),
    "a contact before the start": said("modes", value=[[-1.0, "floor", "slides"]]),
    "a contact long after the end": said("modes", value=[[1e9, "floor", "slides"]]),
    "a contact that goes back in time": said("modes", value=[[0.7, "floor", "slides"], [0.2, "floor", "sticks"]]),
}


@pytest.mark.parametrize("format", [1, 2, 3])
@pytest.mark.parametrize("what", [*NUMBERS, *WORDS])
def test_what_no_run_leaves_is_refused(parts, tmp_path, what, format):
    arrays, meta = parts
    {**NUMBERS, **WORDS}[what](arrays, meta)
    refused(tmp_path / "p.npz", arrays, {**meta, "format": format})


@pytest.mark.parametrize("format", [True, 2.0, "3", None, 0, -1, [3]])
def test_a_format_is_a_whole_number_that_was(parts, tmp_path, format):
    arrays, meta = parts
    refused(tmp_path / "p.npz", arrays, {**meta, "format": format})


@pytest.mark.parametrize("format", [4, 10**30])
def test_a_newer_format_is_not_read(parts, tmp_path, format):
    arrays, meta = parts
    refused(tmp_path / "p.npz", arrays, {**meta, "format": format}, "E522")


@pytest.mark.parametrize("name", ["t", "values", "step_t", "step_y", "step_h", "step_F", "meta"])
def test_a_container_made_anew_around_any_other_number_is_refused(whole, tmp_path, name):
    arrays = dict(np.load(whole))
    arrays[name].ravel()[-1:].view(np.uint8)[0] ^= 1  # the last bit of one number
    np.savez(tmp_path / "p.npz", **arrays)
    with pytest.raises(da.DalembertError, match=r"^E523"):
        da.load(tmp_path / "p.npz")


def test_the_seal_is_of_names_types_shapes_and_numbers():
    one = hashlib.sha256(b"t <f8 (2,) " + struct.pack("<2d", 1.5, -2.0)).digest()
    two = hashlib.sha256(b"u |u1 (1, 1) " + b"\x07").digest()
    arrays = {"u": np.array([[7]], np.uint8), "t": np.array([1.5, -2.0])}
    assert seal(arrays).tobytes() == hashlib.sha256(one + two).digest()


def test_a_path_of_this_format_has_a_seal(whole, tmp_path):
    arrays = dict(np.load(whole))
    arrays.pop("seal")
    np.savez(tmp_path / "p.npz", **arrays)
    with pytest.raises(da.DalembertError, match=r"^E523"):
        da.load(tmp_path / "p.npz")


def test_a_key_that_stands_twice_is_refused(parts, tmp_path):
    arrays, meta = parts
    text = json.dumps({**meta, "format": 2})[:-1] + ', "reached": true}'
    write(tmp_path / "p.npz", {"meta": np.frombuffer(text.encode(), np.uint8), **arrays})
    with pytest.raises(da.DalembertError, match=r"^E523"):
        da.load(tmp_path / "p.npz")


def test_a_container_of_many_members_is_refused_unread(whole, tmp_path, monkeypatch):
    file = tmp_path / "p.npz"
    with zipfile.ZipFile(file, "w") as container:
        for i in range(2000):
            container.writestr(f"member-{i}.npy", b"")
    monkeypatch.setattr(zipfile.ZipFile, "__init__", lambda *_: 1 / 0)
    with pytest.raises(da.DalembertError, match=r"^E525 .*2000 members"):
        da.load(file)
