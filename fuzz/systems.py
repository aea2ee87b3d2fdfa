"""Random systems on which all routes to the accelerations must agree.

A system is a random space, Lagrangian, constraints and forces. Its accelerations and multipliers at random consistent
states are computed without the library (Lagrange's equations in a chart of our own, by jets of L), and by the library:
with multipliers, by elimination, in each classical form that applies, by machine code, and by generated Python and C.

A route agrees if it is off by at most 1e-9 max(1, K/1e4) of the largest acceleration or multiplier (or of 1), K being
the condition number of the saddle system at that state. States with K above 1e6 are not tried.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from dalembert.errors import DalembertError

from .agreement import programs
from .agreement.broken import BROKEN
from .agreement.invent import invent
from .agreement.plain import Plain, consistent, fit
from .agreement.recipe import Recipe
from .agreement.routes import ROUTES, SHARES, VAKONOMIC, Case, Found
from .watch import Hang, numbers, parser, within

SECONDS, BATCH, STATES = 60.0, 40, 2
BOUND, CONDITION, WORST = 1e-9, 1e4, 1e6
SEEDS = 10_000_000  # systems of one --seed


@dataclass
class Tally:
    """What came of it."""

    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)  # (route, outcome)
    spent: Counter[str] = field(default_factory=Counter)
    worst: dict[str, float] = field(default_factory=dict)
    kinds: Counter[str] = field(default_factory=Counter)  # what the systems are made of
    found: int = 0
    tried: int = 0

    def of(self, route: str) -> dict[str, int]:
        """Outcomes of one route."""
        return {outcome: n for (name, outcome), n in self.outcomes.most_common() if name == route}

    def __str__(self) -> str:
        lines = [f"{'route':15} {'agreed':>7} {'ms each':>8} {'worst':>8}  otherwise"]
        for route in dict.fromkeys(name for name, _ in self.outcomes):
            of = self.of(route)
            rest = ", ".join(f"{outcome} {n}" for outcome, n in of.items() if outcome != "agreed")
            each = 1e3 * self.spent[route] / max(sum(of.values()), 1)
            worst = self.worst.get(route, 0.0)
            lines.append(f"{route:15} {of.get('agreed', 0):7} {each:8.1f} {worst:8.1e}  {rest}")
        shares = ", ".join(f"{kind} {n / max(self.tried, 1):.0%}" for kind, n in self.kinds.most_common())
        lines.append(f"systems with: {shares}")
        return "\n".join(lines)


def case_of(recipe: Recipe, folder: Path) -> Case | None:
    """The recipe at random consistent states, or None where none was found; `Hang` where the library takes too long."""
    with np.errstate(all="ignore"):
        at = consistent(recipe, recipe.seed, 4)
        good = np.flatnonzero(fit(recipe, at))
        at = {n: v[good] for n, v in at.items()}
        if len(good):
            udot, _mu, size = Plain(recipe, at).motion()
            fine = (size < WORST) & np.isfinite(udot).all(axis=1) & (np.abs(udot).max(axis=1) < WORST)
            good = np.flatnonzero(fine)[:STATES]
        if not len(good):
            return None
        case = Case(recipe, {n: v[good] for n, v in at.items()}, folder)
        with within(SECONDS):
            case = case.held()
    return case if len(case.at["t"]) else None


def judged(case: Case, found: Found) -> tuple[str, float]:
    """("agreed", share of the bound), or what is wrong."""
    udot, mu, size = case.plain
    scale = 1 + np.abs(udot).max(axis=1) + np.abs(mu).max(axis=1, initial=0.0)
    singular = np.broadcast_to(found.singular, scale.shape)
    if singular.all():
        return "singular there", 0.0
    off = np.abs(found.udot - udot).max(axis=1)
    if found.multipliers is not None:
        off = np.maximum(off, np.abs(found.multipliers - mu).max(axis=1, initial=0.0))
    share = float(np.where(singular, 0.0, off / (scale * np.maximum(1, size / CONDITION))).max())
    return ("agreed" if share <= BOUND else f"DISAGREES by {share:.1e}"), share


def attempt(case: Case, work: Callable[[], Found]) -> tuple[str, float]:
    """What became of one route."""
    try:
        with np.errstate(all="ignore"), within(SECONDS):
            return judged(case, work())
    except DalembertError as error:
        return error.code, 0.0
    except Hang:
        return "HANG", 0.0
    except Exception as error:
        return f"FOREIGN {type(error).__name__} {str(error)[:60]}", 0.0


def wrong(outcome: str) -> bool:
    """Is it a find?"""
    return outcome.startswith(("DISAGREES", "HANG", "FOREIGN"))


def kinds(case: Case) -> set[str]:
    """What a system is made of."""
    recipe, equations = case.recipe, case.equations
    found = {recipe.principle, *(f.kind for f in recipe.factors), *(f"{law.kind} force" for law in recipe.forces)}
    found |= {f"{c.kind} constraint" for c in equations.constraints}
    found |= {"redundant constraints"} if len(equations.kept) < len(equations.constraints) else set()
    return found if case.system.autonomous else found | {"the time"}


def asked(recipe: Recipe) -> list[str]:
    """The routes that this system takes; the slow ones only sometimes."""
    rng = random.Random(f"routes {recipe.seed}")
    names = VAKONOMIC if recipe.principle == "vakonomic" else list(ROUTES)
    return [n for n in names if rng.random() < SHARES.get(n, 1.0)]


def in_c(cases: list[tuple[int, Case]], folder: Path) -> dict[int, Found | DalembertError | Hang]:
    """What the generated C of these cases computes, or its refusal."""
    texts, able, found = [], [], dict[int, Found | DalembertError | Hang]()
    for n, case in cases:
        try:
            with within(SECONDS):
                texts.append(case.equations.to_c())
            able.append((n, case))
        except (DalembertError, Hang) as error:
            found[n] = error
    if able:
        found |= zip((n for n, _ in able), programs.ask(able, texts, folder), strict=True)
    return found


def _told(found: Found | DalembertError | Hang) -> Found:
    if isinstance(found, DalembertError | Hang):
        raise found
    return found


def outcomes(recipe: Recipe, folder: Path, routes: Iterable[str]) -> dict[str, str]:
    """What becomes of these routes of one system alone."""
    try:
        case = case_of(recipe, folder)
        if case is None or case.equations is None:
            return {}
    except (DalembertError, Hang):
        return {}
    result = {n: attempt(case, lambda n=n: ROUTES[n](case))[0] for n in routes if n != "c"}
    if "c" in routes and programs.COMPILER:
        result["c"] = attempt(case, lambda: _told(in_c([(recipe.seed, case)], folder)[recipe.seed]))[0]
    return result


def shrunk(recipe: Recipe, folder: Path, route: str, most: int = 300) -> Recipe:
    """The recipe with all left out without which this route is still wrong."""
    tries, smallest = 0, recipe
    progress = True
    while progress and tries < most:
        progress = False
        for other in smallest.smaller():
            tries += 1
            try:
                bad = any(wrong(o) for o in outcomes(other, folder, [route]).values())
            except Exception:  # what is left is no system
                bad = False
            if bad:
                smallest, progress = other, True
                break
            if tries >= most:
                break
    return smallest


class Campaign:
    """One process's share of the systems."""

    def __init__(self, folder: Path, reduce: bool = True) -> None:
        self.folder, self.reduce, self.tally = folder, reduce, Tally()
        self.waiting: list[tuple[int, Case]] = []

    def one(self, seed: int) -> None:
        """Try one system."""
        self.tally.tried += 1
        with self._timed("(invention)"):
            recipe = invent(seed)
            try:
                case = case_of(recipe, self.folder)
            except Hang:
                self._note("(held)", "HANG", recipe)
                return
        if case is None:
            self._note("(system)", "no state", recipe)
            return
        with self._timed("(system)"):
            made = attempt(case, lambda: Found(*(case.system and case.plain)[:2]))
        if made[0] == "agreed":
            with self._timed("multipliers"):
                made = attempt(case, lambda: Found(*(case.equations and case.plain)[:2]))
        self._note("(system)", made[0], recipe)
        if made[0] != "agreed":
            return
        self.tally.kinds.update(kinds(case))
        for name in asked(recipe):
            with self._timed(name):
                outcome, share = attempt(case, lambda name=name: ROUTES[name](case))
            self._note(name, outcome, recipe, share)
        if programs.COMPILER:
            self.waiting.append((seed, case))
            if len(self.waiting) >= BATCH:
                self.compile()

    def compile(self) -> None:
        """Compile and ask the C of the systems that wait for it."""
        waiting, self.waiting = self.waiting, []
        if not waiting:
            return
        with self._timed("c"):
            found = in_c(waiting, self.folder)
        for n, case in waiting:
            outcome, share = attempt(case, lambda n=n: _told(found[n]))
            self._note("c", outcome, case.recipe, share)

    def _timed(self, what: str) -> ExitStack:
        stack, began = ExitStack(), time.process_time()
        stack.callback(lambda: self.tally.spent.update({what: time.process_time() - began}))  # type: ignore[dict-item]
        return stack

    def _note(self, route: str, outcome: str, recipe: Recipe, share: float = 0.0) -> None:
        self.tally.outcomes[route, outcome.split(" by ", maxsplit=1)[0]] += 1
        self.tally.worst[route] = max(self.tally.worst.get(route, 0.0), share)
        if not wrong(outcome):
            return
        self.tally.found += 1
        if self.tally.found > 20:
            return
        print(f"--- {route} {outcome}: --only {recipe.seed}\n{recipe}", flush=True)
        if self.reduce and outcome != "HANG" and route in {*ROUTES, "c"}:  # each smaller one would hang as long
            small = shrunk(recipe, self.folder, route)
            print(f"reduced, {outcomes(small, self.folder, [*ROUTES, 'c'])}:\n{small}", flush=True)


def run(seeds: Iterable[int], reduce: bool = True, stop: bool = False) -> Tally:
    """Try these systems; `stop` at the first find."""
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(Path(folder), reduce)
        for seed in seeds:
            campaign.one(seed)
            if campaign.tally.tried % 500 == 0:
                print(f"{campaign.tally.tried} systems, {campaign.tally.found} found", flush=True)
            if stop and campaign.tally.found:
                return campaign.tally
        campaign.compile()
        return campaign.tally


def broken(count: int) -> int:
    """Break the library on purpose, one route after the other: how many systems until it is found?"""
    missed = 0
    for name, breaking in BROKEN.items():
        with breaking():
            tally = run(range(count), reduce=False, stop=True)
        missed += not tally.found
        told = f"found in system {tally.tried}" if tally.found else f"NOT FOUND in {tally.tried} systems"
        print(f"{name}: {told}", flush=True)
    return missed


def main(arguments: list[str]) -> int:
    """Run; 1 if something was found."""
    options = parser("systems", __doc__, 10_000)
    options.add_argument("--only", type=int, help="the one system of this seed, as it was printed")
    options.add_argument("--broken", action="store_true", help="break the library on purpose: is it found?")
    given = options.parse_args(arguments)
    warnings.simplefilter("ignore")
    if given.broken:
        return int(broken(min(given.count, 200)) > 0)
    seeds = [given.only] if given.only is not None else [given.seed * SEEDS + n for n in numbers(given)]
    began = time.process_time()
    tally = run(seeds)
    if given.only is not None:
        print(invent(given.only))
    print(tally)
    spent = time.process_time() - began
    print(f"{tally.tried} systems in {spent:.0f} s of this process: {tally.found} found, seed {given.seed}")
    return int(tally.found > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
