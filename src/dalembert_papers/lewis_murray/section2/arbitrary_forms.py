"""Two arbitrary one-forms on R^3, and L and gamma that are arbitrary, too."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import sympy as sp

from dalembert import System, coordinates
from dalembert.calculus.frame import TIME
from dalembert.equations import Form

from ...arbitrary import jet, unknown
from ...symbolic import motion_rows, plain_motion, rows_of

N, FORMS = 3, 2
Q = sp.symbols("x y z", real=True)
U = sp.symbols("vx vy vz", real=True)
ACC = sp.symbols("ax ay az", real=True)
LAM = sp.symbols(f"lam_w1:{FORMS + 1}", real=True)
RATES = sp.symbols(f"lamdot1:{FORMS + 1}", real=True)
REACTIONS = sp.symbols(f"l1:{FORMS + 1}", real=True)
PLAIN = plain_motion(Q, U)


class Given(NamedTuple):
    """L, the rows w^a (FORMS x N) and gamma."""

    L: Any
    w: Any
    gamma: Any

    @property
    def phi(self) -> sp.Matrix:
        """w^a(qdot - gamma), one for each form."""
        return self.w * (sp.Matrix(U) - self.gamma)


@cache
def polynomial() -> Given:
    """L with arbitrary second, w and gamma with arbitrary first derivatives."""
    w = sp.Matrix(FORMS, N, lambda a, i: jet(f"w{a + 1}{i + 1}", Q, 1))
    gamma = sp.Matrix([jet(f"g{i + 1}", Q, 1) for i in range(N)])
    return Given(jet("k", (TIME, *Q, *U), 2), w, gamma)


@cache
def undefined() -> Given:
    """L, w and gamma as undefined functions."""
    w = sp.Matrix(FORMS, N, lambda a, i: unknown(f"w{a + 1}{i + 1}", *Q))
    return Given(unknown("L", *Q, *U, TIME), w, sp.Matrix([unknown(f"gamma{i + 1}", *Q) for i in range(N)]))


@cache
def general_system() -> System:
    """The polynomial one as a `System`."""
    given = polynomial()
    return System(coordinates("x y z"), given.L, {f"w{a + 1}": phi for a, phi in enumerate(given.phi)})


def euler_lagrange(L: sp.Expr) -> sp.Matrix:
    """d/dt dL/dqdot - dL/dq as a column."""
    return sp.Matrix(rows_of(PLAIN.euler_lagrange(L), ACC))


def rows(form: Form, multipliers: Sequence[sp.Expr], accelerations: Sequence[sp.Expr] = ACC) -> sp.Matrix:
    """W udot - N^T mu - f as a column."""
    return sp.Matrix(motion_rows(form, accelerations, multipliers))


def along(expressions: sp.Matrix, velocity: sp.Matrix) -> sp.Matrix:
    """The expressions with this velocity for qdot."""
    return expressions.subs(dict(zip(U, velocity, strict=True)), simultaneous=True)
