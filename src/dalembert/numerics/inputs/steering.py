"""All inputs of one run: their formulas, and their coefficients from a time on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import sympy as sp

from ...equations.steering import NOMINAL
from ...trajectory import Columns
from .drive import ROUNDINGS, Drive, asked

State = Callable[[], Mapping[str, float]]
Holds = Callable[[Mapping[str, float], Mapping[str, float], float, np.ndarray], bool]


@dataclass(frozen=True, eq=False)
class Steering:
    """What drives the inputs of a run.

    Attributes:
        drives: one for each input.
        held: by input, what its function said at which sample: a run that is made again does not ask again.
    """

    drives: tuple[Drive, ...] = ()
    held: dict[str, dict[int, float]] = field(default_factory=dict)

    @property
    def formulas(self) -> dict[str, sp.Expr]:
        """What stands for inputs that are more than numbers."""
        return {drive.name: drive.formula for drive in self.drives if drive.formula is not None}

    @property
    def coefficients(self) -> tuple[str, ...]:
        """Names of what the formulas are made of, besides t, states and parameters."""
        return tuple(c for drive in self.drives if drive.formula is not None for c in drive.coefficients)

    @property
    def stays(self) -> bool:
        """Are all of them numbers?"""
        return all(d.formula is None and d.sampled is None and not len(d.knots) for d in self.drives)

    @property
    def jumping(self) -> set[str]:
        """Inputs that are held and given other values at instants."""
        return {d.name for d in self.drives if d.formula is None and (d.sampled is not None or len(d.knots))}

    def values(self, t: float, state: State) -> dict[str, float]:
        """The coefficients from t on, by name; functions are asked where t is a sample of theirs."""
        late, found = later(t), dict[str, float]()
        for drive in self.drives:
            if drive.sampled is None:
                found |= zip(drive.coefficients, drive.at(late), strict=True)
                continue
            sample, said = drive.sample(late), self.held.setdefault(drive.name, {})
            if sample not in said:
                said[sample] = asked(drive.name, drive.sampled, t, state())
            found[drive.name] = said[sample]
        return found

    def before(self, t: float) -> dict[str, float]:
        """The same without asking functions, on which no consistent state depends: these say 1."""
        late = later(t)
        known = {d: d.at(late) if d.sampled is None else [NOMINAL] for d in self.drives}
        return {name: value for d, row in known.items() for name, value in zip(d.coefficients, row, strict=True)}

    def after(self, t: float, until: float = math.inf) -> float:
        """The next time before the end at which coefficients change; infinite where there is none."""
        if not self.drives:
            return math.inf
        late = later(t)
        found = min(drive.after(late) for drive in self.drives)
        return found if later(found) < until else math.inf

    @property
    def told(self) -> Mapping[str, str]:
        """How each input was given."""
        return {drive.name: drive.told for drive in self.drives}


def later(t: float) -> float:
    """A time that is the same but for rounding."""
    return t + ROUNDINGS * float(np.spacing(abs(t))) if math.isfinite(t) else t


def by_name(states: Sequence[str], t: float, y: np.ndarray) -> Columns:
    """The states by name at a time, of a row that begins with them."""
    found = Columns(zip(states, y.tolist(), strict=False))
    found.states, found.t = tuple(states), t
    return found


def always(before: Mapping[str, float], after: Mapping[str, float], t: float, full: np.ndarray) -> bool:
    """A motion whose mode holds whatever parameters change to, at a time and a full row (n + 1,)."""
    return True


NONE = Steering()
