"""Inertia tensors that a rigid body can have: symmetric, positive, no moment greater than the sum of the other two."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.frame import TIME
from ..calculus.graph import Graph, evaluate, gradient
from ..calculus.number import number
from ..calculus.read import read
from ..errors import InvalidValue, Note, WrongType, as_given, warn
from .euler import euler_moments
from .scalar import scalar

_TOLERANCE = 1e-9


def inertia(*moments: Any) -> sp.ImmutableMatrix:
    """The inertia tensor J (3 x 3) of a rigid body, for kinetic energies ``w.dot(J*w)/2``.

    Numbers are checked at once. Symbols are checked when their values are known, if the system is told of the tensor:
    ``System(..., inertias={"top": J})``.

    Args:
        moments: three principal moments I1, I2, I3 (or a list of them), or a symmetric 3 x 3 matrix, in kg m^2;
            numbers or SymPy expressions. Off the diagonal stand the negative products of inertia.

    Raises:
        WrongType: E109, E204, not three moments and not a matrix.
        InvalidValue: E109 no rigid body has these moments, E203 not finite.
    """
    given = moments[0] if len(moments) == 1 else moments
    J = _matrix(given)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        off = sp.expand(J[i, j] - J[j, i])
        if off != 0 and not (off.is_number and abs(off) <= _TOLERANCE * max(abs(J[i, j]), abs(J[j, i]))):
            raise InvalidValue(
                "E109",
                f"no rigid body has these moments: J{i + 1}{j + 1} = {J[i, j]} but J{j + 1}{i + 1} = {J[j, i]}",
                "give a symmetric matrix",
            )
    check(J, "J")
    return J


def check(J: sp.ImmutableMatrix, name: str) -> None:
    """E109 for a tensor of numbers that no rigid body has; nothing as long as it holds symbols."""
    if not all(entry.is_number for entry in J):
        return
    smallest, middle, largest = moments = np.linalg.eigvalsh(np.array(J.tolist(), float))
    shown = ", ".join(f"{moment:.6g}" for moment in moments)
    if not smallest > 0:
        raise InvalidValue(
            "E109",
            f"no rigid body has these moments: {name} has principal moments {shown}, all must be positive",
            "check the signs; off the diagonal stand the negative products of inertia",
        )
    # I1 + I2 >= I3, equal for a flat body
    if smallest + middle < largest * (1 - _TOLERANCE):
        raise InvalidValue(
            "E109",
            f"no rigid body has these moments: {name} has {smallest:.6g} + {middle:.6g} < {largest:.6g}",
            f"none may exceed the sum of the other two: at most {smallest + middle:.6g}, of a flat body, "
            f"instead of {largest:.6g}",
        )


def moment_notes(system: Any, known: Mapping[str, float | None]) -> list[Note]:
    """W109: the part of L that is quadratic in an angular velocity has moments that no rigid body has.

    Said of a rotation among the coordinates, at a random state and with the known values of parameters. (A body in
    a fluid may well have such moments.) Moments that change with the place are not those of a body alone: the height of
    a body on a plane may have been eliminated, for instance.
    """
    if any(known.get(name) is None for name in system.symbols):
        return []
    notes = [
        _doubted(", ".join(angles), moments)
        for angles, moments in euler_moments(system.space, system.lagrangian, known)
        if moments[0] > 0 and moments[0] + moments[1] < moments[2] * (1 - _TOLERANCE)
    ]
    for attitude in system.space.attitudes.values():
        moments, elsewhere = (_moments(system, attitude, known, seed) for seed in (0, 1))
        known_at_both = len(moments) == len(elsewhere) == 3
        if not known_at_both or not np.allclose(moments, elsewhere, rtol=_TOLERANCE, atol=0.0):
            continue
        if moments[0] > 0 and moments[0] + moments[1] < moments[2] * (1 - _TOLERANCE):
            notes.append(_doubted(attitude.name, moments))
    return notes


def _doubted(name: str, moments: np.ndarray) -> Note:
    a, b, c = (f"{moment:.6g}" for moment in moments)
    return warn("W109", f"no rigid body has the moments that L gives to {name}: {a} + {b} < {c}", 6)


def _moments(system: Any, attitude: Any, known: Mapping[str, float | None], seed: int) -> np.ndarray:
    """Eigenvalues, rising, of d2L/dw dw for the velocities w that turn this attitude; none if they are not three."""
    space, graph = system.space, Graph()
    rows = [i for i, q in enumerate(space.coordinates) if q in attitude.coordinates]
    turning = [u.name for a, u in enumerate(space.velocities) if any(space.anchor[i, a] != 0 for i in rows)]
    w = [graph.symbol(name) for name in turning]
    slopes = gradient(read(system.lagrangian, graph), w)
    point = space.sample(np.random.default_rng(seed), [TIME.name]) | dict(known)
    H = np.array(evaluate([e for slope in slopes for e in gradient(slope, w)], point), float)
    return np.linalg.eigvalsh(H.reshape(len(w), len(w))) if len(w) == 3 and np.isfinite(H).all() else np.zeros(0)


def _matrix(given: Any) -> sp.ImmutableMatrix:
    rows = given.tolist() if isinstance(given, sp.MatrixBase | np.ndarray) else given
    if not isinstance(rows, list | tuple):
        raise _refused(given)
    if len(rows) == 3 and not any(isinstance(row, list | tuple) for row in rows):
        return sp.ImmutableMatrix(sp.diag(*(_entry(e) for e in rows)))
    if [len(row) if isinstance(row, list | tuple) else 0 for row in rows] == [3, 3, 3]:
        return sp.ImmutableMatrix([[_entry(e) for e in row] for row in rows])
    flat = [e for row in rows for e in (row if isinstance(row, list | tuple) else [row])]
    if len(flat) == 3 and isinstance(given, sp.MatrixBase):  # a column or a row
        return sp.ImmutableMatrix(sp.diag(*(_entry(e) for e in flat)))
    raise _refused(given)


def _entry(value: Any) -> sp.Expr:
    if isinstance(value, sp.Expr) and value.free_symbols:
        return scalar(value, "a moment of inertia")
    x = number(value, "a moment of inertia")
    return value if isinstance(value, sp.Expr) else sp.Integer(int(x)) if x.is_integer() else sp.Float(x)


def _refused(given: Any) -> WrongType:
    return WrongType(
        "E109", f"{as_given(given)} is not an inertia", "give three principal moments or a symmetric 3 x 3 matrix"
    )
