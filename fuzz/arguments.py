"""Wrong arguments for everything public: each call of `surface` with one or two of its arguments replaced.

`--each` goes through all of them: every argument of every call, replaced by each of `KINDS` in turn. An object that
means nothing must then be refused: a public argument is not ignored.

A value may come back, or a `DalembertError`; a `TypeError` only where Python itself refuses the signature. Anything
else, and what takes too long, is a find. Finds are told once for each function, exception and place.
"""

from __future__ import annotations

import argparse
import contextlib
import datetime
import io
import os
import random
import signal
import tempfile
import time
import traceback
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import sympy as sp

from dalembert.errors import DalembertError

from .surface import Call, World, calls

SECONDS = 5.0  # CPU time of one call
Factory = Callable[[World], object]


class Hang(BaseException):
    """Raised by the alarm."""


class _Odd:
    """An object whose text cannot be had."""

    def __repr__(self) -> str:
        return "<odd \x1b[31m object\u202e>"


class Theirs(Exception):
    """What the user's own function raises comes through."""


def _raises(*_: object) -> float:
    raise Theirs


class _Mute:
    """An object that cannot be shown, with a name that is none."""

    name = 3

    def __repr__(self) -> str:
        raise RuntimeError("no repr")


def _endless() -> list[object]:
    found: list[object] = [1.0]
    found.append(found)
    return found


def _generator() -> Iterator[float]:
    yield from (1.0, 2.0)


POOL: dict[str, Factory] = {
    "None": lambda w: None,
    "True": lambda w: True,
    "-1": lambda w: -1,
    "0": lambda w: 0,
    "3": lambda w: 3,
    "3.7": lambda w: 3.7,
    "nan": lambda w: float("nan"),
    "inf": lambda w: float("inf"),
    "10**400": lambda w: 10**400,
    "1j": lambda w: 1j,
    "''": lambda w: "",
    "'x'": lambda w: "x",
    "'?'": lambda w: "?",
    "'x y z q'": lambda w: "x y z q",
    "'1/0'": lambda w: "1/0",
    "NUL": lambda w: "a\0b",
    "surrogate": lambda w: "\udcff",
    "bytes": lambda w: b"x",
    "[]": lambda w: [],
    "[1]": lambda w: [1],
    "['x']": lambda w: ["x"],
    "[None]": lambda w: [None],
    "[[]]": lambda w: [[]],
    "(1, 2)": lambda w: (1, 2),
    "{}": lambda w: {},
    "{'x': 1}": lambda w: {"x": 1},
    "{1: 2}": lambda w: {1: 2},
    "{'x': None}": lambda w: {"x": None},
    "{'x': []}": lambda w: {"x": []},
    "{None: 'x'}": lambda w: {None: "x"},
    "{'m': 'x'}": lambda w: {"m": "x"},
    "set": lambda w: set(),
    "{1, 'x'}": lambda w: {1, "x"},
    "object": lambda w: _Odd(),
    "mute": lambda w: _Mute(),
    "in itself": lambda w: _endless(),
    "long": lambda w: "x" * 100_000,
    "Decimal": lambda w: Decimal("sNaN"),
    "Fraction": lambda w: Fraction(1, 3),
    "date": lambda w: datetime.date(2026, 1, 1),
    "slice": lambda w: slice(1, None),
    "exception": lambda w: ValueError("x"),
    "empty array": lambda w: np.array([]),
    "cube": lambda w: np.zeros((2, 2, 2)),
    "0-d": lambda w: np.array(1.0),
    "array": lambda w: np.array([1.0, 2.0]),
    "NaN array": lambda w: np.array([1.0, np.nan]),
    "objects": lambda w: np.array([None, "x"], dtype=object),
    "words": lambda w: np.array(["x", "y"]),
    "datetime": lambda w: np.array(["2026-01-01"], "datetime64[D]"),
    "masked": lambda w: np.ma.masked_array([1.0, 2.0], [True, False]),
    "np.bool": lambda w: np.bool_(True),
    "foreign symbol": lambda w: sp.Symbol("foreign"),
    "symbol of another": lambda w: w.spring.space.coordinates[0],
    "Matrix": lambda w: sp.Matrix([[1, 2], [3, 4]]),
    "I": lambda w: sp.I,
    "oo": lambda w: sp.oo,
    "S.NaN": lambda w: sp.nan,
    "Eq": lambda w: sp.Eq(sp.Symbol("x"), 1),
    "Function": lambda w: sp.Function("f")(sp.Symbol("x")),
    "lambda 0": lambda w: lambda: 1.0,
    "lambda 3": lambda w: lambda a, b, c: 1.0,
    "raises": lambda w: _raises,
    "text function": lambda w: lambda *a: "x",
    "class": lambda w: dict,
    "module": lambda w: np,
    "generator": lambda w: _generator(),
    "Path": lambda w: Path("x"),
    "folder": lambda w: ".",
    "System": lambda w: w.skate,
    "another System": lambda w: w.spring,
    "Equations": lambda w: w.equations,
    "other Equations": lambda w: w.swinging,
    "Start": lambda w: w.begun,
    "Trajectory": lambda w: w.path,
    "Record": lambda w: w.record,
    "Reduction": lambda w: w.reduction,
    "Space": lambda w: w.skate.space,
    "Fit": lambda w: w.fit,
    "Study": lambda w: w.study,
}

KINDS: dict[str, Factory] = {
    "None": POOL["None"],
    "'nope'": lambda w: "nope",
    "[]": POOL["[]"],
    "nan": POOL["nan"],
    "-1": POOL["-1"],
    "array": POOL["array"],
    "{'nope': 1}": lambda w: {"nope": 1},
    **{name: POOL[name] for name in ("object", "System", "Equations", "Trajectory")},
}
LOOKING_UP = {"Start.get", "Fit.get"}  # as of any mapping: a key that is not there, a default of any kind


def each(call: Call, world: World) -> Iterator[tuple[Call, str]]:
    """The call with each argument in turn replaced by each kind of `KINDS`, also those that it leaves out, and with a
    keyword that is unknown.
    """
    for slot in (*range(len(call.given)), *call.named, *call.left_out):
        right = call.given[slot] if isinstance(slot, int) else call.named.get(slot)
        for label, make in KINDS.items():
            junk = make(world)
            if junk is right:
                continue
            if isinstance(slot, int):
                wrong = replace(call, given=(*call.given[:slot], junk, *call.given[slot + 1 :]))
            else:
                wrong = replace(call, named={**call.named, slot: junk})
            yield wrong, f"{slot}={label}"
    yield replace(call, named={**call.named, "nope": 1}), "nope=1"


def drawn(table: list[Call], world: World, count: int, seed: int) -> Iterator[tuple[Call, str]]:
    """`count` calls of the table, spoilt at random."""
    rng = random.Random(seed)
    for _ in range(count):
        yield spoilt(rng, rng.choice(table), world)


def replaced(rng: random.Random, value: object, junk: object) -> object:
    """The junk, or the value with some of it replaced by the junk."""
    if rng.random() < 0.4:
        if isinstance(value, Mapping) and value:
            key = rng.choice(list(value))
            with contextlib.suppress(TypeError):  # what cannot be a key
                if rng.random() < 0.3:
                    return {**{k: v for k, v in value.items() if k != key}, junk: value[key]}
            return {**value, key: junk}
        if isinstance(value, list | tuple) and value:
            parts = list(value)
            parts[rng.randrange(len(parts))] = junk
            return type(value)(parts)
    return junk


def spoilt(rng: random.Random, call: Call, world: World, pool: Mapping[str, Factory] = POOL) -> tuple[Call, str]:
    """The call with one or two wrong arguments, and what is wrong."""
    told, slots = [], [*range(len(call.given)), *call.named, *call.left_out]
    for _ in range(rng.choice((1, 1, 1, 2)) if slots else 0):
        slot, (label, make) = rng.choice(slots), rng.choice(list(pool.items()))
        told.append(f"{slot}={label}")
        if isinstance(slot, int):
            given = list(call.given)
            given[slot] = replaced(rng, given[slot], make(world))
            call = replace(call, given=tuple(given))
        else:
            call = replace(call, named={**call.named, slot: replaced(rng, call.named.get(slot), make(world))})
    kind = rng.random()
    if kind < 0.02 or not slots:
        return replace(call, named={**call.named, "nope": 1}), " ".join([*told, "nope=1"])
    if kind < 0.03:
        return replace(call, given=(*call.given, *range(9))), " ".join([*told, "nine more"])
    if kind < 0.05 and call.given:
        return replace(call, given=call.given[:-1]), " ".join([*told, "last missing"])
    return call, " ".join(told)


def _place(error: BaseException) -> str:
    """Where it was raised, and where the library's own code was left."""
    frames = [(Path(f.filename), f.lineno) for f in traceback.extract_tb(error.__traceback__)]
    own = [f for f in frames if "dalembert" in f[0].parts]
    return " ".join(f"{'/'.join(file.parts[-2:])}:{line}" for file, line in dict.fromkeys([*own[-2:], frames[-1]]))


def outcome(call: Call) -> str:
    """What became of a call: "value", "refused CODE", "signature", or a find."""
    try:
        result = call.function(*call.given, **call.named)
        str(result), repr(result)
    except Theirs:
        return "theirs"
    except DalembertError as error:
        shown = f"{error}{error.line}"
        bad = [c for c in shown if not c.isprintable() and c != "\n"]
        return f"FOUND {error.code} with {bad[0]!r}" if bad else f"refused {error.code}"
    except Hang as error:
        return f"FOUND hang {_place(error)}"
    except BaseException as error:  # a foreign exception of any kind is what is looked for
        if isinstance(error, TypeError) and not call.fits():
            return "signature"
        return (
            f"FOUND {type(error).__name__}: {str(error).splitlines()[0][:90] if str(error) else ''} | {_place(error)}"
        )
    return "value"


def ignored(call: Call, told: str, result: str) -> bool:
    """Was an object that means nothing taken without a word?"""
    return result == "value" and told.endswith("=object") and call.name not in LOOKING_UP


def tried(call: Call) -> str:
    """The outcome, quietly and within the time."""
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            return outcome(call)
        except Hang as error:
            return f"FOUND hang {_place(error)}"
        finally:
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_PROF, 0)


def _alarm(*_: Any) -> None:
    raise Hang


def main(arguments: list[str]) -> int:
    """Run; print what was found, by function and place; 1 if something was."""
    parser = argparse.ArgumentParser(prog="python -m fuzz arguments", description=__doc__)
    parser.add_argument("--count", type=int, default=20_000, help="how many calls")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers")
    parser.add_argument("--each", action="store_true", help="every argument of every call, by each kind of value once")
    parser.add_argument("--only", default="", help="functions whose name holds this")
    parser.add_argument("--accepted", action="store_true", help="list what was accepted")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    if hasattr(signal, "SIGPROF"):
        signal.signal(signal.SIGPROF, _alarm)
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return _campaign(given)


def _campaign(given: argparse.Namespace) -> int:
    os.environ.setdefault("MPLBACKEND", "Agg")
    world, began = World(), time.perf_counter()
    table = [call for call in calls(world) if given.only in call.name]
    for call in table:  # compiled, and right as they stand
        right = outcome(call)
        if right != "value":
            print(f"not right as it stands: {call.name}: {right}", flush=True)
    counts, found, accepted = Counter[str](), defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    every = (pair for call in table for pair in each(call, world))
    for wrong, told in every if given.each else drawn(table, world, given.count, given.seed):
        result = tried(wrong)
        counts[result.split(" ")[0]] += 1
        if result.startswith("FOUND"):
            what = f"{wrong.name}: {result}"
            if what not in found:
                print(f"{what}\n    {told}", flush=True)
            found[what].append(told)
        elif ignored(wrong, told, result):
            print(f"{wrong.name}: FOUND nothing said of\n    {told}", flush=True)
            found[f"{wrong.name}: FOUND nothing said of"].append(told)
        elif result == "value":
            accepted[wrong.name].append(told)
    for what, cases in sorted(found.items()):
        print(f"{len(cases):4} {what}")
    for name, cases in sorted(accepted.items()) if given.accepted else ():
        print(f"accepted {name}: {'; '.join(sorted(set(cases)))}")
    how = "each argument by each kind" if given.each else f"seed {given.seed}"
    print(f"{counts.total()} calls in {time.perf_counter() - began:.0f} s, {how}")
    print(f"{dict(counts)}, {len(found)} finds")
    return int(bool(found))
