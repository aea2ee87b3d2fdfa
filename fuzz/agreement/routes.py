"""The library's routes to the accelerations of one system: the forms of every principle, machine code, programs.

A route takes a `Case` and gives (rates of all states, multipliers) at each state; what a route does not give is None.
Forms are read from the library's own table, so that a new one takes part by itself.
"""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dalembert.calculus.graph import evaluate, tangent
from dalembert.calculus.numerical_rank import rank_of
from dalembert.equations import Equations
from dalembert.equations.lean_form import Lean
from dalembert.equations.saddle_form import Numbers, stack
from dalembert.errors import DalembertError
from dalembert.numerics.vector_field.field import Field
from dalembert.principles.principle_table import PRINCIPLES, named

from .plain import Plain, Values
from .recipe import Recipe

Array = np.ndarray
# one name of each function
FORMS = [n for n, row in PRINCIPLES.items() if row.principle == "nonholonomic" != n and not row.file]
WEAK = 0.05  # share of dependent velocities below which their own form loses digits


class Found(NamedTuple):
    """What a route gives: udot (S, k), multipliers (S, m), and where it calls itself singular."""

    udot: Array
    multipliers: Array | None = None
    singular: Array | bool = False


@dataclass(frozen=True)
class Case:
    """One system at states (S,) by name."""

    recipe: Recipe
    at: Values
    folder: Path

    @cached_property
    def system(self) -> Any:
        """The library's system."""
        return self.recipe.system()

    @cached_property
    def equations(self) -> Equations:
        """By its principle, with multipliers."""
        made: Equations = named(self.recipe.principle)(self.system)
        return made

    def held(self) -> Case:
        """The case at its states, if any, at which the rows kept are independent and all: runs refuse others (E121)."""
        try:
            kept, form = list(self.equations.kept), self.equations.machine.form
        except DalembertError:
            return self
        N = np.atleast_3d(Numbers.of(form, self.values).N)
        good = [i for i, n in enumerate(N) if np.isfinite(n).all() and rank_of(n[kept]) == len(kept) == rank_of(n)]
        return self if len(good) == len(N) else replace(self, at={n: v[good] for n, v in self.at.items()})

    @cached_property
    def plain(self) -> tuple[Array, Array, Array]:
        """udot, multipliers and condition by the route without the library."""
        return Plain(self.recipe, self.at).motion()

    @cached_property
    def values(self) -> Values:
        """States and parameters."""
        return {**self.at, **{n: np.full_like(self.at["t"], v) for n, v in self.recipe.parameters}}

    @property
    def rows(self) -> list[tuple[float, list[float], list[float]]]:
        """(t, y, p) of each state, p in the order of a program."""
        p = [v for n, v in self.system.values().items() if n in self.system.symbols]
        states = self.equations.states
        return [(float(t), [float(self.at[n][i]) for n in states], p) for i, t in enumerate(self.at["t"])]

    def split(self, rates: Array, multipliers: Array | None) -> Found:
        """(udot, multipliers) of the rates of all states (S, n)."""
        n, k = len(self.recipe.coordinates), len(self.recipe.velocities)
        return Found(rates[:, n : n + k], rates[:, n + k :] if self.equations.states_of_multipliers else multipliers)


def multipliers(case: Case) -> Found:
    """The bordered system with multipliers, by NumPy; the rates of the coordinates are compared on the way."""
    found = stack(evaluate(case.equations.machine.qdot, case.values), case.values)
    off = (np.abs(found - Plain(case.recipe, case.at).qdot()) / (1 + np.abs(found).max(axis=-1, keepdims=True))).max()
    udot, mu = case.equations.accelerations(case.values)
    return Found(udot if off < 1e-11 else np.full_like(udot, np.nan), mu)


def elimination(case: Case) -> Found:
    """Elimination on the graph without a choice of pivots, which the library uses where W is definite."""
    if not case.equations.definite:
        return Found(case.plain[0], None, True)
    form = case.equations.machine.form.rows(case.equations.kept)
    udot, mu = case.equations.solution.solve(form.f, form.g)
    every = len(mu) == len(case.recipe.constraints)
    return Found(
        stack(evaluate(udot, case.values), case.values),
        stack(evaluate(mu, case.values), case.values) if mu and every else None,
    )


def form(principle: str) -> Callable[[Case], Found]:
    """Another form of the nonholonomic equations; states at which it is singular are not compared."""

    def route(case: Case) -> Found:
        made = named(principle)(case.system)
        weak = made.share(case.values) < WEAK if made.dependent else False
        return Found(*made.accelerations(case.values), weak)

    return route


def lean(case: Case) -> Found:
    """The form in free speeds, which runs integrate: du/dt along its rates, in the chart of each state."""
    charts = case.equations.charts
    if charts is None:
        raise DalembertError("E160", "there is no lean form", "")
    udot = np.full((len(case.at["t"]), len(case.recipe.velocities)), np.nan)
    singular = np.ones(len(udot), bool)
    for rows, found in charts.groups(case.values, len(udot)):
        if found is not None and len(rows):
            udot[rows], singular[rows] = _along(found, {n: v[rows] for n, v in case.values.items()}), False
    return Found(udot, None, singular)


def _along(found: Lean, values: Values) -> Array:
    """du/dt (S, k) at states of one chart."""
    states = dict(zip(found.states, np.moveaxis(found.start(values), -1, 0), strict=True))
    along = [*map(found.graph.symbol, found.states), found.graph.symbol("t")]
    udot = tangent(list(found.velocities), along, [*found.rates, 1.0])
    values = {**values, **states}
    return stack(evaluate(udot, values), values)


def callable_(case: Case) -> Found:
    """`Equations.to_callable`."""
    f = case.equations.to_callable()
    return case.split(np.array([f(t, y) for t, y, _ in case.rows]), None)


def compiled(case: Case) -> Found:
    """Machine code, as `simulate` runs it, at the first state; the others through the same code."""
    t, y, _ = case.rows[0]
    field = Field(case.equations, case.equations.start(y, t=t))
    return case.split(np.array([field.rate(t, np.r_[y, 0.0])[:-1] for t, y, _ in case.rows]), None)


def pivoted(case: Case) -> Found:
    """The same machine code with pivots."""
    equations = replace(case.equations, definite=False, metric_definite=False)
    t, y, _ = case.rows[0]
    field = Field(equations, equations.start(y, t=t))
    return case.split(np.array([field.rate(t, np.r_[y, 0.0])[:-1] for t, y, _ in case.rows]), None)


def python(case: Case) -> Found:
    """The generated module of Python."""
    file = case.folder / "program.py"
    file.write_text(case.equations.to_python(), encoding="utf-8")
    program = runpy.run_path(str(file))
    p = {n: case.system.values()[n] for n in program["PARAMETERS"]}
    rates = np.array([program["rhs"](t, y, p) for t, y, _ in case.rows])
    off = [abs(r) for t, y, _ in case.rows for r in program["residual"](t, y, p)]
    rates = rates if max(off, default=0.0) < 1e-9 else np.full_like(rates, np.nan)
    return case.split(rates, np.array([program["multipliers"](t, y, p) for t, y, _ in case.rows]))


_TYPES = r"(?:static |const |int |double |char |void |\*)"
_FILE_SCOPE = re.compile(rf"^{_TYPES}+(\w+)(?=\(|\[| =)", re.MULTILINE)
DRIVER = """
void ask_{n}(double t, const double *y, const double *p, double *out)
{{
    double mu[N_MULTIPLIERS + 1];
    int i;
    for (i = 0; i < N_STATES + N_MULTIPLIERS; i++) out[i] = 0.0 / 0.0;
    if (rhs(t, y, p, out) || multipliers(t, y, p, mu)) return;
    for (i = 0; i < N_MULTIPLIERS; i++) out[N_STATES + i] = mu[i];
}}
"""


def c_source(text: str, n: int) -> str:
    """A program of C whose names end in its number, so that many stand in one file; its function is ``ask_n``."""
    names = {*_FILE_SCOPE.findall(text), *re.findall(r"\bN_[A-Z]+", text)} - {"main"}
    body = text + DRIVER.format(n=n)
    defines = "".join(f"#define {name} {name}_{n}\n" for name in sorted(names))
    return defines + body + "".join(f"#undef {name}\n" for name in sorted(names))


ROUTES: dict[str, Callable[[Case], Found]] = {
    "multipliers": multipliers,
    "elimination": elimination,
    **{name: form(name) for name in FORMS},
    "lean": lean,
    "callable": callable_,
    "python": python,
    "compiled": compiled,
    "pivoted": pivoted,
}
VAKONOMIC = [n for n in ROUTES if n not in FORMS]
# of the systems, by what a route costs; every other route is asked of each
SHARES = {**dict.fromkeys(FORMS, 0.6), "compiled": 0.25, "pivoted": 0.08}
