"""Rotations as a person gives them: a matrix, the identity, a quaternion whose parts are named."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Protocol

import numpy as np
import sympy as sp

from ..errors import InvalidValue, WrongType, as_given
from ..errors.remedies import Option
from .quantity import number

_IDENTITY = {"w": 1, "x": 0, "y": 0, "z": 0}  # as a quaternion
_TOLERANCE = 1e-9


class RotationCoordinates(Protocol):
    """A rotation among the coordinates of a space."""

    @property
    def coordinates(self) -> tuple[sp.Symbol, ...]:
        """Its coordinates."""

    @property
    def identity(self) -> Mapping[str, float]:
        """The coordinates by name, for no rotation."""

    def named(self, R: np.ndarray, /) -> dict[str, float]:
        """The coordinates by name, for a matrix."""


def read_attitude(name: str, given: object, attitude: RotationCoordinates) -> dict[str, float]:
    """Coordinates of a rotation from a matrix, ``"identity"``, a SciPy `Rotation`, or ``{"w": .., "x": .., "y": ..,
    "z": ..}``.

    Raises:
        InvalidValue: E238 four numbers in unknown order, or a quaternion not of norm 1; E239 not a rotation matrix.
    """
    if isinstance(given, str) and given == "identity":
        given = np.eye(3)
    if isinstance(given, Mapping):
        given = _matrix_of_quaternion(name, given)
    try:
        R = np.asarray(given.as_matrix() if hasattr(given, "as_matrix") else given)
        if R.dtype.kind not in "iufO":  # text and truth values are no numbers
            raise TypeError
        R = R.astype(float)
    except (TypeError, ValueError, OverflowError, IndexError, ArithmeticError, AttributeError):
        raise WrongType(
            "E239", f"{name} = {as_given(given)} is not a rotation", 'give a 3 x 3 matrix or "identity"'
        ) from None
    if R.shape == (4,):
        raise InvalidValue(
            "E238", f"{name}: four numbers, but which comes first?", ("name them: ", Option(name, _IDENTITY))
        )
    if R.shape != (3, 3) or not np.isfinite(R).all():
        raise InvalidValue(
            "E239", f"{name} is not a finite 3 x 3 matrix", 'give R with R^T R = 1 and det R = 1, or "identity"'
        )
    off, det = float(np.abs(R.T @ R - np.eye(3)).max()), float(np.linalg.det(R))
    if off > _TOLERANCE or det < 0:
        raise InvalidValue(
            "E239",
            f"{name} is not a rotation: R^T R is off by {off:.2g}, det = {det:.4g}",
            "it must be orthogonal, det 1",
        )
    return attitude.named(R)


def refuse_twice(name: str, attitude: RotationCoordinates, given: Collection[str]) -> None:
    """E233: a rotation and coordinates of it."""
    twice = sorted({s.name for s in attitude.coordinates} & {*given})
    if twice:
        fact = f"{name} and its coordinates {', '.join(twice)} are both given"
        raise InvalidValue("E233", fact, "give one of them")


def _matrix_of_quaternion(name: str, given: Mapping[str, object]) -> np.ndarray:
    if set(given) != set("wxyz"):
        raise InvalidValue("E238", f"{name}: a quaternion has the parts w, x, y, z", Option(name, _IDENTITY))
    from scipy.spatial.transform import Rotation

    quaternion = np.array([number(given[c], f"{name}[{as_given(c)}]") for c in "xyzw"])
    norm = float(np.linalg.norm(quaternion))
    if not abs(norm - 1) <= _TOLERANCE:
        raise InvalidValue(
            "E238", f"{name}: the quaternion's norm is {norm:.12g}, not 1", "divide its parts by the norm"
        )
    return np.asarray(Rotation.from_quat(quaternion).as_matrix())
