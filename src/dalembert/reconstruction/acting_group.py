"""The group that acts on the states of some equations, as what finds and follows motions up to it takes it.

Its fields on positions and velocities are those of `geometry.action`: delta q = E x, delta u = d/dt x + C u x; on
multipliers that are states those of `geometry.mixing`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..calculus.graph import Node, evaluate
from ..calculus.linear_systems import dot, solve
from ..equations import Equations
from ..errors import InvalidValue
from ..geometry.generators import declared
from ..geometry.group_action import Action
from ..geometry.random_states import ConstraintSampler
from ..numerics.families.relative_periodic_orbits import Group

_SAME = 1e-9  # parts of the largest: entries so near are one constant


def group_of(equations: Equations, symmetry: object) -> Group:
    """Generators as fields on the states of some equations.

    Args:
        equations: from a principle.
        symmetry: generators as for `System`, or True for those that the system declares.

    Raises:
        InvalidValue: E125 no generators; E122, E123 they are no symmetry, or no algebra; E335, multipliers
            are states, and how it moves them is not known.
    """
    system = equations.system
    generators = declared(system, None if symmetry is True else symmetry, "periodic")
    if not generators:
        raise InvalidValue("E125", "the system declares no symmetry", 'name one: symmetry="x y", or generators')
    action = Action(ConstraintSampler(system), generators)
    action.check()
    fields, lam = list[list[Node]](), [s.name for s in equations.states_of_multipliers]
    for x in action.fields:
        dq, du = action.shift(x)
        fields.append([*dq, *du, *(moved_multipliers(action, x, lam) if lam else ())])
    angles = np.array([name in system.angles for name in equations.states])
    return Group([g.name for g in generators], list(equations.states), fields, angles)


# --- how symmetries mix constraints, and move multipliers with them ---------------------------------------------------

# A symmetry leaves the constraints as they are where they hold, so that of constraints linear in velocities it makes
# combinations; and it leaves the Lagrangian with multipliers as it is if these move the other way:
#
#     X phi_i = A_i^j phi_j ,     0 = X (lam_i phi^i)  for  delta lam_j = -lam_i A_i^j


def moved_multipliers(action: Action, x: Sequence[Node], names: Sequence[str]) -> list[Node]:
    """delta lam of the multipliers with these names, one for each constraint.

    Raises:
        InvalidValue: E335, a constraint is not linear in velocities, or the constraints depend on each other.
    """
    graph = action.sampler.graph
    lam = [graph.symbol(name) for name in names]
    A = mixing(action, x)
    # delta lam_j = -lam_i A_i^j
    return [-dot(lam, column) for column in zip(*A, strict=True)]


def mixing(action: Action, x: Sequence[Node]) -> list[list[Node]]:
    """A_i^j with X phi_i = A_i^j phi_j, of constraints that are linear in velocities (E335 else)."""
    sampler = action.sampler
    N, moved = sampler.normals, action.moved(x, sampler.phi)
    slopes = [list(row) for row in sampler.algebra.slopes(moved, sampler.motion.u)]
    if any(c.kind == "nonlinear" for c in sampler.constraints):
        raise _unknown("a constraint is not linear in velocities")
    # A N N^T = d(X phi)/du N^T
    G, right = ([[dot(a, b) for b in N] for a in rows] for rows in (N, slopes))
    if all(e.is_zero for row in right for e in row):
        return right
    found = [np.array(evaluate([e for rows in (G, right) for row in rows for e in row], v)) for v in action.states]
    pairs = [numbers.reshape(2, len(N), len(N)) for numbers in found]
    if min(np.linalg.cond(g) for g, _ in pairs) > 1 / _SAME:
        raise _unknown("the constraints depend on each other")
    values = np.array([np.linalg.solve(g, r.T).T for g, r in pairs])
    if np.ptp(values, axis=0).max() <= _SAME * np.abs(values).max():
        constant = np.where(np.abs(values[0]) > _SAME * np.abs(values).max(), values.mean(axis=0), 0.0)
        return [[sampler.graph.constant(float(e)) for e in row] for row in constant]
    transposed = solve(G, [list(row) for row in zip(*right, strict=True)], action.states[0])
    return [list(row) for row in zip(*transposed, strict=True)]


def _unknown(why: str) -> InvalidValue:
    fact = f"multipliers are states here, and {why}: how a group moves them is not known"
    return InvalidValue("E335", fact, "da.periodic of da.vakonomic(da.symmetry.quotient(system).system)")
