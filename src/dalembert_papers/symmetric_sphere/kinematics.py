"""Section 3 of [cendra2001a], kinematics: hats, the group, the connection and its curvature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from dalembert import DalembertError, System
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import evaluate
from dalembert.geometry.group_action import Action
from dalembert.geometry.random_states import ConstraintSampler
from dalembert.geometry.restriction import bracket
from dalembert.model.space_factors import hat
from dalembert.systems import symmetric_sphere as machine

from ..claim import Claim, Group, at_hand, identity, pair, said
from . import given
from .given import A, any_1, any_2, cross, dot, e1, e2, e3, on_sphere, r, w

ASHAT = tuple(hat(e) for e in (e1, e2, e3))
OMEGA = A.T * w  # body components
AXIS = A * e3
AXIS_RATE = w.cross(AXIS)
SPACE = machine.SPACE
ROUNDING = 1e-12
FIRST, SECOND = (sp.Matrix([*sp.symbols(f"{letter}1:3", real=True), 0]) for letter in ("P", "Q"))  # Omega_1, Omega_2


def hats() -> Iterator[Claim]:
    """The hat map."""
    x, y = any_1, any_2
    yield identity("section 3", "hat(x x y) = [x^, y^]", hat(x.cross(y)) - (hat(x) * hat(y) - hat(y) * hat(x)))
    yield identity("section 3", "x . y = -1/2 tr x^ y^", dot(x, y) + (hat(x) * hat(y)).trace() / 2)
    yield identity("section 3", "x^ y = x x y", hat(x) * y - x.cross(y))
    yield identity("section 3", "hat(A x) = A x^ A^-1", on_sphere(hat(A * x) - A * hat(x) * A.T))


def rates() -> Iterator[Claim]:
    """Adot, z, and w by v0 and zdot; Adot from the library's anchor."""
    turning = {q: rate for q, rate in SPACE.rates.items() if q in SPACE.attitudes["R"].coordinates}
    Adot = A.applyfunc(lambda e: sum((e.diff(q) * rate for q, rate in turning.items()), sp.S.Zero))
    both = [A * hat(OMEGA), hat(w) * A]
    yield from pair(
        "section 3, kinematics",
        "A = A Omega^ = w^ A",
        on_sphere(*(A - e for e in both)),
        "Adot = A Omega^ = w^ A",
        on_sphere(*(Adot - e for e in both)),
        at_hand("A lost dot.", r"A = A\hat{\Omega} = \hat{\omega}A", r"\dot{A} = A\hat{\Omega} = \hat{\omega}A"),
    )
    yield identity("section 3", "z = A e3: zdot = Adot e3 = w x z", on_sphere(Adot * e3 - AXIS_RATE))
    yield identity("section 3", "<w, z> = Omega^3", on_sphere(dot(w, AXIS) - OMEGA[2]))
    planar = A * (OMEGA[0] * ASHAT[0] + OMEGA[1] * ASHAT[1]) * A.T
    text = "A (Omega^1 e1^ + Omega^2 e2^) A^-1 = hat(z x zdot)"
    yield identity("section 3", text, on_sphere(planar - hat(AXIS.cross(AXIS_RATE))))
    split = dot(w, AXIS) * AXIS + AXIS.cross(AXIS_RATE)
    yield identity("section 3", "w = v0 z + z x zdot, v0 = Omega^3", on_sphere(w - split), key=True)


def rolling() -> Iterator[Claim]:
    """The constraint."""
    phis = [c.phi for c in given.system().constraints]
    place = sp.Matrix([SPACE["vx"], SPACE["vy"], 0])
    printed = hat(w) * r * e3 - place
    yield identity("section 3", "w^ r e3 - xdot = 0 is the library's constraint", printed + sp.Matrix([*phis, 0]))
    below = place + w.cross(-r * e3)
    yield identity("section 3", "the point of contact, r below the centre, is at rest", printed + below)
    above = place + w.cross(r * e3)
    yield identity("section 3", "so it is if the sphere hangs below the plane", printed + above, expected=False)


# --- the group -------------------------------------------------------------------------------------------------------


def symmetry() -> Iterator[Claim]:
    """SO(2) x R^2 leaves L and the constraint alone, if I1 = I2."""
    text = _refusal(given.system())
    names = ", ".join(g.name for g in given.system().symmetry)
    yield said("section 3", "SO(2) x R^2 leaves L and D alone", not text, text or names, key=True)
    found = given.over_sphere()
    own = {q: e for q, e in found.shape.meaning.items()}
    shape = [own[q] - e for q, e in zip(given.z, AXIS, strict=True)]
    sphere = [e - (given.z.dot(given.z) - 1) for e in found.system.space.embedding]
    text = "Q/G is S^2: the library finds z = A e3, |z| = 1, and no chart: zdot = w x z"
    yield identity("section 3", text, shape, sphere, _anchor_gap())


def _anchor_gap() -> list[sp.Expr]:
    space = given.over_sphere().system.space
    rates = sp.Matrix(space.anchor) * sp.Matrix(space.velocities)
    return list((rates - given.zdot).applyfunc(sp.expand))


def _refusal(system: System) -> str:
    try:
        Action(ConstraintSampler(system), system.symmetry).check()
    except DalembertError as error:
        return f"{error.code} {error.fact}"
    return ""


# --- the connection --------------------------------------------------------------------------------------------------


def _connection(components: Any) -> list[sp.Expr]:
    """A(u) = (Omega^3, xdot - (z x zdot) x r e3) of velocities (vx, vy, w)."""
    u = sp.Matrix(components)
    turning, place = sp.Matrix(u[2:]), sp.Matrix([*u[:2], 0])
    v1 = place - cross(AXIS, turning.cross(AXIS)).cross(r * e3)
    return [dot(turning, AXIS), v1[0], v1[1]]


def connection() -> Iterator[Claim]:
    """A is a connection, and its horizontal space lies in D."""
    generators = [list(g.components) for g in given.system().symmetry]
    values = sp.Matrix([_connection(x) for x in generators])
    yield identity("section 3", "A takes the generators to SO(2) x R^2", on_sphere(values - sp.eye(3)))
    u = sp.Matrix(SPACE.velocities)
    worst = _change(_connection(u))
    yield said("section 3", "A is left alone by the group", worst < ROUNDING, f"changes by {worst:.1e}")
    body = A * (OMEGA[0] * ASHAT[0] + OMEGA[1] * ASHAT[1]) * A.T * r * e3
    other = cross(AXIS, AXIS_RATE).cross(r * e3)
    yield identity("section 3", "both forms of A agree", on_sphere(body - other))
    # w across z, xdot = w x r e3
    across = AXIS.cross(any_1)
    horizontal = [*(across.cross(r * e3))[:2], *across]
    phis = [c.phi.xreplace(dict(zip(u, horizontal, strict=True))) for c in given.system().constraints]
    yield identity("section 3", "D = S + H: the horizontal vectors obey the constraint", on_sphere(phis))
    yield identity("section 3", "and A is 0 on them", on_sphere(_connection(horizontal)))


def _change(functions: Sequence[sp.Expr]) -> float:
    """The largest change of functions of position and velocity under the group, at random states."""
    action = Action(ConstraintSampler(given.system(), ()), given.system().symmetry)
    nodes = [read(e, action.sampler.graph) for e in functions]
    changes = [e for x in action.fields for e in action.moved(x, nodes)]
    return max(abs(float(v)) for values in action.states for v in evaluate(changes, values))


def horizontal_fields() -> Iterator[Claim]:
    """X_i, their bracket with its factor 2, by the library and in the entries of A."""
    turned = [A * sum((c * h for c, h in zip(x[:2], ASHAT, strict=False)), sp.zeros(3)) * A.T for x in (FIRST, SECOND)]
    yield from given.shape_of(
        "section 3, X_i2",
        "A (...) A^-1 r e3^ is the velocity of the place, a vector",
        "A (...) A^-1 r e3 is the velocity of the place, a vector",
        (turned[0] * r * hat(e3), turned[0] * r * e3, e3),
        at_hand("A hat too many.", r"A(\ldots)A^{-1} r \hat{e}_3", r"A(\ldots)A^{-1} r e_3"),
    )
    X = [_field(x) for x in (FIRST, SECOND)]
    same = [sp.Matrix([*x[:2], 0]) - matrix * r * e3 for x, matrix in zip(X, turned, strict=True)]
    yield identity("section 3, X_i2", "X_i with r e3 are horizontal", on_sphere(same, *(_connection(x) for x in X)))
    lie = sp.Matrix(bracket(SPACE.frame, *X))
    turning, place = _expected()
    text = "[X1, X2] = (A [O1^, O2^], 2 A [O1^, O2^] A^-1 r e3)"
    printed = on_sphere(sp.Matrix(lie[2:]) - turning, sp.Matrix([*lie[:2], 0]) - 2 * place)
    yield identity("section 3", f"{text}, by the library's bracket", printed, key=True)


def _field(body: sp.Matrix) -> list[sp.Expr]:
    """The horizontal field with body angular velocity Omega_i, in the frame (vx, vy, w)."""
    turning = A * body
    return [*turning.cross(r * e3)[:2], *turning]


def _expected() -> tuple[sp.Matrix, sp.Matrix]:
    """A (O1 x O2), and its product with r e3."""
    turning = A * FIRST.cross(SECOND)
    return turning, turning.cross(r * e3)


def curvature() -> Iterator[Claim]:
    """B = -A([X1, X2])."""
    lie = bracket(SPACE.frame, _field(FIRST), _field(SECOND))
    rates_ = [(A * x).cross(AXIS) for x in (FIRST, SECOND)]  # zdot_i
    area = rates_[0].cross(rates_[1])
    vertical = [dot(area, AXIS), *(2 * area.cross(r * e3))[:2]]
    found = _connection(lie)
    texts = "B~(zdot1, zdot2) = -(<zdot1 x zdot2, z>, 2 (zdot1 x zdot2) x r e3)"
    residual = on_sphere([-f + v for f, v in zip(found, vertical, strict=True)])
    yield identity("section 3", texts, residual, key=True)
    wrong = on_sphere([-f - v for f, v in zip(found, vertical, strict=True)])
    yield identity("section 3", "the same with the other sign", wrong, expected=False)
    third = FIRST.cross(SECOND)[2] - dot(area, AXIS)
    yield identity("section 3", "(O1 x O2)^3 = <zdot1 x zdot2, z>", on_sphere(third))
    turning = (A * FIRST.cross(SECOND)).cross(r * e3) - area.cross(r * e3)
    yield identity("section 3", "A hat(O1 x O2) A^-1 r e3 = (zdot1 x zdot2) x r e3", on_sphere(turning))


GROUPS: tuple[Group, ...] = (
    hats,
    rates,
    rolling,
    symmetry,
    connection,
    horizontal_fields,
    curvature,
)
