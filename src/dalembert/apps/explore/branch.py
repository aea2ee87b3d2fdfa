"""A branch of steady or periodic motions on a page: each of its rows is a start, and a value of the parameter.

A row y is taken for a steady motion of the page where, by the page's own equations,

    |d/dt y_i| <= 1e-6 (1 + |y|)^2     for all states i of the branch
    sum of lambda^2 as on the branch   where the page has the states of the branch and no others

and for a periodic one where these lead in a period T to where those of the branch do, z_i = phi_T(y)_i:

    |phi_T(y)_i - z_i| <= 1e-6 (1 + |y|)
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ...equations import Equations, Start
from ...errors import DalembertError, InvalidValue, WrongType, as_given
from ...model.system import System
from ...numerics.families import DRIFT, PERIOD
from ...numerics.families.equilibrium_branches import Branch, BranchPoint
from ...numerics.families.orbit_family import Orbits
from ...numerics.node_derivatives import Linearised
from ...numerics.run.simulate import simulate
from ...show.family import changing, pieces
from .scenario import Formed, Scenario

_STANDS, _ROUNDING, _FINE = 1e-6, 1e-14, 1e-12
_WHILE = 5.0  # seconds of a steady motion
_REMEDY = "a page of the system that was continued, with the parameters that it had then: parameters={...}"


def begun(system: System, branch: Branch | Orbits) -> dict[str, object]:
    """The start of the first row; coordinates that the branch does not tell, as those of a symmetry, are 0."""
    space, row = system.space, branch.rows[0]
    turned = {s.name: name for name, a in space.attitudes.items() for s in a.coordinates}
    told = {turned[n] for n in row.state if n in turned}
    start: dict[str, object] = {name: "identity" for name in space.attitudes if name not in told}
    start |= {q.name: 0.0 for q in space.coordinates if q.name not in turned}
    return start | dict(row.state)


def set_by(system: System, branch: Branch | Orbits) -> bool:
    """Is a row reached by a parameter of the system? Else its state alone says which motion it is."""
    return branch.parameter in system.parameters and branch.parameter not in branch.names


def first(branch: Branch | Orbits) -> tuple[float, float, dict[str, object]]:
    """When the first motion begins, how long it is shown, s, and parameters in which it differs from its system."""
    if isinstance(branch, Branch):
        return 0.0, _WHILE, {}
    start = branch.orbit(0).start
    usual = branch.equations.system.parameters
    return start.t, float(branch.periods[0]), {n: v for n, v in start.parameters.items() if usual[n] != v}


def check_names(system: System, branch: object) -> Branch | Orbits:
    """A branch whose parameter and states are those of a system.

    Raises:
        WrongType: E307, no branch.
        InvalidValue: E307, states or a parameter that the system does not have.
    """
    if not isinstance(branch, Branch | Orbits):
        fact = f"a page shows a branch of steady or periodic motions, not {as_given(branch)}"
        raise WrongType("E307", fact, "branch=da.continue_steady(system, ...)")
    own = {s.name for s in (*system.space.coordinates, *system.space.velocities)}
    other = [n for n in branch.names if n not in own and not n.startswith("lam_")]
    if other:
        fact = f"the branch has states that the system of the page has not: {', '.join(other)}"
        raise InvalidValue("E307", fact, _REMEDY)
    if branch.parameter not in {*system.parameters, *system.definitions, *branch.names, *_of_the_whole(branch)}:
        fact = (
            f"the branch goes along {branch.parameter}, which is no parameter, state or definition of the page's system"
        )
        remedy = f'a parameter with a value, or definitions={{"{branch.parameter}": ...}}'
        raise InvalidValue("E307", fact, remedy)
    return branch


def _of_the_whole(branch: Branch | Orbits) -> dict[str, np.ndarray]:
    """What a motion has as a whole, and no state: its period, and how far it drifts in that; (N,) by name."""
    if isinstance(branch, Branch):
        return {}
    return {PERIOD: branch.periods} | {DRIFT + name: c for name, c in branch.drifts.items()}


def check_rows(scene: Scenario, branch: Branch | Orbits) -> None:
    """E307, where no principle of the page has the motions of the branch: its first, middle and last row."""
    rows = sorted({0, len(branch) // 2, len(branch) - 1})
    refused = {f.name: [i for i in rows if not _moves(scene, f, branch, i)] for f in scene.formed}
    if all(refused.values()):
        name, (i, *_) = next(iter(refused.items()))
        at = f"{branch.parameter} = {branch.values[i]:g}"
        kind = "periodic" if isinstance(branch, Orbits) else "steady"
        fact = f"the row at {at} is no such {kind} motion by the {name} equations of the page"
        raise InvalidValue("E307", fact, _REMEDY)


def _moves(scene: Scenario, formed: Formed, branch: Branch | Orbits, i: int) -> bool:
    """Is the row a motion of its kind by these equations?"""
    equations, begin, row = formed.equations, formed.starts[scene.entries[0].name], branch.rows[i]
    if not set(branch.names) <= set(equations.states):
        return False
    parameters = dict(begin.parameters) | ({branch.parameter: row.value} if set_by(scene.system, branch) else {})
    given: dict[str, object] = {n: row.state.get(n, v) for n, v in begin.state.items() if n not in begin.follows}
    try:
        start = equations.start(given, t=begin.t, parameters=parameters, project=None)
        if isinstance(branch, Orbits):
            return _returns(equations, start, branch, i)
        return _stands(equations, start, branch, branch.rows[i])
    except DalembertError:
        return False


def _returns(equations: Equations, start: Start, branch: Orbits, i: int) -> bool:
    """Does it go where the row goes in a period?"""
    orbit, y = branch.orbit(i), branch.states[i]
    until = start.t + orbit.period
    end = simulate(equations, start, until=until, events=orbit.events, rtol=_FINE, walls=orbit.walls)
    apart = [abs(end[n][-1] - orbit.path[n][-1]) for n in branch.names]
    return bool(max(apart) <= _STANDS * (1 + np.abs(y).max()))


def _stands(equations: Equations, start: Start, branch: Branch, row: BranchPoint) -> bool:
    """Is the row a steady motion?"""
    work = Linearised(equations, equations.system.values(start.parameters))
    work.t = start.t
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


def record(system: System, branch: Branch | Orbits) -> Mapping[str, object]:
    """What the page draws of it, as JSON."""
    turned = {s.name for a in system.space.attitudes.values() for s in a.coordinates}
    whole = {n: y.tolist() for n, y in _of_the_whole(branch).items()}
    columns = [name for name in changing(branch) if name not in turned]
    columns = [*(n for n in whole if n != branch.parameter), *(columns or changing(branch))]
    size = _ROUNDING * float(np.abs(branch.states).max(initial=0.0))
    near = [int(np.abs(branch.values - value).argmin()) for _, value in branch.special]
    return {
        "parameter": branch.parameter,
        "sets": set_by(system, branch),
        "values": branch.values.tolist(),
        "states": {name: _cleaned(y, size) for name, y in zip(branch.names, branch.states.T, strict=True)},
        "whole": whole,
        "periods": whole.get(PERIOD),
        "columns": columns,
        "pieces": [[int(part[0]), int(part[-1]), stable] for part, stable in pieces(branch.stable)],
        "special": [[kind, value, i] for (kind, value), i in zip(branch.special, near, strict=True)],
    }
