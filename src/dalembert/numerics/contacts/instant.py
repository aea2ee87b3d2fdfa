"""A state in numbers, as contacts see it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import Node, evaluate
from ...equations import Equations, Numbers
from ...equations.contact_modes import Contacts
from .problem import ClosedContact, Combination, Problem, rotated, unit

NEAR = 1e-12  # of the terms of a rate: what is below it is rounding
_BENDS = 2e-3  # by what part of them accelerations may change in it
_SHORTER = 4  # times its length is chosen anew
_ROUNDS, _ALONG = 12, 1e-13  # in which friction turns into the slip, to this part of it
_FIRST = 1e-3  # of the length that is allowed: the first that is tried
_LEAST = 1e-6


@dataclass(frozen=True, eq=False)
class Touching:
    """One contact at a state.

    Attributes:
        name, master: of it, and of the contact that it belongs to: itself, but for spin and rolling.
        gap, size: of the gap, and of its terms.
        A, B: rows of its normal (k,) and of its slip (p, k).
        rate, slip: dgap/dt and the velocity of slip (p,).
        normal, along: what A udot and B udot are where gap and slip keep their rates, a number and (p,).
        mu, mu_static, restitution: of it.
        law: of restitution.
        sides: 2 where it cannot open.
        load: the normal force, where it is given.
    """

    name: str
    master: str
    gap: float
    size: float
    A: np.ndarray
    B: np.ndarray
    rate: float
    slip: np.ndarray
    normal: float
    along: np.ndarray
    mu: float
    mu_static: float
    restitution: float
    law: str
    sides: int = 1
    load: float | None = None

    @property
    def opens(self) -> bool:
        """Can it?"""
        return self.sides == 1 and self.load is None


@dataclass(frozen=True, eq=False)
class Instant:
    """A time and a state.

    Attributes:
        t, q, u: of it.
        W, f: the kinetic metric (k, k), raised on the constraints where some move no mass, and what else acts (k,).
        J, g: rows of the system's constraints (m, k), and J udot = g.
        touching: its contacts, by name.
        speeds: the largest |u| that the run has seen (k,).
    """

    t: float
    q: np.ndarray
    u: np.ndarray
    W: np.ndarray
    f: np.ndarray
    J: np.ndarray
    g: np.ndarray
    touching: Mapping[str, Touching]
    speeds: np.ndarray

    def parts(self, contacts: Collection[str]) -> list[str]:
        """The contacts given, and what is theirs of spin and rolling."""
        return [name for name, c in self.touching.items() if c.master in contacts]

    def whole(self, parts: Collection[str]) -> list[str]:
        """The contacts among these, without spin and rolling."""
        return [name for name in parts if self.touching[name].master == name]

    @cached_property
    def terms(self) -> dict[str, float]:
        """The size that the terms of each contact's rates have had."""
        return {
            name: float(np.abs(c.A) @ self.speeds + (np.abs(c.B) @ self.speeds).max(initial=0.0))
            for name, c in self.touching.items()
        }

    def reach(self, name: str) -> float:
        """The fastest slip of a contact that this energy allows."""
        B = self.touching[name].B
        # |B u|^2 <= |B W^-1 B^T| u W u
        most = np.linalg.norm(B @ np.linalg.solve(self.W, B.T)) if len(B) else 0.0
        return float(np.sqrt(most * abs(self.u @ self.W @ self.u)))

    def pushed(self, du: np.ndarray) -> Instant:
        """With other velocities, its accelerations forgotten: rates alone."""
        moved = {n: replace(c, rate=c.rate + c.A @ du, slip=c.slip + c.B @ du) for n, c in self.touching.items()}
        return replace(self, u=self.u + du, touching=moved)

    def energy(self) -> float:
        """u W u/2, which is kinetic where L has no terms linear in u."""
        return float(self.u @ self.W @ self.u) / 2


@dataclass(frozen=True, eq=False)
class Eye:
    """Reads states of a system with contacts.

    Attributes:
        equations, contacts: of it.
        parameters: by name.
        speeds: the largest |u| seen so far (k,); it grows with the run.
    """

    equations: Equations
    contacts: Contacts
    parameters: Mapping[str, float]
    speeds: np.ndarray

    @classmethod
    def of(cls, equations: Equations, contacts: Contacts, parameters: Mapping[str, float]) -> Eye:
        """One that has seen nothing yet."""
        return cls(equations, contacts, parameters, np.zeros(len(equations.space.velocities)))

    @cached_property
    def first(self) -> dict[str, int]:
        """The row of the normal of each contact among those of the form; its slip follows."""
        rows = 1 + np.array(list(self.contacts.slips.values()))
        ends = len(self.contacts.rows.phi) - np.cumsum(rows[::-1])[::-1]
        return dict(zip(self.contacts.slips, ends.tolist(), strict=True))

    def with_values(self, values: Mapping[str, float]) -> Eye:
        """One that has seen the same, and knows other values of some parameters."""
        return replace(self, parameters={**self.parameters, **values})

    def note(self, states: np.ndarray) -> None:
        """Remember the speeds of states (N, n)."""
        np.maximum(self.speeds, np.abs(states[:, -len(self.speeds) :]).max(axis=0), out=self.speeds)

    def see(self, t: float, y: np.ndarray) -> Instant:
        """The instant at a time and state (n,)."""
        k = len(self.equations.space.velocities)
        values = {**self.parameters, **dict(zip(self.equations.states, y.tolist(), strict=False)), TIME.name: t}
        phi, gaps, sizes, laws, loads, W, N, f, g = self._read(values)
        n, kept, touching = len(y) - k, list(self.equations.kept), {}
        for i, (name, row) in enumerate(self.first.items()):
            law, along = self.contacts.laws[name], slice(row + 1, row + 1 + self.contacts.slips[name])
            seen = float(gaps[i]), float(sizes[i]), N[row], N[along], float(phi[row]), phi[along], float(g[row])
            mu, hold, e = laws[3 * i : 3 * i + 3].tolist()
            given = mu, hold, e, law.restitution, law.sides, None if law.load is None else float(loads[i])
            touching[name] = Touching(name, law.master, *seen, g[along], *given)
        speeds = np.maximum(self.speeds, np.abs(y[n:]))
        J = N[kept]
        if not self.equations.definite and J.any():
            # directions without mass are moved by constraints alone: J^T J adds forces of constraint, and no other
            W = W + np.abs(W).max() / np.abs(J).max() ** 2 * J.T @ J
        return Instant(t, y[:n], y[n:], W, f, J, g[kept], touching, speeds)

    def _read(self, values: Mapping[str, float]) -> list[np.ndarray]:
        """phi, gaps, sizes, coefficients and loads of contacts, and W, N, f, g: what they share is computed once."""
        rows, k = self.contacts.rows, len(self.equations.space.velocities)
        parts = rows.beside_form
        if rows.form.large:
            numbers = Numbers.of(rows.form, values)
            told = [np.array(evaluate(nodes, values), float) for nodes in parts]
            return [*told, numbers.W, numbers.N, numbers.f, numbers.g]
        m = len(rows.form.N)
        flat, found, at = np.array(evaluate(self.wanted, values), float), [], 0
        for size in (*map(len, parts), k * k, m * k, k, m):
            found.append(flat[at : at + size])
            at += size
        *told, W, N, f, g = found
        return [*told, W.reshape(k, k), N.reshape(m, k), f, g]

    @cached_property
    def wanted(self) -> list[Node]:
        """What is evaluated together where matrices are small: phi, gaps, sizes, coefficients, loads, W, N, f, g."""
        rows = self.contacts.rows
        return [*(e for part in rows.beside_form for e in part), *rows.form.entries]

    def qdot(self, t: float, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """The rates of the coordinates (n,)."""
        state = dict(zip(self.equations.states, [*q, *u], strict=False))
        return np.array(evaluate(self.equations.machine.qdot, {**self.parameters, **state, TIME.name: t}), float)

    def after(self, now: Instant, tau: float, udot: np.ndarray) -> tuple[float, np.ndarray]:
        """Time and state a little later, at constant accelerations."""
        # q + tau E(q) (u + tau udot/2)
        q = now.q + tau * self.qdot(now.t + tau / 2, now.q, now.u + tau / 2 * udot)
        return now.t + tau, np.concatenate([q, now.u + tau * udot])


def piece_of(c: Touching, direction: np.ndarray | None) -> ClosedContact:
    """What is decided of a contact; one without friction has no slip to be decided."""
    p = len(c.B) if c.mu_static else 0
    way, own = direction if p else None, (c.load or 0.0, c.load is None, c.sides)
    return ClosedContact(c.name, c.master, c.A, c.normal, c.B[:p], c.along[:p], way, c.mu, c.mu_static, *own)


def held(instant: Instant, closed: Sequence[str], still: Sequence[str]) -> np.ndarray:
    """Velocities (k,) nearest to those of an instant, in the metric, at which contacts keep their gap, or their slip.

    They are impulses as well: W (u+ - u) = R^T mu.
    """
    found = [instant.touching[name] for name in closed]
    slipless = [instant.touching[name] for name in still]
    rates = np.concatenate([np.zeros(len(instant.J)), [c.rate for c in found], *(c.slip for c in slipless)])
    if not rates.any():
        return instant.u
    R = np.vstack([instant.J, *(c.A for c in found), *(c.B for c in slipless)])
    back = np.linalg.solve(instant.W, R.T)
    # u+ = u - W^-1 R^T (R W^-1 R^T)^-1 (R u + c)
    return np.asarray(instant.u - back @ np.linalg.lstsq(R @ back, rates, rcond=1e-12)[0])


# --- the first instant of a slip in a plane --------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Opening:
    """The motion in the first instant, from rest of the slip to where the run goes on.

    Attributes:
        t: when it begins and ends (2,).
        y: the states there (2, n).
        rates: how they change there (2, n).
    """

    t: np.ndarray
    y: np.ndarray
    rates: np.ndarray

    def __call__(self, times: np.ndarray) -> np.ndarray:
        """States (N, n) at times inside: the cubic that has these values and rates at both ends."""
        from scipy.interpolate import CubicHermiteSpline

        return np.asarray(CubicHermiteSpline(self.t, self.y, self.rates)(times))


@dataclass(frozen=True, eq=False)
class SlipOnset:
    """Slips that begin along two components, which have no direction at rest.

    Where a contact yields that friction held with all it can, the slip has no acceleration at first, and friction keeps
    its direction along it while both turn. Explicit steps are then as short as the slip is small. So one step is taken
    in which friction turns steadily, from the direction d_0 of rest to that of the slip at its end,

        d = d_0 + (t/tau) (d_1 - d_0) ,   s(tau) = |s(tau)| d_1 ,

    and as long as accelerations change by a small part in it: its length is one of the motion, not of the run.

    Attributes:
        eye, now: sees the system, and what it sees.
        answer: what all contacts do.
        begins: those of them that begin to slip so.
    """

    eye: Eye
    now: Instant
    answer: Combination
    begins: Sequence[str]

    def over(self, longest: float) -> tuple[Instant, np.ndarray]:
        """The instant a little later, at most so much, and how the state changes now and then (2, n)."""
        tau = _FIRST * longest
        for _ in range(_SHORTER):
            bend = self._bend(tau, self._turned(tau))
            wanted = min(longest, tau * _BENDS / bend) if bend else longest
            if tau / 2 <= wanted <= 2 * tau:
                break
            tau = max(wanted, _LEAST * longest)
        ends = self._turned(tau)
        later = self._later(tau, ends)
        return later, np.array([self._rates(self.now, 0.0, ends), self._rates(later, 1.0, ends)])

    def _bend(self, tau: float, ends: Mapping[str, np.ndarray]) -> float:
        """By what part of all that acts accelerations change in a step."""
        now = self.now
        change = self._udot(self._later(tau, ends), 1.0, ends) - self._udot(now, 0.0, ends)
        return float(np.sqrt(change @ now.W @ change / max(now.f @ np.linalg.solve(now.W, now.f), np.spacing(0.0))))

    @cached_property
    def first(self) -> dict[str, np.ndarray]:
        """The directions d_0 (2,)."""
        ways = {name: self.answer.choices[name].direction for name in self.begins}
        return {name: way for name, way in ways.items() if way is not None}

    def _turned(self, tau: float) -> dict[str, np.ndarray]:
        """The directions d_1 (2,) in which contacts slip at the end of a step."""

        def off(ends: Mapping[str, np.ndarray]) -> dict[str, float]:
            later = self._later(tau, ends)  # by how much each slips aside of its direction
            return {n: float(rotated(d, np.pi / 2) @ later.touching[n].slip) for n, d in ends.items()}

        angles, found, aside, holds = dict.fromkeys(self.first, 0.0), self.first, off(self.first), {}
        for name in self.first:
            c = self.now.touching[name]
            stiff = float(np.linalg.norm(c.B @ np.linalg.solve(self.now.W, c.B.T), 2))
            # s . n  changes by about  -mu N |D| tau/2  with the angle
            holds[name] = max(c.mu * self.answer.normal[name] * stiff * tau / 2, np.spacing(0.0))
        moves = {n: aside[n] / holds[n] for n in angles}
        for _ in range(_ROUNDS):
            angles = {n: angles[n] + moves[n] for n in angles}
            found = {n: rotated(self.first[n], angles[n]) for n in angles}
            before, aside = aside, off(found)
            if all(abs(aside[n]) <= _ALONG * holds[n] for n in aside):
                break
            # the secant of each
            moves = {n: moves[n] * e / (before[n] - e) if e != before[n] else 0.0 for n, e in aside.items()}
        return found

    def _later(self, tau: float, ends: Mapping[str, np.ndarray]) -> Instant:
        """The end of a step of Runge and Kutta's, which keeps the gaps."""
        eye, now = self.eye, self.now
        y = np.concatenate([now.q, now.u])
        k1 = self._rates(now, 0.0, ends)
        k2 = self._rates(eye.see(now.t + tau / 2, y + tau / 2 * k1), 0.5, ends)
        k3 = self._rates(eye.see(now.t + tau / 2, y + tau / 2 * k2), 0.5, ends)
        k4 = self._rates(eye.see(now.t + tau, y + tau * k3), 1.0, ends)
        # y + tau (k1 + 2 k2 + 2 k3 + k4)/6
        return eye.see(now.t + tau, y + tau / 6 * (k1 + 2 * k2 + 2 * k3 + k4))

    def _rates(self, there: Instant, part: float, ends: Mapping[str, np.ndarray]) -> np.ndarray:
        """How the state changes (n,) at a part of a step."""
        return np.concatenate([self.eye.qdot(there.t, there.q, there.u), self._udot(there, part, ends)])

    def _udot(self, there: Instant, part: float, ends: Mapping[str, np.ndarray]) -> np.ndarray:
        """Accelerations (k,) at a part of a step."""
        turned, pieces = {}, [piece_of(there.touching[name], None) for name in self.answer.choices]
        for name, choice in self.answer.choices.items():
            way, slip = choice.direction, there.touching[name].slip
            if name in ends:
                way = unit(self.first[name] + part * (ends[name] - self.first[name]))
            elif len(slip) > 1 and way is not None and slip.any():  # in a plane, there before
                way = unit(slip)
            turned[name] = choice._replace(direction=way)
        return Problem(there.W, there.f, there.J, there.g, pieces).along(turned)
