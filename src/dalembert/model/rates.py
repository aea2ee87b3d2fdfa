"""What ``dot(name)`` stands for: the rate of a coordinate, or of what is defined in positions and the time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import sympy as sp

from ..calculus.frame import TIME
from ..calculus.letters import free_symbols, holds
from .space import Space

_JUMPING = (sp.sign, sp.floor, sp.ceiling)


def rate_of(f: sp.Expr, space: Space) -> sp.Expr:
    """df/dt of a function of the position and the time."""
    # df/dt = df/dq qdot + df/dt
    return sum((f.diff(q) * rate for q, rate in space.rates.items()), f.diff(TIME))


class Rates(Mapping[str, sp.Expr]):
    """The rates of coordinates and definitions, those of the latter found when they are asked for.

        d/dt f(t, q) = df/dq^i qdot^i + df/dt

    A definition that holds a velocity has none, since that would be an acceleration; nor has one that holds an input,
    of which only values are given, or a function that jumps, or nothing that moves.

    Args:
        space: of the coordinates.
        defined: what definitions stand for, which may grow, but not change.
        inputs: names of inputs, which may grow too.
    """

    def __init__(self, space: Space, defined: Mapping[str, sp.Expr], inputs: Collection[str] = ()) -> None:
        self._space, self._defined, self._inputs = space, defined, inputs
        self._own = {q.name: rate for q, rate in space.rates.items()}
        self._known: dict[sp.Expr, sp.Expr] = {}
        self._held: dict[str, frozenset[str]] = {}  # by definition

    def __getitem__(self, name: str) -> sp.Expr:
        if name in self._own:
            return self._own[name]
        if not self._moves(name):
            raise KeyError(name)
        f = self._defined[name]
        if f not in self._known:
            moving = {**self._space.rates, TIME: sp.S.One}
            self._known[f] = sp.Add(*(f.diff(s) * rate for s, rate in moving.items() if s in free_symbols(f)))
        return self._known[f]

    def __contains__(self, name: object) -> bool:
        return name in self._own or self._moves(name)

    def __iter__(self) -> Iterator[str]:
        yield from self._own
        yield from (name for name in self._defined if name not in self._own and self._moves(name))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def _moves(self, name: object) -> bool:
        """Is it defined in positions and the time, and do they occur in it?"""
        if not isinstance(name, str):
            return False
        if name not in self._held and name in self._defined:
            self._held[name] = self._placed(self._defined[name])
        held = self._held.get(name, frozenset())
        return bool(held) and held.isdisjoint(self._inputs)

    def _placed(self, f: sp.Expr) -> frozenset[str]:
        """The names in what is defined in positions and the time alone; none for anything else."""
        held = free_symbols(f)
        moving, fast = {*self._space.coordinates, TIME}, {*self._space.velocities}
        placed = held & moving and not held & fast and not holds(f, *_JUMPING)
        return frozenset(s.name for s in held) if placed else frozenset()
