"""A branch of steady motions on a page: each of its rows is a start, and a value of the parameter.

A row y is taken for a motion of the page where, by the page's own equations,

    |d/dt y_i| <= 1e-6 (1 + |y|)^2     for all states i of the branch
    sum of lambda^2 as on the branch   where the page has the states of the branch and no others
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...errors import DalembertError, InvalidValue, WrongType, as_given
from ...model.system import System
from ...numerics.families.branch import Branch, Row
from ...numerics.linearised import Linearised
from ...show.family import changing, pieces
from .scenario import Formed, Scenario

_STANDS, _ROUNDING = 1e-6, 1e-14
_REMEDY = "a page of the system that was continued, with the parameters that it had then: parameters={...}"


def begun(system: System, branch: Branch) -> dict[str, object]:
    """The start of the first row; coordinates that the branch does not tell, as those of a symmetry, are 0."""
    space, row = system.space, branch.rows[0]
    turned = {s.name: name for name, a in space.attitudes.items() for s in a.coordinates}
    told = {turned[n] for n in row.state if n in turned}
    start: dict[str, object] = {name: "identity" for name in space.attitudes if name not in told}
    start |= {q.name: 0.0 for q in space.coordinates if q.name not in turned}
    return start | dict(row.state)


def set_by(system: System, branch: Branch) -> bool:
    """Is a row reached by a parameter of the system? Else its state alone says which motion it is."""
    return branch.parameter in system.parameters and branch.parameter not in branch.names


def check_names(system: System, branch: object) -> Branch:
    """A branch whose parameter and states are those of a system.

    Raises:
        WrongType: E307, no branch.
        InvalidValue: E307, states or a parameter that the system does not have.
    """
    if not isinstance(branch, Branch):
        fact = f"a page shows a branch of steady motions, not {as_given(branch)}"
        raise WrongType("E307", fact, "branch=da.continue_steady(system, ...)")
    own = {s.name for s in (*system.space.coordinates, *system.space.velocities)}
    other = [n for n in branch.names if n not in own and not n.startswith("lam_")]
    if other:
        fact = f"the branch has states that the system of the page has not: {', '.join(other)}"
        raise InvalidValue("E307", fact, _REMEDY)
    if branch.parameter not in {*system.parameters, *system.definitions, *branch.names}:
        fact = (
            f"the branch goes along {branch.parameter}, which is no parameter, state or definition of the page's system"
        )
        remedy = f'a parameter with a value, or definitions={{"{branch.parameter}": ...}}'
        raise InvalidValue("E307", fact, remedy)
    return branch


def check_rows(scene: Scenario, branch: Branch) -> None:
    """E307, where no principle of the page has the motions of the branch: its first, middle and last row."""
    rows = [branch.rows[i] for i in sorted({0, len(branch) // 2, len(branch) - 1})]
    refused = {f.name: [row for row in rows if not _moves(scene, f, branch, row)] for f in scene.formed}
    if all(refused.values()):
        name, (row, *_) = next(iter(refused.items()))
        at = f"{branch.parameter} = {row.value:g}"
        fact = f"the row at {at} is no such steady motion by the {name} equations of the page"
        raise InvalidValue("E307", fact, _REMEDY)


def _moves(scene: Scenario, formed: Formed, branch: Branch, row: Row) -> bool:
    """Is the row a steady motion by these equations?"""
    equations, begin = formed.equations, formed.starts[scene.entries[0].name]
    if not set(branch.names) <= set(equations.states):
        return False
    parameters = dict(begin.parameters) | ({branch.parameter: row.value} if set_by(scene.system, branch) else {})
    given: dict[str, object] = {n: row.state.get(n, v) for n, v in begin.state.items() if n not in begin.follows}
    try:
        start = equations.start(t=begin.t, parameters=parameters, project=None, **given)
    except DalembertError:
        return False
    work = Linearised(equations, equations.system.values(parameters))
    work.t = begin.t
    y = np.array([start.state[n] for n in work.names])
    rates = dict(zip(work.names, np.abs(work.residual(y)), strict=False))
    at = np.array([row.state[n] for n in branch.names])
    if not max(rates[n] for n in branch.names) <= _STANDS * (1 + np.abs(at).max()) ** 2:
        return False
    return set(branch.names) != set(work.names) or _alike(work.eigenvalues(y), row.eigenvalues)


def _alike(found: np.ndarray, told: np.ndarray) -> bool:
    """Sums of squares, which do not care for the order, nor for how well eigenvalues that coincide are known."""
    size = float(np.sum(np.abs(told) ** 2))
    return len(found) == len(told) and bool(abs(np.sum(found**2) - np.sum(told**2)) <= _STANDS * (1 + size))


def _cleaned(y: np.ndarray, size: float) -> list[float]:
    """A column in which rounding is 0."""
    return list(np.where(np.abs(y) < size, 0.0, y).tolist())


def record(system: System, branch: Branch) -> Mapping[str, object]:
    """What the page draws of it, as JSON."""
    turned = {s.name for a in system.space.attitudes.values() for s in a.coordinates}
    columns = [name for name in changing(branch) if name not in turned]
    size = _ROUNDING * float(np.abs(branch.states).max(initial=0.0))
    near = [int(np.abs(branch.values - value).argmin()) for _, value in branch.special]
    return {
        "parameter": branch.parameter,
        "sets": set_by(system, branch),
        "values": branch.values.tolist(),
        "states": {name: _cleaned(y, size) for name, y in zip(branch.names, branch.states.T, strict=True)},
        "columns": columns or list(changing(branch)),
        "pieces": [[int(part[0]), int(part[-1]), stable] for part, stable in pieces(branch.stable)],
        "special": [[kind, value, i] for (kind, value), i in zip(branch.special, near, strict=True)],
    }
