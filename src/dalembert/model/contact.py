"""Contacts as given: a gap that cannot become negative, the velocity of slip, and Coulomb's friction.

What they do is in `principles/contact_mode_equations` (the equations of each mode) and `numerics/contacts` (which mode,
and when).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, SupportsFloat, TypeAlias

import numpy as np
import sympy as sp

from ..argument_checks import public, several
from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, evaluate
from ..calculus.numerical_rank import rank_of, sign_of_parallel
from ..calculus.quantity import number
from ..calculus.symbols import by_name
from ..errors import InvalidValue, WrongType, about, as_given, did_you_mean, kind_of
from ..errors.lookalike_letters import strange
from ..errors.remedies import Call, Option
from .expression_symbols import Reader
from .guard_regularity import approach as approach_of
from .names import key_name
from .space import Space
from .wall import Wall, check_restitution, value_of

NEWTON, *_ = RESTITUTION = ("newton", "poisson", "stronge")  # its laws
Given: TypeAlias = "sp.Expr | float | str"
_MOST_SLIPS = 2  # components of a velocity in the plane of contact
IN_FILES = {"spin": "spin_friction", "rolling": "rolling_friction"}  # keys of the coefficients in [[contact]]
_STATES = 3  # random ones at which directions are held against each other
_ALIKE = 5  # at which two surfaces are
_EXAMPLE = 'da.System(q, L, contacts={"floor": da.contact(gap=y, slip=[vx], mu=0.3)})'


@dataclass(frozen=True)
class Coulomb:
    """Coulomb's friction as given: coefficients that are numbers, expressions in parameters, or text."""

    mu: Given = 0
    mu_static: Given | None = None
    spin: Given = 0
    rolling: Given = 0


@dataclass(frozen=True)
class Touch:
    """A contact as given, before a system reads it."""

    gap: Given | None
    slip: tuple[Given, ...] = ()
    friction: Coulomb = Coulomb()
    restitution: Given = 0
    spin: Given | None = None
    rolling: tuple[Given, ...] = ()
    restitution_law: str = NEWTON
    sides: int = 1
    load: Given | None = None
    between: tuple[Given, ...] = ()  # two bodies, of which gap and velocities follow


@dataclass(frozen=True)
class Dry:
    """Dry friction in a joint as given: a contact, and its name."""

    name: str
    touch: Touch


@public
def coulomb(mu: Given, mu_static: Given | None = None, *, spin: Given = 0, rolling: Given = 0) -> Coulomb:
    """Coulomb's dry friction: |T| = mu N against the slip, and |T| <= mu_static N where nothing slips.

    So do the moments of pivoting and of rolling friction: spin N against the spin, rolling N against the rolling, and
    up to as much where there is none, so that what has come to rest begins again above that threshold.

    Args:
        mu: of sliding, >= 0, without dimension: a number, an expression in parameters, or text.
        mu_static: of sticking, >= mu; mu if left out.
        spin: moment of pivoting friction by the normal force, a length >= 0.
        rolling: moment of rolling friction by the normal force, a length >= 0.

    Raises:
        WrongType: E137, arguments of another kind.
        InvalidValue: E138, a number below 0, or mu_static < mu.
    """
    static = None if mu_static is None else _given(mu_static, "mu_static")
    law = Coulomb(_given(mu, "mu"), static, _given(spin, "spin"), _given(rolling, "rolling"))
    _check_law({"mu": law.mu, "mu_static": law.mu if law.mu_static is None else law.mu_static})
    for name in ("spin", "rolling"):
        _check_law({name: getattr(law, name)})
    return law


@public
def contact(
    gap: Given | None = None,
    slip: Sequence[Given] = (),
    *,
    between: Sequence[Given] | None = None,
    mu: Given = 0,
    mu_static: Given | None = None,
    restitution: Given = 0,
    friction: Coulomb | None = None,
    spin: Given | None = None,
    rolling: Sequence[Given] = (),
    restitution_law: str = NEWTON,
    sides: int = 1,
    load: Given | None = None,
) -> Touch:
    """A contact for ``System(contacts={name: ...})``: it touches, sticks, slides, rolls, bounces and lifts by itself.

    Args:
        gap: the distance f(t, q) of the two surfaces; the normal force N >= 0 acts along df/dq, which is a force where
            the gap is a distance.
        slip: one or two components of the velocity of the point of contact relative to the other surface, in the plane
            of contact (two of them orthogonal); left out, the contact has no friction. Sticking it is 0: for a round
            body that is rolling.
        between: in place of gap and velocities two of the system's `bodies` by name, ``("ball", "floor")``, or one and
            the equation of a surface, as `rolling` has it. Gap, slip, spin and rolling follow from their shapes, places
            and turns. On a floor, which is a plane without end: a ball, point, ellipsoid, disc (its edge) or wheel, the
            two ends of a rod, the corners of a box, wall or table. A ball on a ball, a rod, or the faces, edges and
            corners of a box; on surfaces whose equation is a distance. In a plane rods and boxes on each other, by the
            corners of both, if the edges of one have a `radius`; in space edges cross, and a floor ``on`` a face does.
            Contacts of one pair are called ``name_1``, ``name_2``, ...: ends from the first, corners by x, y and z,
            those below 0 first. A rod given by its ends in space does not spin about its axis.
        mu, mu_static: coefficients of `coulomb`, numbers, expressions in parameters, or text.
        restitution: e in [0, 1], the normal velocity after an impact is -e times that before it (Newton).
        restitution_law: ``"newton"``; ``"poisson"``: the normal impulse of restitution is e times that of compression;
            ``"stronge"``: the work of restitution is e^2 times that of compression, so that no impact gives energy.
            Without friction, and where the normal impulse does not change the slip, they are the same. The last two
            follow the course of the impact, in which a slip stops, sticks and turns [stronge2000]. Contacts that press
            on each other are hit together: by Poisson's law in a phase of compression and one of expansion
            [pfeiffer1996], by Stronge's as springs that are equally stiff [liu2008]; E413 where that tells nothing.
        friction: a law made by `coulomb`, in place of mu and mu_static.
        spin: the angular velocity about the normal, relative to the other surface, which pivoting friction resists.
        rolling: one or two components of the angular velocity in the plane of contact (two of them orthogonal), which
            rolling friction resists.
        sides: 2 for what cannot open and may push either way, as a bead on a wire or a pin in a slot without play: the
            gap stays 0, the normal force has a sign, and friction is mu |N|.
        load: a normal force >= 0 that is given, in place of a gap: dry friction of what is always pressed together, as
            in a joint (`da.forces.dry`).

    Raises:
        WrongType: E137, arguments of another kind.
        InvalidValue: E130 a restitution outside [0, 1]; E137 more than two components of slip, or friction without
            the velocity it resists or given twice, or another law of restitution, or both or none of gap and between;
            E138 coefficients below 0, or mu_static < mu.
    """
    pair = () if between is None else _pair(between, (gap, slip, spin, rolling))
    distance = _pressed(0 if pair else gap, sides, load, restitution)
    if friction is not None and not isinstance(friction, Coulomb):
        raise WrongType("E137", f"friction is {as_given(friction)}, no law", Call("coulomb", "mu=0.3, mu_static=0.4"))
    if friction is not None and not (mu == 0 and mu_static is None):
        raise InvalidValue("E137", "friction is given twice", "give mu and mu_static, or friction=da.coulomb(...)")
    law = coulomb(mu, mu_static) if friction is None else friction
    parts, rolls = _components(slip, "slip", "vx"), _components(rolling, "rolling", "wx")
    resisted: dict[str, tuple[object, dict[str, Given]]] = {
        "slip=[vx]": (parts, {"mu": law.mu, "mu_static": law.mu_static or 0}),
        "spin=wz": (spin is not None, {"spin_friction": law.spin}),
        "rolling=[wx]": (rolls, {"rolling_friction": law.rolling}),
    }
    for remedy, (velocity, coefficients) in resisted.items():
        acting = [key for key, c in coefficients.items() if c != 0]
        if not velocity and acting and not pair:
            fact = f"there is friction, and no {remedy.partition('=')[0]} to act against"
            raise InvalidValue("E137", fact, remedy, subject=("contacts", "", acting[0]))
    with about("contacts", "", "restitution"):
        e = _given(restitution, "restitution")
        if isinstance(e, int | float):
            check_restitution(float(e))
    if not isinstance(restitution_law, str) or restitution_law not in RESTITUTION:
        fact, words = f"restitution_law = {as_given(restitution_law)} is no law of restitution", str(restitution_law)
        remedy = did_you_mean(words, RESTITUTION)
        raise InvalidValue("E137", fact, remedy, subject=("contacts", "", "restitution_law"))
    return Touch(
        None if pair else distance, parts, law, e, _about_normal(spin), rolls, restitution_law, sides, load, pair
    )


def _pressed(gap: Given | None, sides: object, load: object, restitution: object) -> Given:
    """The gap; 1, which never closes, where a normal force is given (E137)."""
    if sides not in (1, 2) or isinstance(sides, bool):
        fact, subject = f"a contact has no {as_given(sides)} sides", ("contacts", "", "sides")
        raise InvalidValue("E137", fact, "give 1, or 2 where it cannot open", subject=subject)
    if (gap is None) == (load is None):
        fact = "a contact has neither a gap nor a load, nor bodies" if gap is None else "a contact has a gap and a load"
        raise InvalidValue("E137", fact, "gap=y, where the normal force follows, or load=N, where it is given")
    if restitution != 0 and (sides == 2 or load is not None):
        fact, subject = "what cannot open does not bounce: it has no restitution", ("contacts", "", "restitution")
        raise InvalidValue("E137", fact, "leave restitution out", subject=subject)
    if load is None:
        return _distance(gap)
    if sides == 2:
        raise InvalidValue("E137", "a load presses on one side", "leave sides out", subject=("contacts", "", "sides"))
    value = _given(load, "the load")
    _check_law({"load": value})
    return 1


def _pair(between: object, others: Sequence[object]) -> tuple[Given, ...]:
    """Two bodies (E137), of which all else follows."""
    with about("contacts", "", "between"):
        if isinstance(between, str | sp.Expr) or not several(between):
            raise WrongType("E137", f"between is two bodies, not {as_given(between)}", 'between=("ball", "floor")')
        pair = tuple(_given(each, "between") for each in between)  # type: ignore[attr-defined]
        if len(pair) != 2 or pair[0] == pair[1]:
            fact = f"a contact is between two bodies, not {as_given(between)}"
            raise InvalidValue("E137", fact, 'between=("ball", "floor")')
        if any(each is not None and (isinstance(each, sp.Expr | str | SupportsFloat) or each) for each in others):
            fact = "gap, slip, spin and rolling follow from the bodies between which a contact is"
            raise InvalidValue("E137", fact, "leave them out, or leave between out")
    return pair


@public
def dry(joint: Given | Sequence[Given], size: Given, *, at_rest: Given | None = None, name: str | None = None) -> Dry:
    """Dry friction of a given size in a joint, for ``System(forces=[...])``: it sticks, lets go, reverses, goes on.

    It is a contact that is always pressed together (`da.contact` with a load): the run has its modes, and the column
    ``<name>_friction``.

    Args:
        joint: the coordinate whose rate it resists, ``"x"``, or a rate, ``"dot(a) - dot(b)"``; two in a plane.
        size: of the force or torque against the motion, >= 0: a function of position, time and parameters.
        at_rest: the most that holds it at rest, >= size, and so given; size/at_rest holds parameters alone. Left out,
            `size`.
        name: of the mode and its column, by default ``dry_<joint>``.

    Raises:
        WrongType: E137, arguments of another kind.
        InvalidValue: E137, E138, a size that is negative, or more at work than at rest.
    """
    parts = tuple(joint) if isinstance(joint, list | tuple) else (joint,)
    slip = tuple(_given(part, "the joint") for part in parts)
    own = dry_name(slip[0] if slip else "") if name is None else name
    size, most = _given(size, "the size"), None if at_rest is None else _given(at_rest, "at_rest")
    if most is None or (most == 0 and size == 0):
        return Dry(own, contact(slip=slip, load=size, mu=1))
    if most == 0 or (isinstance(most, int | float) and isinstance(size, int | float) and most < size):
        fact = f"at_rest = {as_given(most)} is below size = {as_given(size)}"
        remedy = "what sticks holds at least as much as what slides: at_rest >= size"
        raise InvalidValue("E138", fact, remedy, subject=("contacts", own, "mu_static"))
    share = f"({size})/({most})" if isinstance(most, str) or isinstance(size, str) else size / most
    return Dry(own, contact(slip=slip, load=most, mu=share, mu_static=1))


def dry_name(joint: object) -> str:
    """Of dry friction that is given none: after what is in the rate."""
    return "_".join(["dry", *(word for word in re.findall(r"[^\W\d]\w*", str(joint)) if word != "dot")])


def with_dry(forces: object, contacts: Mapping[str, object] | None) -> tuple[Any, Mapping[str, object] | None]:
    """Forces without dry friction, and contacts with it (E102)."""
    if isinstance(forces, Dry):
        forces = [forces]
    if not isinstance(forces, list | tuple) or not any(isinstance(force, Dry) for force in forces):
        return forces, contacts
    found = dict(contacts) if isinstance(contacts, Mapping) else {}
    for law in forces:
        if isinstance(law, Dry):
            if law.name in found:
                fact = f"two contacts are called {as_given(law.name)}"
                raise InvalidValue("E102", fact, "give the friction a name: da.forces.dry(..., name=...)")
            found[law.name] = law.touch
    return [force for force in forces if not isinstance(force, Dry)] or None, found


def _about_normal(spin: object) -> Given | None:
    """E137: more than one velocity."""
    if several(spin):
        raise WrongType("E137", f"spin is one velocity about the normal, not {as_given(spin)}", "spin=wz")
    return None if spin is None else _given(spin, "spin")


def _distance(given: object) -> Given:
    """The gap, which is no system (E137)."""
    if not isinstance(given, sp.Expr | str | SupportsFloat):
        raise WrongType("E137", f"the gap is {as_given(given)}, no distance", _EXAMPLE)
    return _given(given, "the gap")


def _components(given: Sequence[Given], what: str, example: str) -> tuple[Given, ...]:
    """One or two components of a velocity in the plane of contact, or none (E137)."""
    with about("contacts", "", what):
        if isinstance(given, str | sp.Expr) or not several(given):
            raise WrongType("E137", f"{what} is a list of velocities, not {as_given(given)}", f"{what}=[{example}]")
        parts = tuple(_given(part, what) for part in given)
        if len(parts) > _MOST_SLIPS:
            raise InvalidValue("E137", f"{len(parts)} components of {what} in a plane", "give one, or two")
    return parts


@dataclass(frozen=True, eq=False)
class Contact:
    """A contact as a system has read it.

    Attributes:
        name: of it.
        gap: f(t, q), not negative.
        approach: df/dt.
        slip: components of the velocity of slip, none to two.
        mu, mu_static, restitution: expressions in parameters.
        spin, rolling: angular velocities about the normal (none or one) and in the plane of contact (none to two).
        mu_spin, mu_rolling: lengths, expressions in parameters.
        master: the contact whose normal force a part of friction depends on, by name; itself where it is whole.
        restitution_law: by which the restitution acts.
        between: the bodies of which it follows, if it does.
    """

    name: str
    gap: sp.Expr
    approach: sp.Expr
    slip: tuple[sp.Expr, ...]
    mu: sp.Expr
    mu_static: sp.Expr
    restitution: sp.Expr
    spin: tuple[sp.Expr, ...] = ()
    rolling: tuple[sp.Expr, ...] = ()
    mu_spin: sp.Expr = sp.S.Zero
    mu_rolling: sp.Expr = sp.S.Zero
    master: str = ""
    restitution_law: str = NEWTON
    sides: int = 1
    load: sp.Expr | None = None
    between: tuple[Given, ...] = ()

    @property
    def parts(self) -> tuple[Contact, ...]:
        """What slides or sticks by itself: the slip, the spin and the rolling of one contact, each with its law."""
        found = [replace(self, spin=(), rolling=(), master=self.name)]
        for word, rates, mu in (("spin", self.spin, self.mu_spin), ("rolling", self.rolling, self.mu_rolling)):
            if rates and mu != 0:
                own = Contact(f"{self.name}_{word}", self.gap, self.approach, rates, mu, mu, sp.S.Zero)
                found.append(replace(own, master=self.name))
        return tuple(found)

    @property
    def columns(self) -> list[str]:
        """Columns of a path: the normal force, friction along each component of slip; moments of spin or rolling."""
        whole = self.master in ("", self.name) and self.load is None
        what = f"{self.name}_friction" if whole or self.load is not None else f"{self.name}_moment"
        rubs = [what] if len(self.slip) == 1 else [f"{what}_{i + 1}" for i in range(len(self.slip))]
        return [f"{self.name}_normal", *rubs] if whole else rubs

    @property
    def rubs(self) -> bool:
        """Is there friction, be it only at rest?"""
        return bool(self.mu != 0 or self.mu_static != 0)

    @property
    def looked_at(self) -> tuple[sp.Expr, ...]:
        """What a symmetry leaves alone: the gap and the rates that friction resists, of two in a plane their s.s.

        Friction knows no direction in the plane of contact, so a turn of both components changes nothing.
        """
        rates = (_without_direction(part.slip) for part in self.parts if part.slip and part.rubs)
        return (self.gap if self.load is None else self.load, *rates)

    @property
    def acting(self) -> tuple[sp.Expr, ...]:
        """Rates along which it pushes: the approach, and those that friction resists."""
        return (self.approach, *(rate for part in self.parts if part.rubs for rate in part.slip))

    def distance(self, lengths: Sequence[sp.Symbol]) -> sp.Expr | None:
        """f/|grad f|, where these coordinates are lengths; None where f holds none of them."""
        steep = sp.sqrt(sp.Add(*(self.gap.diff(q) ** 2 for q in lengths)))
        return None if steep == 0 else self.gap / steep

    def velocities(self, lengths: Sequence[sp.Symbol], space: Space) -> list[sp.Expr]:
        """The slips that hold rates of these coordinates, each over the length of its row."""
        rates = [[s.diff(space.rates[q]) for q in lengths if space.rates[q].is_Symbol] for s in self.slip]
        rows = {s: sp.sqrt(sp.Add(*(e**2 for e in row))) for s, row in zip(self.slip, rates, strict=True)}
        return [s / size for s, size in rows.items() if size not in (0, 1)]

    @property
    def row(self) -> tuple[str, sp.Expr, str]:
        """How it is printed: what stands on the left, an expression, and its relation to 0 if there is nothing left."""
        if self.load is not None:
            return "N", self.load, "="
        return "", self.gap, "=" if self.sides == 2 else "\\geq"

    @property
    def given(self) -> Touch:
        """The contact as an entry of ``System(contacts=...)``."""
        return self.rewritten(lambda e: e)

    def rewritten(self, rewrite: Callable[[sp.Expr], sp.Expr]) -> Touch:
        """The contact in other coordinates or velocities, as an entry of ``System(contacts=...)``."""
        slip, spin, rolling = (tuple(map(rewrite, e)) for e in (self.slip, self.spin, self.rolling))
        law = Coulomb(self.mu, self.mu_static, self.mu_spin, self.mu_rolling)
        about_normal = next(iter(spin), None)
        load = None if self.load is None else rewrite(self.load)
        gap, how = rewrite(self.gap), (self.restitution_law, self.sides, load, self.between)
        return Touch(gap, slip, law, self.restitution, about_normal, rolling, *how)

    def __str__(self) -> str:
        rest = "" if self.mu_static == self.mu else f", {_said(self.mu_static)} at rest"
        slip = f", slip {_listed(self.slip)} with mu {_said(self.mu)}{rest}" if self.slip else ""
        spin = f", spin {_listed(self.spin)}{_resisted(self.mu_spin)}" if self.spin else ""
        rolling = f", rolling {_listed(self.rolling)}{_resisted(self.mu_rolling)}" if self.rolling else ""
        law = f" ({self.restitution_law})" if self.restitution_law != NEWTON else ""
        if self.load is not None:
            return f"{self.name}: load {_said(self.load)}{slip}"
        if self.sides == 2:
            return f"{self.name}: {_said(self.gap)} = 0{slip}{spin}{rolling}"
        return f"{self.name}: {_said(self.gap)} >= 0{slip}{spin}{rolling}, restitution {_said(self.restitution)}{law}"

    @property
    def expressions(self) -> tuple[sp.Expr, ...]:
        """All expressions of the contact."""
        laws = (self.mu, self.mu_static, self.restitution, self.mu_spin, self.mu_rolling)
        return (self.gap, *self.slip, *self.spin, *self.rolling, *laws, *([] if self.load is None else [self.load]))

    def check(self, parameters: Mapping[str, float | None]) -> None:
        """E130, E138: coefficients that no contact has at these values, as far as they are known."""
        known = {name: value for name, value in parameters.items() if value is not None}
        if self.load is None:
            self._check_meeting(known)
        with about("contacts", self.name):
            _check_law({"load": None if self.load is None else value_of(self.load, known)}, self.name)
            self._check_numbers(known)
            found = {k: value_of(getattr(self, k), known) for k in ("mu", "mu_static", "restitution")}
            if found["restitution"] is not None:
                with about("contacts", self.name, "restitution"):
                    check_restitution(found["restitution"])
            _check_law({k: v for k, v in found.items() if v is not None and k != "restitution"}, self.name)
            for name, e in (("spin", self.mu_spin), ("rolling", self.mu_rolling)):
                _check_law({name: value_of(e, known)}, self.name)

    def _check_numbers(self, known: Mapping[str, float]) -> None:
        """E138: coefficients that are no numbers at these values, as shares of a size 0."""
        for key in ("mu", "mu_static", "restitution", "mu_spin", "mu_rolling"):
            value = value_of(e := getattr(self, key), known)
            if value is not None and not np.isfinite(value):
                told = ", ".join(f"{s} = {known[s.name]:.12g}" for s in sorted(e.free_symbols, key=str))
                fact, subject = f"{key} = {e} is no number at {told}", ("contacts", self.name, key)
                raise InvalidValue("E138", fact, "give other values", subject=subject)

    def _check_meeting(self, known: Mapping[str, float]) -> None:
        """E137: a gap that is nowhere 0 at these values, or a radius below 0.

        A radius of what is round is taken from the distance of its centre, and is the lever of its turning in the slip:
        s = x' - r w where f = d - r.
        """
        values = {s: sp.Float(known[s.name]) for s in self.gap.free_symbols if s.name in known}
        told = ", ".join(f"{s} = {known[s.name]:.12g}" for s in sorted(values, key=str))
        gap, subject = self.gap.xreplace(values), ("contacts", self.name, "gap")
        word = "positive" if gap.is_positive else "negative" if gap.is_negative else ""
        if word:
            fact = f"the gap {self.gap} of {self.name} is {word} everywhere at {told}: the surfaces do not touch"
            raise InvalidValue("E137", fact, "correct the sign of a length", subject=subject)
        levers = {e for s in (*self.slip, *self.spin) for e in _slopes(s)}
        for r in values:
            if known[r.name] < 0 and self.gap.diff(r) == -1 and not levers.isdisjoint({r, -r}):
                fact = f"{r} = {known[r.name]:.12g} is a radius in the gap {self.gap} of {self.name}, and is negative"
                raise InvalidValue("E137", fact, f"give {r} above 0", subject=subject)


def _slopes(rate: sp.Expr) -> list[sp.Expr]:
    """The coefficients of an affine expression."""
    return [rate.diff(s) for s in rate.free_symbols]


def _without_direction(rates: tuple[sp.Expr, ...]) -> sp.Expr:
    return rates[0] if len(rates) == 1 else sp.Add(*(rate**2 for rate in rates))


def _said(e: sp.Expr) -> str:
    """An expression in as many digits as it was given."""
    return str(sp.sstr(e, full_prec=False))


def _listed(rates: Sequence[sp.Expr]) -> str:
    return ", ".join(map(_said, rates))


def _resisted(length: sp.Expr) -> str:
    """By which moment, where N is the normal force."""
    lever = f"({_said(length)})" if length.is_Add else _said(length)
    return " without friction" if length == 0 else f" against the moment {lever} N"


def read_contacts(given: object, reader: Reader) -> tuple[Contact, ...]:
    """Contacts by name.

    Raises:
        WrongType: E137, not given by name, or not by `contact`.
        InvalidValue: those of `contact`, and E137 where it is none in this space.
    """
    if given is None:
        return ()
    if not isinstance(given, Mapping):
        raise WrongType("E137", "contacts are given by name", _EXAMPLE)
    found = []
    for name, touch in by_name(given, "contacts", key_name).items():
        if not isinstance(touch, Touch):
            raise WrongType("E137", f"the contact {as_given(name)} is {kind_of(touch)}", _EXAMPLE)
        with about("contacts", name):
            found.append(_contact(_named(name), touch, reader))
    return tuple(found)


def check_apart(walls: Sequence[Wall], contacts: Sequence[Contact], space: Space) -> None:
    """E132: a wall and a contact, or two contacts with their slips, are one surface: which acts is not said.

    They are where f = c g at random states, the gaps with c > 0; with c < 0 they are the two sides of one.
    """
    every = [*(wall.guard for wall in walls), *(e for c in contacts for e in (c.gap, *c.slip))]
    others = sorted({s.name for e in every for s in e.free_symbols} - {s.name for s in space})
    rng, graph = np.random.default_rng(45), Graph()
    nodes = [read(e, graph) for e in every]
    points = [space.sample(rng, others) for _ in range(_ALIKE)]
    numbers = dict(zip(every, np.array([evaluate(nodes, point) for point in points]).T, strict=True))
    faces: list[tuple[str, Contact, tuple[sp.Expr, ...], tuple[sp.Expr, ...]]] = [
        *((f"the wall {wall.name}", c, (wall.guard,), (c.gap,)) for wall, c in product(walls, contacts)),
        *((f"the contact {a.name}", b, (a.gap, *a.slip), (b.gap, *b.slip)) for a, b in combinations(contacts, 2)),
    ]
    for one, contact, first, second in faces:
        sense, *slips = (sign_of_parallel(numbers[f], numbers[g]) for f, g in zip(first, second, strict=False))
        if sense < 0 and one.startswith("the contact") and contact.load is None:
            fact = f"{one.replace('contact', 'contacts')} and {contact.name} are the two sides of one surface"
            raise InvalidValue("E132", fact, f"give one contact that cannot open: gap={_said(first[0])}, sides=2")
        if sense > 0 and len(first) == len(second) and all(slips):
            fact = f"{one} and the contact {contact.name} are one surface: which acts is not said"
            raise InvalidValue("E132", fact, "leave one of the two out")


def _named(name: str) -> str:
    """The name of a contact, of which columns are named (E137)."""
    wrong = strange(name)
    if wrong is not None or not name.isidentifier():
        fact = f"{as_given(name)} cannot be the name of a contact: columns of a path are named after it"
        raise InvalidValue("E137", fact, Option("name", "floor"), subject=("contacts", name, "name"))
    return name


def _contact(name: str, touch: Touch, reader: Reader) -> Contact:
    if touch.load is not None:
        return _loaded(name, touch, reader)
    space = reader.space
    gap = reader.read(_distance(touch.gap), f"the gap of {name}")
    approach = approach_of(gap, space, f"the gap {gap} of {name}", "E137")
    with about("contacts", name, "slip"):
        slip = tuple(_moving(reader.read(part, f"the slip of {name}"), name, space) for part in touch.slip)
        _check_directions(approach, slip, name, space)
    with about("contacts", name, "spin"):
        spin = () if touch.spin is None else (_moving(reader.read(touch.spin, f"the spin of {name}"), name, space),)
    with about("contacts", name, "rolling"):
        rolling = tuple(_moving(reader.read(part, f"the rolling of {name}"), name, space) for part in touch.rolling)
        _check_directions(approach, (*spin, *rolling), name, space)
    law = touch.friction
    given = {"mu": law.mu, "mu_static": law.mu if law.mu_static is None else law.mu_static}
    given |= {"restitution": touch.restitution, "spin": law.spin, "rolling": law.rolling}
    mu, mu_static, restitution, *lengths = (_coefficient(e, key, name, reader) for key, e in given.items())
    found = Contact(name, gap, approach, slip, mu, mu_static, restitution, spin, rolling, *lengths)
    return replace(found, restitution_law=touch.restitution_law, sides=touch.sides, between=touch.between)


def _loaded(name: str, touch: Touch, reader: Reader) -> Contact:
    """A contact whose normal force is given: dry friction."""
    space, law = reader.space, touch.friction
    load = reader.read(touch.load, f"the load of {name}")
    if load.free_symbols & set(space.velocities):
        fact = f"the load {load} of {name} depends on velocities"
        raise InvalidValue("E137", fact, "give a function of the position and the time")
    if not touch.slip or touch.spin is not None or touch.rolling:
        fact = f"{name} has a load, and no one velocity that friction acts against"
        raise InvalidValue("E137", fact, "slip=[dot(x)], of spin or rolling as well")
    with about("contacts", name, "slip"):
        read = (reader.read(part, f"the slip of {name}") for part in touch.slip)
        slip = tuple(_moving(space.rates.get(part, part), name, space) for part in read)
    given = {"mu": law.mu, "mu_static": law.mu if law.mu_static is None else law.mu_static}
    mu, mu_static = (_coefficient(e, key, name, reader) for key, e in given.items())
    return Contact(name, sp.S.One, sp.S.Zero, slip, mu, mu_static, sp.S.Zero, load=load)


def _moving(slip: sp.Expr, name: str, space: Space) -> sp.Expr:
    """A component of slip: linear or affine in the velocities (E137)."""
    u = list(space.velocities)
    slopes = {s for v in u for s in slip.diff(v).free_symbols}
    if not slip.free_symbols & set(u) or slopes & set(u):
        fact = f"the slip {slip} of {name} is not linear in the velocities"
        raise InvalidValue("E137", fact, f"write a velocity with {', '.join(map(str, u))}")
    return slip


def _check_directions(approach: sp.Expr, slip: Sequence[sp.Expr], name: str, space: Space) -> None:
    """E137 where a slip is along the normal, or along the other slip, at every random state."""
    rows, graph, rng = (approach, *slip), Graph(), np.random.default_rng(44)
    nodes = [read(row.diff(u), graph) for row in rows for u in space.velocities]
    others = sorted({s.name for row in rows for s in row.free_symbols} - {s.name for s in space})
    for _ in range(_STATES):
        values = {**space.sample(rng, [*others, TIME.name]), TIME.name: float(rng.normal())}
        found = np.array(evaluate(nodes, values), float).reshape(len(rows), -1)
        if not np.isfinite(found).all() or rank_of(found) == len(rows):
            return
    fact = f"the slips {', '.join(map(str, slip))} of {name} and the rate of its gap are not independent velocities"
    raise InvalidValue("E137", fact, "write velocities along the surface, orthogonal to each other")


def _coefficient(given: Given, key: str, name: str, reader: Reader) -> sp.Expr:
    """A number or an expression in parameters."""
    if isinstance(given, int | float):
        return sp.Integer(int(given)) if given == int(given) else sp.Float(given)
    what = key if key == "restitution" else f"{key} of {name}"
    with about("contacts", name, IN_FILES.get(key, key)):
        e = reader.read(given, what)
        if e.free_symbols & {TIME, *reader.space}:
            raise InvalidValue("E137", f"{what} = {e} depends on the state", "give a number or a parameter")
    return e


def _given(given: object, what: str) -> Given:
    """An expression, a text or a finite number (E137, E719)."""
    if isinstance(given, sp.Expr | str):
        return given
    return number(given, what, "E137", "E719")


def _check_law(found: Mapping[str, object], contact: str = "") -> None:
    """E138 for coefficients of a contact, as far as they are numbers."""
    numbers = {name: float(value) for name, value in found.items() if isinstance(value, int | float | sp.Number)}
    for name, value in numbers.items():
        if value < 0:
            fact = f"{name} = {value:.12g} is negative: such friction would drive the motion"
            raise InvalidValue("E138", fact, "give it >= 0", subject=("contacts", contact, IN_FILES.get(name, name)))
    if numbers.get("mu_static", 0.0) < numbers.get("mu", 0.0) and len(numbers) == 2:
        fact = f"mu_static = {numbers['mu_static']:.12g} is below mu = {numbers['mu']:.12g}"
        remedy = "what sticks holds at least as much as what slides: mu_static >= mu"
        raise InvalidValue("E138", fact, remedy, subject=("contacts", contact, "mu_static"))
