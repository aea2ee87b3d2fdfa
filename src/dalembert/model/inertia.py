"""Inertia tensors that a rigid body can have: symmetric, positive, no moment greater than the sum of the other two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from ..argument_checks import public
from ..calculus.algebra import GraphAlgebra
from ..calculus.frame import TIME
from ..calculus.graph import Node, evaluate, gradient
from ..calculus.jacobians import numbers_of
from ..calculus.plausibility import angles_in
from ..calculus.quantity import number
from ..errors import InvalidValue, Note, WrongType, about, as_given, warn
from .scalar import scalar
from .space import Attitude, Space

if TYPE_CHECKING:
    from .system import System

# ---------------------------------------------------------------------------------------------------------------------
# Moments of inertia in Euler angles: is L's form in three rates constant in a frame that turns by these angles?

_SAME = 1e-9  # of the largest moment
_NEAR = 1e-3  # of a volume, where it only says what is worth a look
_MOST = 5  # angles of which three are tried
_WIDEST = 16  # velocities of a system that is looked at: the work grows with their square
_ORDERS = np.array(list(permutations(range(3))))
_AXES = np.array([axes for axes in product(range(3), repeat=3) if axes[0] != axes[1] != axes[2]])
_ACROSS = -np.array([np.cross(e, np.eye(3)) for e in np.eye(3)])
_SENSES = np.array(list(product((1.0, -1.0), repeat=3)))


def euler_moments(
    space: Space, lagrangian: sp.Expr, known: Mapping[str, float | None], algebra: GraphAlgebra
) -> Iterator[tuple[tuple[str, ...], np.ndarray]]:
    """Three angles that turn a body, in any of the usual sequences, and its principal moments, rising."""
    velocities = frozenset(space.velocities)
    plain = {q.name: rate.name for q, rate in space.rates.items() if rate in velocities}
    turning = space.angles | angles_in([lagrangian]) if 2 < len(plain) <= _WIDEST else set()
    if not turning & plain.keys():
        return
    values = {name: value for name, value in known.items() if value is not None}
    points = [space.sample(np.random.default_rng(seed), [TIME.name]) | values for seed in (0, 1, 2)]
    forms = _forms(space, lagrangian, list(plain.values()), points, algebra)
    if not np.isfinite(forms).all():
        return
    # a rate of its own constant mass is no angle, unless its coordinate stands in a sine
    apart = [np.count_nonzero(forms[0, i]) <= 1 and np.ptp(forms[:, i, i]) == 0 for i in range(len(plain))]
    rates = [i for i, name in enumerate(plain) if name in turning or not apart[i]]
    if not 3 <= len(rates) <= _MOST:
        return
    for chosen in combinations(rates, 3):
        names = tuple(list(plain)[i] for i in chosen)
        angles = np.array([[point[name] for name in names] for point in points], float)
        moments = _body(forms[:, chosen][:, :, chosen], angles)
        if moments is not None:
            yield names, moments


def _forms(
    space: Space, lagrangian: sp.Expr, rates: list[str], points: list[dict[str, float]], algebra: GraphAlgebra
) -> np.ndarray:
    """d2L/du du at each point, (N, k, k), for the velocities of these names."""
    u = [algebra.read(s) for s in space.velocities]
    second = algebra.slopes(algebra.gradient(algebra.read(lagrangian), u), u, symmetric=True)
    at = [[s.name for s in space.velocities].index(name) for name in rates]
    with np.errstate(all="ignore"):
        forms = np.array([numbers_of(second, len(u), point) for point in points])
    return np.asarray(forms[:, at][:, :, at])


def _body(forms: np.ndarray, angles: np.ndarray) -> np.ndarray | None:
    """Moments, if the forms (N, 3, 3) are those of one body at these angles (N, 3)."""
    sizes = np.linalg.det(forms)
    if abs(sizes).min() == 0 or (abs(forms[0] - forms[1]) <= _SAME * abs(forms[1])).all():
        return None
    orders, axes = _fitting(sizes, angles)
    if not len(orders):
        return None
    orders, axes = _ORDERS[orders], _AXES[axes]
    # M = E^-T L E^-1 ,  L_ij q^i. q^j. = M_ab w^a w^b ,  the same everywhere
    E = _rates(axes, angles[:, orders][:, :, None] * _SENSES) * _SENSES[:, None]
    regular = abs(np.linalg.det(E)) > 0
    inverse = np.linalg.inv(np.where(regular[..., None, None], E, np.eye(3)))
    ordered = forms[:, orders[:, :, None], orders[:, None]]
    M = inverse.swapaxes(-1, -2) @ ordered[:, :, None] @ inverse
    apart = abs(M - M[0]).max(axis=(0, -1, -2))
    same = regular.all(axis=0) & (apart <= _SAME * abs(M[0]).max(axis=(-1, -2)))
    return np.asarray(np.linalg.eigvalsh(M[0][same][0])) if same.any() else None


def _fitting(sizes: np.ndarray, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Orders and axes, by number, for which det L (N,) changes from place to place as it does for one body."""
    # det L = det M (det E)^2 ,  det E = sin q2 where the first axis is the last one too, else cos q2, or its negative
    s, c = np.sin(angles[:, _ORDERS[:, 1]]), np.cos(angles[:, _ORDERS[:, 1]])
    volumes = np.where(_AXES[:, 0] == _AXES[:, 2], s[..., None], c[..., None]) ** 2  # (N, orders, axes)
    apart = abs(sizes[:, None, None] * volumes[0] - sizes[0] * volumes).max(axis=0)
    orders, axes = np.nonzero(apart <= _NEAR * abs(sizes[0]) * volumes.max(axis=0))
    return orders, axes


def _rates(axes: np.ndarray, q: np.ndarray) -> np.ndarray:
    """E with w = E qdot, (..., n, senses, 3, 3), of a body that turns by q, (..., n, senses, 3), about axes (n, 3)."""
    first, second, third = (np.eye(3)[axis][:, None] for axis in axes.T)
    undone2, undone3 = (_turn(axes[:, i], q[..., i]).swapaxes(-1, -2) for i in (1, 2))
    # w = R3' R2' e1 q1. + R3' e2 q2. + e3 q3.
    columns = undone3 @ (undone2 @ first[..., None]), undone3 @ second[..., None], third[..., None]
    return np.concatenate(np.broadcast_arrays(*columns), axis=-1)


def _turn(axes: np.ndarray, angle: np.ndarray) -> np.ndarray:
    """Turns about coordinate axes (n,) by angles (..., n, m), as matrices (..., n, m, 3, 3)."""
    across = _ACROSS[axes][:, None]
    c, s = (f(angle)[..., None, None] for f in (np.cos, np.sin))
    # R = 1 + sin K + (1 - cos) K^2
    return np.asarray(np.eye(3) + s * across + (1 - c) * across @ across)


_TOLERANCE = 1e-9
_MEASURED = 0.1  # part of a moment by which measured ones may exceed the sum of the other two


@public
def inertia(*moments: Any) -> sp.ImmutableMatrix:
    """The inertia tensor J (3 x 3) of a rigid body, for kinetic energies ``w.dot(J*w)/2``.

    Numbers are checked at once. Symbols are checked when their values are known, if the system is told of the tensor:
    ``System(..., inertias={"top": J})``.

    Args:
        moments: three principal moments I1, I2, I3 (or a list of them), or a symmetric 3 x 3 matrix, in kg m^2;
            numbers or SymPy expressions. Off the diagonal stand the negative products of inertia.

    Raises:
        WrongType: E109, E204, not three moments and not a matrix.
        InvalidValue: E109 no rigid body has these moments (W109 where they miss it by a few per cent), E203 not finite.
    """
    J = tensor(moments[0] if len(moments) == 1 else moments)
    if doubt := check(J, "J"):
        warn("W109", doubt)
    return J


def tensor(given: object) -> sp.ImmutableMatrix:
    """A symmetric matrix (E109 if it is none), which no body need have."""
    J = _matrix(given)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        off = sp.expand(J[i, j] - J[j, i])
        if off != 0 and not (off.is_number and abs(off) <= _TOLERANCE * max(abs(J[i, j]), abs(J[j, i]))):
            raise InvalidValue(
                "E109",
                f"no rigid body has these moments: J{i + 1}{j + 1} = {J[i, j]} but J{j + 1}{i + 1} = {J[j, i]}",
                "give a symmetric matrix",
            )
    return J


def check(J: sp.ImmutableMatrix, name: str, nothing: float = 0.0) -> str:
    """What is doubted about a tensor of numbers (empty if nothing is); nothing is said as long as it holds symbols.

    Measured moments miss the inequality of the triangle by a few per cent. Moments that are smaller than `nothing` may
    have any sign: a thin rod has none about its axis.

    Raises:
        InvalidValue: E109, no rigid body has it, by far.
    """
    if not all(entry.is_number for entry in J):
        return ""
    smallest, middle, largest = moments = np.linalg.eigvalsh(np.array(J.tolist(), float))
    shown = ", ".join(f"{moment:.6g}" for moment in moments)
    if not smallest > -nothing:
        raise InvalidValue(
            "E109",
            f"no rigid body has these moments: {name} has principal moments {shown}, all must be positive",
            "check the signs; off the diagonal stand the negative products of inertia",
        )
    # I1 + I2 >= I3, equal for a flat body
    if smallest + middle >= largest * (1 - _TOLERANCE) - nothing:
        return ""
    excess = largest / (smallest + middle) - 1
    fact = f"no rigid body has these moments: {name} has {smallest:.6g} + {middle:.6g} < {largest:.6g}"
    if excess > _MEASURED:
        raise InvalidValue(
            "E109",
            fact,
            f"none may exceed the sum of the other two: at most {smallest + middle:.6g}, of a flat body, "
            f"instead of {largest:.6g}",
        )
    return f"{fact}, by {100 * excess:.2g} per cent"


def _tensors(system: System, known: Mapping[str, float | None]) -> Iterator[tuple[str, sp.ImmutableMatrix]]:
    """Names of the tensors of the system, and these with the known values."""
    numbers = {system.symbols[k]: sp.Float(v) for k, v in known.items() if v is not None and k in system.symbols}
    for name, J in system.inertias.items():
        yield name, J.xreplace(numbers)


def check_tensors(system: System, known: Mapping[str, float | None]) -> None:
    """E109: a tensor of the system that is none with these values."""
    for name, J in _tensors(system, known):
        with about("inertias", name):
            check(J, f"inertia {name}")


def moment_notes(system: System, known: Mapping[str, float | None]) -> list[Note]:
    """W109: a tensor of the system, or else the part of L that is quadratic in an angular velocity, has moments that no
    rigid body has.

    The latter is said of a rotation among the coordinates, at a random state and with the known values of parameters.
    (A body in a fluid may well have such moments.) Moments that change with the place are not those of a body alone:
    the height of a body on a plane may have been eliminated, for instance.
    """
    doubts = (check(J, f"inertia {name}") for name, J in _tensors(system, known))
    notes = [warn("W109", doubt, 5) for doubt in doubts if doubt]
    values = {name: value for name, value in known.items() if value is not None}
    if notes or any(name not in values for name in system.symbols):
        return notes
    return [
        _doubted(name, moments)
        for name, moments in system.turning.moments(values)
        if moments[0] > 0 and moments[0] + moments[1] < moments[2] * (1 - _TOLERANCE)
    ]


class Turning:
    """What turns in a system, and the principal moments that L, which holds these names, gives to it."""

    def __init__(self, space: Space, lagrangian: sp.Expr, names: Iterable[str], algebra: GraphAlgebra) -> None:
        self.space, self.lagrangian, self.names, self.algebra = space, lagrangian, sorted(names), algebra
        self.bodies = [_Turned.of(space, algebra.read(lagrangian), attitude) for attitude in space.attitudes.values()]
        self._last: tuple[list[float | None], list[tuple[str, np.ndarray]]] | None = None

    def moments(self, known: Mapping[str, float]) -> list[tuple[str, np.ndarray]]:
        """Names of angles or a rotation, and three moments, rising, that do not depend on where the body is.

        A fit asks again and again at other values of parameters that L does not hold: the last answer is kept.
        """
        values = [known.get(name) for name in self.names]
        if self._last is None or self._last[0] != values:
            by_angles = euler_moments(self.space, self.lagrangian, known, self.algebra)
            found = [(", ".join(angles), moments) for angles, moments in by_angles]
            turned = ((body.name, body.moments(known)) for body in self.bodies)
            self._last = values, [*found, *((name, moments) for name, moments in turned if moments is not None)]
        return self._last[1]


def _doubted(name: str, moments: np.ndarray) -> Note:
    a, b, c = (f"{moment:.6g}" for moment in moments)
    return warn("W109", f"no rigid body has the moments that L gives to {name}: {a} + {b} < {c}", 6)


@dataclass(frozen=True)
class _Turned:
    """A rotation among the coordinates: d2L/dw dw for the velocities w that turn it, and two random states."""

    name: str
    second: Sequence[Node]
    points: tuple[dict[str, float], dict[str, float]]

    @classmethod
    def of(cls, space: Space, L: Node, attitude: Attitude) -> _Turned:
        """Without derivatives where the velocities that turn it are not three."""
        rows = [i for i, q in enumerate(space.coordinates) if q in attitude.coordinates]
        turning = [u.name for a, u in enumerate(space.velocities) if any(space.anchor[i, a] != 0 for i in rows)]
        w = [L.graph.symbol(name) for name in turning] if len(turning) == 3 else []
        second = [e for slope in gradient(L, w) for e in gradient(slope, w)] if w else []
        here, there = (space.sample(np.random.default_rng(seed), [TIME.name]) for seed in (0, 1))
        return cls(attitude.name, second, (here, there))

    def moments(self, known: Mapping[str, float]) -> np.ndarray | None:
        """Eigenvalues of d2L/dw dw, rising; None if they are not the same at both states."""
        forms = [np.array(evaluate(self.second, point | dict(known)), float) for point in self.points]
        if not self.second or not np.isfinite(forms).all():
            return None
        here, there = (np.linalg.eigvalsh(H.reshape(3, 3)) for H in forms)
        return here if np.allclose(here, there, rtol=_TOLERANCE, atol=0.0) else None


def _matrix(given: object) -> sp.ImmutableMatrix:
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


def _entry(value: object) -> sp.Expr:
    if isinstance(value, sp.Expr) and value.free_symbols:
        return scalar(value, "a moment of inertia")
    x = number(value, "a moment of inertia")
    return value if isinstance(value, sp.Expr) else sp.Integer(int(x)) if x.is_integer() else sp.Float(x)


def _refused(given: object) -> WrongType:
    return WrongType(
        "E109", f"{as_given(given)} is not an inertia", "give three principal moments or a symmetric 3 x 3 matrix"
    )
