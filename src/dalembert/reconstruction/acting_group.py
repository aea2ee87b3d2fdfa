"""The group that acts on the states of some equations, as what finds and follows motions up to it takes it.

Its fields on positions and velocities are those of `geometry.action`: delta q = E x, delta u = d/dt x + C u x; on
multipliers that are states those of `geometry.mixing`.
"""

from __future__ import annotations

import numpy as np

from ..calculus.graph import Node
from ..equations import Equations
from ..errors import InvalidValue
from ..geometry.action import Action
from ..geometry.arguments import declared
from ..geometry.mixing import moved_multipliers
from ..geometry.states import ConstraintSampler
from ..numerics.families.group import Group


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
