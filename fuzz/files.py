"""Files for the reader of system files: mutated gallery files and example files, spliced lines, random TOML.

Every text must give a `Study` or a `DalembertError`, within five seconds, and nothing else. Some files are valid by
construction (`written`): what is read of them must have the values of what was written. The corpus is read first.
"""

from __future__ import annotations

import pkgutil
import random
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path

import dalembert.systems
from dalembert.errors import DalembertError
from dalembert.study import Study, read_source, write_source
from dalembert.study.toml_text import decoded

from . import written
from .agreement.recipe import Recipe
from .watch import Hang, numbers, parser, within

SLOW, HANG, SHOWN = 5.0, 30.0, 20
VALID = 0.05  # share of the files that are left valid
CORPUS = Path(__file__).parent / "corpus" / "files"
KEYS = (
    "schema", "title", "cite", "space", "units", "parameters", "definitions", "lagrangian", "constraint", "forces",
    "force", "friction", "momenta", "inertias", "symmetry", "wall", "run", "compare", "sweep", "family", "coordinates",
    "rotation", "parameter", "over", "fix", "period", "swing", "of", "point",
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


def seeds() -> list[str]:
    """The files of the gallery, and the example files of the documentation."""
    found: list[str] = []
    for entry in pkgutil.iter_modules(dalembert.systems.__path__):
        module = import_module(f"dalembert.systems.{entry.name}")
        if hasattr(module, "system"):
            text = write_source(module.system())
            found += [text] if len(text) < 6_000 else []
    folder = Path(__file__).resolve().parents[1] / "docs" / "files"
    found += [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.toml"))] * 4
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


_SEEDS: list[str] = []


def valid(text: str, rng: random.Random) -> str:
    """A valid file, changed a little: what is wrong with it is one thing among many that are right."""
    del text
    made = written.toml(written.drawn(rng), rng)
    return rng.choice((flipped, shuffled, revalued))(made, rng)


def corpus() -> dict[str, str]:
    """Files that once misbehaved, or that reach what chance seldom does."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(CORPUS.glob("*.toml"))}


def tried(read: Callable[[], str]) -> str:
    """What became of a file: "read", the code of its refusal, or "FOREIGN ..." and "HANG"."""
    began = time.process_time()
    try:
        with within(HANG):
            outcome = read()
    except DalembertError as error:
        str(error), error.line  # both forms must be possible
        outcome = error.code
    except Hang:
        outcome = "HANG"
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        outcome = f"FOREIGN {type(error).__name__} {str(error)[:80]} at {Path(place.filename).name}:{place.lineno}"
    return outcome if time.process_time() - began < SLOW else f"SLOW {outcome}"


def plainly(text: str | bytes) -> str:
    """Read a file."""
    study = read_source(decoded(text, "fuzz.toml") if isinstance(text, bytes) else text, "fuzz.toml")
    return "read" if isinstance(study, Study) else f"FOREIGN result {type(study).__name__}"


def compared(recipe: Recipe, text: str) -> str:
    """Read a valid file: what is read of it is what was written."""
    off = written.differs(recipe, read_source(text, "fuzz.toml"), recipe.seed % 2**32)
    return f"FOREIGN value: {off}" if off else "read, worth what was written"


def drawn(rng: random.Random) -> tuple[str, str | bytes, Callable[[], str]]:
    """The kind of the next file, its text, and how it is tried."""
    if rng.random() < VALID:
        recipe = written.drawn(rng)
        text = written.toml(recipe, rng)
        return "valid", text, partial(compared, recipe, text)
    kind = rng.choices(list(KINDS), KINDS.values())[0]
    made = kind(rng.choice(_SEEDS), rng)
    return kind.__name__, made, partial(plainly, made)


@dataclass
class Tally:
    """What came of it."""

    outcomes: Counter[str] = field(default_factory=Counter)
    found: int = 0

    def note(self, name: str, text: str | bytes, outcome: str) -> None:
        """Count an outcome; show the file if it is a find."""
        known = outcome.startswith("read") or (outcome[:1] == "E" and len(outcome) == len("E500"))
        self.outcomes[outcome if known else outcome.rpartition(" at ")[2]] += 1
        self.found += not known
        if not known and self.found <= SHOWN:
            print(f"--- {name}: {outcome}\n{text!r}\n", flush=True)


def run(count: range, seed: int) -> Tally:
    """The corpus, then so many random files."""
    _SEEDS[:] = _SEEDS or seeds()
    tally = Tally()
    for name, text in corpus().items():
        tally.note(name, text, tried(partial(plainly, text)))
    for n in count:
        kind, made, read = drawn(random.Random(seed * 10**9 + n))
        tally.note(f"seed {seed}, file {n}, {kind}", made, tried(read))
    return tally


# how often; what takes long is asked less often
KINDS = {flipped: 3, shuffled: 3, revalued: 1, spliced: 1, bytes_flipped: 3, invented: 4, valid: 3}


def main(arguments: list[str]) -> int:
    """Run; print what became of the files, and those that misbehaved."""
    given = parser("files", __doc__, 100_000).parse_args(arguments)
    warnings.simplefilter("ignore")
    began, count = time.process_time(), numbers(given)
    tally = run(count, given.seed)
    spent = time.process_time() - began
    print(f"{len(count)} files in {spent:.0f} s of this process, seed {given.seed}: {tally.found} found")
    print("\n".join(f"{count:8} {outcome}" for outcome, count in tally.outcomes.most_common()))
    return int(tally.found > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
