"""The nonholonomic ball: (3.4), (3.6) and the eigenvalues of section 3.3 of [lewis1995]."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import sympy as sp

from dalembert.calculus.simplification import determinant

from ...claim import Claim, identity
from ...symbolic import solved
from .derived import planar
from .letters import I, J, Om, ax, ay, delta, g, m, mu, nu, r, s, unit, vx, vy, x, y


def equations_36(rolling_term: Any = 0, translational: Any = 0, rotational: Any = 0) -> list[sp.Expr]:
    """The left side of (3.6) with  rolling_term * v/|v|  as its last term; (3.4) without any friction."""
    b = rotational + translational * r**2
    # [J 0; 0 J] qddot + [b I Omega; -I Omega b] qdot + [0 mu Omega; -mu Omega 0] q + rolling_term v/|v| = 0
    left = J * sp.Matrix([ax, ay])
    left += sp.Matrix([[b, I * Om], [-I * Om, b]]) * sp.Matrix([vx, vy])
    left += sp.Matrix([[0, rotational * Om], [-rotational * Om, 0]]) * sp.Matrix([x, y])
    return list(left + rolling_term * unit)


def against_36(derived: Sequence[sp.Expr], *terms: Any) -> list[sp.Expr]:
    """Derived minus printed equations."""
    return [d - p for d, p in zip(derived, equations_36(*terms), strict=True)]


def frictionless() -> Iterator[Claim]:
    """(3.4)."""
    yield identity("(3.4)", "equations of x, y without friction", against_36(planar()), key=True)


def friction() -> Iterator[Claim]:
    """(3.6): its linear part, and the rolling term with the paper's own F = -delta m g v/|v|."""
    yield identity("(3.6)", "linear part with nu and mu", against_36(planar(nu=1.0, mu=1.0), 0, nu, mu))
    everything = planar(nu=1.0, mu=1.0, delta=1.0)
    derived = against_36(everything, r**2 * delta * m * g, nu, mu)
    yield identity("(3.6)", "rolling term + (r^2 delta m g/|v|) v on the left side", derived, key=True)


@cache
def characteristic(equations: Sequence[sp.Expr]) -> sp.Expr:
    """det(s - A) of the linear system of x, y, vx, vy."""
    found = solved(equations, (ax, ay))
    state = sp.Matrix([x, y, vx, vy])
    A = sp.Matrix([vx, vy, found[ax], found[ay]]).jacobian(state)
    return determinant(s * sp.eye(4) - A)


def from_roots(roots: Sequence[Any]) -> sp.Expr:
    """The product of s - root."""
    return sp.prod([s - root for root in roots])


def eigenvalues() -> Iterator[Claim]:
    """The lists of 3.3, items 1 and 2."""
    # {0, 0, +i I Omega/J, -i I Omega/J}
    roots: list[Any] = [0, 0, sp.I * I * Om / J, -sp.I * I * Om / J]
    yield identity("3.3 item 1", "eigenvalues without friction", characteristic(planar()) - from_roots(roots))
    # {0, 0, -nu r^2/J +- i I Omega/J}
    roots = [0, 0, -nu * r**2 / J + sp.I * I * Om / J, -nu * r**2 / J - sp.I * I * Om / J]
    yield identity("3.3 item 2", "eigenvalues with nu only", characteristic(planar(nu=1.0)) - from_roots(roots))
