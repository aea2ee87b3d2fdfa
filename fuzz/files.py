"""Files for the reader of system files: mutated gallery files and example files, spliced lines, random TOML.

Every text must give a `Study` or a `DalembertError`, within five seconds, and nothing else.
"""

from __future__ import annotations

import argparse
import pkgutil
import random
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import dalembert.systems
from dalembert.errors import DalembertError
from dalembert.study import Study, read_source, write_source
from dalembert.study.opening import decoded

SLOW, HANG = 5.0, 30.0
KEYS = (
    "schema", "title", "cite", "space", "units", "parameters", "definitions", "lagrangian", "constraint", "forces",
    "force", "friction", "momenta", "inertias", "symmetry", "wall", "run", "compare", "sweep", "coordinates",
    "rotation",
    "SE2", "SE3", "plane", "frame", "direction", "factor", "L", "phi", "name", "until", "start", "principle", "event",
    "guard", "then", "value", "sign", "x", "y", "R", "m", "dot(x)", "w1", "options", "rtol", "samples", "generators",
    "turns", "spin", "axis", "velocity", "slip", "load", "rolling", "delta", "restitution", "anchor", "brackets",
    "velocities", "massless", "up", "rows", "parameters", "keep", "times",
)  # fmt: skip
VALUES = (
    "1", "0", "-1", "1e400", "nan", "inf", "-inf", "true", '""', '"x"', '"x y"', '"10 cm"', '"0:1:5"', '"0:1:1e9"',
    "[]",
    "{}", "[1, 2, 3]", "[[1]]", "[[1, 0], [0, 1]]", "{ x = 1 }", "1979-05-27", "07:32:00", "9999999999999999999999",
    '"dot(x)"', '"m*r^2"', '"(" ', '"?"', '"identity"', '"vakonomic"', '"\\u0000"', '"\\u202e"', "'''a\nb'''", '["x"]',
    '{ name = "R", velocities = "w" }', '"1/0"', '"9^9^9"', '"__import__(\'os\')"', "0x10", "1_000", "0.1e-400",
)  # fmt: skip
PIECES = (
    "[",
    "]",
    "[[",
    "]]",
    "{",
    "}",
    '"',
    "'",
    '"""',
    "=",
    ",",
    "#",
    "\n",
    "\r",
    "\r\n",
    ".",
    "\\",
    "\0",
    "\ufeff",
    "é",
)


class Hang(BaseException):
    """Raised by the alarm."""


def seeds() -> list[str]:
    """The files of the gallery, and the example files of the documentation."""
    found: list[str] = []
    for entry in pkgutil.iter_modules(dalembert.systems.__path__):
        module = import_module(f"dalembert.systems.{entry.name}")
        if hasattr(module, "system"):
            text = write_source(module.system())
            found += [text] if len(text) < 20_000 else []
    folder = Path(__file__).resolve().parents[1] / "docs" / "files"
    found += [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.toml"))] * 8
    return found


def flipped(text: str, rng: random.Random) -> str:
    """A few characters changed, dropped or put in."""
    letters = list(text)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randrange(len(letters))
        letters[at : at + rng.choice((0, 1, 1, 3))] = rng.choice(
            (chr(rng.randrange(128)), chr(rng.randrange(0x3000)), rng.choice(PIECES), "", letters[at] * 2)
        )
    return "".join(letters)


def shuffled(text: str, rng: random.Random) -> str:
    """Lines swapped, dropped, doubled or taken apart."""
    lines = text.split("\n")
    for _ in range(rng.choice((1, 2, 4))):
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        what = rng.randrange(4)
        if what == 0:
            lines[i], lines[j] = lines[j], lines[i]
        elif what == 1:
            lines.insert(i, lines[j])
        elif what == 2 and len(lines) > 2:
            del lines[i]
        else:
            lines[i] = lines[i][: rng.randrange(len(lines[i]) + 1)]
    return "\n".join(lines)


def revalued(text: str, rng: random.Random) -> str:
    """Values or keys of a few lines replaced."""
    lines = text.split("\n")
    for _ in range(rng.choice((1, 2, 3))):
        i = rng.randrange(len(lines))
        key, equals, _ = lines[i].partition("=")
        if equals:
            lines[i] = (
                f"{key}= {rng.choice(VALUES)}" if rng.random() < 0.7 else f"{rng.choice(KEYS)} {lines[i][len(key) :]}"
            )
        elif rng.random() < 0.3:
            lines[i] = pair(rng)
    return "\n".join(lines)


def spliced(text: str, rng: random.Random) -> str:
    """The beginning of one file and the end of another."""
    other = rng.choice(_SEEDS)
    return text[: rng.randrange(len(text))] + other[rng.randrange(len(other)) :]


def bytes_flipped(text: str, rng: random.Random) -> str | bytes:
    """Single bytes changed: often no UTF-8 any more."""
    data = bytearray(text.encode())
    for _ in range(rng.choice((1, 2, 8))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    return bytes(data)


def pair(rng: random.Random) -> str:
    """A random ``key = value``."""
    key = rng.choice(KEYS)
    quoted = f'"{key}"' if "(" in key or rng.random() < 0.1 else key
    return f"{quoted} = {rng.choice(VALUES)}"


def invented(_: str, rng: random.Random) -> str:
    """Random TOML of known words."""
    lines = ["schema = 1"] if rng.random() < 0.8 else []
    for _ in range(rng.randrange(1, 14)):
        header = rng.random()
        if header < 0.25:
            lines.append(f"[{rng.choice(KEYS)}]".replace("dot(x)", '"dot(x)"'))
        elif header < 0.35:
            lines.append(f"[[{rng.choice(KEYS)}]]".replace("dot(x)", '"dot(x)"'))
        else:
            lines.append(pair(rng))
    return "\n".join(lines)


KINDS = (flipped, shuffled, revalued, spliced, bytes_flipped, invented)
_SEEDS: list[str] = []


def tried(text: str | bytes) -> str:
    """What became of a text: "read", the code of its refusal, or "FOREIGN ..." and "HANG"."""
    signal.setitimer(signal.ITIMER_REAL, HANG)
    began = time.perf_counter()
    try:
        study = read_source(decoded(text, "fuzz.toml") if isinstance(text, bytes) else text, "fuzz.toml")
        outcome = "read" if isinstance(study, Study) else f"FOREIGN result {type(study).__name__}"
    except DalembertError as error:
        str(error), error.line  # both forms must be possible
        outcome = error.code
    except Hang:
        outcome = "HANG"
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        outcome = f"FOREIGN {type(error).__name__} {str(error)[:80]} at {Path(place.filename).name}:{place.lineno}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return outcome if time.perf_counter() - began < SLOW else f"SLOW {outcome}"


def _alarm(*_: Any) -> None:
    raise Hang


def main(arguments: list[str]) -> int:
    """Run; print what became of the texts, and those that misbehaved."""
    parser = argparse.ArgumentParser(prog="python -m fuzz files", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, _alarm)
    _SEEDS[:] = seeds()
    rng, outcomes, bad = random.Random(given.seed), Counter[str](), 0
    began = time.perf_counter()
    for n in range(given.count):
        kind = rng.choice(KINDS)
        text = kind(rng.choice(_SEEDS), rng)
        outcome = tried(text)
        known = outcome == "read" or outcome[:1] == "E"
        outcomes[outcome if known else outcome.split(" at ")[-1]] += 1
        if not known and bad < 20:
            bad += 1
            print(f"--- {n} {kind.__name__}: {outcome}\n{text!r}\n", flush=True)
    total = time.perf_counter() - began
    print(f"{given.count} files in {total:.0f} s")
    print("\n".join(f"{count:8} {outcome}" for outcome, count in outcomes.most_common()))
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
