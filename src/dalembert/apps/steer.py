"""`steer` for users: a system or equations, the inputs that are to be found, two ends, a cost and bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import sympy as sp

from ..argument_checks import public, whole
from ..equations import Equations
from ..equations.code.for_casadi import library
from ..equations.contact_modes import refuse_contacts
from ..errors import InvalidValue, WrongType, as_given
from ..geometry.examination import examine
from ..model.system import System
from ..numerics.manoeuvre.manoeuvre import Manoeuvre, Options, search
from ..numerics.manoeuvre.problem import asked, check_cost, staying
from ..principles.nonholonomic import nonholonomic

ORDERS = (2, 4, 6, 8)


@public
def steer(
    system: System | Equations,
    inputs: str | Sequence[str],
    start: object,
    end: object,
    *,
    until: float | str | None = None,
    cost: str | sp.Expr | float | None = None,
    bounds: Mapping[str | sp.Expr, tuple[object, object]] | None = None,
    parameters: Mapping[str, object] | None = None,
    kind: str | None = None,
    **options: object,
) -> Manoeuvre:
    """Inputs that lead a system from one state to another at least cost, and the run that they really make.

    Found by collocation of the equations of motion at Gauss points, in the speeds that the constraints leave free
    [hairer2006 (II.1.3)], with derivatives of all functions, by Ipopt [wachter2006]; then run by `simulate`, which
    tells how far the answer is true. What is found is a least value near a first guess, not of all that there may be.

    Args:
        system: a system, whose nonholonomic equations are taken, or equations whose multipliers are no states.
        inputs: names of the system's inputs that are to be found, ``"tau_l tau_r"``; the others are numbers among the
            parameters.
        start: coordinates at the first time by name, rotations by their own; velocities given here too are held, those
            left out are found. ``"t"`` is the first time, 0 unless it is given. A `Start` holds them all.
        end: coordinates, rotations and velocities at the last time; what is left out is free. ``"t"`` is the last time.
        until: the last time, instead. Where neither says it, it is found within ``bounds={"t": (1.0, 10.0)}``.
        cost: what is integrated over the time, an expression or text in t, states, inputs and parameters; by default
            the sum of the squares of the inputs. ``1`` asks for the least time.
        bounds: ``{"x": (0, 2), "tau_l": (-1, 1), "x^2 + y^2": (1, None)}``, ranges of inputs, states and expressions,
            in base SI or with units; held at all points of the collocation.
        parameters: values that replace the system's.
        kind: of the tables, as of `da.inputs.tabulated`; ``"linear"`` by default.
        options: ``steps=40`` of the mesh, which are doubled and doubled again where the run misses the end; ``order=6``
            of the collocation (2, 4, 6 or 8); ``tries=3`` first guesses, the first one straight and the others bent at
            random by ``seed=0``, of which the cheapest answer is taken; ``iterations=500`` of Ipopt from each.

    Returns:
        A `Manoeuvre`: tables of inputs, the path that they make, and by how much it misses the end.

    Raises:
        DalembertError: E181, E182 inputs, E180 one without a value; E330 names at the ends, E332 ends that contradict a
            constraint, E333 times, E340 options and bounds, E341 bounds that contradict each other or the ends, E342
            nothing was found, E343 a cost that falls without end, E801 without CasADi
            (``pip install 'dalembert[steer]'``).
    """
    library()  # or a refusal
    equations = _equations(system)
    how = _options(options)
    made = asked(
        equations, inputs, (start, end), until=until, cost=cost, bounds=bounds, parameters=parameters, kind=kind
    )
    check_cost(made)
    return search(staying(made, [integral.expression for integral in examine(equations.system).integrals]), how)


def _equations(given: object) -> Equations:
    """The equations that are meant (E307)."""
    if isinstance(given, System):
        given = nonholonomic(given)
    if not isinstance(given, Equations):
        raise WrongType("E307", f"steer needs a system or equations, not {as_given(given)}", "da.nonholonomic(system)")
    if given.states_of_multipliers:
        fact = f"{given.principle} motions have multipliers as states, which no input steers"
        raise InvalidValue("E340", fact, "da.nonholonomic(system); da.two_point finds vakonomic motions between ends")
    refuse_contacts(given, "steer finds motions in one mode")
    return given


def _options(given: Mapping[str, object]) -> Options:
    """How it is sought (E340)."""
    known: dict[str, object] = {"steps": 40, "order": 6, "tries": 3, "seed": 0, "iterations": 500}
    for name in given:
        if name not in known:
            raise WrongType("E307", f"steer has no argument {as_given(name)}", f"it has {', '.join(known)}")
    found = {**known, **given}
    order = whole(found["order"], "order", "E340", least=2, most=8)
    if order not in ORDERS:
        raise InvalidValue("E340", f"order = {order} is odd: Gauss methods have even orders", "order=6")
    return Options(
        whole(found["steps"], "steps", "E340", least=4, most=2000),
        order,
        whole(found["tries"], "tries", "E340", least=1, most=1000),
        whole(found["seed"], "seed", "E340", least=0),
        whole(found["iterations"], "iterations", "E340", least=1),
    )
