"""How to integrate: method, tolerances, stabilisation, limits. Policies are objects that check themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..calculus.number import number
from ..errors import DalembertError, InvalidValue, Note, WrongType, did_you_mean, warn
from .methods.geometric.composition import ORDERS

ADAPTIVE = ("dop853", "radau", "taylor")
FIXED = ("dla", "discrete_gradient", "symmetric_projection")
METHODS = (*ADAPTIVE, *FIXED)
TIGHTEST, LOOSEST, LOOSE = 1e-14, 1e-2, 1e-6
_BY_METHOD: Any = object()  # stands for an rtol that was left out
USUAL, MACHINE = 1e-12, float(np.finfo(float).eps)  # rtol where none is given; the latter for the Taylor method
ROUNDING = 1e-16  # below it a tolerance of the Taylor method asks for less than one rounding


@dataclass(frozen=True)
class Projection:
    """After every step, back to the constraints along the kinetic metric: the residual stays at rounding."""


@dataclass(frozen=True)
class Baumgarte:
    """d/dt phi = -rate phi instead of 0: a residual decays, the equations are changed by it.

    Attributes:
        rate: in 1/time, > 0; positions of holonomic constraints decay critically damped with the same rate.
    """

    rate: float = 1.0

    def __post_init__(self) -> None:
        if not (_number(self.rate) and self.rate > 0):
            raise InvalidValue(
                "E305", f"Baumgarte rate = {self.rate!r} must be positive and finite", "da.methods.Baumgarte(1.0)"
            )


@dataclass(frozen=True)
class Drift:
    """No stabilisation: the residual shows the integration's own error."""


Stabilisation = Projection | Baumgarte | Drift


@dataclass(frozen=True)
class Policy:
    """Options of a run.

    Attributes:
        rtol: relative tolerance per step, in [1e-14, 1e-2]; by default 1e-12. With ``method="taylor"`` it may be as
            small as 1e-16 and is 2.2e-16, one rounding, by default.
        atol: absolute tolerance, a number or ``{state: number}``; by default rtol/100 times the size of the start,
            at most 1.
        method: ``"dop853"`` (explicit, order 8), ``"radau"`` (implicit, of order 5, 9 or 13 as rtol asks, for stiff
            forces; rtol down to 1e-13 means something) or ``"taylor"`` (series of high order, to machine precision),
            which choose their steps; or one that preserves structure with steps of a fixed size, all symmetric:
            ``"dla"`` (discrete Lagrange-d'Alembert), ``"discrete_gradient"`` (energy or work balance to rounding) or
            ``"symmetric_projection"`` (of the midpoint rule).
        step: size of the steps, for the methods of fixed steps only, where it must be given.
        order: 2, 4 or 6, for these methods only: composed of one, five or nine steps of order 2. By default 2.
        stabilisation: `Projection()`, `Baumgarte(rate)` or `Drift()`.
        max_step: largest step.
        max_steps: how many steps may be tried.
        seconds: wall time allowed.
        dense: keep the path between the samples; without it only samples are kept, for very long runs.
        progress: show progress on a terminal.
        halt: asked from time to time; where it says True the run ends there with what it has (E320), as after Ctrl-C.

    Raises:
        InvalidValue: E305 tolerances and step, E307 method and what does not go with it, E313 limits.
    """

    rtol: Any = _BY_METHOD
    atol: Any = None
    method: str = "dop853"
    step: float | None = None
    order: int | None = None
    stabilisation: Stabilisation = Projection()
    max_step: float = math.inf
    max_steps: int = 10_000_000
    seconds: float = 600.0
    dense: bool = True
    progress: bool = False
    halt: Callable[[], bool] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.method, str) or self.method not in METHODS:
            raise InvalidValue(
                "E307", f"unknown method {self.method!r}", did_you_mean(str(self.method).lower(), METHODS)
            )
        if not isinstance(self.stabilisation, Stabilisation):
            raise WrongType(
                "E307",
                f"stabilisation = {self.stabilisation!r}",
                "da.methods.Projection(), da.methods.Baumgarte(1.0) or da.methods.Drift()",
            )
        self._check_step()
        self._check_tolerance()
        for name in ("dense", "progress"):
            if not isinstance(getattr(self, name), bool):
                raise WrongType("E307", f"{name} = {getattr(self, name)!r:.40} must be True or False", f"{name}=True")
        if self.halt is not None and not callable(self.halt):
            raise WrongType("E307", f"halt = {self.halt!r:.40} must be a function", "halt=lambda: False")
        for name, floor in (("max_step", 0.0), ("max_steps", 1), ("seconds", 0.0)):
            value = getattr(self, name)
            if (
                not isinstance(value, int | float | np.number)
                or isinstance(value, bool)
                or not value > 0
                or value < floor
            ):
                raise InvalidValue("E313", f"{name} = {value!r} must be a positive number", f"leave {name} out")

    def _check_tolerance(self) -> None:
        """E305 for rtol, which is filled in where it was left out."""
        series = self.method == "taylor"
        if self.rtol is _BY_METHOD:
            object.__setattr__(self, "rtol", MACHINE if series else USUAL)
        least = ROUNDING if series else TIGHTEST
        if not _number(self.rtol) or not least <= self.rtol <= LOOSEST:
            fact = f"rtol = {self.rtol!r:.40} must be in [{least:g}, {LOOSEST:g}]"
            finer = not series and _number(self.rtol) and ROUNDING <= self.rtol < least
            raise InvalidValue("E305", fact, 'rtol=1e-9, or method="taylor" for less' if finer else "rtol=1e-9")

    def _check_step(self) -> None:
        """E305, E307: fixed steps where the method needs them, and nowhere else."""
        if self.method in ADAPTIVE:
            for name, value in (("step", self.step), ("order", self.order)):
                if value is not None:
                    fact = f"{name} = {value!r:.40}: {self.method} chooses its steps and has one order"
                    raise InvalidValue("E307", fact, f'leave {name} out, give max_step=, or method="{FIXED[0]}"')
            return
        if self.step is None:
            raise InvalidValue("E307", f'method="{self.method}" takes fixed steps, and no step is given', "step=0.01")
        if not (_number(self.step) and self.step > 0):
            raise InvalidValue("E305", f"step = {self.step!r:.40} must be positive and finite", "step=0.01")
        if self.order is not None and (isinstance(self.order, bool) or self.order not in ORDERS):
            raise InvalidValue("E307", f"order = {self.order!r:.40} must be 2, 4 or 6", "leave order out for 2")
        if isinstance(self.stabilisation, Baumgarte):
            fact = f'Baumgarte goes with adaptive steps: method="{self.method}" keeps the constraints itself'
            raise InvalidValue("E307", fact, "leave stabilisation out")
        for name, unset in (("rtol", (_BY_METHOD, USUAL)), ("atol", (None,)), ("max_step", (math.inf,))):
            if not any(getattr(self, name) is value for value in unset):
                fact = f"{name} means nothing with fixed steps"
                raise InvalidValue("E307", fact, f"leave {name} out, or change step")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Policy:
        """A policy from keyword options; an unknown one is refused (E307)."""
        known = {f.name for f in fields(cls)}
        for name in options:
            if name not in known:
                hints = [*known, "until", "events", "parameters", "samples"]
                raise WrongType("E307", f"simulate has no option {name!r}", did_you_mean(name, hints))
        return cls(**options)

    def notes(self) -> tuple[Note, ...]:
        """Doubts about the options, shown once."""
        if self.rtol > LOOSE:
            return (warn("W306", f"rtol = {self.rtol:g} is loose: research needs 1e-6 or tighter", 5),)
        return ()

    def tolerances(self, names: tuple[str, ...], start: np.ndarray) -> np.ndarray:
        """atol per state, (n,) for one start (n,).

        Raises:
            InvalidValue: E305, not positive, not one per state, or of unknown names.
        """
        return self.tolerances_of_all(names, start[None])[0]

    def tolerances_of_all(self, names: tuple[str, ...], starts: np.ndarray) -> np.ndarray:
        """The same for starts (K, n)."""
        if self.atol is None:
            size = np.abs(starts).max(axis=1, initial=0.0)[:, None]
            scale = np.where(size > 0, np.minimum(size, 1.0), 1.0)
            return np.broadcast_to(self.rtol * 1e-2 * scale, starts.shape)
        return np.broadcast_to(self._given(names), starts.shape)

    def _given(self, names: tuple[str, ...]) -> np.ndarray:
        """The absolute tolerances that were given."""
        if isinstance(self.atol, Mapping):
            missing = [n for n in names if n not in self.atol]
            strange = [n for n in self.atol if n not in names]
            if missing or strange:
                raise InvalidValue(
                    "E305", f"atol must name every state: {', '.join(missing + strange)}", "or give one number"
                )
            values = np.array([number(self.atol[n], f"atol of {n}", "E305", "E305") for n in names])
        else:
            values = _spread(self.atol, len(names))
        if not np.all((values > 0) & np.isfinite(values)):
            raise InvalidValue(
                "E305", f"atol = {self.atol!r} must be positive and finite", "leave it out for a scaled one"
            )
        return values


def _number(value: Any) -> bool:
    """Is this one finite real number?"""
    try:
        return math.isfinite(number(value, "value"))
    except DalembertError:
        return False


def _spread(value: Any, n: int) -> np.ndarray:
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "iuf":
            raise TypeError
        return np.array(np.broadcast_to(given.astype(float), n))
    except (TypeError, ValueError):
        raise InvalidValue("E305", f"atol must be a number or {n} numbers", "leave it out for a scaled one") from None
