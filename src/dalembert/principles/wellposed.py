"""Does a system determine a motion? Decided at random states, before any equation is handed out.

Ranks are those of floating-point matrices at random points of the space with the parameters' values (random positive
ones where none is given); a rank that holds at the points tried holds almost everywhere, since all entries are
analytic.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import scipy.linalg

from ..calculus.algebra import Machine
from ..calculus.frame import TIME
from ..calculus.graph import Graph, evaluate
from ..equations import Form, Numbers
from ..equations.check import RANK_TOLERANCE, rank_of, shown, spectrum
from ..errors import InvalidValue, Note, Singular, WrongType, warn
from ..model.system import System
from .saddle import multiplier_symbols, saddle

_TRIES, _SAMPLES = 60, 5
BADLY_SCALED = 1e16


class Standing(NamedTuple):
    """What was decided: independent rows, whether W is positive definite, and remarks."""

    kept: tuple[int, ...]
    definite: bool
    notes: tuple[Note, ...]


def standing(system: System, constrained: bool = True) -> Standing:
    """Check the system, refuse what determines no motion, and choose independent constraint rows.

    Raises:
        InvalidValue: E106 no kinetic energy, E111 contradictory constraints, E112 a constrained velocity without
            kinetic energy, E114 no motion left, E103 a name that a multiplier needs.
        Singular: E107 accelerations undetermined.
    """
    if not isinstance(system, System):
        raise WrongType("E101", f"a principle needs a System, not {type(system).__name__}", "da.System(space=..., ...)")
    _check_kinetic_energy(system, constrained)
    _check_multiplier_names(system)
    constraints = system.constraints if constrained else ()
    algebra = Machine(Graph())
    form = saddle(system, system.lagrangian, constraints, algebra)
    phi = [algebra.read(c.phi) for c in constraints]
    samples = _samples(system, form, phi)
    if not samples:
        return Standing(
            tuple(range(len(constraints))),
            False,
            (Note("W150", "no random state gave finite numbers: ranks unchecked"),),
        )
    kept, notes = _independent(system, samples, len(constraints))
    _check_determined(system, [n for n, _ in samples], kept)
    notes += (*(_nonlinear_notes(system) if constrained else ()), *_scaling_notes([n for n, _ in samples]))
    return Standing(kept, all(_positive(n.W) for n, _ in samples), notes)


def _samples(system: System, form: Form, phi: list) -> list[tuple[Numbers, np.ndarray]]:
    """The form's numbers and the drifts phi - N u at random states; states outside the domain are passed over."""
    rng = np.random.default_rng(1)
    known = {k: v for k, v in system.parameters.items() if v is not None}
    found: list[tuple[Numbers, np.ndarray]] = []
    for _ in range(_TRIES):
        values = _random_state(system, rng, known)
        numbers = Numbers.of(form, values)
        drift = np.array(evaluate(phi, values), float)
        if all(np.isfinite(a).all() for a in (numbers.W, numbers.N, numbers.f, numbers.g, drift)):
            u = np.array([values[s.name] for s in system.space.velocities])
            found.append((numbers, drift - numbers.N @ u))
        if len(found) == _SAMPLES:
            break
    return found


def _random_state(system: System, rng: np.random.Generator, known: Mapping[str, float]) -> dict[str, float]:
    values = {**system.space.sample(rng, [n for n in system.symbols if n not in known]), **known}
    return {**values, TIME.name: float(rng.uniform(0, 1))}


def _check_kinetic_energy(system: System, constrained: bool) -> None:
    velocities = system.space.velocities
    present = {u for u in velocities if system.lagrangian.has(u)}
    if not present:
        raise InvalidValue("E106", "L holds no velocity: no kinetic energy, accelerations undetermined", "L = T - V")
    for c in system.constraints if constrained else ():
        for u in velocities:
            if u not in present and u not in system.massless and not c.holonomic and c.given.has(u):
                raise InvalidValue(
                    "E112",
                    f"{u} is constrained by {c.name} but carries no kinetic energy: was the constraint put into L?",
                    f"write L with all velocities and let the constraint act; or say massless=[{str(u)!r}]",
                )


def _check_multiplier_names(system: System) -> None:
    taken = {*system.space.by_name, *system.symbols}
    for s in multiplier_symbols(system):
        if s.name in taken:
            raise InvalidValue(
                "E103", f"{s.name} is needed for the multiplier of a constraint", "rename the coordinate or parameter"
            )


def _independent(
    system: System, samples: list[tuple[Numbers, np.ndarray]], m: int
) -> tuple[tuple[int, ...], tuple[Note, ...]]:
    """Rows that carry the rank of N at every sample, chosen by pivoted QR."""
    if not m:
        return (), ()
    ranks = [rank_of(n.N) for n, _ in samples]
    names = [c.name for c in system.constraints]
    rank, linear = max(ranks), all(c.kind != "nonlinear" for c in system.constraints)
    for numbers, drift in samples:
        augmented = np.column_stack([numbers.N, drift])
        if (
            linear
            and rank_of(numbers.N) == rank
            and np.linalg.matrix_rank(augmented, tol=1e-9 * np.abs(augmented).max()) > rank
        ):
            raise InvalidValue(
                "E111", f"the constraints {', '.join(names)} contradict each other", "remove or correct one of them"
            )
    if rank == len(system.space.velocities):
        raise InvalidValue(
            "E114", f"{rank} independent constraints on {rank} velocities: no motion is left", "remove one"
        )
    if rank == m:
        return tuple(range(m)), ()
    numbers = samples[ranks.index(rank)][0]
    order = scipy.linalg.qr((numbers.N / np.linalg.norm(numbers.N, axis=1, keepdims=True)).T, pivoting=True, mode="r")[
        1
    ]
    text = (
        f"the constraints {', '.join(names)} are dependent (rank {rank} of {m}): "
        "the motion is unique, the multipliers are the ones of least norm"
    )
    return tuple(sorted(int(i) for i in order[:rank])), (warn("W113", text, 6),)


def _check_determined(system: System, samples: list[Numbers], kept: tuple[int, ...]) -> None:
    """E107: W is singular on the allowed velocities wherever it was tried."""
    for numbers in samples:
        eigenvalues, directions = spectrum(numbers.W, numbers.N[list(kept)])
        weakest = int(np.argmin(np.abs(eigenvalues)))
        if abs(eigenvalues[weakest]) > RANK_TOLERANCE:
            return
    rank = int(np.sum(np.abs(eigenvalues) > RANK_TOLERANCE))
    raise Singular(
        "E107",
        f"the mass matrix has rank {rank} of {len(eigenvalues)} on the allowed velocities: "
        f"({shown(system.space.velocities, directions[:, weakest])}) carries no energy",
        "give every allowed velocity a kinetic energy, or constrain it",
    )


def _positive(W: np.ndarray) -> bool:
    return bool(spectrum(W, np.zeros((0, len(W))))[0][0] > RANK_TOLERANCE)


def _scaling_notes(samples: list[Numbers]) -> tuple[Note, ...]:
    """W208: velocities whose kinetic energies differ by more than floating point resolves."""
    energy = np.abs(np.diag(samples[0].W))
    spread = float(energy.max() / energy[energy > 0].min())
    if spread < BADLY_SCALED:
        return ()
    return (warn("W208", f"the masses in L differ by a factor {spread:.1e}: badly scaled, choose other units", 6),)


def _nonlinear_notes(system: System) -> tuple[Note, ...]:
    return tuple(
        Note("N117", f"{c.name} is nonlinear in the velocities: its reaction is along dphi/du (Chetaev's rule)")
        for c in system.constraints
        if c.kind == "nonlinear"
    )
