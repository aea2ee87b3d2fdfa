"""Systems from `sympy.physics.mechanics`: its methods' objects, or what one would give them.

Names are kept: dynamicsymbols("x") becomes the coordinate x, the generalised speed u1(t) the velocity u1. Text is
refused: SymPy's own classes would evaluate it.

Generalised speeds become velocities of a moving frame, qdot = E u. Where the velocity of a body does not follow from
the coordinates (a rolling condition was put into it, as is usual with Kane's method), the missing coordinates and their
constraints are added; under da.nonholonomic the motion is that of Kane's equations [kane1985]. Gravity stays a force
where it was given as a load. Constraints on velocities that only repeat a configuration constraint are left out.
Acceleration constraints are not read: they follow from the velocity constraints.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from ...argument_checks import public
from ...calculus.budget import GIBIBYTES, SECONDS, budget
from ...errors import InvalidValue, WrongType, as_given, kind_of
from ..system import System
from . import kane, lagrange

__all__ = ["from_sympy"]
_KANE = ("q_dependent", "configuration_constraints", "u_dependent", "velocity_constraints", "u_auxiliary")
_GOES_WITH = {  # of what describes a system only beside the one or the other
    "a LagrangesMethod": ("velocities",),
    "a KanesMethod": ("bodies", "forcelist"),
    "a frame": ("qs", "u_ind", "kd_eqs", "forcelist", "bodies", *_KANE),
    "a Lagrangian": ("qs", "hol_coneqs", "nonhol_coneqs", "forcelist", "frame", "velocities"),
}


@public
def from_sympy(
    given: Any,
    qs: Any = None,
    u_ind: Any = None,
    kd_eqs: Any = None,
    *,
    hol_coneqs: Any = None,
    nonhol_coneqs: Any = None,
    frame: Any = None,
    forcelist: Any = None,
    bodies: Any = None,
    names: Sequence[str] = (),
    velocities: Any = None,
    specified: Mapping[Any, Any] | None = None,
    parameters: Mapping[Any, Any] | None = None,
    **options: Any,
) -> System:
    """The system that SymPy's objects describe; what is kept and what is added, see the head of this module.

    Args:
        given: a `LagrangesMethod`, a `KanesMethod`, a `JointsMethod` or `System` of SymPy that has formed its
            equations, a Lagrangian in dynamicsymbols, or the inertial `ReferenceFrame` for inputs of Kane's method.
        qs: coordinates, with a Lagrangian; independent coordinates, with a frame.
        u_ind, kd_eqs: speeds and kinematic equations, with a frame, as for `KanesMethod`.
        hol_coneqs, nonhol_coneqs: constraints on positions and on velocities, with a Lagrangian.
        frame: the inertial frame of `forcelist`, with a Lagrangian.
        forcelist: pairs (Point, force) and (ReferenceFrame, torque); with a `KanesMethod` in place of its own.
        bodies: particles and rigid bodies, with a frame; with a `KanesMethod` in place of its own.
        names: names of the constraints in order; by default c1, c2, ..., as SymPy numbers its multipliers.
        velocities: names of the velocities, with a Lagrangian; by default v before the coordinate's name.
        specified: ``{f(t): expression in t}`` for functions of time that are no coordinates.
        parameters: values by name, as for `System`. SymPy's objects hold none.
        options: the other inputs of `KanesMethod` (q_dependent, configuration_constraints, u_dependent,
            velocity_constraints, u_auxiliary), and arguments of `System`.

    Raises:
        WrongType: E101, E127, E718 for things of the wrong kind, text among them.
        DalembertError: E307 an argument that says nothing beside what is given, E104 a function of time that is not
            known, E118 a velocity in a holonomic constraint, E140 a
            speed or an attitude that no coordinate belongs to, E720 another t than SymPy's, and all of `System`.
    """
    inputs = {name: options.pop(name) for name in _KANE if name in options}
    options |= {"parameters": parameters}
    rows = lagrange.LagrangianRows(hol_coneqs, nonhol_coneqs, forcelist, frame)
    beside = {"qs": qs, "u_ind": u_ind, "kd_eqs": kd_eqs, "bodies": bodies, "velocities": velocities, **inputs}
    beside |= {"hol_coneqs": hol_coneqs, "nonhol_coneqs": nonhol_coneqs, "frame": frame, "forcelist": forcelist}
    with budget("reading SymPy's system", "give a smaller one", {"seconds": SECONDS, "gibibytes": GIBIBYTES}):
        task, given = _method(given)
        _check_beside(task, beside)
        if task == "a LagrangesMethod":
            return lagrange.of_method(given, names, velocities, specified, options)
        if task == "a KanesMethod":
            return kane.of_method(given, bodies, forcelist, names, specified, options)
        if task == "a frame":
            inputs |= {"kd_eqs": kd_eqs, "bodies": bodies, "forcelist": forcelist}
            return kane.of_inputs(given, qs, u_ind, inputs, names, specified, options)
        return lagrange.of_lagrangian(given, qs, rows, names, velocities, specified, options)


def _check_beside(task: str, given: Mapping[str, object]) -> None:
    """E307: an argument that says nothing beside what the system is taken from."""
    for name, value in given.items():
        if value is not None and name not in _GOES_WITH[task]:
            others = " or ".join(kind for kind, names in _GOES_WITH.items() if name in names)
            raise InvalidValue("E307", f"{name} is read beside {others}, not beside {task}", f"leave {name} out")
    if given["frame"] is not None and given["forcelist"] is None:
        raise InvalidValue("E307", "frame is that of forcelist, and there is none", "leave frame out")


def _foreign(given: object) -> WrongType:
    """What is neither a method of SymPy nor an expression."""
    if isinstance(given, str):
        return WrongType("E718", f"{as_given(given)} is text", "build the Lagrangian from dynamicsymbols")
    return WrongType(
        "E101",
        f"{kind_of(given)} is nothing that a system can be taken from",
        "give a LagrangesMethod, a KanesMethod, a Lagrangian with its coordinates, or a frame with Kane's inputs",
    )


def _method(given: object) -> tuple[str, Any]:
    """What a system is taken from, as `_GOES_WITH` calls it; of an object that holds its method, that."""
    from sympy.physics import mechanics as m

    if isinstance(given, m.JointsMethod | m.System):
        method = given.method if isinstance(given, m.JointsMethod) else given.eom_method
        if method is None:
            raise WrongType("E101", f"this {kind_of(given)} has not formed its equations", "call form_eoms() first")
        return _method(method)
    kinds = {"a LagrangesMethod": m.LagrangesMethod, "a KanesMethod": m.KanesMethod, "a frame": m.ReferenceFrame}
    for name, kind in {**kinds, "a Lagrangian": sp.Expr}.items():
        if isinstance(given, kind):
            return name, given
    raise _foreign(given)
