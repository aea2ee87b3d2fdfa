"""Equations W udot - N^T mu = f, N udot = g in symbols: their rows, and what solves them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from dalembert.calculus.algebra import Symbolic
from dalembert.calculus.euler_lagrange import Affine, Motion
from dalembert.calculus.frame import Frame
from dalembert.equations import Form

Values = Mapping[Any, Any]


def motion_rows(form: Form, accelerations: Sequence[sp.Expr], multipliers: Sequence[sp.Expr]) -> list[sp.Expr]:
    """W udot - N^T mu - f, one expression for each velocity."""
    W, N, f = sp.Matrix(form.W), sp.Matrix(form.N), sp.Matrix(form.f)
    return list(W * sp.Matrix(accelerations[: W.rows]) - N.T * sp.Matrix(multipliers) - f)


def constraint_rows(form: Form, accelerations: Sequence[sp.Expr]) -> list[sp.Expr]:
    """N udot - g, one expression for each constraint."""
    N = sp.Matrix(form.N)
    return list(N * sp.Matrix(accelerations[: N.cols]) - sp.Matrix(form.g))


def solved(equations: Sequence[sp.Expr], unknowns: Sequence[sp.Expr]) -> dict[sp.Symbol, sp.Expr]:
    """The unknowns from linear equations ``expression = 0``."""
    return dict(zip(unknowns, next(iter(sp.linsolve(list(equations), list(unknowns)))), strict=True))


def bordered(form: Form) -> sp.Matrix:
    """The matrix [[W, -N^T], [N, 0]]."""
    W, N = sp.Matrix(form.W), sp.Matrix(form.N)
    return sp.Matrix(sp.BlockMatrix([[W, -N.T], [N, sp.zeros(N.rows)]]).as_explicit())


def saddle_solution(form: Form, point: Values | None = None) -> sp.Matrix:
    """udot and mu as a column, with the values of `point` where it has some."""
    matrix, right = bordered(form), sp.Matrix([*form.f, *form.g])
    return matrix.xreplace(point or {}).LUsolve(right.xreplace(point or {}))


# --- Lagrange's expressions outside any system -----------------------------------------------------------------------


def plain_motion(coordinates: Sequence[sp.Expr], velocities: Sequence[sp.Expr]) -> Motion:
    """Derivatives along qdot = u in plain coordinates, outside any system."""
    frame = Frame(tuple(coordinates), tuple(velocities), sp.ImmutableMatrix(sp.eye(len(coordinates))), {})
    return Motion(frame, Symbolic())


def rows_of(affine: Affine, accelerations: Sequence[Any]) -> list[sp.Expr]:
    """matrix udot + rest."""
    return list(sp.Matrix(affine.matrix) * sp.Matrix(accelerations) + sp.Matrix(affine.rest))
