"""Motions of the lean form, of other forms and of lanes against those with multipliers, on the gallery's systems.

Each motion is made with multipliers, and again in the speeds of the lean form (by DOP853 and by Taylor series), in the
classical forms that apply, and as a member of a sweep. At times t they may differ, in units of each column, by

    max(1e-11, 1e-13 G(t), n(t) eps G(t)) ,

n being the number of steps until then, eps = 2.2e-16 the rounding that each of them makes, and G what a small change
of the start has grown to, at most: the motion with multipliers is made once
more from two starts that are moved by 1e-8 in random directions. The unit of a state is 1 + its largest value; that of
a multiplier or the energy, which may be what is left of large terms, is what the moved states, by so many units, make
of it, if that is more. Where G comes to 1e8 nothing can be said from there
on; the time until then is printed. A motion that ends has to end in every form, and about there. A member of a sweep
has the bits of its single run. At random states all accelerations agree to 1e-9 max(1, K/1e4) of the largest, K being
the condition number of the equations with multipliers there; states with K above 1e6 are left out.
"""

from __future__ import annotations

import argparse
import pkgutil
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module

import numpy as np

import dalembert as da
from dalembert import systems
from dalembert.calculus.graph import evaluate, tangent
from dalembert.equations import Equations, Numbers, Start
from dalembert.equations.saddle_form import stack
from dalembert.errors import DalembertError
from dalembert.model.system import System
from dalembert.principles.principle_table import named
from dalembert.trajectory import Trajectory

from .agreement.routes import FORMS, WEAK
from .systems import BOUND, CONDITION, WORST
from .watch import parser

UNTIL, TIMES = 10.0, 41
RTOL, ATOL = 1e-14, 1e-16  # of every motion
EQUAL, ERROR, MOVED = 1e-11, 1e-13, 1e-8
LOST = 1e8  # growth from which on nothing can be said
ENDS = 1e-6  # of the time: so near to each other motions end
Array = np.ndarray


@dataclass(frozen=True)
class Case:
    """One system of the gallery: its name and variant, how it is made, and where it starts from."""

    name: str
    make: Callable[[], System]
    starts: dict[str, dict[str, object]]

    @cached_property
    def system(self) -> System:
        """It."""
        return self.make()

    @cached_property
    def equations(self) -> Equations:
        """With multipliers."""
        return da.nonholonomic(self.system)


@dataclass
class Finding:
    """What came of one comparison: the share of what is allowed, the figure, and words."""

    what: str
    share: float
    words: str

    @property
    def bad(self) -> bool:
        """Is it more than is allowed?"""
        return not self.share <= 1.0


@dataclass
class Tally:
    """Counts."""

    compared: int = 0
    found: list[str] = field(default_factory=list)

    def add(self, case: str, findings: list[Finding]) -> None:
        """Count, and print one line."""
        self.compared += len(findings)
        bad = [f for f in findings if f.bad]
        self.found += [f"{case}: {f.what} {f.words}" for f in bad]
        told = ", ".join(f"{f.what} {f.words}" for f in findings)
        print(f"{'FOUND ' if bad else ''}{case}: {told}", flush=True)


def cases() -> Iterator[Case]:
    """Every system of the gallery, and its variants."""
    for _, name, _ in pkgutil.iter_modules(systems.__path__):
        module = import_module(f"dalembert.systems.{name}")
        if not hasattr(module, "system") or module.FACTS.modes:  # other forms refuse contacts
            continue
        yield Case(name, module.system, module.STARTS)
        for variant, v in getattr(module, "VARIANTS", {}).items():
            yield Case(f"{name}/{variant}", lambda make=module.system, o=v.options: make(**o), v.starts)


# --- motions ---------------------------------------------------------------------------------------------------------


def motion(equations: Equations, start: object, written: bool, method: str = "dop853") -> Trajectory:
    """A motion to the end; `written`: with multipliers, or as its form has it, not in speeds."""
    atol = dict.fromkeys(equations.states, ATOL) if written else ATOL
    return da.simulate(equations, start, until=UNTIL, method=method, rtol=RTOL, atol=atol, seconds=300.0)


@dataclass(frozen=True)
class Reference:
    """A motion with multipliers, its columns at times, and what is allowed there.

    Attributes:
        path: the motion.
        t: times (N,).
        columns: names of what is compared.
        values: (N, columns).
        units: of the columns.
        growth: G (N,), never falling.
        allowed: the difference of another motion (N,).
    """

    path: Trajectory
    t: Array
    columns: tuple[str, ...]
    values: Array
    units: Array
    growth: Array
    allowed: Array

    @classmethod
    def of(cls, equations: Equations, start: Start) -> Reference:
        """The motion from a start, beside two from moved starts."""
        path = motion(equations, start, written=True)
        near = [motion(equations, s, written=True) for s in moved(equations, start)]
        last = min(float(p.t[-1]) for p in (path, *near))
        t = np.linspace(float(path.t[0]), last if path.ok else last * (1 - ENDS), TIMES)
        names = tuple(path.names)
        values = seen(path, t, names)
        states = [names.index(n) for n in equations.states]
        units, growth = 1 + np.abs(values).max(axis=0), np.ones(len(t))
        most = units.copy()
        for other in near:
            off = np.abs(seen(other, t, names) - values)
            apart = (off / units)[:, states].max(axis=1)
            growth = np.maximum(growth, apart / max(apart[0], 1e-3 * MOVED))
            most = np.maximum(most, (off / np.maximum(apart, 1e-3 * MOVED)[:, None]).max(axis=0))
        most[states] = units[states]
        growth = np.maximum.accumulate(growth)
        error = np.maximum(ERROR, np.searchsorted(path.t, t) * np.finfo(float).eps)
        return cls(path, t, names, values, most, growth, np.maximum(EQUAL, error * growth))

    @property
    def told(self) -> Array:
        """Where something can be said (N,)."""
        return self.growth < LOST

    def compared(self, what: str, other: Trajectory) -> Finding:
        """Another motion with this one."""
        ends = float(self.path.t[-1]), float(other.t[-1])
        if self.told.all() and abs(ends[0] - ends[1]) > ENDS * UNTIL:
            return Finding(what, np.inf, f"ends at t = {ends[1]:.6g}, not {ends[0]:.6g}: {other.outcome}")
        told = self.told & (self.t <= ends[1])
        both = seen(other, self.t[told], self.columns), self.values[told]
        off = (np.abs(both[0] - both[1]) / self.units).max(axis=1)
        share = off / self.allowed[told]
        return Finding(what, float(share.max()), f"{off.max():.0e}")

    def __str__(self) -> str:
        last = float(self.t[self.told][-1])
        ended = f" (ends: {self.path.outcome})" if self.path.t[-1] < UNTIL else ""
        return f"growth {self.growth[self.told][-1]:.0e} in {last:.3g} s{ended}"


def seen(path: Trajectory, t: Array, names: tuple[str, ...]) -> Array:
    """Columns of a path at times, (N, columns)."""
    found = path.at(t)
    return np.stack([found[n] for n in names], axis=1)


def moved(equations: Equations, start: Start) -> list[Start]:
    """Two starts beside the given one, on the constraints."""
    rng = np.random.default_rng(0)
    size = np.where(start.vector, np.abs(start.vector), 1.0)
    rows = [start.vector + MOVED * size * rng.normal(size=len(size)) for _ in range(2)]
    return [equations.start(row, t=start.t, parameters=start.parameters, project="kinetic") for row in rows]


def motions(case: Case, start: Start, forms: bool) -> tuple[str, list[Finding]]:
    """How a motion grows, and all comparisons of it."""
    equations = case.equations
    reference = Reference.of(equations, start)
    found = []
    if equations.lean_if_any is not None:
        found.append(reference.compared("lean", motion(equations, start, written=False)))
        found.append(reference.compared("taylor", motion(equations, start, written=False, method="taylor")))
    for name in FORMS if forms else ():
        try:
            made = named(name)(case.system)
            given = {n: v for n, v in start.state.items() if n in made.states}
            other = motion(made, made.start(**given, t=start.t, parameters=start.parameters), written=True)
        except DalembertError as error:
            if error.code in ("E160", "E161", "E162"):
                continue
            raise
        if not other.ok and "E162" in str(other.outcome):  # the form is singular there, the motion is not
            continue
        found.append(reference.compared(name, other))
    return str(reference), found


def lanes(case: Case, start: Start) -> Finding:
    """The ends of three equal members and of a single run, to the bit."""
    options = {"until": UNTIL, "rtol": 1e-10}
    path = da.simulate(case.equations, start, **options)
    name, value = next(iter(start.parameters.items()), ("", 0.0))
    if not name or not path.ok:
        return Finding("lanes", 0.0, "none")
    ends = da.sweep(case.equations, starts=start, parameters={name: [value] * 3}, **options)
    states = case.equations.states
    off = sum(np.ravel(ends[n])[-1].tobytes() != v.tobytes() for n, v in zip(states, path.y[:, -1], strict=True))
    return Finding("lanes", np.inf if off else 0.0, f"{off} of {len(states)} of other bits" if off else "same bits")


# --- accelerations ---------------------------------------------------------------------------------------------------


def states_of(equations: Equations, start: Start, count: int) -> dict[str, Array]:
    """So many random states on the constraints, around a start, each state by name (S,), with parameters and t."""
    rng, rows = np.random.default_rng(1), list[Array]()
    for _ in range(3 * count):
        place = equations.space.sample(rng)
        given = {**place, **{u.name: rng.normal() for u in equations.space.velocities}}
        at = {n: float(given[n]) for n in equations.states}
        try:
            rows.append(equations.start(**at, t=start.t, parameters=start.parameters, project="kinetic").vector)
        except DalembertError:  # no state is near, or the constraints lose rank there
            continue
        if len(rows) == count:
            break
    found = np.array(rows).reshape(len(rows), len(equations.states))
    values = {n: found[:, i] for i, n in enumerate(equations.states)}
    return values | {n: np.full(len(rows), v) for n, v in {**start.parameters, "t": start.t}.items()}


def in_speeds(equations: Equations, values: dict[str, Array]) -> tuple[Array, Array]:
    """du/dt along the rates of the lean form (S, k), and where it is regular (S,)."""
    lean = equations.lean_if_any
    assert lean is not None
    known = {**values, **dict(zip(lean.states, np.moveaxis(lean.start(values), -1, 0), strict=True))}
    along = [*map(lean.graph.symbol, lean.states), lean.graph.symbol("t")]
    udot = tangent(list(lean.velocities), along, [*lean.rates, 1.0])
    return stack(evaluate(udot, known), known), lean.regular(values)


def accelerations(case: Case, start: Start, count: int, forms: bool) -> list[Finding]:
    """Every form's accelerations against those with multipliers."""
    equations = case.equations
    values = states_of(equations, start, count)
    if not len(values["t"]):
        return []
    numbers = Numbers.of(equations.machine.form.rows(equations.kept), values)
    size = np.linalg.cond(numbers.bordered)
    expected, mu = equations.accelerations(values)
    scale = 1 + np.abs(expected).max(axis=1) + np.abs(mu).max(axis=1, initial=0.0)
    bound = BOUND * np.maximum(1, size / CONDITION) * scale
    found = []

    def judge(what: str, udot: Array, fine: Array | bool) -> None:
        fine = np.broadcast_to(fine, scale.shape) & (size < WORST)
        off = np.abs(udot - expected).max(axis=1)[fine]
        worst = float((off / scale[fine]).max(initial=0.0))
        found.append(Finding(what, float((off / bound[fine]).max(initial=0.0)), f"{worst:.0e} at {fine.sum()}"))

    if equations.lean_if_any is not None:
        judge("lean", *in_speeds(equations, values))
    for name in FORMS if forms else ():
        try:
            made = named(name)(case.system)
        except DalembertError:
            continue
        with np.errstate(all="ignore"):
            judge(name, made.accelerations(values)[0], made.share(values) > WEAK if made.dependent else True)
    return found


# --- the command -----------------------------------------------------------------------------------------------------


def run(chosen: list[Case], count: int, starts: int, forms: bool) -> Tally:
    """Compare these systems."""
    tally = Tally()
    for case in chosen:
        for number, (name, given) in enumerate(list(case.starts.items())[:starts]):
            start = case.equations.start(**given)
            told, found = motions(case, start, forms)
            tally.add(f"{case.name} from {name}, {told}", found)
            if number == 0:
                tally.add(f"{case.name} in lanes", [lanes(case, start)])
                if count:
                    tally.add(f"{case.name} accelerations", accelerations(case, start, count, forms))
    return tally


def main(arguments: list[str]) -> int:
    """Run; 1 if something was found."""
    options: argparse.ArgumentParser = parser("motions", __doc__, 1000)
    options.add_argument("--only", help="systems whose name begins so: chaplygin_sleigh, suslov/")
    options.add_argument("--starts", type=int, default=100, help="so many starts of each system")
    options.add_argument("--lean", action="store_true", help="the lean form alone, no other forms")
    given = options.parse_args(arguments)
    warnings.simplefilter("ignore")
    i, n = map(int, given.shard.split("/"))
    chosen = [c for c in cases() if not given.only or c.name.startswith(given.only)][i::n]
    began = time.process_time()
    tally = run(chosen, given.count, given.starts, not given.lean)
    for line in tally.found:
        print(f"found: {line}")
    spent = time.process_time() - began
    print(f"{len(chosen)} systems, {tally.compared} comparisons in {spent:.0f} s: {len(tally.found)} found")
    return int(bool(tally.found))
