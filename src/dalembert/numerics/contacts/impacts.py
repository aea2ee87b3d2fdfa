"""Impacts: which contacts they concern, and what each law of restitution says of them.

By Newton's law all contacts that touch are hit at once, A du = -(1 + e) A u, with Coulomb's friction of the impulses.
Poisson's and Stronge's follow the course of the impact. Contacts whose impulses do nothing to each other are hit each
for itself; one that is hit among others has its own `course` where these do not approach on the way, as then they have
no impulse. Contacts that press on each other are hit together: by Stronge's law as `springs` that are equally stiff, by
Poisson's in two phases [pfeiffer1996], a compression that is plastic at all contacts at once, and an expansion in which
each gives back at least e P_C, and more where it would be pressed in otherwise:

    compression   0 <= P_C          _|_  c_C >= 0 ,   T_C by Coulomb with P_C and the slip at its end
    expansion     0 <= P_E - e P_C  _|_  c_E >= 0 ,   T_E by Coulomb with P_E and the slip at its end

Without friction no energy is gained: P_E makes P G P/2 + c_C . P least among P >= e P_C, and P_C is one of them. Nor is
any with friction where all coefficients are the same, as then e (P_C, T_C) is one that the expansion could have. Where
Newton's or Poisson's law would give energy (Kane's paradox: a slip that turns round in the impact), restitutions are
lowered by one factor to where none is gained; at 0 none is [moreau1988].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np

from ...calculus.numerical_rank import null_rows
from ...equations.contact_modes import APART, NEWTON, POISSON
from .active_set import GAINS
from .course import Course, NoCourse, RestitutionLaw
from .instant import NEAR, Instant, piece_of
from .problem import ClosedContact, Combination, Problem, Undecided
from .springs import Rub, Springs

COUPLED = 1e-12  # of two rows: below it an impulse along one does nothing along the other
_DEPENDENT = 1e-9  # rows that hold the same
_HALVINGS = 50
_RUBS = " rubs"  # after the name of a contact: its friction in the expansion, which it has with e P_C as well


@dataclass(frozen=True, eq=False)
class ImpulseRows:
    """Rows of impulses at an instant, and what they do to the velocities.

    Attributes:
        now: before the impact.
    """

    now: Instant

    def tangent(self, name: str) -> np.ndarray:
        """Rows (p, k) of friction of a contact or a part of it; p is 0 where there is none."""
        c = self.now.touching[name]
        return c.B if c.mu_static > 0 else c.B[:0]

    def own(self, name: str) -> np.ndarray:
        """Rows (1 + p, k) of the impulses of a contact, or (p, k) of a part of it."""
        c = self.now.touching[name]
        return np.vstack([c.A[None], self.tangent(name)]) if c.master == name else self.tangent(name)

    def rates(self, name: str) -> np.ndarray:
        """The velocities along them."""
        c = self.now.touching[name]
        slip = c.slip[: len(self.tangent(name))]
        return np.r_[c.rate, slip] if c.master == name else slip

    def clean(self, name: str, rates: np.ndarray | float) -> np.ndarray:
        """Velocities at a contact without rounding."""
        return np.where(np.abs(rates) > NEAR * self.now.terms[name], rates, 0.0)

    def back(self, rows: np.ndarray) -> np.ndarray:
        """Jumps of the velocities (k, r) by impulses along rows, what the system's constraints hold held."""
        now = self.now
        back = np.linalg.solve(now.W, rows.T)
        if not len(now.J):
            return back
        held = np.linalg.solve(now.W, now.J.T)
        # W^-1 - W^-1 J^T (J W^-1 J^T)^-1 J W^-1
        return np.asarray(back - held @ np.linalg.lstsq(now.J @ held, now.J @ back, rcond=1e-12)[0])

    def coupled(self, a: np.ndarray, b: np.ndarray) -> bool:
        """Does an impulse along some rows change the rates along others?"""
        sizes = [np.sqrt(np.einsum("ik,ki->i", rows, np.linalg.solve(self.now.W, rows.T))) for rows in (a, b)]
        return bool((np.abs(a @ self.back(b)) > COUPLED * np.outer(*sizes)).any())

    def gain(self, impulses: Mapping[str, np.ndarray]) -> float:
        """The kinetic energy gained, without what surfaces that move by themselves supply; 0 where it is rounding."""
        rows = np.vstack([self.own(part) for part in impulses])
        before = np.concatenate([self.rates(part) for part in impulses])
        p = np.concatenate(list(impulses.values()))
        # p (v + v+)/2
        gained = float(p @ (before + rows @ self.back(rows) @ p / 2))
        return gained if gained > GAINS * self.now.energy() else 0.0


def _harmless(gain: Callable[[float], float]) -> float:
    """The largest factor of the restitutions at which an impact gives no energy, as a function tells it of each."""
    low, high = 0.0, 1.0
    if gain(1.0) <= 0:
        return 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if gain(middle) > 0 else (middle, high)
    return low


# --- Newton's law ----------------------------------------------------------------------------------------------------


def newton(now: Instant, closed: Sequence[str]) -> tuple[Combination, dict[str, np.ndarray], float]:
    """The impact at all contacts that are closed, the impulses of each and its parts, and by what factor restitutions
    were lowered so that no energy is gained.

    Raises:
        Undecided: there is no answer, or several.
    """
    rows = ImpulseRows(now)

    @cache
    def hit(factor: float) -> Combination:
        pieces = []
        for name in now.parts(closed):
            c = now.touching[name]
            # A du = -(1 + e) rate ,  B du = -slip
            back = -c.rate - factor * c.restitution * min(c.rate, 0.0)
            pieces.append(replace(piece_of(c, None), normal=back, along=-c.slip[: len(rows.tangent(name))]))
        k = len(now.u)
        return Problem(now.W, np.zeros(k), now.J, np.zeros(len(now.J)), pieces).solve()

    def given(factor: float, signed: bool) -> dict[str, np.ndarray]:
        answer, found = hit(factor), {}
        for name in now.parts(closed):
            normal = answer.normal[name] * (answer.choices[name].side if signed else 1)
            found[name] = np.r_[[normal] if now.touching[name].master == name else [], answer.friction[name]]
        return found

    factor = _harmless(lambda factor: rows.gain(given(factor, True)))
    return hit(factor), _told(now, given(factor, False)), factor


def _told(now: Instant, impulses: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Impulses of contacts with a 0 for each component of friction that they have not."""
    lengths = {n: (now.touching[n].master == n) + len(now.touching[n].B) for n in impulses}
    return {n: np.pad(p, (0, lengths[n] - len(p))) for n, p in impulses.items()}


# --- by courses ------------------------------------------------------------------------------------------------------


class Hit(NamedTuple):
    """An impact: of each contact and its parts the impulses, what its course was made of, and by what factor
    restitutions were lowered so that no energy was gained.
    """

    impulses: dict[str, np.ndarray]
    words: tuple[str, ...]
    lowered: float = 1.0


@dataclass(frozen=True, eq=False)
class Courses:
    """An impact at contacts that are closed, of those whose law follows its course.

    Attributes:
        now: before it.
        closed: the contacts.
    """

    now: Instant
    closed: Sequence[str]

    @cached_property
    def hit(self) -> list[str]:
        """Contacts that approach."""
        return [n for n in self.closed if self.now.touching[n].rate < -NEAR * self.now.terms[n]]

    @cached_property
    def groups(self) -> list[list[str]]:
        """Contacts that act on each other, together."""
        found: list[list[str]] = []
        rows = {n: np.vstack([self._rows.own(part) for part in self.now.parts([n])]) for n in self.closed}
        for name in self.closed:
            near = [any(self._rows.coupled(rows[name], rows[n]) for n in group) for group in found]
            mine = [n for group, is_near in zip(found, near, strict=True) if is_near for n in group]
            found = [*(group for group, is_near in zip(found, near, strict=True) if not is_near), [*mine, name]]
        return found

    @cached_property
    def followed(self) -> list[list[str]]:
        """Groups in which a contact has a course."""
        if all(self.now.touching[n].law == NEWTON for n in self.closed):
            return []
        return [group for group in self.groups if any(self.now.touching[n].law != NEWTON for n in group)]

    @property
    def others(self) -> list[str]:
        """Contacts of the other groups."""
        return [n for n in self.closed if not any(n in group for group in self.followed)]

    @cached_property
    def hits(self) -> list[Hit]:
        """Of each contact that has its own course, and of those that are hit together.

        Raises:
            NoCourse: one has none.
        """
        found = []
        for group in self.followed:
            hit = [name for name in group if name in self.hit]
            alone = self._alone(hit[0], [n for n in group if n != hit[0]]) if len(hit) == 1 else None
            found += [alone or together(self._rows, group)] if hit else []
        return found

    @property
    def lowered(self) -> float:
        """By what factor restitutions were lowered."""
        return min((hit.lowered for hit in self.hits), default=1.0)

    @property
    def words(self) -> list[tuple[str, ...]]:
        """What the pieces of all courses are: where they are others, impulses have no derivatives."""
        return [hit.words for hit in self.hits]

    def done(self) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """The jump of the velocities (k,), and the impulses of each contact and its parts, by all courses.

        Raises:
            NoCourse: one has none.
        """
        du, rows = np.zeros(len(self.now.u)), self._rows
        impulses = {name: p for hit in self.hits for name, p in hit.impulses.items()}
        for part, p in impulses.items():
            du = du + rows.back(rows.own(part)) @ p
        return du, _told(self.now, impulses)

    @cached_property
    def _rows(self) -> ImpulseRows:
        return ImpulseRows(self.now)

    def _alone(self, name: str, others: Sequence[str]) -> Hit | None:
        """One contact's course, and what is its of spin and rolling; None where others take part."""
        now, rows, c, own = self.now, self._rows, self.now.touching[name], self._rows.own(name)
        mine = [part for part in now.parts([name]) if part != name]
        for part in mine:
            every = [rows.own(n) for n in now.parts([name]) if n != part]
            # do impulses of the contact turn the body against its pivoting or rolling friction?
            if len(rows.own(part)) and any(rows.coupled(rows.own(part), each) for each in every if len(each)):
                return None
        if c.law == NEWTON:
            return None
        back = rows.back(own)
        course = Course(own @ back, c.mu, c.mu_static)
        way = course.along(c.rate, c.slip[: len(own) - 1], RestitutionLaw(c.restitution, c.law))
        if self._approach(others, np.array([np.r_[at.P, at.T] for at in way.points]) @ back.T):
            return None
        impulses = {name: np.r_[way.end.P, way.end.T]}
        return Hit(impulses | {part: self._part(part, way.end.P) for part in mine}, way.words)

    def _approach(self, others: Sequence[str], du: np.ndarray) -> bool:
        """Do other contacts approach on the way, with these jumps of the velocities (N, k)?"""
        for other in others:
            c, small = self.now.touching[other], NEAR * self.now.terms[other]
            by = du @ c.A
            if (c.rate * (c.rate > small) + by).min() < -small - COUPLED * np.abs(by).max():
                return True
        return False

    def _part(self, part: str, P: float) -> np.ndarray:
        """The moment of pivoting or rolling friction, where the impulses of the contact do not turn the body so."""
        c, rows = self.now.touching[part], self._rows.own(part)
        if not len(rows):
            return np.zeros(len(c.B))
        return Course(np.pad(rows @ self._rows.back(rows), ((1, 0), (1, 0))), c.mu, c.mu_static).rubbed(c.slip, P)


def together(rows: ImpulseRows, group: Sequence[str]) -> Hit:
    """An impact at contacts that press on each other: by Poisson's law in two phases, by Stronge's as springs.

    Raises:
        NoCourse: there is none, for a reason in words.
    """
    found = [rows.now.touching[n] for n in group]
    laws = sorted({c.law for c in found if c.restitution or c.law != NEWTON})
    if len(laws) > 1:
        named = " and ".join(f"{law.capitalize()}'s" for law in laws)
        fact = "each says when its own restitution ends, and none what the others do until then"
        raise NoCourse(f"contacts by {named} laws press on each other; {fact}: give them one law")
    if laws == [POISSON] or not any(c.restitution for c in found):
        phases = PoissonImpact(rows, group)
        factor = _harmless(lambda factor: rows.gain(phases.impulses(factor)))
        return Hit(phases.impulses(factor), phases.words(factor), factor)
    return _as_springs(rows, list(group))


def _as_springs(rows: ImpulseRows, group: list[str]) -> Hit:
    """By Stronge's law."""
    now = rows.now
    parts = [*group, *(part for part in now.parts(group) if part not in group)]
    for part in parts:
        if len(rows.tangent(part)) > 1:
            raise NoCourse(f"{part} slips in a plane and presses on others, which is followed by Poisson's law alone")
    rubs = [(part, row) for part in parts for row in rows.tangent(part)]
    R = np.array([*(now.touching[n].A for n in group), *(row for _, row in rubs)])
    slips = [rows.clean(part, now.touching[part].slip[: len(rows.tangent(part))]) for part in parts]
    v = np.concatenate([[rows.clean(n, now.touching[n].rate) for n in group], *slips])
    laws = [Rub(group.index(c.master), c.mu, c.mu_static) for c in (now.touching[part] for part, _ in rubs)]
    way = Springs(R @ rows.back(R), np.array([now.touching[n].restitution for n in group]), laws).course(v)
    impulses = {part: way.P[i : i + 1] if i < len(group) else np.zeros(0) for i, part in enumerate(parts)}
    for (part, _), T in zip(rubs, way.T, strict=True):
        impulses[part] = np.r_[impulses[part], T]
    return Hit(impulses, way.words)


@dataclass(frozen=True, eq=False)
class PoissonImpact:
    """Compression and expansion by Poisson's law.

    Attributes:
        rows: before the impact.
        closed: the contacts that take part.
    """

    rows: ImpulseRows
    closed: Sequence[str]

    def impulses(self, factor: float) -> dict[str, np.ndarray]:
        """Of each contact and its parts the normal impulse and friction's, the restitutions times a factor.

        Raises:
            NoCourse: a phase has no answer, or several.
        """
        pressed, given, found = self.compression, self._expansion(factor), {}
        for name in self.rows.now.parts(self.closed):
            rubs = pressed.friction[name]
            own = [pressed.normal[name]] if self.rows.now.touching[name].master == name else []
            if given is not None:
                own = [own[0] + self._least(name, factor) + given.normal[name]] if own else []
                rubs = rubs + given.friction.get(name + _RUBS, np.zeros(0))
            found[name] = np.r_[own, rubs]
        return found

    def words(self, factor: float) -> tuple[str, ...]:
        """What the contacts do in both phases."""
        phases = [found for found in (self.compression, self._expansion(factor)) if found is not None]
        return tuple(f"{name} {word}" for found in phases for name, word in sorted(found.words().items()))

    def _least(self, name: str, factor: float) -> float:
        """The normal impulse e P_C that a contact gives back."""
        master = self.rows.now.touching[name].master
        return factor * self.rows.now.touching[master].restitution * max(self.compression.normal[master], 0.0)

    @cached_property
    def compression(self) -> Combination:
        """Of all contacts, plastic."""
        now, pieces = self.rows.now, []
        for name in now.parts(self.closed):
            c, B = now.touching[name], self.rows.tangent(name)
            pieces.append(ClosedContact(name, c.master, c.A, -c.rate, B, -c.slip[: len(B)], None, c.mu, c.mu_static))
        found = self._solved(pieces, np.zeros(len(now.u)))
        self._check_shared(found)
        return found

    def _check_shared(self, found: Combination) -> None:
        """No contact that gives back may share its normal impulse with what else holds the same."""
        now, columns, gives = self.rows.now, [*self.rows.now.J], [False] * len(self.rows.now.J)
        for name in now.whole(list(found.choices)):
            c = now.touching[name]
            if found.choices[name].word == APART:
                continue
            mine = [part for part in now.parts([name]) if len(self.rows.tangent(part))]
            ways = {part: found.choices[part].direction for part in mine}
            slides = {part: d for part, d in ways.items() if d is not None}
            rubbed = (now.touching[part].mu * d @ now.touching[part].B for part, d in slides.items())
            held = [row for part in mine if part not in slides for row in now.touching[part].B]
            # (A - mu d B)^T P + B^T T
            columns = [*columns, c.A - sum(rubbed), *held]
            gives = [*gives, c.restitution > 0, *[False] * len(held)]
        free = null_rows(np.array(columns).T, _DEPENDENT).T if columns else np.zeros((0, 0))
        if np.abs(free[np.array(gives, bool)]).max(initial=0.0) > _DEPENDENT:
            raise NoCourse("normal impulses and friction can share the compression in several ways")

    def _expansion(self, factor: float) -> Combination | None:
        """From the end of compression: what is given back besides e P_C, and friction; None if nothing."""
        now, pieces = self.rows.now.pushed(self.compression.x), []
        f, names = np.zeros(len(now.u)), now.parts(self.closed)
        if not any(self._least(name, factor) for name in names):
            return None
        for name in names:
            c, B, least = now.touching[name], self.rows.tangent(name), self._least(name, factor)
            back, along = -float(self.rows.clean(name, c.rate)), -self.rows.clean(name, c.slip[: len(B)])
            if c.master == name:
                f = f + least * c.A
                pieces.append(ClosedContact(name, name, c.A, back, c.B[:0], along[:0], None, 0.0, 0.0))
            if len(B):
                rubs = name + _RUBS
                pieces.append(ClosedContact(rubs, c.master, c.A, back, B, along, None, c.mu, c.mu_static, least))
        return self._solved(pieces, f)

    def _solved(self, pieces: Sequence[ClosedContact], f: np.ndarray) -> Combination:
        now = self.rows.now
        try:
            return Problem(now.W, f, now.J, np.zeros(len(now.J)), pieces).solve()
        except Undecided as error:
            many = f"{error.count} ways differ in their" if error.count else "none gives any"
            raise NoCourse(f"of ways in which contacts push together {many} velocities") from None
