"""How to integrate: method, tolerances, stabilisation, limits. Policies are objects that check themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from ..argument_checks import several, switch
from ..calculus.quantity import is_finite, number
from ..equations import Equations, Start
from ..equations.lean_form import MANY, Charts
from ..errors import InvalidValue, Note, WrongType, as_given, did_you_mean, kind_of, warn
from ..errors.remedies import Option
from .methods import METHODS, Dop853, by_name
from .methods.cheaper_form import leaner
from .methods.method import USUAL, Method
from .vector_field.constraint_projection import USUAL as PROJECTED
from .vector_field.constraint_projection import Baumgarte, Stabilisation
from .vector_field.field import Field

LOOSEST, LOOSE = 1e-2, 1e-6
EXPLICIT = Dop853()
_BY_METHOD: Any = object()  # stands for an rtol that was left out
OF_METHOD = ("step", "order")  # options of a run that go into its method


@dataclass(frozen=True)
class Policy:
    """Options of a run.

    Attributes:
        rtol: relative tolerance per step, in [1e-14, 1e-2]; by default 1e-12. With ``method="taylor"`` it may be as
            small as 1e-16 and is 2.2e-16, one rounding, by default.
        atol: absolute tolerance, a number or ``{state: number}``; by default rtol/100 times the size of the start,
            at most 1.
        method: how to step, a value as ``Dop853()``, ``Radau(order=9)`` or ``DiscreteGradient(step=0.01)``; `of` takes
            their words too, with ``step=`` and ``order=`` beside them. Explicit of order 8 by default.
        stabilisation: `Projection()`, `Baumgarte(rate)` or `Drift()`.
        max_step: largest step.
        max_steps: how many steps may be tried.
        seconds: CPU time allowed.
        dense: keep the path between the samples; without it only samples are kept, for very long runs.
        progress: show progress on a terminal.
        walls: are the walls that the system declares met?
        branch: along which branch to go on where branches of the constraints cross, as `Trajectory.branches` counts
            them; 0 is the one whose tangent continues the motion's. Of a list each number holds at its place.
        halt: asked from time to time; where it says True the run ends there with what it has (E320), as after Ctrl-C.

    Raises:
        InvalidValue: E305 tolerances and step, E307 method and what does not go with it, E313 limits.
    """

    rtol: Any = _BY_METHOD
    atol: Any = None
    method: Method = EXPLICIT
    stabilisation: Stabilisation = PROJECTED
    max_step: float = math.inf
    max_steps: int = 10_000_000
    seconds: float = 600.0
    dense: bool = True
    progress: bool = False
    walls: bool = True
    branch: Any = 0
    halt: Callable[[], bool] | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.method, Method):
            raise WrongType("E307", f"method = {as_given(self.method)} is no method", 'method="radau"')
        if not isinstance(self.stabilisation, Stabilisation):
            raise WrongType(
                "E307",
                f"stabilisation = {as_given(self.stabilisation)}",
                "da.methods.Projection(), da.methods.Baumgarte(1.0) or da.methods.Drift()",
            )
        self._check_fixed()
        self._check_tolerance()
        for name in ("dense", "progress", "walls"):
            switch(getattr(self, name), name)
        self._check_branch()
        if self.halt is not None and not callable(self.halt):
            raise WrongType("E307", f"halt = {as_given(self.halt)} must be a function", "halt=lambda: False")
        for name, floor in (("max_step", 0.0), ("max_steps", 1), ("seconds", 0.0)):
            value = getattr(self, name)
            if (
                not isinstance(value, int | float | np.number)
                or isinstance(value, bool)
                or not value > 0
                or value < floor
            ):
                raise InvalidValue("E313", f"{name} = {as_given(value)} must be a positive number", f"leave {name} out")

    def _check_branch(self) -> None:
        """E323 for what counts no branches."""
        given = self.branch if several(self.branch) else [self.branch]
        if not all(isinstance(b, int | np.integer) and not isinstance(b, bool) and b >= 0 for b in given):
            fact = f"branch = {as_given(self.branch)} is no number of a branch, nor a list of them"
            raise InvalidValue("E323", fact, "branch=1, or branch=[0, 1] for the first place and the second")
        numbers = tuple(int(b) for b in given)
        object.__setattr__(self, "branch", numbers if several(self.branch) else numbers[0])

    def _check_tolerance(self) -> None:
        """E305 for rtol, which is filled in where it was left out."""
        if self.rtol is _BY_METHOD:
            object.__setattr__(self, "rtol", self.method.rtol)
        least = self.method.finest
        if not is_finite(self.rtol) or not least <= self.rtol <= LOOSEST:
            fact = f"rtol = {as_given(self.rtol)} must be in [{least:g}, {LOOSEST:g}]"
            finest = min(method.finest for method in METHODS.values())
            finer = is_finite(self.rtol) and finest <= self.rtol < least
            less = (", or ", Option("method", "taylor"), " for less") if finer else ()
            raise InvalidValue("E305", fact, (Option("rtol", 1e-9), *less))

    def _check_fixed(self) -> None:
        """E307: what means nothing with fixed steps."""
        if not self.method.fixed:
            return
        if isinstance(self.stabilisation, Baumgarte):
            fact = f'Baumgarte goes with adaptive steps: method="{self.method.word}" keeps the constraints itself'
            raise InvalidValue("E307", fact, "leave stabilisation out")
        for name, unset in (("rtol", (_BY_METHOD, USUAL)), ("atol", (None,)), ("max_step", (math.inf,))):
            if not any(getattr(self, name) is value for value in unset):
                fact = f"{name} means nothing with fixed steps"
                raise InvalidValue("E307", fact, f"leave {name} out, or change step")

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Policy:
        """A policy from keyword options, of which ``step`` and ``order`` go into the method (E307 for unknown ones)."""
        for name in options:
            if name not in cls.__dataclass_fields__ and name not in OF_METHOD:
                hints = [*(f.name for f in fields(cls)), *OF_METHOD, "until", "events", "parameters", "samples"]
                alike = did_you_mean(name, [hint for hint in hints if hint != name])
                raise WrongType("E307", f"simulate has no option {as_given(name)}", alike)
        others = {name: value for name, value in options.items() if name not in ("method", *OF_METHOD)}
        return cls(**others, method=_method(options))

    @classmethod
    def of_flow(cls, asked: str, options: Mapping[str, object], **usual: Any) -> Policy:
        """A policy of what follows a tangent flow, over usual values (E307 where the method has none)."""
        _method(options).check_tangents(asked)
        return cls.of({**usual, **options})

    def behind(self, crossed: int) -> Policy:
        """The policy of what follows when branches were crossed so many times."""
        return self if isinstance(self.branch, int) else replace(self, branch=self.branch[crossed:])

    def halted(self, halt: Callable[[], bool]) -> Policy:
        """The policy with another function to ask whether the run is to end."""
        new = object.__new__(Policy)
        new.__dict__.update({**vars(self), "halt": halt})
        return new

    def field(self, equations: Equations, start: Start) -> Field:
        """The vector field of the equations as they are written."""
        return Field(equations, start, self.stabilisation, self.method.beside)

    def leanest_field(self, equations: Equations, start: Start) -> Field:
        """The vector field that is integrated: of the lean form, where there is one and the options take it."""
        field, charts = self.field(equations, start), self.charts_of(equations)
        return field if charts is None else field.in_speeds(charts)

    def charts_of(self, equations: Equations) -> Charts | None:
        """The lean forms, if constraints or many velocities leave any, method, stabilisation and tolerances take their
        states, and a step in them is shorter than one as written.
        """
        uniform = self.atol is None or isinstance(self.atol, int | float | np.number)
        many = len(equations.space.velocities) > MANY
        wanted = (bool(equations.kept) or many) and self.method.lean and self.stabilisation == PROJECTED and uniform
        charts = equations.charts if wanted else None
        if charts is None or not (equations.kept or charts.first.pivots):
            return None
        return charts if leaner(equations, charts.first) else None

    def notes(self, size: float) -> tuple[Note, ...]:
        """Doubts about the options, shown once: an atol is weighed against the size of the start."""
        if self.rtol > LOOSE:
            return (warn("W306", f"rtol = {self.rtol:g} is loose: research needs 1e-6 or tighter", 5),)
        given = {} if self.atol is None else self.atol
        values = np.ravel([*given.values()] if isinstance(given, Mapping) else given)
        if len(values) and size > 0 and values.max() > LOOSE * size:
            text = (
                f"atol = {values.max():g} is loose where the largest state is {size:g}: leave it out for a scaled one"
            )
            return (warn("W306", text, 5),)
        return ()

    @property
    def most_steps(self) -> int:
        """max_steps as compiled code takes it."""
        return int(min(self.max_steps, 2**62))

    def tolerances(self, names: tuple[str, ...], start: np.ndarray) -> np.ndarray:
        """atol per state, (n,) for one start (n,).

        Raises:
            InvalidValue: E305, not positive, not one per state, or of unknown names.
        """
        if self.atol is None:
            size = max(map(abs, start.tolist()), default=0.0)
            return np.full(len(start), self.rtol * 1e-2 * (min(size, 1.0) if size > 0 else 1.0))
        if type(self.atol) is float and 0 < self.atol < math.inf:
            return np.full(len(start), self.atol)
        return np.broadcast_to(self._given(names), start.shape)

    def tolerances_of_all(self, names: tuple[str, ...], starts: np.ndarray) -> np.ndarray:
        """atol per state for each of several starts (K, n)."""
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
                "E305", f"atol = {as_given(self.atol)} must be positive and finite", "leave it out for a scaled one"
            )
        return values


def _method(options: Mapping[str, object]) -> Method:
    """The method that the options ask for, by its word or as a value."""
    given, own = options.get("method", Dop853.word), {name: options.get(name) for name in OF_METHOD}
    if not isinstance(given, Method):
        return by_name(given, own)
    for name, value in own.items():
        if value is not None:
            fact = f"{name} = {as_given(value)} is given beside a method that is a value"
            raise InvalidValue("E307", fact, f"{kind_of(given)}({name}={as_given(value)})")
    return given


def _spread(value: object, n: int) -> np.ndarray:
    try:
        given = np.asarray(value)
        if given.dtype.kind not in "iuf":
            raise TypeError
        return np.array(np.broadcast_to(given.astype(float), n))
    except (TypeError, ValueError):
        raise InvalidValue("E305", f"atol must be a number or {n} numbers", "leave it out for a scaled one") from None
