"""The charts of one set of equations: its lean forms, one for each choice of pivots that a state has asked for.

Where constraints say some velocities by others, a coefficient is divided by, and its zeros are poles of the form though
not of the motion. Another choice of the velocities that go has its poles elsewhere. The choice at a state is that of
the largest coefficients there, whatever was asked before; as there are finitely many choices, so there are forms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from ..calculus.locks import lock
from .lean import FAIR, Lean

_FORMING = lock()


class Charts:
    """Lean forms by what they have chosen.

    Args:
        first: the form that is used wherever it is far from its poles.
        around: makes the form with the largest pivots at a state.
    """

    def __init__(self, first: Lean, around: Callable[[Mapping[str, float]], Lean | None]) -> None:
        self.first, self._around = first, around
        self._known: dict[tuple[int, ...], Lean] = {first.chosen: first}

    def __len__(self) -> int:
        return len(self._known)

    def regular(self, values: Mapping[str, float]) -> Lean | None:
        """The form to begin with at coordinates, velocities, parameters and time; None where every one is singular."""
        return self.first if self.first.regular(values, FAIR) else self.best(values)

    def best(self, values: Mapping[str, float]) -> Lean | None:
        """The form with the largest pivots at a state; None where it is singular too."""
        form = self.at(values)
        return form if form.regular(values) else None

    def groups(self, values: Mapping[str, ArrayLike], count: int) -> list[tuple[np.ndarray, Lean | None]]:
        """The same for states whose values are arrays (count,) or numbers: rows, and the form of each of them."""
        every = {name: np.broadcast_to(np.asarray(value, float), count) for name, value in values.items()}
        fair = self.first.regular(every, FAIR)
        forms: dict[tuple[int, ...] | None, Lean | None] = {self.first.chosen: self.first, None: None}
        parts: dict[tuple[int, ...] | None, list[np.ndarray]] = {self.first.chosen: [np.flatnonzero(fair)]}
        for rows, form in self._split(every, np.flatnonzero(~fair)):
            forms[form.chosen] = form
            clear = form.regular(_of(every, rows))
            parts.setdefault(form.chosen, []).append(rows[clear])
            parts.setdefault(None, []).append(rows[~clear])
        return [(np.sort(np.concatenate(rows)), forms[chosen]) for chosen, rows in parts.items()]

    def at(self, values: Mapping[str, float]) -> Lean:
        """The form that chooses the largest pivots at a state."""
        form, chosen = self.first, tuple[int, ...]()
        with _FORMING:
            while len(chosen) < len(form.choices):
                chosen = (*chosen, form.choices[len(chosen)].best_at(values))
                if chosen != form.chosen[: len(chosen)]:
                    form = self._beginning_with(chosen, values)
        return form

    def _split(self, values: Mapping[str, np.ndarray], rows: np.ndarray) -> list[tuple[np.ndarray, Lean]]:
        """Rows of states apart by the form that chooses the largest pivots there, choice after choice."""
        found: list[tuple[np.ndarray, Lean]] = []
        waiting: list[tuple[np.ndarray, Lean, tuple[int, ...]]] = [(rows, self.first, ())] if len(rows) else []
        with _FORMING:
            while waiting:
                rows, form, chosen = waiting.pop()
                if len(chosen) == len(form.choices):
                    found.append((rows, form))
                    continue
                places = form.choices[len(chosen)].best(_of(values, rows))
                for place in sorted({*places.tolist()}):
                    some, longer = rows[places == place], (*chosen, place)
                    if longer != form.chosen[: len(longer)]:
                        there = {name: float(value[some[0]]) for name, value in values.items()}
                        waiting.append((some, self._beginning_with(longer, there), longer))
                    else:
                        waiting.append((some, form, longer))
        return found

    def _beginning_with(self, chosen: tuple[int, ...], values: Mapping[str, float]) -> Lean:
        """A form that begins with these choices; made at the one state where there is none."""
        for known, form in self._known.items():
            if known[: len(chosen)] == chosen:
                return form
        made = self._around(values)
        assert made is not None  # as the first is not
        self._known[chosen] = made
        return made


def _of(values: Mapping[str, np.ndarray], rows: np.ndarray) -> dict[str, np.ndarray]:
    return {name: value[rows] for name, value in values.items()}
