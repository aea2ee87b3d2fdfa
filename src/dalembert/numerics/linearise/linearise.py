"""The linearised motion about a state, in states that the constraints leave free, with what inputs do to it.

    x' = A x + B w ,   z = C x + D w

x are small changes of independent states of the motion itself, so that no eigenvalue belongs to a constraint. Where the
motion stands still, steadily turns or rests, A says what becomes of them; about another state it is the slope at that
instant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from ...calculus.frame import TIME
from ...equations import Equations
from ...equations.complete import state_of
from ...equations.contacts import refuse_contacts
from ...equations.steering import driven_in, with_inputs
from ...given import kind, overriding, public
from ...trajectory import Trajectory
from ..contacts.change import in_its_mode
from ..steady import Steady
from .along import LinearAlong
from .linear import Linear
from .tangent import Tangent


@public
def linearise(
    equations: Equations,
    at: object,
    *,
    inputs: Mapping[str, float | str] | None = None,
    parameters: Mapping[str, object] | None = None,
    outputs: str | Sequence[str] | None = None,
) -> Linear | LinearAlong:
    """The linearised motion about a state, or along a path.

    Args:
        equations: from a principle.
        at: a `Start` or what it is completed from, a row ``path.at(5.0)``, a `Steady` motion; or a whole path.
        inputs: values of the inputs there, each a number; along a path and at a row of one they are those of the path.
        parameters: values that replace those of the start.
        outputs: names of states, or expressions in states, inputs and parameters; by default the model's own states.

    Returns:
        A `Linear` model. Its states are those that were given at the start, where they determine the others, or else
        such that do. Along a path a `LinearAlong`: the same as a function of time, its states the same at all times.

    Raises:
        DalembertError: those of `Equations.start`, E231 and E232 where the state is not on the constraints.
        InvalidValue: E139, contacts along a path, or at a state where their mode changes; E319, a force has a kink
            there.
        InvalidValue: E187, an input stands in a constraint or in the momenta, where its rate counts too.
        Singular: E401, E402 a slope is not finite there.
    """
    equations = kind(Equations, equations, "linearise")
    if isinstance(at, Trajectory):
        refuse_contacts(equations, "along a path linearise is of motions in one mode")
        return _along(equations, at, with_inputs(equations, parameters, inputs), outputs)
    known = with_inputs(equations, parameters, inputs, at)
    state = state_of(equations, at.state if isinstance(at, Steady) else at, known)
    given = state.given
    if equations.system.contacts:
        equations, state = in_its_mode(equations, state, "linearise about")
    values = {**state.parameters, **state.state, TIME.name: state.t}
    return Tangent.of(equations, values, given, outputs).at(values)


def _along(
    equations: Equations, path: Trajectory, parameters: Mapping[str, object] | None, outputs: str | Sequence[str] | None
) -> LinearAlong:
    """Along a path, whose columns say what the inputs are."""
    row = path.at(float(path.t[0]))
    driven = driven_in(equations, row)
    own = overriding(parameters)
    state = state_of(equations, row, {**driven, **own})
    constants = {n: v for n, v in state.parameters.items() if n not in driven or n in own}
    tangent = Tangent.of(equations, {**state.parameters, **state.state, TIME.name: state.t}, state.given, outputs)
    moving = [name for name in (*equations.states, *driven) if name not in constants]

    def values(t: np.ndarray) -> dict[str, ArrayLike]:
        found = path.at(t)
        return {**constants, **{name: np.asarray(found[name], float) for name in moving}, TIME.name: t}

    return LinearAlong(np.array(path.t), tangent, values)
