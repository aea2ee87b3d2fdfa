"""Consistent starts for a stretch of members: what `Equations.start` does for one, with arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node
from ...equations import Equations, Start
from ...equations.mechanism_assembly import determined
from ...equations.start_completion import one_of_many
from ...errors import DalembertError
from . import start_checks
from .parameter_grid import Inputs

# ---------------------------------------------------------------------------------------------------------------------
# The linear part of completing starts: what rows that are affine in missing names determine, for many members.

CONTRADICTION, LEFT_FREE = 233, 230


def fill(rows: Sequence[Node], missing: Sequence[str], values: dict[str, np.ndarray], code: np.ndarray) -> None:
    """Fill in the missing names that the rows (each to be 0) determine, as `equations.start.Completion.solve` does.

    Args:
        rows: are used once they are affine in what is missing.
        missing: names without a value.
        values: arrays (K,) by name; the missing ones are added, NaN where they are left free.
        code: 0, or the code of a refusal, (K,); written where rows contradict what is given, or names are left free.
    """
    found = {name: np.full(len(code), np.nan) for name in missing}
    # members that know the same names are treated together
    groups = [(np.flatnonzero(code == 0), tuple(missing))] if missing else []
    while groups:
        members, left = groups.pop()
        if not left or not len(members):
            continue
        known = {name: _part(column, members) for name, column in values.items()}
        known |= {name: _part(found[name], members) for name in missing if name not in left}
        new = determined(rows, left, known, len(members))
        if new.known.all() and not new.contradiction.any():
            for name, x in zip(left, new.x.T, strict=True):
                found[name][members] = x
            continue
        code[members[new.contradiction]] = CONTRADICTION
        settled = new.known[~new.contradiction]
        # the different rows of truth values; sorting is spared where all are determined
        for pattern in settled[:1] if settled.all() else np.unique(settled, axis=0):
            rest = ~new.contradiction & (new.known == pattern).all(axis=1)
            if not pattern.any():
                code[members[rest]] = LEFT_FREE
                continue
            for i in np.flatnonzero(pattern):
                found[left[i]][members[rest]] = new.x[rest, i]
            groups.append((members[rest], tuple(n for n, hit in zip(left, pattern, strict=True) if not hit)))
    values |= found


def _part(column: np.ndarray, members: np.ndarray) -> np.ndarray:
    return column if len(members) == len(column) else column[members]


MULTIPLIERS = 234
_ROOM = 2**22  # numbers at once while expressions are evaluated: 32 MB
_LONGEST = 4096


class Starts(NamedTuple):
    """Consistent starts of K members.

    Attributes:
        states: in the order of the equations (K, n); NaN where refused.
        parameters: all values (K,) by name.
        code: 0, or the number of the code with which `Equations.start` refuses the member (K,).
        rows: members that go on with other constraint rows than the equations keep, by the rows.
    """

    states: np.ndarray
    parameters: dict[str, np.ndarray]
    code: np.ndarray
    rows: dict[tuple[int, ...], np.ndarray]


def complete(equations: Equations, given: Inputs, first: int, last: int) -> Starts:
    """The starts of the members from `first` to before `last`; each is what it would be alone, to the last bit."""
    machine = equations.machine
    size = start_checks.cost([*machine.form.sources, *(e for row in machine.metric for e in row), machine.energy])
    block = int(np.clip(_ROOM // size, 16, _LONGEST))
    parts = [_block(equations, given, i, min(i + block, last)) for i in range(first, last, block)]
    rows: dict[tuple[int, ...], list[np.ndarray]] = {}
    for i, part in enumerate(parts):
        for kept, members in part.rows.items():
            rows.setdefault(kept, []).append(members + i * block)
    return Starts(
        np.concatenate([part.states for part in parts]),
        {name: np.concatenate([part.parameters[name] for part in parts]) for name in parts[0].parameters},
        np.concatenate([part.code for part in parts]),
        {kept: np.concatenate(members) for kept, members in rows.items()},
    )


def _block(equations: Equations, given: Inputs, first: int, last: int) -> Starts:
    count = last - first
    code = np.zeros(count, np.uint16)
    values = {k: np.full(count, v) for k, v in equations.system.parameters.items() if v is not None}
    values |= {TIME.name: np.full(count, given.t0), **given.grid.part(first, last)}
    names = [name for name in values if name not in {*equations.states, TIME.name}]
    with np.errstate(all="ignore"):
        start_checks.parameters(equations, values, given.grid.varied, code)
        if given.project:
            rows = _one_by_one(equations, given, values, code)
        else:
            _fill(equations, values, code)
            rows = _laws(equations, values, code, given.grid.total)
    states = np.stack([values[name] for name in equations.states], axis=1)
    states[code != 0] = np.nan
    return Starts(states, {name: values[name] for name in names}, code, rows)


def _laws(
    equations: Equations, values: dict[str, np.ndarray], code: np.ndarray, total: int
) -> dict[tuple[int, ...], np.ndarray]:
    """Write the codes of members that break a law, in a sweep of `total`; returns those that keep other rows."""
    left = np.flatnonzero(code == 0)
    if total >= start_checks.MANY:
        left = left[~start_checks.passed(equations, values, len(code))[left]]
    if not len(left):
        return {}
    part, found = {name: column[left] for name, column in values.items()}, code[left]
    start_checks.embedding(equations, part, found)
    start_checks.constraints(equations, part, found)
    rows = start_checks.check(equations, part, found)
    code[left] = found
    return {kept: left[members] for kept, members in rows.items()}


def _fill(equations: Equations, values: dict[str, np.ndarray], code: np.ndarray) -> None:
    """Positions first, then velocities; multipliers that are states must be given."""
    machine, space = equations.machine, equations.space
    fill([*machine.position.values()], _missing(space.coordinates, values), values, code)
    fill(machine.phi, _missing(space.velocities, values), values, code)
    for name in _missing(equations.states_of_multipliers, values):
        start_checks.refuse(code, np.ones(len(code), bool), MULTIPLIERS)
        values[name] = np.full(len(code), np.nan)


def _missing(symbols: tuple, values: dict[str, np.ndarray]) -> list[str]:
    return [s.name for s in symbols if s.name not in values]


def _one_by_one(
    equations: Equations, given: Inputs, values: dict[str, np.ndarray], code: np.ndarray
) -> dict[tuple[int, ...], np.ndarray]:
    """Starts that are to be moved to the nearest consistent state."""
    states = np.full((len(code), len(equations.states)), np.nan)
    rows: dict[tuple[int, ...], list[int]] = {}
    known = [name for name in values if name not in {*equations.states, TIME.name}]
    for i in np.flatnonzero(code == 0):
        here = {name: float(values[name][i]) for name in known}
        try:
            own = {n: float(values[n][i]) for n in given.states}
            start = one_of_many(equations, own, given.t0, here, given.project)
        except DalembertError as error:
            code[i] = int(error.code[1:])
            continue
        states[i] = start.vector
        kept = equations.rows_at({**start.parameters, **start.state, TIME.name: start.t}).kept
        if kept != equations.kept:
            rows.setdefault(kept, []).append(int(i))
    values |= dict(zip(equations.states, states.T, strict=True))
    return {kept: np.array(members) for kept, members in rows.items()}


def first_of(equations: Equations, given: Inputs, member: int) -> Start:
    """Complete one member by `Equations.start`, so that it speaks for all: its refusal is raised, its doubts are shown.

    Raises:
        DalembertError: with the code of the member.
    """
    values = {name: float(column[0]) for name, column in given.grid.part(member, member + 1).items()}
    parameters = {name: value for name, value in values.items() if name not in equations.states}
    state = {name: values[name] for name in given.states}
    return one_of_many(equations, state, given.t0, parameters, given.project)
