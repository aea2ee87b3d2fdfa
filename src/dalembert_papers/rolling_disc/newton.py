"""Sections 1 and 2 of [cushman1995] before there is a form: the constraints, the forces, the energy; (1) to (12).

The covariant acceleration is taken by Christoffel's symbols of the metric that the momenta give.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np
import sympy as sp

from dalembert import System, examine, free, nonholonomic, simulate
from dalembert.geometry.phase_space import Phase
from dalembert.methods import Drift
from dalembert.symmetry import distributions, phase_space

from ..claim import Claim, Group, said, small
from . import given
from .formulation import PRINTED_F, PRINTED_L, PRINTED_PHI
from .given import coordinates, holds, number, numbers, velocities

ROUNDING = 1e-9  # of accelerations of size 1 to 100
UNTIL, RUN = 3.0, 1e-9  # s; what a run leaves that nothing holds on the constraints
SEED = 1995


def states() -> list[dict[str, float]]:
    """Random states on M."""
    return list(given.work().states(3, SEED))


@cache
def unconstrained() -> System:
    """The disc on ice."""
    return given.system().changed(constraints={})


@cache
def phase() -> Phase:
    """Momenta and energy of the disc on ice."""
    return phase_space(unconstrained())


def metric() -> sp.Matrix:
    """g_ij = dp_i/dv^j."""
    return sp.Matrix([[p.diff(v) for v in velocities] for p in phase().momenta.values()])


# --- constraints -----------------------------------------------------------------------------------------------------


def constraints() -> Iterator[Claim]:
    """(1), (3), (6), (7): f_a = <chi_a | v> is kept, with independent phi_a = pi^* chi_a."""
    system = given.system()
    start = nonholonomic(system).start(**given.disc.START)
    path = simulate(nonholonomic(system), start, until=UNTIL, rtol=1e-13, stabilisation=Drift())
    moving = {**given.values(), **path.at(np.linspace(0.0, UNTIL, 31))}
    worst = max(float(np.abs(numbers(f, moving)).max()) for f in PRINTED_F)
    yield small("(1)", f"f_1 = f_2 = 0 for {UNTIL:g} s, kept by the equations alone", worst, RUN, what="m/s")
    found = examine(system)
    kinds = [row.kind for row in found.rows]
    text = f"rank {found.rank} of {len(found.rows)}"
    independent = found.rank == len(found.rows) == 2 and not found.redundant and not found.drops
    yield said("(3)", "phi_1, phi_2 are independent", independent, text)
    yield said("(6)", "f_1, f_2 are linear in the velocities", kinds == ["linear"] * 2, ", ".join(kinds))
    off = max(_off_linear(state) for state in states())
    yield small("(6), (7)", "f_a = <phi_a | v> for every v, with phi_a of one v", off, ROUNDING, what="m/s")


def _off_linear(state: Mapping[str, float]) -> float:
    """f(v) - <phi(w) | v> for a v that the constraints do not allow, and the w of a state."""
    v = dict(zip((u.name for u in velocities), (0.7, -1.1, 0.4, 1.3, -2.1), strict=True))
    phi = distributions(given.system()).normals(state)
    return max(
        abs(number(f, {**state, **v}) - float(row @ list(v.values()))) for f, row in zip(PRINTED_F, phi, strict=True)
    )


# --- forces ----------------------------------------------------------------------------------------------------------


def newton() -> Iterator[Claim]:
    """(5), (8): D^2q/dt^2 = F + lambda phi with F = -dV, by the equations without and with constraints."""
    V = -PRINTED_L.xreplace(dict.fromkeys(velocities, sp.S.Zero))
    # g (D^2q/dt^2 - F) = g a + Gamma(v, v) + dV
    rest = christoffel() + sp.Matrix([V.diff(q) for q in coordinates])
    ice, rolling = free(unconstrained()), nonholonomic(given.system())
    forces: dict[str, list[np.ndarray]] = {"ice": [], "rolling": [], "printed": []}
    for state in states():
        g, there = _matrix(metric(), state), _matrix(rest, state)[:, 0]
        a, lam = rolling.accelerations(state)
        forces["ice"].append(g @ ice.accelerations(state)[0] + there)
        forces["rolling"].append(g @ a + there)
        forces["printed"].append(lam @ _matrix(sp.Matrix(PRINTED_PHI), state))
    pushed, moved, printed = (np.array(each) for each in forces.values())
    reacted = float(np.abs(moved - printed).max())
    yield small("(8)", "on ice D^2q/dt^2 = F = -grad V", float(np.abs(pushed).max()), ROUNDING, what="N, N m")
    statement = "rolling there is another force, lambda^a phi_a: two lambda, five components"
    yield small("(5), (9)", statement, reacted, ROUNDING, what="N, N m")


def christoffel() -> sp.Matrix:
    """Gamma_k(v, v) = v^i v^j (d_i g_jk - d_k g_ij/2)."""
    g, v = metric(), sp.Matrix(velocities)
    along = sum((v[i] * g.diff(q) for i, q in enumerate(coordinates)), sp.zeros(5))
    return along * v - sp.Matrix([(v.T * g.diff(q) * v)[0] for q in coordinates]) / 2


# --- energy ----------------------------------------------------------------------------------------------------------


def energy() -> Iterator[Claim]:
    """(10) to (12): L, the Legendre transformation, E."""
    p = list(phase().momenta.values())
    yield holds("(11)", "p = dL/dv", [e - PRINTED_L.diff(v) for e, v in zip(p, velocities, strict=True)])
    twice = sum((e * v for e, v in zip(p, velocities, strict=True)), sp.S.Zero)  # g(v, v)
    V = -PRINTED_L.xreplace(dict.fromkeys(velocities, sp.S.Zero))
    yield holds("(10)", "L = g(v, v)/2 - V with g(v, v) = <p | v>", PRINTED_L - (twice / 2 - V))
    # H is a function of p; by the inverse of the Legendre transformation
    H = max(_energy_gap(state, twice / 2 + V) for state in states())
    yield small("(12)", "E = g(v, v)/2 + V is the Hamiltonian, (v, q) expressed by (p, q)", H, ROUNDING, what="J")


def _energy_gap(state: Mapping[str, float], E: sp.Expr) -> float:
    known = {**state, **{z.name: number(e, state) for z, e in phase().momenta.items()}}
    return abs(number(phase().hamiltonian, known) - number(E, state))


def _matrix(expressions: sp.Matrix, state: Mapping[str, float]) -> np.ndarray:
    return np.array([[number(e, state) for e in row] for row in expressions.tolist()])


GROUPS: tuple[Group, ...] = (constraints, newton, energy)
