"""What drives one input: a formula with coefficients, and from when on these have which values."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import sympy as sp

from ...calculus.frame import TIME
from ...errors import DalembertError, InvalidValue, as_given
from .sampled import Sampled
from .table import SMOOTH, Table

ROUNDINGS = 64  # within which two times are one: a leg of a run is longer than that
ALWAYS = 3  # derivatives that go on: as many as anything here asks for


@dataclass(frozen=True, eq=False)
class Drive:
    """One input.

    Attributes:
        name: of the input.
        told: how it was given, for reports.
        coefficients: names of what changes at the knots; the input's own name where no formula stands for it.
        formula: what stands for the input, of its coefficients, t and states.
        knots: times from which on a row holds (K,).
        rows: values of the coefficients (K, c).
        smooth: how many derivatives go on through a knot; -1 where the value itself jumps.
        table: the table that it is made of.
        origin: the coefficient from which the time of the table's pieces counts.
        sampled: the function that is asked instead.
        began: when it was first asked.
    """

    name: str
    told: str
    coefficients: tuple[str, ...] = ()
    formula: sp.Expr | None = None
    knots: np.ndarray = field(default_factory=lambda: np.zeros(0))
    rows: np.ndarray = field(default_factory=lambda: np.zeros((1, 0)))
    smooth: int = ALWAYS
    table: Table | None = None
    origin: str = ""
    sampled: Sampled | None = None
    began: float = 0.0

    def at(self, late: float) -> list[float]:
        """The coefficients of a formula from a time on."""
        row: list[float] = self.rows[max(int(np.searchsorted(self.knots, late, side="right")) - 1, 0)].tolist()
        return row

    def along(self, t: np.ndarray) -> dict[str, np.ndarray]:
        """The coefficients of a formula at times (N,), by name."""
        late = t + ROUNDINGS * np.spacing(np.abs(t))
        rows = self.rows[np.maximum(np.searchsorted(self.knots, late, side="right") - 1, 0)]
        return dict(zip(self.coefficients, rows.T, strict=True))

    def after(self, late: float) -> float:
        """The next time at which they change."""
        if self.sampled is not None:
            return self.began + (self.sample(late) + 1) * self.sampled.every
        k = int(np.searchsorted(self.knots, late, side="right"))
        return float(self.knots[k]) if k < len(self.knots) else math.inf

    def sample(self, late: float) -> int:
        """Which sample of its function a time belongs to."""
        assert self.sampled is not None
        return math.floor((late - self.began) / self.sampled.every)


def constant(name: str, value: float) -> Drive:
    """A number."""
    return Drive(name, f"{value:g}", (name,), None, np.zeros(0), np.array([[value]]))


def formula(name: str, expression: sp.Expr, told: str) -> Drive:
    """An expression of t and states."""
    return Drive(name, told, formula=expression)


def of_table(name: str, given: Table, fresh: Callable[[str], str]) -> Drive:
    """A table; `fresh` makes a name that nothing else has."""
    told, pieces = f"table of {len(given.times)} times, {given.kind}", given.pieces
    knots, smooth = given.times[: len(pieces)], SMOOTH[given.kind]
    if given.kind == "hold":
        smooth = smooth if np.ptp(given.values) else ALWAYS
        return Drive(name, told, (name,), None, knots, pieces, smooth, given)
    *names, origin = [fresh(f"{name}_{power}") for power in (*range(pieces.shape[1]), "from")]
    rows = np.column_stack([pieces, knots])
    return Drive(name, told, (*names, origin), piece(names, origin), knots, rows, smooth, given, origin)


def piece(names: Sequence[str], origin: str) -> sp.Expr:
    """A polynomial of the time since the last knot, by the names of its coefficients."""
    *lower, expression = (sp.Symbol(n, real=True) for n in names)
    # w = c0 + (t - t_k) (c1 + (t - t_k) (c2 + ...))
    for coefficient in lower[::-1]:
        expression = coefficient + (TIME - sp.Symbol(origin, real=True)) * expression
    return expression


def of_function(name: str, given: Sampled, t: float) -> Drive:
    """A function of Python that is asked from a time on."""
    called = getattr(given.function, "__name__", type(given.function).__name__)
    return Drive(name, f"{called}, sampled every {given.every:g}", (name,), smooth=-1, sampled=given, began=t)


def asked(name: str, given: Sampled, t: float, state: Mapping[str, float]) -> float:
    """What a function says.

    Raises:
        InvalidValue: E184, it raises, or says what is no finite number.
    """
    try:
        answer = given.function(t, state)
    except Exception as error:
        why = error.fact if isinstance(error, DalembertError) else str(error)
        fact = f"the function of the input {name} raised {type(error).__name__} at t = {t:.10g}: {why}"
        remedy = 'it is called with (t, state), and state["x"] is a number'
        raise InvalidValue("E184", fact, remedy, subject=("inputs", name)) from error
    found = answer.item() if getattr(answer, "size", 0) == 1 and hasattr(answer, "item") else answer
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        fact = f"the function of the input {name} returned {as_given(answer)} at t = {t:.10g}"
        raise InvalidValue("E184", fact, "return one finite number", subject=("inputs", name))
    return float(found)
