"""Constraints realised by strong forces: System -> System, to be run like any other and compared with the constraint.

    viscous    a force -d/du^a (c/2 |phi|^2) in place of phi = 0;  c -> infinity: the nonholonomic motion
    inertial   L + M/2 |phi|^2 in place of L and phi = 0;          M -> infinity: the vakonomic motion

[kozlov1992] has both limits. The reaction lam_s of the nonholonomic motion is what -c phi^s tends to. The inertial
motion solves EL_a(L - lam_s phi^s) = Q_a with lam_s = -M phi^s, so a start on the constraint selects lam(0) = 0, and
lam(0) = lam0 needs the slip phi^s = -lam0_s/M.
"""

from __future__ import annotations

import copy
import itertools
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sympy as sp

from ..argument_checks import kind, public
from ..argument_checks import names as names_of
from ..calculus.frame import TIME
from ..calculus.quantity import number
from ..errors import DalembertWarning, InvalidValue, Note, UnknownName, as_given, did_you_mean
from ..model.constraint import Constraint
from ..model.force import Force, applied
from ..model.names import check_name
from ..model.system import System

CREEP = "{names}: given on positions; its rate df/dt is what is penalised, the position itself is not held"


@public
def viscous(system: System, strength: object, only: str | Sequence[str] | None = None) -> System:
    """The system with constraints replaced by viscous forces: Q_a -= c phi^s dphi^s/du^a.

    Args:
        system: the given system.
        strength: c > 0, in the unit of a power over that of phi^2: a number, or the name or symbol of a parameter
            whose value comes later. The new system has it among its parameters, a number under the name ``strength``.
        only: names of the constraints to replace; all by default. The others stay imposed.

    Returns:
        A `System`. Of a constraint given on positions, f = 0, the rate phi = df/dt is penalised: f itself creeps, by
        an amount that tends to 0 like 1/c over a given time.

    Raises:
        InvalidValue: E110 no constraint to replace, E205 a strength that is not positive, E103 a name that is taken.
        UnknownName: E104, no such constraint.
    """
    chosen = _chosen(system, only)
    c, parameters = _strength(system, strength)
    # Q_a = -d/du^a (c/2 |phi|^2) = -c phi^s dphi^s/du^a
    phi = [constraint.phi for constraint in chosen]
    law = applied(phi, [-c * p for p in phi], "viscous realisation")
    return _realised(system, chosen, "viscous forces", forces=[*_laws(system), law], parameters=parameters)


@public
def inertial(system: System, strength: object, only: str | Sequence[str] | None = None) -> System:
    """The system with constraints replaced by a large inertia against breaking them: L + M/2 |phi|^2.

    Args:
        system: the given system.
        strength: M > 0, in the unit of an energy over that of phi^2: a number, or the name or symbol of a parameter
            whose value comes later. The new system has it among its parameters, a number under the name ``strength``.
        only: names of the constraints to replace; all by default. The others stay imposed.

    Returns:
        A `System`. Of a constraint given on positions, f = 0, the rate phi = df/dt is penalised: f stays within 1/M of
        its start over a given time.

    Raises:
        InvalidValue: E110 no constraint to replace, E205 a strength that is not positive, E103 a name that is taken.
        UnknownName: E104, no such constraint.
    """
    chosen = _chosen(system, only)
    M, parameters = _strength(system, strength)
    # L + M/2 |phi|^2
    L = system.lagrangian + M / 2 * sum((c.phi**2 for c in chosen), sp.S.Zero)
    return _realised(system, chosen, "inertia", lagrangian=L, parameters=parameters)


def _strength(system: System, given: object) -> tuple[sp.Symbol, dict[str, Any]]:
    """The strength's symbol, and the parameters of the new system.

    A number becomes a parameter too: SymPy would multiply it out, and c phi, a large number times a small difference,
    would be rounded differently in each row, which costs stiff steps.
    """
    taken = {*system.space.by_name, *system.symbols, *system.stated, *system.definitions, *system.inputs, TIME.name}
    if isinstance(given, str | sp.Symbol):
        name, value = check_name(str(getattr(given, "name", given)), "a parameter"), None
        if name in taken:
            raise InvalidValue(
                "E103", f"the strength cannot be called {as_given(name)}: the name is taken", "choose another"
            )
    else:
        name, value = next(n for n in _names() if n not in taken), number(given, "strength")
        if value <= 0:
            raise InvalidValue("E205", f"strength = {value:g} must be positive", "for example 1e4, or a name")
    return sp.Symbol(name, positive=True), {**system.stated, name: value}


def _names() -> Iterator[str]:
    """strength, strength_2, strength_3, ..."""
    yield "strength"
    yield from (f"strength_{i}" for i in itertools.count(2))


def _chosen(system: System, only: str | Sequence[str] | None) -> tuple[Constraint, ...]:
    """The constraints to replace, in the system's order."""
    kind(System, system, "a penalty")
    known = {c.name: c for c in system.constraints}
    names = list(known) if only is None else list(names_of(only, "only", "E104", some=False))
    for name in names:
        if name not in known:
            raise UnknownName("E104", f"there is no constraint {as_given(name)}", did_you_mean(name, known))
    if not names:
        raise InvalidValue("E110", "there is no constraint to replace by a force", "use da.free(system)")
    return tuple(c for c in system.constraints if c.name in names)


def _laws(system: System) -> list[Any]:
    """The forces as given; a plain list of components by velocity, so that a law can be added."""
    if all(isinstance(law, Force | Mapping) for law in system.laws):
        return list(system.laws)
    return [dict(zip(system.space.velocities, system.forces, strict=True))]


def _realised(system: System, chosen: Sequence[Constraint], by: str, **changes: Any) -> System:
    """The changed system without the chosen constraints, with a note that says so."""
    names = ", ".join(c.name for c in chosen)
    left = {c.name: c.given for c in system.constraints if c not in chosen}
    with warnings.catch_warnings():  # shown when the system was made; they stay among the notes
        warnings.simplefilter("ignore", DalembertWarning)
        new = system.changed(constraints=left, title=f"{system.title or 'System'}, {names} by {by}", **changes)
    notes = [Note("N140", f"{names}: not imposed, realised by {by}")]
    on_positions = ", ".join(c.name for c in chosen if c.holonomic)
    notes += [Note("N145", CREEP.format(names=on_positions))] if on_positions else []
    noted = copy.copy(new)
    object.__setattr__(noted, "notes", (*new.notes, *notes))
    return noted
