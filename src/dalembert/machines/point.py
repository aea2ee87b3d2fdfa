"""Points of a machine, and the forces in its joints, as expressions and along a path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import sympy as sp

from ..argument_checks import noun
from ..calculus.algebra import GraphAlgebra
from ..calculus.frame import TIME
from ..calculus.graph import Graph, evaluate
from ..errors import InvalidValue
from .frame import MovingFrame
from .parts import Given
from .vectors import ZERO, Scalar, Vector, added, applied, cross, expression, scaled, transposed

if TYPE_CHECKING:
    from .assembly import Assembly

Expressions = tuple[sp.Expr, sp.Expr, sp.Expr]


def _expressions(v: Sequence[Scalar]) -> Expressions:
    x, y, z = map(expression, v)
    return x, y, z


@noun
class Point:
    """A point of a body. Vectors are in axes of space, unless they say otherwise.

    Accelerations hold the rates of the velocities by name, ``dot(vx)``.
    """

    def __init__(self, assembly: Assembly, body: str, at: Sequence[Given]) -> None:
        self._assembly, self.body = assembly, body
        link = assembly.links[body]
        self._frame, self._turn = link.frame, link.pose.turn
        self._at = link.pose.outside(assembly.vector(at, f"a point of {body}"))

    def _own(self, vector: Vector) -> Expressions:
        """A vector in axes of the moving frame in those of the body."""
        return _expressions(applied(transposed(self._turn), vector))

    @cached_property
    def position(self) -> Expressions:
        """x, m."""
        return _expressions(self._frame.position(self._at))

    @cached_property
    def velocity(self) -> Expressions:
        """x', m/s."""
        return _expressions(self._frame.in_space(self._frame.velocity(self._at)))

    @cached_property
    def acceleration(self) -> Expressions:
        """x'', m/s^2."""
        return _expressions(self._frame.in_space(self._frame.acceleration(self._at)))

    @cached_property
    def jacobian(self) -> sp.ImmutableMatrix:
        """J with x' = J u, (3, k)."""
        found = dict.fromkeys(self._assembly.space.velocities, ZERO)
        frame, r = self._frame, self._at
        while frame.carrier is not None:
            # each joint before the point:  dx'/du = dv_joint/du + dw_joint/du x r
            for u in found:
                moving, turning = frame.slopes(u)
                found[u] = added(found[u], frame.in_space(added(moving, cross(turning, r))))
            frame, r = frame.carrier, frame.pose.outside(r)
        return sp.ImmutableMatrix([list(row) for row in zip(*found.values(), strict=True)])

    @cached_property
    def gyroscope(self) -> Expressions:
        """What a gyroscope on the body measures: its angular velocity in its own axes, 1/s."""
        return self._own(self._frame.w)

    @cached_property
    def accelerometer(self) -> Expressions:
        """What an accelerometer there measures: x'' - g in the body's own axes, m/s^2."""
        g = added(*(scaled(-1.0, scaled(e, self._frame.axis(i))) for i, e in enumerate(self._assembly.gravity)))
        return self._own(added(self._frame.acceleration(self._at), g))

    def along(self, equations: Any, path: Any, times: Sequence[float] | None = None) -> dict[str, np.ndarray]:
        """Position, velocity, acceleration, gyroscope and accelerometer at the times of a path, (n, 3) each.

        Args:
            equations: the equations of the motion.
            path: that `simulate` returned.
            times: others than those of the path, s.
        """
        names = ("position", "velocity", "acceleration", "gyroscope", "accelerometer")
        return columns(equations, path, times, {name: getattr(self, name) for name in names})


@noun
class Reaction:
    """The wrench that a joint exerts on the body behind it, at the joint.

    It holds the rates of the velocities by name, ``dot(vx)``, and the multipliers of rows, ``lam_<row>``. Along the
    freedoms of the joint stand its motor, spring and friction.
    """

    def __init__(self, assembly: Assembly, joint: str, axes: str) -> None:
        self._assembly, self.joint, self.axes = assembly, joint, axes

    @cached_property
    def _wrench(self) -> tuple[Vector, Vector]:
        found, assembly = self._assembly.joints[self.joint], self._assembly
        given = assembly.parts.joints[self.joint]
        if given.kind == "fixed":
            fact = f"the joint {self.joint} is fixed, and both its bodies are one"
            raise InvalidValue("E164", fact, "close it as a loop instead, or give it a stiff spring")
        if assembly.contacts:
            fact = "wheels with friction have no multipliers"
            raise InvalidValue("E164", fact, "their forces are columns of the path")
        force, moment = Wrenches(assembly).on(found.behind)
        if self.axes == "space":
            return found.behind.in_space(force), found.behind.in_space(moment)
        turn = transposed(found.turned) if self.axes == "behind" else found.to_near
        return applied(turn, force), applied(turn, moment)

    @cached_property
    def force(self) -> Expressions:
        """N, on the body behind the joint."""
        return _expressions(self._wrench[0])

    @cached_property
    def moment(self) -> Expressions:
        """N m, about the joint, on the body behind it."""
        return _expressions(self._wrench[1])

    def along(self, equations: Any, path: Any, times: Sequence[float] | None = None) -> dict[str, np.ndarray]:
        """Force and moment at the times of a path, (n, 3) each.

        Args:
            equations: the equations of the motion.
            path: that `simulate` returned.
            times: others than those of the path, s.
        """
        return columns(equations, path, times, {"force": self.force, "moment": self.moment})


class Wrenches:
    """From the outside inwards: what moves the bodies behind a joint, less what else acts on them."""

    def __init__(self, assembly: Assembly) -> None:
        self.assembly = assembly
        self.behind: dict[MovingFrame, list[MovingFrame]] = {}
        for found in assembly.joints.values():
            frame = found.behind
            while frame.carrier is not None and frame not in self.behind.get(frame.carrier, []):
                self.behind.setdefault(frame.carrier, []).append(frame)
                frame = frame.carrier
        self.loads: dict[MovingFrame, list[tuple[Vector, Vector, Vector]]] = {}
        for force in assembly.parts.forces:
            load = assembly.load(force).on(assembly.moves)
            self.loads.setdefault(load.frame, []).append((load.at, load.force, load.moment))
        for name, row in assembly.rows.items():
            lam = sp.Symbol(f"lam_{name}", real=True)
            for load in row.loads:
                kept = load.on(assembly.moves)
                held = kept.at, scaled(lam, kept.force), scaled(lam, kept.moment)
                self.loads.setdefault(kept.frame, []).append(held)

    def on(self, frame: MovingFrame) -> tuple[Vector, Vector]:
        """Force and moment about its origin on all that a frame carries, in its axes."""
        # F = sum m (a_c - g) - sum F_given - sum lam dphi
        force, moment = ZERO, ZERO
        for part in self.assembly.inertias.get(frame, ()):
            f, n = part.momentum_rates(frame, self.assembly.gravity)
            force, moment = added(force, f), added(moment, n)
        for at, f, n in self.loads.get(frame, ()):
            force = added(force, scaled(-1.0, f))
            moment = added(moment, scaled(-1.0, added(n, cross(at, f))))
        for further in self.behind.get(frame, ()):
            f, n = self.on(further)
            f, n = applied(further.pose.turn, f), applied(further.pose.turn, n)
            force, moment = added(force, f), added(moment, n, cross(further.pose.at, f))
        return force, moment


def columns(
    equations: Any, path: Any, times: Sequence[float] | None, wanted: Mapping[str, Expressions]
) -> dict[str, np.ndarray]:
    """Expressions in states, their rates and multipliers at the times of a path."""
    rows = []
    for t in path.t if times is None else times:
        state = path.at(t)
        found = equations.evaluate(state)
        rates = {f"dot({name})": value for name, value in found["accelerations"].items()}
        rows.append({**state.parameters, **dict(state), **rates, **found["multipliers"], TIME.name: t})
    known = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    algebra = GraphAlgebra(Graph())
    table: dict[str, np.ndarray] = {}
    for name, vector in wanted.items():
        parts = evaluate([algebra.read(e) for e in vector], known)
        table[name] = np.stack([np.broadcast_to(np.asarray(e, float), len(rows)) for e in parts], axis=1)
    return table
