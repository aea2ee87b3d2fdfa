"""Motions of one form of the equations that are carried on together, in lanes."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...calculus.graph import symbols
from ..machine.calls import map_lanes
from ..machine.library import Library
from ..methods.dop853.code import Work
from ..methods.dop853.stepper import layout_of
from ..methods.method import FARTHER, MARGIN_LIMIT, turning
from ..methods.stepping import END
from ..vector_field.plan import PREAMBLE
from .members_in_lanes import LaneProgram, aligned
from .onwards import Bench, Going, Limits, Members, onwards


@dataclass(frozen=True, eq=False)
class Fleet:
    """Motions in the same states and the same code.

    Attributes:
        rows: which motions these are (k,).
        program: what is compiled for them.
        members: where they are.
        start: where they began.
        derived: has ``energy``, of a full row.
    """

    rows: np.ndarray
    program: LaneProgram
    members: Members
    start: Members
    derived: Library

    @classmethod
    def of(
        cls, program: LaneProgram, rows: np.ndarray, states: np.ndarray, parameters: Mapping[str, np.ndarray]
    ) -> Fleet:
        """The motions from full states (k, n), with parameters (k,)."""
        policy, t0, count = program.ensemble.policy, float(program.ensemble.t0), len(rows)
        full = {**parameters, **dict(zip(program.ensemble.equations.states, states.T, strict=True)), "t": t0}
        y = program.within(states, parameters)
        p = program.vectors({**full, **dict(zip(program.states, y.T, strict=True))}, count)
        none = np.full((count, 1), np.inf)
        tolerances = np.column_stack([np.full(count, policy.rtol), policy.tolerances_of_all(program.states, y), none])
        members = Members(
            t=np.full(count, t0),
            ends=np.full(count, t0),
            y=np.ascontiguousarray(np.column_stack([y, np.zeros(count)])),
            h=np.zeros(count),
            p=np.ascontiguousarray(p),
            tolerances=np.ascontiguousarray(tolerances, float),
            counts=np.zeros((count, 2), np.int64),
            status=np.zeros(count, np.int64),
        )
        return cls(rows, program, members, _copied(members), program.kernel.derived)

    def copy(self) -> Fleet:
        """The same motions, which go on alone."""
        return replace(self, members=_copied(self.members))

    @cached_property
    def _go(self) -> Callable[[float], object]:
        """The loop, its arguments laid out once."""
        program, address = self.program, self.program.kernel.library.address
        lean, policy = program.lean, program.ensemble.policy
        near = 0.0 if lean is None else turning(lean)
        far = MARGIN_LIMIT if lean is None else FARTHER * turning(lean)
        limits = Limits(len(program.states), far, near, float(policy.max_step), policy.most_steps)
        code = Going(*map(address, ("rhs", "step", "take", "first")))
        return onwards.prepared(code, limits, self.members, self._bench)

    @cached_property
    def _bench(self) -> Bench:
        """Kept for as long as the loop is."""
        n, parameters, width = self.members.y.shape[1], self.members.p.shape[1], self.program.width
        return Bench(
            layout=layout_of(n),
            work=aligned(Work(n).size, width),
            moment=aligned(4, width),
            p=aligned(parameters, width),
            tolerance=aligned(n + 1, width),
            good=aligned(width),
            h=aligned(width),
            growth=aligned(width),
            margin=aligned(width),
            made=np.zeros((2, width), np.int64),
            status=np.zeros(width, np.int64),
        )

    def put(self, names: tuple[str, ...], old: np.ndarray, new: np.ndarray) -> None:
        """Other values of parameters (k, m) from here on; `old` are NaN where there are none yet."""
        kernel, p = self.program.kernel, self.members.p
        felt = symbols([self.program.ensemble.equations.machine.energy]) & {*names}
        before = p.copy() if felt else p
        for i, name in enumerate(names):
            if name in kernel.parameters:
                p[:, kernel.parameters.index(name)] = new[:, i]
        if kernel.preamble:
            first = len(kernel.parameters) + kernel.behind - kernel.preamble
            address, zeros = kernel.library.address(PREAMBLE), np.zeros(len(p))
            found = map_lanes(address, self.program.width, zeros, p, p, kernel.preamble)
            p[:, first : first + kernel.preamble] = found
        if felt:
            again = np.isfinite(old).all(axis=1)
            self.members.y[again, -1] += (self._energy(p) - self._energy(before))[again]

    def _energy(self, p: np.ndarray) -> np.ndarray:
        return map_lanes(self.derived.address("energy"), 1, self.members.t, self.full, p, 1)[:, 0]

    @property
    def full(self) -> np.ndarray:
        """Full rows (k, n + 1)."""
        members = self.members
        return members.y if self.program.lean is None else self.program.between("full", members.t, members.y, members.p)

    def onwards(self, ends: np.ndarray) -> np.ndarray:
        """Carry on to times (k,); positions of motions that stayed where they were."""
        self.members.ends[:] = ends
        self._go(0.0)
        return np.flatnonzero(self.members.status != END)

    def reset(self, chosen: np.ndarray) -> None:
        """Back to the start, those that are chosen (k,); parameters stay."""
        for mine, first in zip(self.members._replace(p=self.start.h), self.start._replace(p=self.start.h), strict=True):
            mine[chosen] = first[chosen]


def _copied(members: Members) -> Members:
    return Members(*map(copy.copy, members))
