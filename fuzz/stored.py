"""Stored paths and sweeps for their readers: bytes, members, fields, headers, chunks changed, exchanged, cut, dropped.

Each opens within five seconds to what was stored, to the bit, or is refused with a `DalembertError`; nothing else.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import dalembert as da
from dalembert.ensembles import stored as stored_sweep
from dalembert.errors import DalembertError
from dalembert.numerics.sweep.manifest import sealed, unsealed
from dalembert.trajectory import Trajectory
from dalembert.trajectory.npz_archive import seal

SLOW, HANG = 5.0, 30.0
KINDS = ("<f8", ">f8", "<i8", "<u8", "<f4", "|u1", "|O", "<c16", "<U2", "<M8[s]", "[('a', '<f8')]", "<f8'")
SHAPES = ("(1,)", "(-1,)", "(0,)", "()", "(2**40,)", "(1000000000, 8)", "(3, 2)", "(True, 4)", "1", "[4]")
VALUES = (
    None, True, 0, -1, 2, 3, 99, 1.5, 10**400, float("nan"), float("inf"), "", "x", "ok", "failed", "\x1b[2J",
    "\u202e", "../x", [], {}, [None], {"a": 1}, [[1.0], [[1.0]], ["x"]], "9" * 5000,
)  # fmt: skip


class Hang(BaseException):
    """Raised by the alarm."""


# --- what is correct ---------------------------------------------------------------------------------------------


def originals(folder: Path) -> tuple[list[Path], list[Path]]:
    """Stored paths and stores, made here."""
    q = da.coordinates("x y")
    equations = da.free(da.System(q, (q["vx"] ** 2 + q["vy"] ** 2) / 2 - q["x"] ** 2 / 2, title="a spring"))
    start = {"x": 1.0, "y": 0.0, "vx": 0.0, "vy": 1.0}
    bounce = da.Event("floor", q["y"] - 0.5, {"vy": -q["vy"]}, 1)
    paths = [folder / "plain.npz", folder / "bounce.npz"]
    da.simulate(equations, start, until=1.0).save(paths[0])
    da.simulate(equations, start, until=1.0, events=[bounce, da.Event("half", q["x"] - 0.7)]).save(paths[1])
    stores = [folder / "ends.zarr", folder / "times.zarr"]
    grid = {**start, "x": [0.5, 1.0, 1.5], "vy": [0.0, 1.0]}
    da.sweep(equations, starts=grid, until=0.5, store=stores[0], batch=2, jobs=1)
    da.sweep(equations, starts=grid, until=0.5, store=stores[1], batch=4, jobs=1, times=[0.0, 0.2, 0.5])
    return paths, stores


def content(found: Any) -> list[object]:
    """All that was stored, in a form in which equal is equal to the bit."""
    if isinstance(found, Trajectory):
        audit, steps = found.audit, found.dense
        arrays = [found.t, found.values, *(getattr(steps, name) for name in ("t", "y", "h", "F"))]
        marks = {name: (m.t.tobytes(), m.values.tobytes(), m.names) for name, m in found.marks.items()}
        told = (found.names, found.states, found.outcome, found.reached, found.ending, marks, repr(found.provenance))
        return [*((a.shape, a.dtype.str, a.tobytes()) for a in arrays), told, repr(audit), audit.notes]
    arrays = [(name, v.dims, v.dtype.str, v.values.tobytes(), repr(v.attrs)) for name, v in found.variables.items()]
    return [*arrays, repr({k: v for k, v in found.attrs.items() if k != "store"})]


# --- changes of bytes --------------------------------------------------------------------------------------------


def bits(data: bytes, rng: random.Random) -> bytes:
    """A few bits turned."""
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8)) if found else 0):
        found[rng.randrange(len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def cut(data: bytes, rng: random.Random) -> bytes:
    """Cut short."""
    return data[: rng.randrange(len(data) + 1)]


def pieces(data: bytes, rng: random.Random) -> bytes:
    """A piece doubled, moved, dropped or made zeros."""
    i, j = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return rng.choice((data[:i] + data[j:], data[:j] + data[i:], data[:i] + bytes(j - i) + data[j:], data + data[i:j]))


BYTES = (bits, cut, pieces)


# --- changes of arrays -------------------------------------------------------------------------------------------


def header(data: bytes, rng: random.Random) -> bytes:
    """Another type, shape or order in the header of an array."""
    version, length = data[6:8], int.from_bytes(data[8:10], "little")
    text, numbers = data[10 : 10 + length].decode("latin1"), data[10 + length :]
    what = rng.randrange(3)
    if what == 0:
        text = text.replace(text.split("'")[3], rng.choice(KINDS))
    elif what == 1:
        i = text.index("'shape': ") + 9
        text = text[:i] + rng.choice(SHAPES) + text[text.index(")", i) + 1 :]
    else:
        text = text.replace("False", "True")
    told = text.encode("latin1")
    return data[:6] + version + len(told).to_bytes(2, "little") + told + numbers


def numbers(data: bytes, rng: random.Random) -> bytes:
    """Other numbers in an array, written anew."""
    array = np.load(io.BytesIO(data)).copy()
    flat = array.ravel()
    if not flat.size:
        return data
    i, j = rng.randrange(flat.size), rng.randrange(flat.size)
    if array.dtype.kind == "f":
        flat[i] = rng.choice((np.nan, np.inf, -flat[i], flat[j], np.nextafter(flat[i], 9), 0.0, 1e300, flat[i] + 1e-3))
    else:
        flat[i] = flat[j]
    changed = rng.choice((array, array, array[::-1], array.T, np.concatenate([array, array[-1:]]), array[:-1]))
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(changed))
    return stream.getvalue()


def said(data: bytes, rng: random.Random) -> bytes:
    """Another field in the JSON text that an array of bytes holds."""
    text = np.load(io.BytesIO(data)).tobytes()
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.frombuffer(field(text, rng), np.uint8))
    return stream.getvalue()


def field(text: bytes, rng: random.Random) -> bytes:
    """A field of JSON given another value, dropped, doubled or exchanged."""
    found = json.loads(text)
    places: list[tuple[Any, Any]] = []
    _places(found, places)
    for _ in range(rng.choice((1, 1, 2))):
        inner, key = rng.choice(places)
        other, again = rng.choice(places)
        what = rng.randrange(4)
        if what == 0 and isinstance(inner, dict):
            inner.pop(key, None)
        elif what == 1 and isinstance(inner, dict):
            inner[f"{key}2"] = inner.get(key)
        elif what == 2 and _has(inner, key) and _has(other, again):
            inner[key], other[again] = other[again], inner[key]
        elif _has(inner, key):
            inner[key] = rng.choice(VALUES)
    return _text(found)


def _text(found: Any) -> bytes:
    try:
        return json.dumps(found).encode()
    except ValueError:  # a thing that an exchange has put into itself
        return b"{}"


def _has(inner: Any, key: Any) -> bool:
    return key in inner if isinstance(inner, dict) else key < len(inner)


def _places(found: Any, places: list[tuple[Any, Any]]) -> None:
    if isinstance(found, dict | list):
        for key in list(found) if isinstance(found, dict) else range(len(found)):
            places.append((found, key))
            _places(found[key], places)


def container(data: bytes, rng: random.Random) -> bytes:
    """A container made anew around members that were changed, exchanged, dropped, renamed, packed."""
    with zipfile.ZipFile(io.BytesIO(data)) as old:
        members = {name: old.read(name) for name in old.namelist()}
    a, b = rng.choice(list(members)), rng.choice(list(members))
    text = next(name for name in members if name in ("meta.npy", "about.npy"))
    what = rng.randrange(7)
    if what == 0:
        members[a], members[b] = members[b], members[a]
    elif what == 1:
        members.pop(a)
    elif what == 2:
        members[rng.choice(("../x.npy", "more.npy", "/x", "a\x1b[2J.npy", b.upper()))] = members[a]
    elif what == 3:
        members[text] = said(members[text], rng)
    else:
        members[a] = rng.choice((header, numbers, *BYTES))(members[a], rng)
    members = _resealed(members) if rng.random() < 0.2 else members
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", rng.choice((zipfile.ZIP_STORED,) * 5 + (zipfile.ZIP_DEFLATED,))) as new:
        for name, member in members.items():
            new.writestr(name, member)
    return stream.getvalue()


def _resealed(members: dict[str, bytes]) -> dict[str, bytes]:
    """With a seal that fits, but one that is not of this format: as one would forge who knows a part."""
    try:
        arrays = {n[:-4]: np.load(io.BytesIO(m)) for n, m in members.items() if n != "seal.npy"}
        stream = io.BytesIO()
        np.lib.format.write_array(stream, np.zeros(32, np.uint8) + seal(arrays)[::-1])
    except Exception:
        return members
    return {**members, "seal.npy": stream.getvalue()}


def line(data: bytes, rng: random.Random) -> bytes:
    """A line of a journal or a manifest changed, dropped, doubled, moved; with a checksum of its own, or not."""
    lines = data.splitlines(keepends=True)
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    what = rng.randrange(4)
    if what == 0:
        del lines[i]
    elif what == 1:
        lines.insert(i, lines[j])  # the same line twice is the same
    else:
        changed = field(lines[i], rng)
        entry = (unsealed(lines[i]) or {}) if what == 2 else None
        lines[i] = (sealed({**entry, **_fields(changed, rng)}).encode() if entry else changed) + b"\n"
    return b"".join(lines)


def _fields(text: bytes, rng: random.Random) -> dict[str, Any]:
    found = json.loads(text)
    found.pop("seal", None)
    return found if rng.random() < 0.5 else {rng.choice(list(found) or ["x"]): rng.choice(VALUES)}


# --- changes of files --------------------------------------------------------------------------------------------


def changed_path(file: Path, rng: random.Random) -> None:
    """A stored path, changed."""
    file.write_bytes(rng.choice((*BYTES, container, container, container))(file.read_bytes(), rng))


def changed_store(folder: Path, rng: random.Random) -> None:
    """One or two files of a store, changed, exchanged, gone, or of another kind."""
    files = sorted(p for p in folder.rglob("*") if p.is_file())
    for _ in range(rng.choice((1, 1, 1, 2))):
        one, other = rng.choice(files), rng.choice(files)
        if not one.is_file() or not other.is_file():
            continue
        what = rng.randrange(8)
        if what == 0:
            a, b = one.read_bytes(), other.read_bytes()
            one.write_bytes(b), other.write_bytes(a)
        elif what == 1:
            one.unlink()
        elif what == 2:
            shutil.copy(one, other) if one != other else None
        elif what == 3:
            _other_kind(one, rng)
        else:
            one.write_bytes(
                _change_of(one)(one.read_bytes(), rng) if what > 4 else rng.choice(BYTES)(one.read_bytes(), rng)
            )


def _change_of(file: Path) -> Callable[[bytes, random.Random], bytes]:
    """The change that knows what the file holds."""
    if file.name == "axes.npz":
        return container
    if file.name in ("task.json", "journal.jsonl"):
        return line
    return field if file.suffix == ".json" else bits


def _other_kind(file: Path, rng: random.Random) -> None:
    """A folder, a pipe, a link to nothing or a sparse file of 8 GB in its place."""
    file.unlink()
    what = rng.randrange(4)
    if what == 0:
        file.mkdir()
    elif what == 1:
        os.mkfifo(file)
    elif what == 2:
        file.symlink_to("nothing")
    else:
        file.touch()
        os.truncate(file, 2**33)


# --- trying ------------------------------------------------------------------------------------------------------


def tried(read: Callable[[Path], Any], place: Path, true: list[object]) -> str:
    """What became of it: "equal", the code of its refusal, or "CHANGED", "FOREIGN ...", "HANG", "SLOW ..."."""
    signal.setitimer(signal.ITIMER_PROF, HANG)
    began = time.process_time()
    try:
        outcome = "equal" if content(read(place)) == true else "CHANGED"
    except DalembertError as error:
        str(error), error.line  # both forms must be possible
        outcome = error.code if error.fact and error.remedy else f"FOREIGN {error.code} without words"
    except Hang:
        outcome = "HANG"
    except BaseException as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        outcome = f"FOREIGN {type(error).__name__} {str(error)[:80]} at {Path(last.filename).name}:{last.lineno}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return outcome if time.process_time() - began < SLOW else f"SLOW {outcome}"


def one(n: int, seed: int, folder: Path, known: list[tuple[Path, list[object]]]) -> tuple[str, str]:
    """The n-th trial, the same wherever it is run: what was changed, and what became of it."""
    rng = random.Random(f"{seed}/{n}")
    source, true = rng.choice(known)
    place = folder / f"changed{source.suffix}"
    if source.is_dir():
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(source, place)
        changed_store(place, rng)
        return source.name, tried(stored_sweep, place, true)
    shutil.copy(source, place)
    changed_path(place, rng)
    return source.name, tried(da.load, place, true)


def _alarm(*_: Any) -> None:
    raise Hang


def main(arguments: list[str]) -> int:
    """Run; print what became of the files, and those that misbehaved."""
    parser = argparse.ArgumentParser(prog="python -m fuzz stored", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, default=None, help="this trial alone")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, _alarm)
    outcomes, bad, began = Counter[str](), 0, time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        paths, stores = originals(folder)
        known = [(p, content(da.load(p))) for p in paths] + [(s, content(stored_sweep(s))) for s in stores]
        for n in range(given.count) if given.only is None else [given.only]:
            what, outcome = one(n, given.seed, folder, known)
            fine = outcome == "equal" or outcome[:1] == "E"
            outcomes[outcome if fine else outcome.split(" at ")[-1]] += 1
            if not fine:
                bad += 1
                print(f"--- {n} {what}: {outcome}", flush=True) if bad < 20 else None
    print(f"{sum(outcomes.values())} files and folders in {time.perf_counter() - began:.0f} s")
    print("\n".join(f"{count:8} {outcome}" for outcome, count in outcomes.most_common()))
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
