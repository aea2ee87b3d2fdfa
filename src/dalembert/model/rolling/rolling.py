"""Rolling: the rows that hold what nothing slips, the gap, and the slip."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import sympy as sp

from ...argument_checks import mapping, noun, public, several, switch
from ...argument_checks import names as names_of
from ...calculus.frame import TIME
from ...calculus.line_width import abridged
from ...calculus.quantity import number
from ...calculus.rotation_matrices import read_attitude
from ...calculus.symbols import by_name
from ...errors import InvalidValue, WrongType, as_given
from ..bodies import Body
from ..contact import NEWTON, Coulomb, Given, Touch, contact
from ..expression_symbols import Reader
from ..inertia import inertia as tensor
from ..names import Names, key_name, name_of
from ..space import Space
from ..space_factors import coordinates as plain
from ..space_factors import rotation as turns
from .contact_point import TouchingBody, TouchingParts, normal_of_body, relative_curvatures, touching
from .convex_body import Level, NumericSurface, check_convex, convex
from .support_function import Support, check_radii
from .surface import carrier, tangents
from .surface import surface as read_surface

SHOWN = 20  # lines of a summary


@noun
@dataclass(frozen=True, eq=False, repr=False)
class Rolling:
    """A body that rolls on a surface; vectors are in axes of space.

    Attributes:
        space: coordinates and velocities.
        constraints: the rows for `System`: ``contact`` and ``surface`` where the coordinates need them, ``roll_1`` and
            ``roll_2``, and ``spin`` for rubber.
        gap: the distance from the surface.
        position, velocity: of the body's origin.
        rotation, turning: its attitude R and angular velocity.
        point, normal: the point of contact, and the normal of the surface to the body.
        slip: of the body's point of contact against the surface's, two components along it.
        spin: the angular velocity about the normal, against the surface.
        rolls: the two components of that along the surface.
        bodies: what is drawn.
        held: those of the rows that hold without contact too, for ``System(constraints=..., contacts=...)``.
        beside: velocities that the rows `held` make 0, which give weight to coordinates that are too many.
        parts, reader: what it was made of, and who reads further expressions.
    """

    space: Space
    constraints: Mapping[str, sp.Expr]
    gap: sp.Expr
    position: sp.ImmutableMatrix
    velocity: sp.ImmutableMatrix
    rotation: sp.ImmutableMatrix
    turning: sp.ImmutableMatrix
    point: sp.ImmutableMatrix
    normal: sp.ImmutableMatrix
    slip: tuple[sp.Expr, ...]
    spin: sp.Expr
    rolls: tuple[sp.Expr, ...]
    bodies: tuple[Body, ...]
    held: Mapping[str, sp.Expr]
    beside: tuple[sp.Expr, ...]
    parts: TouchingParts
    reader: Reader

    def __str__(self) -> str:
        lines = [
            "Rolling body",
            f"  space        {self.space}",
            f"  constraints  {', '.join(self.constraints)}",
            f"  gap          {self.gap}",
            f"  position     {', '.join(map(str, self.position))}",
            f"  point        {', '.join(map(str, self.point))}",
            f"  normal       {', '.join(map(str, self.normal))}",
            "  system       da.System(rolls.space, rolls.kinetic(m, J) - V, rolls.constraints, ...)",
        ]
        return "\n".join(abridged(lines, SHOWN, ".constraints, .position, .slip, .spin", indent=15))

    __repr__ = __str__

    def kinetic(self, mass: object, moments: object) -> sp.Expr:
        """T = m/2 |X'|^2 + 1/2 w . J w, for a body whose origin is its centre of mass.

        Args:
            mass: m, kg.
            moments: one moment of a homogeneous ball, three principal ones along the body's axes, or a tensor (3 x 3)
                there, kg m^2.

        Raises:
            InvalidValue: E109, no rigid body has this mass or these moments.
        """
        m, v = _not_negative(self.reader.read(mass, "the mass"), "mass"), self.velocity
        if isinstance(moments, str) or not (isinstance(moments, sp.MatrixBase) or several(moments)):
            w = self.turning
            turned = _not_negative(self.reader.read(moments, "the moment of inertia"), "moment of inertia") * w.dot(w)
        else:
            w = sp.Matrix(self.parts.rotation.velocities)
            w = w if self.parts.in_body else self.rotation.T * w
            turned = w.dot(tensor(self._moments(moments)) * w)
        # T = m/2 |X'|^2 + 1/2 w . J w
        return (m * sum((e**2 for e in self.beside), v.dot(v)) + turned) / 2

    def fits(self, state: Mapping[str, float], parameters: Mapping[str, float] | None = None) -> tuple[float, float]:
        """How the surfaces open about the contact: 1 + radius x curvature in its two directions, the lesser first.

        Both are 1 on a plane; for a ball of radius r in a tube of radius b they are 1 - r/b and 1. Nothing is said of
        parts of the body far from the contact.

        Args:
            state: values by name, as of ``equations.start(...)``, which holds the parameters too.
            parameters: their values.

        Raises:
            InvalidValue: E155, the body is not convex there; E157, the surface has no normal there, the body is not on
                it or reaches into it, or the two intersect about the contact.
            UnknownName: E230, a value is missing.
            WrongType: E241, values that are not given by name; E204, one that is no number.
        """
        values = self._values(state, parameters)
        place = {"point": self.point, "normal": self.normal, "gap": [self.gap], "held": list(self.held.values())}
        return relative_curvatures(self.parts, {k: sp.Matrix(v) for k, v in place.items()}, values)

    def meets(self, state: Mapping[str, object], parameters: Mapping[str, float] | None = None) -> dict[str, object]:
        """What is given of a start, with the point of the body that touches where coordinates tell it.

        It is found by continuity of the normal, once the body is seen to be closed and convex. Where a body's normal
        alone tells it, nothing is added; a support function is looked at with the values of its parameters.

        Args:
            state: values by name: the attitude, and where the surface is curved or carried the place on it too.
            parameters: their values.

        Raises:
            InvalidValue: E155, the body is not closed about its origin, not convex, or flat where it touches.
            UnknownName: E230, a value is missing.
            WrongType: E241, values that are not given by name; E204, one that is no number.
        """
        body, given = self.parts.body, dict(mapping(state, "the state", "E241", "numbers by name"))
        values = self._values(given, parameters)
        if isinstance(body, Support) and body.drawn is None:
            check_radii(body.h, values)
        if not isinstance(body, Level):
            return given
        shown = NumericSurface(body, values)
        if check_convex(shown) < 0:
            fact = f"the equation {body.given} = 0 is positive inside the body"
            raise InvalidValue("E155", fact, "give it the other sign")
        m = normal_of_body(self.parts, sp.Matrix(self.normal), values)
        return {**given, **dict(zip((s.name for s in body.own.coordinates), map(float, shown.where(m)), strict=True))}

    def _values(self, state: Mapping[str, object], parameters: Mapping[str, float] | None) -> dict[str, float]:
        """Numbers by name, the time among them."""
        known = getattr(state, "parameters", None) if parameters is None else parameters
        values = {TIME.name: 0.0, **_numbers(known, "parameters"), **_numbers(self._turned(state), "the state")}
        if isinstance(t := getattr(state, "t", None), float | int):
            values[TIME.name] = float(t)
        return values

    def _turned(self, state: Mapping[str, object]) -> Mapping[str, object]:
        """The state, with rotations that are given whole as their coordinates."""
        given = mapping(state, "the state", "E241", "equations.start(...), or numbers by name")
        whole = {name: a for name, a in self.space.attitudes.items() if name in given}
        if not whole:
            return given
        found = {key: value for key, value in given.items() if key not in whole}
        for name, attitude in whole.items():
            found |= read_attitude(name, given[name], attitude)
        return found

    def _moments(self, given: object) -> object:
        """What `inertia` takes, with text read."""
        if not isinstance(given, Sequence):
            return given
        return [self.reader.read(e, "a moment of inertia") if isinstance(e, str) else e for e in given]

    def contact(
        self,
        *,
        mu: Given = 0,
        mu_static: Given | None = None,
        restitution: Given = 0,
        friction: Coulomb | None = None,
        restitution_law: str = NEWTON,
    ) -> Touch:
        """The contact for ``System(contacts={name: ...})``, in place of the rows: it slides, rolls, bounces and lifts.

        Args:
            mu, mu_static, restitution, friction, restitution_law: of `contact`; spin and rolling friction act where
                they are given.

        Raises:
            WrongType, InvalidValue: those of `contact`; E156, the coordinates hold no gap.
        """
        if not self.gap.free_symbols:
            fact = "the coordinates are those of a body that stays on the surface"
            raise InvalidValue("E156", fact, 'da.rolling(..., gap="s") names the coordinate that is missing')
        return contact(
            self.gap,
            self.slip,
            mu=mu,
            mu_static=mu_static,
            restitution=restitution,
            friction=friction,
            spin=self.spin,
            rolling=self.rolls,
            restitution_law=restitution_law,
        )


@public
def rolling(
    body: Body | Mapping[object, object] | Given,
    surface: Given,
    *,
    rubber: bool = False,
    on: object = None,
    moving: Sequence[Given] | None = None,
    gap: str = "",
    coordinates: Names = "x y z",
    rotation: Space | None = None,
    parameters: Iterable[str] = (),
) -> Rolling:
    """A convex body that rolls on a surface: coordinates, rows, gap and slip for a `System`.

        ball = da.rolling(da.Body("ball", radius="r"), "b^2 - x^2 - y^2", parameters="r b")   # in a tube
        da.System(ball.space, ball.kinetic(m, I) - m*g*ball.position[2], ball.constraints, bodies=ball.bodies, ...)

    The body touches where its normal is opposite to that of the surface, at grad h of its support function h
    [schneider1993]: there is no chart, and no pole. Coordinates are the place of its origin, where the distance from
    the surface is known in closed form (a ball where f is a distance, |grad f| = 1; any body on a plane); elsewhere
    those of the point of contact [montana1988], in the surface's equation. The two directions of the slip turn with the
    normal from that of a floor; they have none at a ceiling, N = (0, 0, -1), unless the surface is a plane.

    Args:
        body: a `Body`: a ball, an ellipsoid, a disc (it rolls on its edge) or a wheel (its rim is a torus), ``at`` its
            place in the body's axes, whose origin is the centre of mass; or the equation F(x, y, z) = 0 of its surface
            in these axes, ``"x^4 + y^4 + 2*z^4 - a^4"``; or the support function h(n1, n2, n3), the largest n . x of
            the points x of the body, of degree 1. An equation that is not of degree 2 has four coordinates besides,
            ``R_1 R_2 R_3 R_s`` by the name of the rotation: the point that touches, in the body's axes, and
            log |grad F| there; `Rolling.meets` finds them for a start.
        surface: f(x, y, z, t), 0 on the surface and positive where the body is: ``"z"`` a floor, ``"z*sin(a) -
            sqrt(x^2 + y^2)*cos(a)"`` the inside of a cone, ``"z - k*(x^2 + y^2)"`` a bowl, ``"x^2 + y^2 + z^2 - b^2"``
            a sphere.
        rubber: does the body not spin about the normal either?
        on: what carries the surface, whose equation is in axes of that: the `Space` of one body, ``da.SE3(...)``, or a
            body that rolls itself, by this function.
        moving: the velocity of the surface's matter where the surface stays, ``("-W*y", "W*x", 0)`` for a turntable.
        gap: the name of a coordinate for the distance, for contacts whose coordinates have none.
        coordinates: names of the three coordinates of the equation.
        rotation: the factor of the attitude, ``da.rotation("R", "w1 w2 w3", frame="space")`` if left out.
        parameters: names of parameters that text may hold.

    Raises:
        WrongType: E155, E156, arguments of another kind.
        InvalidValue: E155, a body that is not convex, or not closed about its centre of mass; E156, a surface without a
            normal, or whose matter leaves it;
            E102, E103, E140, names that coordinates cannot have.
        UnknownName: E104, a name that no parameter has.
    """
    place, turned = _place(coordinates), _turned(rotation)
    carrying = carrier(on)
    reader = Reader(
        place if carrying.space is None else place * carrying.space,
        names_of(parameters, "parameters", "E102", some=False),
    )
    parts = TouchingParts(
        convex(body, reader, next(iter(turned.attitudes))),
        read_surface(surface, moving, reader, place),
        carrying,
        place,
        turned,
        name_of(gap, "coordinates"),
    )
    return _rolling(parts, switch(rubber, "rubber", "E156"), reader.declared)


def _not_negative(e: sp.Expr, what: str) -> sp.Expr:
    if e.is_negative:
        raise InvalidValue("E109", f"no rigid body has the {what} {as_given(e)}", "give a positive one")
    return e


def _rolling(parts: TouchingParts, rubber: bool, declared: Iterable[str]) -> Rolling:
    """The rows and the slip of what touches."""
    found = touching(parts)
    R, w, C, Q = parts.R, parts.w, found.point, parts.carrier.rotation
    matter = dict(zip(parts.surface.place, parts.carrier.inside(C), strict=True))
    # U: the frame carries the surface, whose matter moves in it
    U = parts.carrier.carried(C) + Q * sp.Matrix(parts.surface.moving.xreplace(matter))
    about = w - parts.carrier.turning - Q * sp.Matrix(parts.surface.turning.xreplace(matter))
    # slip = X' + w x R p - U
    slip = found.velocity + w.cross(found.arm) - U
    along = tangents(found.normal)
    slips, spin = tuple(slip.dot(t) for t in along), about.dot(found.normal)
    rows = {**found.held, **({"contact": found.gap} if found.gap.free_symbols else {})}
    rows |= {f"roll_{i}": row for i, row in enumerate(slips, start=1)} | ({"spin": spin} if rubber else {})
    return Rolling(
        space=found.space,
        constraints=rows,
        gap=found.gap,
        position=found.position.as_immutable(),
        velocity=found.velocity.as_immutable(),
        rotation=R.as_immutable(),
        turning=w.as_immutable(),
        point=C.as_immutable(),
        normal=found.normal.as_immutable(),
        slip=slips,
        spin=spin,
        rolls=tuple(about.dot(t) for t in along),
        bodies=_drawn(parts, found),
        held=found.held,
        beside=found.beside,
        parts=parts,
        reader=Reader(found.space, declared),
    )


def _drawn(parts: TouchingParts, found: TouchingBody) -> tuple[Body, ...]:
    """The body where it is, and the floor if it rolls on one."""
    drawn, level = [], parts.surface.graph
    if parts.carrier.space is None and level is not None and found.normal == sp.Matrix([0, 0, 1]):
        drawn.append(Body("floor", at=(0, 0, level[1])))
    if parts.body.drawn is not None:
        at, name = found.position + parts.R * parts.body.middle, next(iter(parts.rotation.attitudes))
        drawn.append(replace(parts.body.drawn, at=tuple(at), turn=name, trace=tuple(found.point)))
    return tuple(drawn)


def _numbers(given: Mapping[str, object] | None, name: str) -> dict[str, float]:
    """Numbers by name; attitudes are those of their coordinates."""
    found = {} if given is None else mapping(given, name, "E241", "equations.start(...), or numbers by name")
    return {key: number(value, key) for key, value in by_name(found, name, key_name).items() if value is not None}


def _place(names: Names) -> Space:
    """The three coordinates of the surface's equation (E156 for another number)."""
    found = plain(names)
    if len(found.coordinates) != 3:
        fact = f"a surface has three coordinates, not {len(found.coordinates)}"
        raise InvalidValue("E156", fact, 'coordinates="x y z"')
    return found


def _turned(given: object) -> Space:
    """The factor of the attitude."""
    found = turns() if given is None else given
    if not isinstance(found, Space) or [factor.kind for factor in found.recipe] != ["rotation"]:
        raise WrongType("E156", f"{as_given(given)} is no rotation", 'rotation=da.rotation("R", frame="body")')
    return found
