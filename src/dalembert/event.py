"""Event: a guard, and what happens where it passes through zero: a mark, a stop or a jump."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from .argument_checks import noun
from .errors import InvalidValue, Note, WrongType, as_given
from .errors.lookalike_letters import strange

if TYPE_CHECKING:
    import sympy as sp

Row: TypeAlias = "tuple[sp.Expr, ...]"
MARK, STOP = "mark", "stop"


@dataclass(frozen=True)
class Impact:
    """What pushes where velocities jump at a wall: W (u+ - u) = N^T nu + A^T mu, N (u+ - u) = 0.

    Attributes:
        velocities: names of u.
        metric: W by rows, the kinetic metric.
        constraints: ``{name: N u + c}``, which stay imposed.
        rates: ``{label: A_r u + c_r}`` of all that the wall imposes; ``"normal"`` is its df/dt.
        factors: ``{label: e_r}``, the restitutions.
        at_once: does it act at once with others that are met at the same instant, or one after the other?
        made_for: the Lagrangian and the set of constraints; a run of other equations is refused (E131).
        notes: what was doubted when it was made; a run keeps it with its path.
        touching: which of the constraints are those of contacts, which only push (True), or give no such impulses.
    """

    velocities: tuple[str, ...]
    metric: tuple[Row, ...]
    constraints: Mapping[str, sp.Expr]
    rates: Mapping[str, sp.Expr]
    factors: Mapping[str, sp.Expr]
    at_once: bool
    made_for: tuple[sp.Expr, frozenset[sp.Expr]]
    notes: tuple[Note, ...]
    touching: Mapping[str, bool] = field(default_factory=dict)


@noun
@dataclass(frozen=True)
class Event:
    """Something that happens where ``guard`` = 0.

    Attributes:
        name: under which the path keeps the times and states.
        guard: a SymPy expression in the states, the parameters and the time t, or text such as ``"x - 1"``, which a run
            reads in the names of its equations.
        then: ``"mark"`` keeps time and state and goes on; ``"stop"`` ends the run there; a mapping ``{name:
            expression}`` gives states new values there (a jump), the expressions, or texts, seeing the state before it.
        direction: +1 only where the guard rises, -1 only where it falls, 0 both.
        impact: what pushes at it, of a wall; a path then tells the impulses, and walls met at once act at once.

    A zero exactly at the start of a run is not counted. Touches (the guard reaches 0 and turns back) count for
    direction 0.

    Raises:
        InvalidValue: E316 for an unknown `then` or `direction`.
        WrongType: E316 for a guard that is neither an expression nor text.
    """

    name: str
    guard: Any
    then: str | Mapping[str, Any] = MARK
    direction: int = 0
    impact: Impact | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise InvalidValue(
                "E316", f"the name of an event is {as_given(self.name)}", 'name it by text: da.Event("edge", ...)'
            )
        wrong = strange(self.name)
        if wrong is not None:
            raise InvalidValue("E316", f"the name of an event is {as_given(self.name)}: {wrong[0]}", wrong[1])
        if not _is_guard(self.guard):
            fact = f"event {as_given(self.name)}: the guard must be text or a SymPy expression"
            raise WrongType("E316", fact, 'write what is 0 there, such as "x - 1", or build it from symbols')
        if isinstance(self.direction, bool) or not isinstance(self.direction, int) or abs(self.direction) > 1:
            raise InvalidValue(
                "E316", f"event {as_given(self.name)}: direction = {as_given(self.direction)}", "use -1, 0 or 1"
            )
        if not isinstance(self.impact, Impact | None):
            fact = f"event {as_given(self.name)}: impact = {as_given(self.impact)}"
            raise WrongType("E316", fact, "leave impact out; da.impacts.wall fills it")
        if isinstance(self.then, Mapping):
            by_name = {str(getattr(k, "name", k)): v for k, v in self.then.items()}
            if len(by_name) < len(self.then):
                fact = f"event {as_given(self.name)}: a state has two new values, under its symbol and its name"
                raise InvalidValue("E316", fact, "give each state once")
            object.__setattr__(self, "then", by_name)
        elif not isinstance(self.then, str) or self.then not in (MARK, STOP):
            raise InvalidValue(
                "E316", f"event {as_given(self.name)}: then = {as_given(self.then)}", 'use "mark", "stop" or a mapping'
            )

    def __str__(self) -> str:
        way = {-1: "falls to 0", 0: "is 0", 1: "rises to 0"}[self.direction]
        what = f"{', '.join(self.then)} jump" if isinstance(self.then, Mapping) else self.then
        return f"Event {as_given(self.name)}: {what} where {self.guard!s:.60} {way}"

    __repr__ = __str__

    def read(self, read: Callable[[str, str], sp.Expr]) -> Event:
        """The event with its texts read; `read` is given the text, and what it is in messages."""
        guard, then = self.guard, self.then
        if isinstance(guard, str):
            guard = read(guard, f"the guard of {self.name}")
        if isinstance(then, Mapping):
            then = {s: read(e, f"the new {s} of {self.name}") if isinstance(e, str) else e for s, e in then.items()}
        return self if (guard, then) == (self.guard, self.then) else replace(self, guard=guard, then=then)

    @property
    def symbols(self) -> set[sp.Symbol]:
        """The SymPy symbols of the guard and of what jumps."""
        news = self.then.values() if isinstance(self.then, Mapping) else ()
        return _free([self.guard, *news])

    @property
    def stops(self) -> bool:
        """Does it end the run?"""
        return self.then == STOP

    @property
    def jumps(self) -> bool:
        """Does it change the state?"""
        return isinstance(self.then, Mapping)


def _free(given: Sequence[object]) -> set[sp.Symbol]:
    """The symbols of expressions. Impulses hold the same parts again and again: each is looked at once."""
    found: set[sp.Symbol] = set()
    seen: set[int] = set()
    left: list[sp.Basic] = list(given)
    while left:
        e = left.pop()
        if id(e) in seen or not hasattr(type(e), "free_symbols"):  # asked of itself it would be computed
            continue
        seen.add(id(e))
        if getattr(e, "is_Symbol", True) or getattr(e, "bound_symbols", ()):
            found |= e.free_symbols
        else:
            left.extend(e.args)
    return found


def _is_guard(given: object) -> bool:
    """Is it text, or one expression that is no relation?"""
    if isinstance(given, str):
        return True
    expression = hasattr(given, "free_symbols") and not hasattr(given, "shape")
    return expression and not getattr(given, "is_Relational", False)
