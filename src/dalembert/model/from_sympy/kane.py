"""Systems from SymPy's `KanesMethod` or its inputs: kinetic energy from the bodies, generalised forces from the loads.

Kane's method needs partial velocities only, a Lagrangian needs coordinates. Where the velocity of a body does not
follow from the coordinates, those that are missing are added, with constraints that say what Kane's method was told:

    v = v(q, u)     becomes     coordinates x, y, z of the body's mass centre,  xdot - v_x(q, u) = 0, ...
    w = w(q, u)     becomes     an attitude of the body,                        w_new - w(q, u) = 0
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sympy as sp
from sympy.core.function import AppliedUndef

from ...calculus.algebra import GraphAlgebra
from ...calculus.euler_lagrange import Motion
from ...calculus.from_sympy import read
from ...calculus.graph import Graph, Node, evaluate, substitute
from ...calculus.numerical_rank import sized
from ...calculus.simplification import adjugate, at_most, determinant, short
from ...errors import InvalidValue, Note, WrongType, as_given, warn
from ..expression_symbols import Reader
from ..space import TOLERANCE, Space
from ..space_factors import rotation
from ..system import System
from .dynamicsymbols import Specified, clock, functions, listed, name, named
from .lagrange import velocities_of

_CRAMER = 6  # speeds of a body: kinematic equations of more at once are solved by SymPy
_SHORT = 100  # operations of a determinant that is simplified
_CHOICES = 500  # of coordinates that could be those of the speeds
_LISTS = ("kd_eqs", "configuration_constraints", "velocity_constraints")
_DEPENDENT = ("q_dependent", "u_dependent", "u_auxiliary")


def of_inputs(
    frame: Any,
    q: Any,
    u: Any,
    inputs: Mapping[str, object],
    names: object,
    specified: object,
    options: Mapping[str, object],
) -> System:
    """The system of the inputs of `KanesMethod`."""
    from sympy.physics.mechanics import KanesMethod

    given, speeds = dict(inputs), functions(u, "u_ind")
    coordinates = functions(q, "qs")
    given |= {key: listed(given[key], key) or None for key in _LISTS if key in given}
    given |= {key: functions(given[key], key) or None for key in _DEPENDENT if key in given}
    bodies, loads = given.pop("bodies"), given.pop("forcelist")
    try:
        method = KanesMethod(frame, coordinates, speeds, **given)
    except (ValueError, TypeError, ArithmeticError, AttributeError) as refusal:
        raise InvalidValue("E101", f"SymPy's KanesMethod refuses these inputs: {refusal}", "see its help") from None
    return of_method(method, bodies, loads, names, specified, options)


def of_method(method: Any, bodies: Any, loads: Any, names: Any, specified: Any, options: Mapping[str, Any]) -> System:
    """The system of a `KanesMethod`; bodies and loads are its own, or given where it has none yet."""
    bodies = method.bodies if bodies is None else bodies
    if not isinstance(bodies, Iterable | None):
        raise WrongType("E101", f"bodies: {as_given(bodies)} is not a list of bodies", "bodies=[...]")
    if not bodies:
        raise WrongType(
            "E101", "this KanesMethod has no bodies yet", "from_sympy(method, bodies=[...], forcelist=[...])"
        )
    if not method._qdot_u_map:
        raise WrongType("E101", "this KanesMethod has no kinematic equations", "KanesMethod(..., kd_eqs=[...])")
    reading = Reading(method, Specified(specified))
    model = KaneModel.of(reading, list(bodies))
    pairs = velocities_of(method.forcelist if loads is None else loads, method._inertial)
    held, moving, left = reading.constraints(model.space)
    rows = {**named([*held, *moving], names, taken=model.rows), **model.rows}
    # speeds that carry no energy because that of their body is written in coordinates that were added
    light = [u.name for u in model.speeds if model.rows and not model.energy.has(u)]
    given = options.get("massless", ())
    options = {**options, "massless": [*given, *light] if light else given}
    system = System(model.space, model.energy, rows, model.forces(pairs), **options)
    said = [
        *model.notes,
        *(Note("N147", f"{e} = 0 only repeats a configuration constraint and is left out") for e in left),
    ]
    object.__setattr__(system, "notes", (*system.notes, *said))
    return system


class Reading:
    """A `KanesMethod` read: coordinates, speeds, kinematics; expressions in speeds alone.

    Args:
        method: SymPy's object.
        given: functions of time that are no coordinates.
    """

    def __init__(self, method: Any, given: Specified) -> None:
        self.method, self.given, self.frame = method, given, method._inertial
        self.q, self.u = functions(list(method.q), "qs"), functions(list(method.u), "u_ind")
        self.still = dict.fromkeys([*method._uaux, *method._uaux.diff(clock())], sp.S.Zero)
        self.rates = {rate: self.quiet(e) for rate, e in _rates(method).items()}

    def quiet(self, e: sp.Expr) -> sp.Expr:
        """Auxiliary speeds put to 0, and what is specified put in."""
        return self.given.put(e.xreplace(self.still) if self.still else e)

    def read(self, e: sp.Expr, where: str) -> sp.Expr:
        """In coordinates, speeds and parameters only: rates of coordinates are put in from the kinematic equations."""
        found = self.quiet(self.given.put(e).xreplace(self.rates))
        return self.given.check(found, [*self.q, *self.u], where)

    def space(self) -> tuple[Space, list[AppliedUndef], list[AppliedUndef]]:
        """A space of the speeds; those of them that move no coordinate; the coordinates that are not in the space.

        These are more than the speeds. Where the others do not make a space, each speed gets a coordinate of its own.

        Raises:
            InvalidValue: E140, kinematic equations that are not qdot = E(q) u.
        """
        rows = [self.read(self.rates[f.diff(clock())], "the kinematic equations") for f in self.q]
        E = sp.Matrix([[row.diff(u) for u in self.u] for row in rows])
        rest = [short(row.xreplace(dict.fromkeys(self.u, sp.S.Zero))) for row in rows]
        if any(e != 0 for e in rest) or any(s.name == "t" for e in E for s in e.free_symbols - _inside(e)):
            raise InvalidValue(
                "E140",
                "the kinematic equations are not qdot = E(q) u: the time or a given motion occurs in them",
                "choose the speeds so that they are 0 at rest, and put the given motion into the bodies' velocities",
            )
        moving = [a for a in range(len(self.u)) if any(e != 0 for e in E[:, a])]
        plain = {f: sp.Symbol(name(f), real=True) for f in self.q}
        anchor = E[:, moving].applyfunc(lambda e: short(e).xreplace(plain))
        speeds, loose = ([u for a, u in enumerate(self.u) if (a in moving) == yes] for yes in (True, False))
        base = _square(anchor, list(plain.values())) if 0 < len(moving) < len(self.q) else list(range(len(self.q)))
        u, own = [name(f) for f in speeds], [name(self.q[i]) for i in base]
        space = Space(own, u, anchor[base, :]) if base else Space([f"{v}_path" for v in u], u)
        return space, loose, [f for i, f in enumerate(self.q) if i not in base]

    def constraints(self, space: Space) -> tuple[list[sp.Expr], list[sp.Expr], list[sp.Expr]]:
        """Configuration constraints, velocity constraints, and those of the latter that only repeat the former."""
        method = self.method
        held = [self.read(e, "a configuration constraint") for e in method._f_h]
        rows = list(method._k_nh * sp.Matrix(self.u) + method._f_nh) if method._k_nh else []
        moving = [self.read(e, "a velocity constraint") for e in rows]
        reader = Reader(space)
        rates = [self._rate(space, reader.read(e, "a configuration constraint")) for e in held]
        plain = [reader.read(e, "a velocity constraint") for e in moving]
        repeats = [bool(rates) and _in_span(space, rates, e) for e in plain]
        new = [e for e, again in zip(plain, repeats, strict=True) if not again]
        return held, new, [e for e, again in zip(plain, repeats, strict=True) if again]

    @staticmethod
    def _rate(space: Space, e: sp.Expr) -> sp.Expr:
        t = sp.Symbol("t", real=True)
        return sum((e.diff(q) * rate for q, rate in space.rates.items()), e.diff(t))


def _rates(method: Any) -> dict[sp.Expr, sp.Expr]:
    """qdot of  A qdot + B u + f = 0  by Cramer's rule, which divides by nothing but the determinant.

    SymPy divides by the first pivots that are not 0 identically: these vanish at places where det A does not.
    """
    A, qdot = method._k_kqdot_implicit, list(method._qdot)
    right = -(method._k_ku_implicit * sp.Matrix(method.u) + method._f_k_implicit)
    found = dict(method._qdot_u_map)
    for rows, columns in _blocks(A):
        if len(rows) != len(columns) or len(rows) > _CRAMER:
            continue
        block = A.extract(rows, columns)
        det = determinant(block)
        det = sp.trigsimp(det) if at_most(_SHORT, det) else det
        solved = adjugate(block) * right.extract(rows, [0])
        found |= {qdot[c]: e / det for c, e in zip(columns, solved, strict=True)}
    return found


def _blocks(A: sp.Matrix) -> list[tuple[list[int], list[int]]]:
    """Rows and columns of A that have to do with each other."""
    from scipy.sparse.csgraph import connected_components

    met, n = np.array([[e != 0 for e in A.row(i)] for i in range(A.rows)]).reshape(A.shape), A.rows
    count, label = connected_components(np.block([[np.zeros((n, n)), met], [met.T, np.zeros((A.cols, A.cols))]]))
    return [(np.flatnonzero(label[:n] == b).tolist(), np.flatnonzero(label[n:] == b).tolist()) for b in range(count)]


def _inside(e: sp.Expr) -> set[sp.Symbol]:
    """The t of functions of time alone, not of the time itself."""
    marked: set[sp.Symbol] = e.xreplace({f: sp.Dummy() for f in e.atoms(AppliedUndef)}).free_symbols
    return {s for s in e.free_symbols if s.name == "t"} - marked


def _square(E: sp.Matrix, q: Sequence[sp.Symbol]) -> list[int]:
    """The rows of E(q), as many as columns, in their own coordinates only and with an inverse everywhere; or none."""
    n, k = E.shape
    found = []
    for rows in itertools.islice(itertools.combinations(range(n), k), _CHOICES):
        part = E[list(rows), :]
        if not part.free_symbols & {q[i] for i in range(n) if i not in rows}:
            det = short(part.det(method="berkowitz"))
            if det != 0 and not sp.fraction(det)[0].free_symbols & set(q):
                found.append((det.count_ops(), list(rows)))
    return min(found)[1] if found else []


def _in_span(space: Space, rows: Sequence[sp.Expr], e: sp.Expr) -> bool:
    """Is e, affine in the velocities, a combination of rows at random points?"""
    graph, u = Graph(), space.velocities
    zero = dict.fromkeys(u, sp.S.Zero)
    table = [[*(r.diff(v) for v in u), r.xreplace(zero)] for r in (*rows, e)]
    nodes = [read(entry, graph) for row in table for entry in row]
    names = sorted({s.name for row in table for entry in row for s in entry.free_symbols} - {s.name for s in space})
    rng = np.random.default_rng(0)
    for _ in range(3):
        flat = np.array(evaluate(nodes, space.sample(rng, names)), float).reshape(len(table), -1)
        flat /= np.maximum(np.abs(flat).max(axis=1, keepdims=True), 1e-300)
        if np.linalg.matrix_rank(flat, tol=1e-9) > np.linalg.matrix_rank(flat[:-1], tol=1e-9):
            return False
    return True


@dataclass
class KaneModel:
    """The space, the kinetic energy, and what had to be added.

    Attributes:
        reading: where it comes from.
        space: coordinates and velocities.
        speeds: the velocities that are SymPy's.
        energy: T in the symbols of the space.
        rows: constraints that tie what was added to SymPy's speeds.
        notes: what was added, in words.
    """

    reading: Reading
    space: Space
    speeds: tuple[sp.Symbol, ...]
    energy: sp.Expr = sp.S.Zero
    rows: dict[str, sp.Expr] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)

    @classmethod
    def of(cls, reading: Reading, bodies: Sequence[Any]) -> KaneModel:
        """The model of some bodies.

        Raises:
            WrongType: E101, something that is no body.
            InvalidValue: E140, a speed or an attitude that no coordinate belongs to.
        """
        from sympy.physics.mechanics import Particle, RigidBody

        space, loose, over = reading.space()
        model = cls(reading, space, space.velocities)
        model._carry(over)
        for body in bodies:
            if not isinstance(body, Particle | RigidBody):
                raise WrongType("E101", f"{body} is neither a Particle nor a RigidBody", "bodies=[...]")
        solid = [body for body in bodies if isinstance(body, RigidBody)]
        for body in solid:
            loose = model._turning(body, loose)
        if loose:
            raise InvalidValue(
                "E140",
                f"the speeds {', '.join(map(str, loose))} move no coordinate",
                "give their coordinates to KanesMethod, with kinematic equations",
            )
        for body in bodies:
            model._translation(body)
            if body.potential_energy != 0:
                text = f"{body}: its potential energy is not read, as in Kane's method; loads act"
                model.notes.append(warn("W152", text, 6))
        return model

    def _read(self, e: sp.Expr, where: str) -> sp.Expr:
        return Reader(self.space).read(self.reading.read(e, where), where)

    def _translation(self, body: Any) -> None:
        """m v^2/2, in coordinates of the mass centre where v does not follow from the others."""
        point = body.masscenter
        try:
            vector = point.vel(self.reading.frame)
            parts = [vector.dot(e) for e in self.reading.frame]
        except ValueError as refusal:
            raise InvalidValue("E101", f"{body}: its velocity is not known: {refusal}", "set it with set_vel") from None
        v = [self._read(e, f"the velocity of {body}") for e in parts]
        before = self.space  # the components are tested before anything is added
        moving = [e != 0 and not follows(before, [e]) for e in v]
        if not any(moving):
            # the square as SymPy writes it is shorter than that of the components
            self.energy += self._read(body.mass * vector.dot(vector) / 2, f"the kinetic energy of {body}")
            return
        for axis, missing in enumerate(moving):
            if missing:
                v[axis] = self._place(body, "xyz"[axis], v[axis])
        self.energy += self._read(body.mass, "a mass") * sum(e**2 for e in v) / 2

    def _place(self, body: Any, axis: str, v: sp.Expr) -> sp.Symbol:
        """A new coordinate of the mass centre, tied to its velocity; its rate."""
        new = f"{_plain(body)}_{axis}"
        self.space = self.space * Space(new)
        self.rows[new] = self.space[f"v{new}"] - v
        self.notes.append(Note("N146", f"{new} is added: the velocity of {body} is no rate of the coordinates"))
        return self.space[f"v{new}"]

    def _carry(self, over: Sequence[AppliedUndef]) -> None:
        """Coordinates beyond the number of speeds, tied to their rates in them."""
        for f in over:
            self.space = self.space * Space(name(f))
            self.notes.append(Note("N146", f"v{name(f)} is added: {name(f)} has no speed of its own"))
        for f in over:
            rate = self.space[f"v{name(f)}"]
            self.speeds += (rate,)
            self.rows[name(f)] = rate - self._read(self.reading.rates[f.diff(clock())], "the kinematic equations")

    def _turning(self, body: Any, loose: list[AppliedUndef]) -> list[AppliedUndef]:
        """w I w/2, with an attitude of its own where w does not follow; the speeds still without a coordinate."""
        vector, inertia = body.frame.ang_vel_in(self.reading.frame), body.central_inertia
        if vector == 0 or inertia == 0:
            return loose
        w = self._components(body, vector, self.reading.frame)
        if not any(e.has(f) for e in w for f in loose) and follows(self.space, [self._own(body, e) for e in w], True):
            energy = vector.dot(inertia.dot(vector)) / 2
            self.energy += self._read(energy, f"the kinetic energy of {body}")
            return loose
        J = _matrix(inertia, (self.reading.frame, body.frame))
        if J is None or J[0, 0] * sp.eye(3) != J:
            J, w = _matrix(inertia, (body.frame,)), self._components(body, vector, body.frame)
            if J is None or any(e.has(AppliedUndef) for e in J):
                raise InvalidValue(
                    "E140",
                    f"the attitude of {body} does not follow from the coordinates, and its inertia turns in its frame",
                    "give the missing angle to KanesMethod as a coordinate",
                )
            return self._attitude(body, J, w, "body", loose)
        return self._attitude(body, J, w, "space", loose)

    def _components(self, body: Any, vector: Any, frame: Any) -> list[sp.Expr]:
        """Components in speeds alone."""
        try:
            return [self.reading.read(vector.dot(e), f"the angular velocity of {body}") for e in frame]
        except ValueError as refusal:
            raise InvalidValue(
                "E140",
                f"{body}: no components in {frame}: {refusal}",
                "orient the body's frame, or write its inertia in N",
            ) from None

    def _own(self, body: Any, e: sp.Expr) -> sp.Expr:
        return Reader(self.space).read(e, f"the angular velocity of {body}")

    def _attitude(
        self, body: Any, J: sp.Matrix, w: Sequence[sp.Expr], frame: str, loose: list[AppliedUndef]
    ) -> list[AppliedUndef]:
        """An attitude for a body with the inertia J and the angular velocity w in its own frame or in space.

        Speeds that are its components and move nothing else become its velocities; others are tied to them.
        """
        plain = _plain(body)
        direct = len(set(w)) == 3 and all(e in loose for e in w)
        speeds = [name(e) for e in w] if direct else [f"{plain}_w{i}" for i in (1, 2, 3)]
        self.space = self.space * rotation(f"{plain}_R", speeds, frame=frame)
        new = [self.space[s] for s in speeds]
        if direct:
            self.speeds += tuple(new)
            loose = [f for f in loose if f not in w]
        elif not any(e.has(f) for e in w for f in loose):  # with others it is refused, they have no coordinate
            self.rows |= {s: self.space[s] - self._own(body, e) for s, e in zip(speeds, w, strict=True)}
        J = J.applyfunc(lambda e: self._read(e, f"the inertia of {body}"))
        self.energy += (sp.Matrix(new).T * J * sp.Matrix(new))[0] / 2
        self.notes.append(
            Note("N146", f"{plain}_R is added: the attitude of {body} does not follow from the coordinates")
        )
        return loose

    def forces(self, pairs: Sequence[tuple[Any, Any]]) -> dict[sp.Symbol, sp.Expr]:
        """Q_a = sum of F . dv/du^a over the loads."""
        reading, found = self.reading, {}
        moved = [(v.subs(reading.given.known).subs(reading.rates) if v != 0 else v, F) for v, F in pairs]
        for f in reading.u:
            Q = sum((v.diff(f, reading.frame, var_in_dcm=False).dot(F) for v, F in moved if v != 0), sp.S.Zero)
            if Q != 0:
                found[self.space[name(f)]] = self._read(Q, f"the force on {f}")
        return found


def _matrix(inertia: Any, frames: Sequence[Any]) -> sp.Matrix | None:
    """The inertia in the first of the frames that is oriented to it."""
    for frame in frames:
        try:
            return inertia.to_matrix(frame)
        except ValueError:
            pass
    return None


def _plain(body: Any) -> str:
    """A name of letters, digits and ``_`` for what is added for a body."""
    text = re.sub(r"\W", "_", str(body.name))[:40]
    return text if text[:1].isalpha() else f"body_{text}"


# --- does a velocity follow from the coordinates? ---------------------------------------------------------------------

# A scalar v = A_a(t, q) u^a + b(t, q) is the rate of a function of t and q, and an angular velocity that of an
# attitude, where the Maurer-Cartan equations hold [bloch2015], for each component of a velocity
#
#     E_a(A_b) - E_b(A_a) - C^c_ab A_c = 0            dA_a/dt - E_a(b) = 0
#
# and for an angular velocity in space
#
#     E_a(A_b) - E_b(A_a) - C^c_ab A_c = A_a x A_b    dA_a/dt - E_a(b) = b x A_a

_SAMPLES = 3


def follows(space: Space, components: Sequence[sp.Expr], turning: bool = False) -> bool:
    """Are these velocities, all components of one, rates of functions of t and q? `turning`: of an attitude."""
    algebra = GraphAlgebra(Graph())
    motion = Motion.of(space.frame, algebra)
    read = [algebra.read(e) for e in components]
    A = [algebra.gradient(v, motion.u) for v in read]  # A[i][a]
    b = substitute(read, {u.name: 0.0 for u in space.velocities})
    known = {s.name for e in components for s in e.free_symbols} | {s.name for s in space.frame.letters}
    own = {s.name for s in space}
    rest = [e for e in _curl(motion, A, b, turning) if not e.is_zero]
    rng = np.random.default_rng(0)
    for _ in range(_SAMPLES if rest else 0):
        values, sizes = sized(rest, {"t": float(rng.normal()), **space.sample(rng, sorted(known - own - {"t"}))})
        if not (np.abs(values) <= TOLERANCE * np.maximum(sizes, 1e-300)).all():
            return False
    return True


def _curl(motion: Motion, A: Sequence[Sequence[Node]], b: Sequence[Node], turning: bool) -> list[Node]:
    """What has to vanish."""
    k, n = len(motion.u), len(A)
    along = [[motion.algebra.along(row, motion.q, [E[a] for E in motion.anchor]) for row in A] for a in range(k)]
    drift = [motion.algebra.along(b, motion.q, [E[a] for E in motion.anchor]) for a in range(k)]
    in_time = [motion.algebra.along(row, [motion.t], [motion.one]) for row in A]
    found = []
    for a, c in itertools.combinations(range(k), 2):
        bracket = motion.bracket(a, c)
        found += [
            along[a][i][c] - along[c][i][a] - motion.sum(C * A[i][s] for s, C in enumerate(bracket) if not C.is_zero)
            - (_cross([row[a] for row in A], [row[c] for row in A], i) if turning else motion.zero)
            for i in range(n)
        ]  # fmt: skip
    for a in range(k):
        found += [
            in_time[i][a] - drift[a][i] - (_cross(b, [row[a] for row in A], i) if turning else motion.zero)
            for i in range(n)
        ]
    return found


def _cross(x: Sequence[Node], y: Sequence[Node], i: int) -> Node:
    j, k = (i + 1) % 3, (i + 2) % 3
    return x[j] * y[k] - x[k] * y[j]
