"""The charts of one set of equations: its lean forms, one for each choice of pivots that a state has asked for.

Where constraints say some velocities by others, a coefficient is divided by, and its zeros are poles of the form though
not of the motion. Another choice of the velocities that go has its poles elsewhere. The choice at a state is that of
the largest coefficients there, whatever was asked before; as there are finitely many choices, so there are forms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from ..calculus.forking import lock
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
        fair = np.broadcast_to(self.first.regular(values, FAIR), count)
        every = {name: np.broadcast_to(np.asarray(value, float), count) for name, value in values.items()}
        forms: dict[tuple[int, ...] | None, Lean | None] = {self.first.chosen: self.first}
        rows: dict[tuple[int, ...] | None, list[int]] = {self.first.chosen: np.flatnonzero(fair).tolist()}
        for i in np.flatnonzero(~fair).tolist():
            form = self.regular({name: float(value[i]) for name, value in every.items()})
            key = None if form is None else form.chosen
            forms[key] = form
            rows.setdefault(key, []).append(i)
        return [(np.sort(rows[key]).astype(np.intp), form) for key, form in forms.items()]

    def at(self, values: Mapping[str, float]) -> Lean:
        """The form that chooses the largest pivots at a state."""
        chosen: tuple[int, ...] = ()
        with _FORMING:
            form = self.first
            while len(chosen) < len(form.choices):
                chosen = (*chosen, form.choices[len(chosen)].best(values))
                if chosen != form.chosen[: len(chosen)]:
                    form = self._beginning_with(chosen, values)
        return form

    def _beginning_with(self, chosen: tuple[int, ...], values: Mapping[str, float]) -> Lean:
        """A form that begins with these choices; made at the state where there is none."""
        for known, form in self._known.items():
            if known[: len(chosen)] == chosen:
                return form
        made = self._around({name: float(np.asarray(value)) for name, value in values.items()})
        assert made is not None  # as the first is not
        self._known[chosen] = made
        return made
