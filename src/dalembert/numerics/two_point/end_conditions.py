"""The end of a curve: by how much a state misses what is wanted there, and the derivatives of that.

What is missed, condition by condition:

    plain coordinates       q^i(T) - q^i_end
    a rotation              the rotation vector of R_end^T R(T)
    what is left free       P p = 0,  p_a = dL*/du^a,  P the projector onto the velocities that keep what is given:
                            the natural boundary condition, L* = L - lam phi where the multipliers are states
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import Node, evaluate, gradient, symbols
from ...calculus.numerical_rank import rank_of
from ...calculus.quantity import Dimension, quantity, wrong_dimension
from ...calculus.rotation_matrices import read_attitude
from ...calculus.symbols import by_name
from ...equations import Equations
from ...equations.mechanism_assembly import TOLERANCE
from ...equations.residual_scale import scales
from ...equations.start import Completion, Row, by_name_of, identity_of_idle_rotations
from ...errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean

NEAR = 1e-6  # angles below it are 0 in what is divided by them


@dataclass(frozen=True)
class Rotated:
    """A rotation wanted at the end.

    Attributes:
        name: of the rotation.
        places: of its coordinates among the states.
        wanted: R_end (3 x 3).
        entries: R row by row and then its derivatives by the coordinates, on the graph.
    """

    name: str
    places: tuple[int, ...]
    wanted: np.ndarray
    entries: tuple[Node, ...]

    def missed(self, q: Mapping[str, float], S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rotation vector of R_end^T R (3,) and its derivatives (3, d), from those of the states."""
        found = np.array(evaluate(list(self.entries), q), float).reshape(9, 1 + len(self.places))
        R, dR = found[:, 0].reshape(3, 3), np.einsum("ec,cd->ed", found[:, 1:], S[list(self.places)])
        turned = np.einsum("ji,jkd->ikd", R, dR.reshape(3, 3, -1))
        # hat(delta) = R^T dR
        delta = np.stack([turned[2, 1], turned[0, 2], turned[1, 0]])
        vector = rotation_vector(self.wanted.T @ R)
        return vector, inverse_right_jacobian(vector) @ delta


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """The vector along the axis whose length is the angle, at most pi."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_matrix(R).as_rotvec())


def inverse_right_jacobian(v: np.ndarray) -> np.ndarray:
    """J with log(exp(v) exp(delta)) = v + J delta + ..., for the rotation vector v."""
    a = float(np.linalg.norm(v))
    hat = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    # J = 1 + hat/2 + (1/a^2 - cot(a/2)/(2 a)) hat^2
    third = 1 / 12 if a < NEAR else 1 / a**2 - 1 / (2 * a * np.tan(a / 2))
    return np.asarray(np.eye(3) + hat / 2 + third * (hat @ hat))


@dataclass(frozen=True, eq=False)
class End:
    """What is wanted at the last time.

    Attributes:
        equations: whose coordinates.
        t: the last time.
        plain: ``{coordinate: value}`` of those wanted as numbers.
        rotations: those wanted as rotations.
        natural: is what is left free completed by the natural boundary condition?
        sizes: scale of each plain coordinate.
        momentum: scale of momenta.
        parameters: values by name.
    """

    equations: Equations
    t: float
    plain: Mapping[str, float]
    rotations: tuple[Rotated, ...]
    parameters: Mapping[str, float]
    sizes: np.ndarray
    natural: bool = False
    momentum: float = 1.0

    @cached_property
    def places(self) -> list[int]:
        """Of the plain coordinates among the states."""
        return [self.equations.states.index(n) for n in self.plain]

    @cached_property
    def given(self) -> list[int]:
        """Of all coordinates that are given, rotations included."""
        return sorted([*self.places, *(i for r in self.rotations for i in r.places)])

    def values(self, y: np.ndarray) -> dict[str, float]:
        """All symbols at the last time."""
        return {**self.parameters, **dict(zip(self.equations.states, map(float, y), strict=True)), TIME.name: self.t}

    def missed(self, y: np.ndarray, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """By how much a state (n,) misses the end, each condition in its scale, and the derivatives from S (n, d)."""
        plain = (y[self.places] - np.array(list(self.plain.values()))) / self.sizes
        F, J = [plain], [S[self.places] / self.sizes[:, None]]
        values = self.values(y) if self.rotations or self.natural else {}
        for rotated in self.rotations:
            f, j = rotated.missed(values, S)
            F.append(f)
            J.append(j)
        if self.natural:
            f, j = self._natural(values, S)
            F.append(f / self.momentum)
            J.append(j / self.momentum)
        return np.concatenate(F), np.vstack(J)

    def distance(self, y: np.ndarray) -> float:
        """The largest difference to a given coordinate, or angle to a given rotation, in their own units."""
        S = np.zeros((len(y), 1))
        values = self.values(y)
        found = [abs(float(y[i]) - v) for i, v in zip(self.places, self.plain.values(), strict=True)]
        found += [float(np.linalg.norm(r.missed(values, S)[0])) for r in self.rotations]
        return max(found, default=0.0)

    @cached_property
    def _momenta(self) -> tuple[list[Node], list[Node]]:
        """p_a = dL*/du^a and the rows E_G of the given coordinates; their derivatives by all states."""
        equations = self.equations
        graph = equations.machine.graph
        every = [graph.symbol(n) for n in equations.states]
        L = equations.system.over(graph).read(equations.lagrangian)
        p = gradient(L, [graph.symbol(u.name) for u in equations.space.velocities])
        rows = [read(equations.space.anchor[i, a], graph) for i in self.given for a in range(len(p))]
        values = [*p, *rows]
        return values, [s for v in values for s in gradient(v, every)]

    def momenta(self, values: Mapping[str, float]) -> np.ndarray:
        """p (k,) at the values of all symbols."""
        nodes = self._momenta[0][: len(self.equations.space.velocities)]
        return np.array(evaluate(nodes, values), float)

    def _natural(self, values: Mapping[str, float], S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """P p (k,) and its derivatives (k, d)."""
        k, n, g = len(self.equations.space.velocities), len(S), len(self.given)
        nodes, slopes = self._momenta
        flat = np.array(evaluate([*nodes, *slopes], values), float)
        first = len(nodes)
        p, E = flat[:k], flat[k:first].reshape(g, k)
        changes = flat[first:].reshape(first, n) @ S
        dp, dE = changes[:k], changes[k:].reshape(g, k, -1)
        inverse = np.linalg.pinv(E, rcond=1e-10)
        P, mu = np.eye(k) - inverse @ E, inverse.T @ p
        f = P @ p
        # d(P p) = P dp - P dE^T mu - E^+ dE P p
        turned = P @ np.einsum("gkd,g->kd", dE, mu) + inverse @ np.einsum("gkd,k->gd", dE, f)
        return f, P @ dp - turned

    @cached_property
    def rank(self) -> int:
        """How many velocities the given coordinates fix, in general."""
        E = np.array(self.equations.space.anchor.subs(self.somewhere), float)
        return rank_of(E[self.given]) if self.given else 0

    @cached_property
    def somewhere(self) -> dict[Any, float]:
        """The given coordinates at the end, the others anywhere."""
        rng = np.random.default_rng(0)
        found = {q: float(rng.normal()) for q in self.equations.space.coordinates}
        found |= {q: self.plain[q.name] for q in found if q.name in self.plain}
        for name, attitude in self.equations.space.attitudes.items():
            R = next((r.wanted for r in self.rotations if r.name == name), np.eye(3))
            found |= dict(zip(attitude.coordinates, attitude.from_matrix(R), strict=True))
        return found


# --- Reading the two ends of a curve, and holding them to the constraints between positions --------------------------


def positions_of(equations: Equations, given: object) -> object:
    """An end; of a row of a path its positions: velocities are what is found."""
    if not isinstance(given, Row):
        return given
    named = by_name_of(given, [equations], reactions=True)
    return {q.name: named[q.name] for q in equations.space.coordinates}


def read_values(
    equations: Equations, given: object, which: str, also: Sequence[str], dimensions: dict[str, Dimension]
) -> dict[str, Any]:
    """Numbers by state name and rotations by their own, from what was given for one end.

    Args:
        equations: whose names.
        given: ``{name or symbol: value}``.
        which: ``"start"`` or ``"end"``, for messages.
        also: names that are allowed besides coordinates and rotations.
        dimensions: of what was given with units at the other end; those given here are added.

    Raises:
        DalembertError: E330 names, E203 to E207 values, E238, E239 rotations.
    """
    if not isinstance(given, Mapping):
        raise WrongType("E330", f"the {which} is {as_given(given)}, not a mapping of names", f"{which}={{'x': 0.0}}")
    attitudes = equations.space.attitudes
    coordinates = [q.name for q in equations.space.coordinates]
    known = [*coordinates, *attitudes, *also]
    found: dict[str, Any] = {}
    for name, value in by_name(
        given, f"the {which}", lambda key: key if isinstance(key, str) else as_given(key)
    ).items():
        if name not in known:
            _refuse_name(equations, name, which, known)
        if name in attitudes:
            read_attitude(name, value, attitudes[name])
            found[name] = value
            continue
        found[name], dimension = quantity(value, name)
        if dimension is not None and dimensions.setdefault(name, dimension) != dimension:
            raise wrong_dimension(f"{name} at the end", dimension, dimensions[name])
    equations.system.fits(dimensions)
    for name, attitude in attitudes.items():
        twice = [s.name for s in attitude.coordinates if s.name in found]
        if name in found and twice:
            raise InvalidValue("E330", f"the {which} gives {name} and {', '.join(twice)}", "give one of them")
    return found


def _refuse_name(equations: Equations, name: str, which: str, known: Sequence[str]) -> None:
    if name in equations.states:
        fact = f"the {which} gives {name}: the end is one of positions; velocities and multipliers are what is found"
        raise InvalidValue("E330", fact, f"leave {name} out, or give it at the start, where it is then held")
    if name in equations.system.symbols:
        raise UnknownName("E330", f"the {which} gives {name}, a parameter", f"parameters={{{as_given(name)}: ...}}")
    raise UnknownName(
        "E330", f"the {which} gives {as_given(name)}, which nothing here bears", did_you_mean(name, known)
    )


def positions(equations: Equations, found: Mapping[str, Any], t: float, parameters: Mapping[str, float]) -> Completion:
    """The positions at the start, completed by holonomic constraints.

    Raises:
        InvalidValue: E330 something is missing; E332 a constraint between positions does not hold.
    """
    space, machine = equations.space, equations.machine
    values = {n: v for n, v in found.items() if n not in space.attitudes}
    for name in (n for n in space.attitudes if n in found):
        values |= read_attitude(name, found[name], space.attitudes[name])
    for numbers in identity_of_idle_rotations(equations.system, found).values():
        values |= numbers
    work = Completion({**parameters, TIME.name: t, **values})
    rows = {equations.constraints[i].name: f for i, f in machine.position.items()}
    left = work.solve(rows, [q.name for q in space.coordinates])
    if left:
        raise InvalidValue(
            "E330", f"the start leaves {', '.join(left)} open", "give " + ", ".join(f"{n}=..." for n in left)
        )
    check(equations, work.values, "start")
    return work


def check(equations: Equations, values: Mapping[str, float], which: str) -> None:
    """E332 where a constraint between positions, or what holds a rotation's coordinates together, is violated."""
    machine = equations.machine
    rows = {i: f for i, f in machine.position.items() if symbols([f]) <= set(values)}
    sizes = scales(machine.terms, list(rows.values()), equations.space.coordinates, values) if rows else []
    for (i, row), size in zip(rows.items(), sizes, strict=True):
        off = float(evaluate([row], values)[0])
        if not abs(off) <= TOLERANCE * size:
            name, given = equations.constraints[i].name, equations.constraints[i].given
            raise InvalidValue(
                "E332",
                f"the {which} contradicts the constraint {name}: {given} = {off:.6g}, must be 0",
                f"correct the {which}, or leave out what {name} determines",
            )
    for expression in equations.space.embedding:
        node = read(expression, machine.graph)
        if symbols([node]) <= set(values) and not abs(off := float(evaluate([node], values)[0])) <= TOLERANCE:
            raise InvalidValue("E332", f"the {which} is not on the space: {expression} = {off:.6g}", "normalise it")


def wanted(
    equations: Equations,
    found: Mapping[str, Any],
    first: Mapping[str, float],
    t: float,
    parameters: Mapping[str, float],
) -> End:
    """The end as it was given; natural conditions are decided later.

    Raises:
        InvalidValue: E330 nothing is given, or a part of a rotation's coordinates; E332 as of `check`.
    """
    space = equations.space
    if not found:
        raise InvalidValue("E330", "the end gives no position", f"end={{{as_given(space.coordinates[0].name)}: ...}}")
    plain = {n: float(v) for n, v in found.items() if n not in space.attitudes}
    check(equations, {**parameters, TIME.name: t, **plain}, "end")
    rotations = []
    for name, attitude in space.attitudes.items():
        names = [s.name for s in attitude.coordinates]
        parts = [n for n in names if n in plain]
        if parts and len(parts) < len(names):
            raise InvalidValue("E330", f"the end gives {', '.join(parts)} of the rotation {name}", f"give {name} whole")
        if parts or name in found:
            values = {n: plain.pop(n) for n in parts} if parts else read_attitude(name, found[name], attitude)
            rotations.append(_rotated(equations, attitude, values))
    return End(equations, t, plain, tuple(rotations), parameters, np.ones(len(plain)))


def sized(end: End, far: np.ndarray, first: Mapping[str, float]) -> End:
    """The end with the scale of each coordinate: how far it has to go, or how far motions go (n,)."""
    angles = {*end.equations.space.angles}
    sizes = []
    for place, (name, last) in zip(end.places, end.plain.items(), strict=True):
        usual = min(far[place], 1.0) if name in angles else far[place]
        size = max(abs(last - first[name]), usual if np.isfinite(usual) else 0.0)
        sizes.append(size or max(abs(first[name]), abs(last)) or 1.0)
    return replace(end, sizes=np.array(sizes))


def _rotated(equations: Equations, attitude: Any, values: Mapping[str, float]) -> Rotated:
    graph = equations.machine.graph
    entries = [read(e, graph) for e in attitude.matrix]
    by = [graph.symbol(s.name) for s in attitude.coordinates]
    every = [node for e in entries for node in (e, *gradient(e, by))]
    R = np.array(evaluate(entries, values), float).reshape(3, 3)
    places = tuple(equations.states.index(s.name) for s in attitude.coordinates)
    return Rotated(attitude.name, places, R, tuple(every))
