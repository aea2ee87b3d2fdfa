"""Random systems with pairs and triples of features, through pairs of doors, against a route without the library.

A system has two or three of the features of `combined.drawn`; each pair of them comes in its turn. It goes through
pairs of doors of `combined.doors`: a way in makes equations of it (a principle, a form, a reduction, a file), a way out
asks them (a method, an ensemble, a plant, a program). Each answer is held against Lagrange's equations in a chart,
integrated by SciPy: states to 1e-8, slopes, which are held against differences, to 1e-6. A refusal of the library's own
is an answer; another exception, and a warning of NumPy's, is a fault.

The table tells how often each feature came through each door. Of 5,000 systems each should be met 20 times; where it
was not there is a hole, and its line says why. ``--out FILE`` keeps the outcomes, and goes on where they end; the
files of two processes (``--shard 0/2``, ``1/2``) put together and ``--count 0`` give the table of both.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import numpy as np

from dalembert.errors import DalembertError, DalembertWarning

from .combined.doors import WAYS_IN, WAYS_OUT, Case, NotAsked, Refused, why_not
from .combined.drawn import FEATURES, Drawn, features_of
from .combined.inventor import Inventor
from .combined.truth import Unfit, with_wall
from .watch import Hang, numbers, parser, within

T = TypeVar("T")
Outcomes = list[tuple[str, str, str]]  # each door, its outcome, and why
SECONDS, PAIRS_OF_DOORS, MET, OF = 60.0, 3, 20, 5000
SEEDS = 10_000_000  # systems of one --seed
AGREED, REFUSED, NOT_ASKED, FAULT = "agreed", "refused", "not asked", "FAULT"


@dataclass
class Tally:
    """What came of it: (feature, door) and outcome; and what is at fault, by seed."""

    outcomes: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    why: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    faults: list[str] = field(default_factory=list)
    tried: int = 0
    unfit: int = 0

    def add(self, row: dict[str, object]) -> None:
        """The outcomes of one system."""
        self.tried += 1
        self.unfit += not row["doors"]
        for pair in row["doors"]:  # type: ignore[attr-defined]
            if any(outcome == FAULT for _, outcome, _ in pair):
                why = next(why for _, outcome, why in pair if outcome == FAULT)
                self.faults.append(f"--only {row['seed']}: {' '.join(door for door, _, _ in pair)}: {why}")
            for door, outcome, why in pair:
                for feature in row["features"]:  # type: ignore[attr-defined]
                    self.outcomes[feature, door, outcome] += 1
                    self.why[feature, door][f"{outcome}: {why}" if why else outcome] += 1

    def met(self, feature: str, door: str) -> int:
        """How often a feature came to a door and was answered or refused."""
        return sum(self.outcomes[feature, door, o] for o in (AGREED, REFUSED, FAULT))

    def __str__(self) -> str:
        doors = [*WAYS_IN, *(f"> {n}" for n in WAYS_OUT)]
        lines = [f"agreed of each door; . never met, R refused alone; {self.tried} systems, {self.unfit} unfit"]
        half = len(WAYS_IN)
        for part in (doors[:half], doors[half:]):
            lines += [f"{'':25}" + "".join(f"{i:>3}" for i in range(len(part)))]
            lines += [f"{feature:25}" + "".join(self._cell(feature, door) for door in part) for feature in FEATURES]
            named = [f"{i} {door.removeprefix('> ')}" for i, door in enumerate(part)]
            lines += ["  " + ", ".join(named[i : i + 7]) for i in range(0, len(named), 7)] + [""]
        return "\n".join([*lines, *self._holes(doors)])

    def _cell(self, feature: str, door: str) -> str:
        agreed = self.outcomes[feature, door, AGREED]
        if agreed:
            return f"{min(agreed, 99):3}"
        return "  R" if self.outcomes[feature, door, REFUSED] else "  ."

    def _holes(self, doors: list[str]) -> Iterator[str]:
        for feature in FEATURES:
            for door in doors:
                often = self.met(feature, door)
                alone = not self.outcomes[feature, door, AGREED]
                if often < MET * self.tried // OF or (alone and often):
                    told = ", ".join(f"{why} {n}" for why, n in self.why[feature, door].most_common(3)) or "never met"
                    yield f"{'refused' if alone and often else 'hole'}: {feature} at {door.removeprefix('> ')}: {told}"


def doors_of(seed: int, system: Drawn) -> tuple[list[tuple[str, str]], Outcomes]:
    """The pairs of doors of a system, and the doors that it cannot be asked at."""
    rng, found, left = random.Random(f"doors {seed}"), list[tuple[str, str]](), Outcomes()
    while len(found) < PAIRS_OF_DOORS:
        pair = rng.choice([*WAYS_IN]), rng.choice([*WAYS_OUT])
        reason = why_not(system, *pair)
        if reason is None:
            found.append(pair)
        else:
            left.append(("> " * (reason[0] == pair[1]) + reason[0], NOT_ASKED, reason[1]))
    return found, left


def drawn(seed: int) -> Drawn:
    """The system of a seed, with its wall; `Unfit` where the plain route cannot follow it."""
    return with_wall(Inventor(seed).drawn(), np.random.default_rng(seed))


def attempt(work: Callable[[], T]) -> tuple[T | None, str, str]:
    """What a door gives, the outcome, and why."""
    try:
        with warnings.catch_warnings(), within(SECONDS):
            warnings.simplefilter("error")
            warnings.simplefilter("ignore", DalembertWarning)
            return work(), AGREED, ""
    except (NotAsked, Unfit) as error:
        return None, NOT_ASKED, str(error)
    except Refused as error:
        return None, REFUSED, str(error)
    except DalembertError as error:
        return None, REFUSED, error.code
    except Hang:
        return None, FAULT, "hangs"
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        return None, FAULT, f"{type(error).__name__}: {str(error)[:80]} ({Path(last.filename).name}:{last.lineno})"


def asked(case: Case, way_in: str, way_out: str) -> Outcomes:
    """The outcomes of both doors: what does not come in is not asked."""
    made, outcome, why = attempt(lambda: WAYS_IN[way_in](case))
    if made is None:
        return [(way_in, outcome, why), (f"> {way_out}", NOT_ASKED, f"{way_in}: {why}")]
    share, outcome, why = attempt(lambda: WAYS_OUT[way_out](case, made))
    if share is not None and share > 1:
        outcome, why = FAULT, f"off by {share:.1e} of what is allowed"
    both = (outcome, why) if outcome in (AGREED, FAULT) else (NOT_ASKED, f"{way_out}: {why}")
    return [(way_in, *both), (f"> {way_out}", outcome, why)]


def tried(seed: int, folder: Path) -> dict[str, object]:
    """The outcomes of one system."""
    row: dict[str, object] = {"seed": seed, "features": sorted(features_of(seed)), "doors": []}
    try:
        with np.errstate(all="ignore"), within(SECONDS):
            case = Case(drawn(seed), folder)
            _ = case.motions
    except (Unfit, Hang, np.linalg.LinAlgError):
        return row
    found, left = doors_of(seed, case.drawn)
    row["doors"] = [left, *(asked(case, *pair) for pair in found)]
    return row


def run(seeds: Iterable[int], out: Path | None = None, shown: bool = True) -> Tally:
    """Try these systems; those whose outcomes stand in a file are not tried again."""
    tally, done = Tally(), set[int]()
    if out is not None and out.exists():
        for line in out.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            done.add(row["seed"])
            tally.add(row)
    with tempfile.TemporaryDirectory() as folder:
        for seed in seeds:
            if seed in done:
                continue
            row, before = tried(seed, Path(folder)), len(tally.faults)
            tally.add(row)
            if out is not None:
                with out.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
            if shown and len(tally.faults) > before:
                print("\n".join([*tally.faults[before:], str(drawn(seed)), ""]), flush=True)
    return tally


def main(arguments: list[str]) -> int:
    """Run; 1 if something disagreed."""
    options = parser("combinations", __doc__, 200)
    options.add_argument("--only", type=int, help="the one system of this seed, as it was printed")
    options.add_argument("--out", type=Path, help="keep the outcomes here, and go on where they end")
    given = options.parse_args(arguments)
    if given.only is not None:
        print(drawn(given.only))
        row = tried(given.only, Path(tempfile.mkdtemp()))
        print("\n".join(map(str, row["doors"])))  # type: ignore[call-overload]
        return int(FAULT in str(row))
    began = time.process_time()
    tally = run((given.seed * SEEDS + n for n in numbers(given)), given.out)
    print(tally)
    print("\n".join(["", *tally.faults]))
    spent = time.process_time() - began
    print(f"{tally.tried} systems in {spent:.0f} s of this process: {len(tally.faults)} disagree, seed {given.seed}")
    return int(bool(tally.faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
