"""Pairs of bodies that touch: gap, slip, spin and rolling from their shapes, places and turns.

A pair is a point C where the bodies are nearest, and the normal N there, from the second to the first:

    gap = distance ,   slip_i = (v_1(C) - v_2(C)) . t_i ,   spin = (w_1 - w_2) . N ,   rolling_i = (w_1 - w_2) . t_i

What is smooth and convex has one such point on a plane, by its support function; a rod has two, a box its corners. A
ball is a point and its radius: its distance from a box or a rod is that of its middle from the nearest point there,
clamped to it, which has one derivative everywhere.

So touch two of what has corners, in a plane, those of each the other, where edges are round: a sharp corner on a sharp
edge has a kink in its gap, and what is held there would change its direction without an event. In space edges cross
edges, and no smooth gap says between which points; a plane on a face does, where no corner leaves it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import NamedTuple

import sympy as sp

from ..calculus.frame import TIME
from ..calculus.symbols import by_name
from ..errors import InvalidValue, UnknownName, about, as_given, did_you_mean
from .bodies import AXES, UP, Body, Drawn
from .contact import Given, Touch
from .expression_symbols import Reader
from .names import key_name
from .rolling.support_function import of_shape
from .rolling.surface import AT_REST, Carrier, Surface, surface, tangents, turning
from .space_factors import coordinates

_CONVEX = ("ball", "point", "ellipsoid", "disc", "wheel")  # on a plane they touch in one point
_CORNERED = ("box", "wall", "table")


class NearestPoints(NamedTuple):
    """Where two bodies are nearest: the distance, the normal to the first, and the point."""

    gap: sp.Expr
    normal: sp.Matrix
    point: sp.Matrix


class Pairs:
    """The contacts of a system's bodies.

    Args:
        bodies: as they are drawn.
        up: the axis of the scene that points up, the normal of a floor.
        reader: of the system's expressions.
    """

    def __init__(self, bodies: Sequence[Drawn], up: str, reader: Reader) -> None:
        self.bodies, self.up, self.reader = {body.name: body for body in bodies}, UP[up], reader
        self.frames: dict[str, Carrier] = {}

    def contacts(self, given: Mapping[object, object]) -> dict[str, object]:
        """Contacts by name, those between bodies with gap and velocities; several of a pair are numbered.

        Raises:
            UnknownName: E137, no such body.
            InvalidValue: E137, a pair without a smooth gap.
        """
        found: dict[str, object] = {}
        for name, touch in by_name(given, "contacts", key_name).items():
            if not isinstance(touch, Touch) or touch.gap is not None:
                found[name] = touch
                continue
            with about("contacts", name, "between"):
                made = list(dict.fromkeys(self._between(touch)))
            own = {name if len(made) == 1 else f"{name}_{i}": each for i, each in enumerate(made, start=1)}
            if taken := own.keys() & {str(other) for other in given if str(other) != name}:
                fact = f"a contact is called {as_given(min(taken))}, as one of those of {name}"
                raise InvalidValue("E102", fact, "rename it", subject=("contacts", min(taken), "name"))
            found |= own
        return found

    def _between(self, touch: Touch) -> Iterator[Touch]:
        one, other = (self._meant(each) for each in touch.between)
        if isinstance(one, Surface) or (isinstance(other, Drawn) and _order(one) > _order(other)):
            one, other = other, one
        if isinstance(one, Surface) or one.shape == "floor":
            fact = "a contact is between two surfaces, and no body that touches them"
            raise InvalidValue("E137", fact, 'between=("ball", "floor")')
        first = self.frame(one)
        second = AT_REST if isinstance(other, Surface) else self.frame(other)
        law = touch.friction
        rubs = law.mu != 0 or law.mu_static not in (0, None)
        for gap, N, C in self._nearest(one, other, first, second):
            v, w = first.carried(C) - second.carried(C), first.turning - second.turning
            along = _across(N, v)
            slip, rolls = tuple(v.dot(t) for t in along), tuple(w.dot(t) for t in along)
            yield replace(
                touch,
                gap=gap,
                slip=slip if rubs else (),
                spin=w.dot(N) if law.spin != 0 else None,
                rolling=tuple(e for e in rolls if e != 0) if law.rolling != 0 else (),
            )

    def _meant(self, given: Given) -> Drawn | Surface:
        """A body by its name, or a surface by its equation (E137 for neither)."""
        if isinstance(given, str) and given in self.bodies:
            return self.bodies[given]
        place = coordinates("x y z")
        if isinstance(given, str) and given.isidentifier() and given not in place.by_name:
            fact = f"there is no body {as_given(given)}"
            raise UnknownName("E137", fact, did_you_mean(given, self.bodies) or 'da.Body("floor")')
        return surface(given, None, Reader(place, self.reader.declared), place)

    # --- where bodies are ---------------------------------------------------------------------------------------------

    def frame(self, body: Drawn) -> Carrier:
        """Its axes in motion; those of a rod are not its own, only its turning is."""
        if body.name not in self.frames:
            below = self.frame(self.bodies[body.on]) if body.on else AT_REST
            X, R, w = self._rod(body) if body.ends else self._placed(body)
            place = below.outside(X)
            velocity = below.carried(place) + below.rotation * self._rate(X)
            turned = below.turning + below.rotation * w
            self.frames[body.name] = Carrier(None, place, velocity, below.rotation * R, turned)
        return self.frames[body.name]

    def _placed(self, body: Drawn) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        """R = R_1 R_2 ..., each about an axis of the body as it is turned by then, and w = w_1 + R_1 w_2 + ..."""
        R, w = sp.eye(3), sp.zeros(3, 1)
        for axis, angle in body.turn:
            if angle is None:
                own = sp.Matrix(self.reader.space.attitudes[axis].matrix)
                about = turning(self.reader.space, axis)
                spun = self._spun(own) if about is None else about
            else:
                k = AXES.index(axis)
                own = (sp.rot_axis1, sp.rot_axis2, sp.rot_axis3)[k](-angle)  # SymPy's turn the axes
                spun = sp.eye(3)[:, k] * self._rate(sp.Matrix([angle]))[0]
            R, w = R * own, w + R * spun
        if body.shape == "floor":  # its normal is the scene's up
            R = R * sp.Matrix(self.up).T
        return sp.Matrix(body.at or (0, 0, 0)), R, w

    def _spun(self, R: sp.Matrix) -> sp.Matrix:
        """w of R' = [w] R."""
        cross = self._rate(R.reshape(9, 1)).reshape(3, 3) * R.T
        return sp.Matrix([cross[2, 1], cross[0, 2], cross[1, 0]])

    def _rod(self, body: Drawn) -> tuple[sp.Matrix, sp.Matrix, sp.Matrix]:
        start, d = _ends(body)
        # w = d x d'/d^2, none about d
        return start, sp.eye(3), d.cross(self._rate(d)).applyfunc(sp.trigsimp) / sp.trigsimp(d.dot(d))

    def _rate(self, x: sp.Matrix) -> sp.Matrix:
        return sum((x.diff(q) * rate for q, rate in self.reader.space.rates.items()), x.diff(TIME))

    # --- where they are nearest ---------------------------------------------------------------------------------------

    def _nearest(self, one: Drawn, other: Drawn | Surface, A: Carrier, B: Carrier) -> Iterator[NearestPoints]:
        shapes = one.shape, other.shape if isinstance(other, Drawn) else "surface"
        if isinstance(other, Surface) and not other.is_plane:
            if shapes[0] not in ("ball", "point") or not other.is_distance:
                fact = f"the distance of the {one.shape} {as_given(one.name)} from {other.f} = 0 is in no closed form"
                sizes = ", ".join(f'{part}="{e}"' for part, e in one.lengths.items())
                remedy = f'da.rolling(da.Body("{one.shape}", {sizes}), "{other.f}", gap="s").contact(mu=...)'
                raise InvalidValue("E137", fact, remedy)
            yield self._on_plane(one, A, *_of_surface(other, A.position))
        elif isinstance(other, Surface) or other.shape == "floor":
            for body, frame in self._corners(one, A):
                N, height = (
                    _of_surface(other, frame.position)
                    if isinstance(other, Surface)
                    else (B.rotation[:, 2], B.rotation[:, 2].dot(frame.position - B.position))
                )
                yield self._on_plane(body, frame, N, height)
        elif shapes[0] in ("ball", "point") and (near := self._clamped(other, B, A.position)) is not None:
            closest, away = near
            r = _radius(one) + away
            if r == 0:
                fact = f"a point of {as_given(one.name)} has no extent, and no normal on the {other.shape}"
                raise InvalidValue("E137", fact, 'a ball has one, da.Body("ball", ...), or round edges, radius="1 mm"')
            # |X - c| - r
            apart = A.position - closest
            size = sp.sqrt(apart.dot(apart))
            yield NearestPoints(size - r, apart / size, A.position - _radius(one) * apart / size)
        elif isinstance(other, Drawn) and {shapes[0], shapes[1]} <= {"rod", *_CORNERED}:
            flat = self._flat((one, A), (other, B))
            for first, second, frame, below in ((one, other, A, B), (other, one, B, A)):
                for corner, place in self._corners(first, frame, flat):
                    yield from self._nearest(corner, second, place, below)
        else:
            fact = f"a {shapes[0]} on a {shapes[1]} has no smooth gap that is known here"
            raise InvalidValue("E137", fact, "give gap and slip, or another shape: a ball touches most others")

    def _flat(self, *bodies: tuple[Drawn, Carrier]) -> int:
        """The axis across which all move and lie (E137 where there is none)."""
        for k in (2, 1, 0):
            across = [i for i in range(3) if i != k]
            along = [
                self._at(b, b.ends[1])[k] - self._at(b, b.ends[0])[k] if b.ends else f.rotation[k, k] - 1
                for b, f in bodies
            ]
            if not any(along) and not any(
                f.velocity[k] or f.turning[across[0]] or f.turning[across[1]] for _, f in bodies
            ):
                return k
        (one, _), (other, _) = bodies
        fact = f"edges of {one.name} and {other.name} may cross in space, where no smooth gap says between which points"
        plane = f'da.Body("floor", "face", at=(0, 0, ...), on="{other.name}")'
        raise InvalidValue("E137", fact, f"where no corner leaves a face, touch a plane on it: {plane}")

    def _on_plane(self, body: Drawn, A: Carrier, N: sp.Matrix, height: sp.Expr) -> NearestPoints:
        """A convex body whose middle is so high above a plane: height - h(m), where m = - R^T N."""
        if body.shape in ("ball", "point"):
            r = _radius(body)
            return NearestPoints(height - r, N, A.position - r * N)
        given = Body(body.shape, size=body.size, **body.lengths)
        support, m = of_shape(given, self.reader), -(A.rotation.T * N)
        arm = A.rotation * support.arm(m) - support.round * N
        return NearestPoints(height - support.height(m), N, A.position + arm)

    def _corners(self, body: Drawn, A: Carrier, flat: int = -1) -> Iterator[tuple[Drawn, Carrier]]:
        """What of a body touches a plane, as points and balls that move with it; all across one axis if it is said."""
        if body.shape in _CONVEX:
            yield body, A
            return
        if body.ends is not None:
            r = body.lengths.get("radius", sp.S.Zero)
            points = [self._at(body, end) for end in body.ends]
        elif body.shape in _CORNERED and body.size is not None:
            half, r = _inner(body)
            signs = product(*((0,) if k == flat else (-1, 1) for k in range(3)))
            points = [A.outside(sp.Matrix([s * h for s, h in zip(each, half, strict=True)])) for each in signs]
        else:
            fact = f"a {body.shape} on a plane has no smooth gap that is known here"
            raise InvalidValue("E137", fact, "give gap and slip, or another shape")
        for point in points:
            yield Drawn("ball", body.name, {"radius": r}), replace(A, position=point, velocity=A.carried(point))

    def _at(self, body: Drawn, point: Sequence[sp.Expr]) -> sp.Matrix:
        """A point that is given in the frame of what a body is on."""
        return (self.frame(self.bodies[body.on]) if body.on else AT_REST).outside(sp.Matrix(point))

    def _clamped(self, body: Drawn, B: Carrier, X: sp.Matrix) -> tuple[sp.Matrix, sp.Expr] | None:
        """The point of a body that is nearest to X, and the radius about it; None where it is not known."""
        if body.shape in ("ball", "point"):
            return B.position, _radius(body)
        if body.ends is not None:
            first, last = (self._at(body, end) for end in body.ends)
            d = last - first
            s = sp.Max(0, sp.Min(1, (X - first).dot(d) / d.dot(d)))
            return first + s * d, body.lengths.get("radius", sp.S.Zero)
        if body.shape in _CORNERED and body.size is not None:
            half, r = _inner(body)
            # without comparing the two, which takes long
            inside = [
                p if p == 0 else sp.Max(-h, sp.Min(h, p, evaluate=False), evaluate=False)
                for p, h in zip(B.inside(X), half, strict=True)
            ]
            return B.outside(sp.Matrix(inside)), r
        return None


def _inner(body: Drawn) -> tuple[list[sp.Expr], sp.Expr]:
    """Half sizes of what is left of a box without the radius of its edges, and that (E137 where it is too large)."""
    r = body.lengths.get("radius", sp.S.Zero)
    half = [e / 2 - r for e in body.size or ()]
    if any(h.is_negative for h in half):
        fact = f"the edges of {as_given(body.name)} have the radius {r}, more than half of a size"
        raise InvalidValue("E137", fact, "give a smaller one")
    return half, r


def _order(body: Drawn | Surface) -> int:
    """Balls come before what they lie on, and a floor last."""
    shape = body.shape if isinstance(body, Drawn) else "floor"
    return 0 if shape in _CONVEX[:2] else 2 if shape == "floor" else 1


def _radius(body: Drawn) -> sp.Expr:
    """Of a ball; a point has none, it is only drawn with one."""
    return sp.S.Zero if body.shape == "point" else body.lengths["radius"]


def _ends(body: Drawn) -> tuple[sp.Matrix, sp.Matrix]:
    assert body.ends is not None
    first, last = (sp.Matrix(end) for end in body.ends)
    return first, last - first


def _of_surface(on: Surface, X: sp.Matrix) -> tuple[sp.Matrix, sp.Expr]:
    """The normal of a surface below a point, and the height of that, f/|grad f|."""
    here = dict(zip(on.place, X, strict=True))
    return sp.Matrix(on.normal.xreplace(here)), (on.f / on.steepness).xreplace(here)


def _across(N: sp.Matrix, v: sp.Matrix) -> tuple[sp.Matrix, ...]:
    """Unit vectors across the normal: one where all moves in a plane of the axes, else two."""
    e = sp.eye(3)
    for k, sign in ((2, 1), (1, -1), (0, 1)):
        if N[k] == 0 == v[k]:
            return (sign * N.cross(e[:, k]),)
    return tangents(N)
