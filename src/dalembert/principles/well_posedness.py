"""Does a system determine a motion? Decided at random states, before any equation is handed out.

Ranks are those of floating-point matrices at random states on the constraints with the parameters' values (random
positive ones where none is given); a rank that holds at the states tried holds almost everywhere, since all entries are
analytic.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ..calculus.numerical_rank import RANK_TOLERANCE
from ..equations import Form, Numbers
from ..equations.determinacy import keeps_digits, not_positive, positive, shown, spectrum
from ..errors import InvalidValue, Note, Singular, WrongType, kind_of, warn
from ..errors.remedies import Code, Option
from ..geometry.constraint_rank import Ranks, equivalent_in_force, ranks, without_energy
from ..model.system import System
from .saddle import saddle

BADLY_SCALED = 1e16
_ALL = "write L with all velocities and let the constraint act"


class WellPosed(NamedTuple):
    """A system that was seen to determine a motion, and what was found on the way.

    Attributes:
        system: the system, its equivalent constraints in force if it has any.
        kept: positions of independent constraint rows.
        definite: was W positive definite wherever it was tried?
        straight: and did elimination without choice of pivots keep the digits there, of reactions alone and where
            multipliers are states?
        early, late: remarks made on the way, before and after those of the examination.
        examined: is there an examination of the constraints to be remarked upon?
        states: where the constraints hold, if some rows follow from others.
    """

    system: System
    kept: tuple[int, ...]
    definite: bool
    straight: tuple[bool, bool]
    early: tuple[Note, ...]
    examined: bool = False
    late: tuple[Note, ...] = ()
    states: tuple[Mapping[str, float], ...] = ()


def remarks(decided: WellPosed, *more: Note) -> tuple[Note, ...]:
    """All remarks on a system; its constraints are looked at here, when somebody asks, with little work."""
    found = _findings(decided.system) if decided.examined else ()
    return (*decided.system.notes, *decided.early, *found, *decided.late, *more)


def well_posed(system: System, constrained: bool = True) -> WellPosed:
    """Check the system, refuse what determines no motion, and choose independent constraint rows.

    Raises:
        InvalidValue: E106 no kinetic energy, E111 contradictory constraints, E112 a constrained velocity without
            kinetic energy, E114 no motion left, E103 a name that a multiplier needs.
        Singular: E107 accelerations undetermined.
    """
    if not isinstance(system, System):
        held = isinstance(getattr(system, "system", None), System)  # of a reduction, or of equations
        remedy = "its .system: da.nonholonomic(reduction.system)" if held else "da.System(space=..., ...)"
        raise WrongType("E101", f"a principle needs a System, not {kind_of(system)}", remedy)
    system = equivalent_in_force(system) if constrained else system
    _check_kinetic_energy(system, constrained)
    _check_multiplier_names(system)
    constraints = system.constraints if constrained else ()
    decided = ranks(system, constraints)
    notes = (*_rank_notes(system, decided), *_symmetry_notes(system))
    form = saddle(system, system.lagrangian, constraints, system.algebra)
    samples = _samples(form, decided)
    if samples is None:
        unchecked = Note("W150", "no random state gave finite numbers: ranks unchecked")
        return WellPosed(system, tuple(range(len(constraints))), False, (False, False), (unchecked,))
    definite = positive(samples.W, RANK_TOLERANCE)
    if not definite:  # else every velocity carries energy, whatever the constraints allow and the parameters are
        _check_determined(system, samples, decided.kept)
        _refuse_without_energy(without_energy(system, decided))
    straight = keeps_digits(samples.rows(list(decided.kept))) if definite else (False, False)
    late = (*_scaling_notes(samples.W), *_massless_notes(system, samples.W))
    states = decided.states if decided.held and len(decided.kept) < len(constraints) else ()
    return WellPosed(system, decided.kept, definite, straight, notes, constrained, late, states)


def _samples(form: Form, decided: Ranks) -> Numbers | None:
    """W, N, f, g at those of the states at which all are finite, (states, ...); None where there is none."""
    if not decided.states:
        return None
    numbers = Numbers.at(form, decided.states, decided.normals)
    parts = (numbers.W, numbers.N, numbers.f, numbers.g)
    known = np.all([np.isfinite(a).reshape(len(a), -1).all(axis=1) for a in parts], axis=0)
    return numbers if known.all() else Numbers(*(a[known] for a in parts)) if known.any() else None


def _check_kinetic_energy(system: System, constrained: bool) -> None:
    velocities = system.space.velocities
    names = system.names_in([system.lagrangian])
    present = {u for u in velocities if u.name in names}
    if not present:
        raise InvalidValue(
            "E106",
            "L holds no velocity: no kinetic energy, accelerations undetermined",
            "L = T - V",
            subject=("lagrangian",),
        )
    light = [u for u in velocities if u not in present and u not in system.massless]
    for c in system.constraints if constrained else ():
        for u in light:
            if not c.holonomic and c.given.has(u):
                raise InvalidValue(
                    "E112",
                    f"{u} is constrained by {c.name} but carries no kinetic energy: was the constraint put into L?",
                    (f"{_ALL}; or say ", Option("massless", [str(u)])),
                    subject=("constraints", c.name),
                )


def _check_multiplier_names(system: System) -> None:
    taken = {*system.space.by_name, *system.symbols}
    for s in (c.multiplier for c in system.constraints):
        if s.name in taken:
            raise InvalidValue(
                "E103",
                f"{s.name} is needed for the multiplier of a constraint",
                "rename the coordinate or parameter",
                subject=("parameters" if s.name in system.symbols else "coordinates", s.name),
            )


def _symmetry_notes(system: System) -> tuple[Note, ...]:
    """W122: a symmetry that was declared, and is none, with what is to be done about it."""
    if not system.symmetry:
        return ()
    from ..geometry.group_action import refuted

    wrong = refuted(system)
    if wrong is None:
        return ()
    do = "; ".join(wrong.remedy.splitlines())
    return (warn("W122", f"the declared symmetry is none: {wrong.fact}" + (f": {do}" if do else ""), 5),)


def _rank_notes(system: System, decided: Ranks) -> tuple[Note, ...]:
    """Refuse constraints that contradict each other or leave no motion; W113, W121 where they depend on each other."""
    names, m = ", ".join(c.name for c in decided.constraints), len(decided.constraints)
    if decided.contradictory:
        guilty = ", ".join(decided.contradictory)
        alone = len(decided.contradictory) == 1
        what = "constraint {} cannot be satisfied" if alone else "constraints {} contradict each other"
        found = "no state was found that satisfies " + ("it" if alone else "them")
        subject = ("constraints", decided.contradictory[0])
        raise InvalidValue(
            "E111", f"the {what.format(guilty)}: {found}", "remove or correct one of them", subject=subject
        )
    if decided.rank == len(system.space.velocities) and all(decided.constraints[i].homogeneous for i in decided.kept):
        raise InvalidValue(
            "E114",
            f"{decided.rank} independent constraints on {decided.rank} velocities: no motion is left, all are 0",
            f"remove one of {names}; or give one a speed, an input or a function of t: dot(x) - v",
            subject=("constraints", decided.constraints[0].name),
        )
    if decided.hidden:
        return (warn("W121", _dependent_where_they_hold(decided), 7),)
    if decided.rank == m:
        return ()
    text = (
        f"the constraints {names} are dependent (rank {decided.rank} of {m}): "
        "the motion is unique, the multipliers are the ones of least norm"
    )
    unique = [c.multiplier.name for c in decided.constraints if c.name not in decided.tied]
    text += f"; unique are {', '.join(unique)}, and the reaction that all make together" if unique else ""
    return (warn("W113", text, 7),)


def _dependent_where_they_hold(decided: Ranks) -> str:
    names, rank = [c.name for c in decided.constraints], decided.seen
    if len(names) == 1:
        found = f"the constraint {names[0]} has no normal wherever it was seen to hold (its slopes by velocities are 0)"
    else:
        found = (
            f"the constraints {', '.join(names)} are dependent (rank {rank} of {len(names)}) wherever they were seen "
            "to hold, though none follows from the others"
        )
    return f"{found}: neither the motion nor the multipliers are determined there"


def _check_determined(system: System, samples: Numbers, kept: tuple[int, ...]) -> None:
    """E107: W is singular on the allowed velocities wherever it was tried."""
    for W, N in zip(samples.W, samples.N[:, list(kept)], strict=True):
        eigenvalues, directions = spectrum(W, N)
        if not len(eigenvalues):
            return  # the constraints alone determine all velocities
        weakest = int(np.argmin(np.abs(eigenvalues)))
        if abs(eigenvalues[weakest]) > RANK_TOLERANCE:
            return
    rank = int(np.sum(np.abs(eigenvalues) > RANK_TOLERANCE))
    slips = not_positive(system, system.parameters)
    raise Singular(
        "E107",
        f"the mass matrix has rank {rank} of {len(eigenvalues)} on the allowed velocities: "
        f"({shown(system.space.velocities, directions[:, weakest])}) carries no energy"
        + (f", with {', '.join(slips)}" if slips else ""),
        "give every allowed velocity a kinetic energy, or constrain it",
        subject=("lagrangian",),
    )


def _scaling_notes(W: np.ndarray) -> tuple[Note, ...]:
    """W208: velocities whose kinetic energies differ by more than floating point resolves."""
    energy = np.abs(np.diag(W[0]))
    if not (energy > 0).any():  # as of vx*vy
        return ()
    spread = float(energy.max() / energy[energy > 0].min())
    if spread < BADLY_SCALED:
        return ()
    return (warn("W208", f"the masses in L differ by a factor {spread:.1e}: badly scaled, choose other units", 6),)


def _massless_notes(system: System, W: np.ndarray) -> tuple[Note, ...]:
    """W112: a velocity that is declared massless, and has kinetic energy whatever the others so declared are."""
    at = [i for i, u in enumerate(system.space.velocities) if u in system.massless]
    light = np.any([_light(here[np.ix_(at, at)]) for here in W], axis=0) if at else []
    heavy = [system.space.velocities[i].name for i, free in zip(at, light, strict=True) if not free]
    told = f"{', '.join(heavy)} declared massless, but L gives kinetic energy: L is what counts, the word is not heeded"
    return (warn("W112", told, 6),) if heavy else ()


def _light(W: np.ndarray) -> np.ndarray:
    """Which velocities take part in motions without kinetic energy."""
    sizes, vectors = np.linalg.eigh(W)
    still = np.abs(sizes) <= RANK_TOLERANCE * np.abs(sizes).max(initial=0.0)
    return np.asarray(np.abs(vectors[:, still]).max(axis=1, initial=0.0) > RANK_TOLERANCE)


def _findings(system: System) -> tuple[Note, ...]:
    """Notes of what is seen of the constraints at a glance; N117 for each nonlinear one, N148 where nothing is."""
    from ..geometry.examination import glance

    nonlinear = (c for c in system.constraints if c.kind == "nonlinear")
    text = "is nonlinear in the velocities: its reaction is along dphi/du (Chetaev's rule)"
    seen = glance(system)
    unseen = Note("N148", "integrability and growth of the constraints are not looked at here: da.examine(system) does")
    return (*(Note("N117", f"{c.name} {text}") for c in nonlinear), *((unseen,) if seen is None else seen.notes))


def _refuse_without_energy(found: Mapping[str, tuple[str, ...]]) -> None:
    """E112: a direction that is constrained but carries no kinetic energy."""
    for direction, names in found.items():
        raise InvalidValue(
            "E112",
            f"({direction}) is constrained by {', '.join(names)} but carries no kinetic energy: "
            "was the constraint put into L?",
            (f"{_ALL}; or declare these velocities in ", Option("massless", Code("[...]"))),
            subject=("constraints", names[0]),
        )
