"""The motion of a recipe without the library: Lagrange's equations in a chart s around each state, by jets.

    d/dt dL/dsdot - dL/ds = Q + lam dphi/dsdot ,   d/dt phi = 0 ,   udot = d/dt u(s, sdot)

The variables of the jets are s, sdot and t. Under the vakonomic principle L - lam phi stands for L.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from .jets import Array, Jet, constant, variable
from .recipe import SLOW, Force, Recipe, Terms
from .trees import add, value

Values = dict[str, Array]
ROUNDING = 1e-14  # of the largest singular value
REFINED = 2
RANK = 1e-7  # singular values below this share of the largest are 0: rows that depend on each other


@dataclass(frozen=True)
class Plain:
    """A recipe at states (S,) by name, with t and multipliers that are states."""

    recipe: Recipe
    at: Mapping[str, Array]

    @cached_property
    def k(self) -> int:
        """Number of velocities."""
        return len(self.recipe.velocities)

    def leaves(self, sd: Array) -> dict[Any, Jet]:
        """Coordinates, velocities, rotations, parameters and the time around the state, sdot being given (k, S)."""
        k, zero = self.k, np.zeros_like(sd[0])
        n = 2 * k + 1
        s = [variable(zero, i, n) for i in range(k)]
        v = [variable(sd[i], k + i, n) for i in range(k)]
        found: dict[Any, Jet] = {"t": variable(self.at["t"], 2 * k, n)}
        found |= {p: constant(np.full_like(zero, x), n) for p, x in self.recipe.parameters}
        i = 0
        for factor in self.recipe.factors:
            j = i + len(factor.u)
            found |= factor.leaves(self.at, s[i:j], v[i:j])
            i = j
        return found

    @cached_property
    def here(self) -> dict[Any, Jet]:
        """The leaves with the sdot that belongs to u: u = B sdot at s = 0."""
        return self.leaves(self.rates)

    @cached_property
    def rates(self) -> Array:
        """Sdot (k, S)."""
        k, u = self.k, self.recipe.velocities
        still = self.leaves(np.zeros((k, len(self.at["t"]))))
        B = np.stack([still[n].d[k : 2 * k] for n in u])  # (a, i, S)
        w = np.stack([self.at[n] for n in u])
        return np.linalg.solve(B.transpose(2, 0, 1), w.T[..., None])[..., 0].T

    def jet(self, terms: Terms) -> Jet:
        """A sum of trees here."""
        found = value(add(*terms), self.here)
        return found if isinstance(found, Jet) else constant(np.full(len(self.at["t"]), found), 2 * self.k + 1)

    def along(self, y: Jet) -> Array:
        """dy/dt without the accelerations."""
        k = self.k
        return np.einsum("is,is->s", y.d[:k], self.rates) + y.d[2 * k]

    @cached_property
    def rows(self) -> tuple[Array, Array, Array, list[tuple[Array, Array]]]:
        """N (S, m, k), d/dt phi without N sddot (m, S), residuals (m, S), and what EL(phi) is (W, h) for each."""
        k, N, drift, off, own = self.k, [], [], [], []
        for _, terms in self.recipe.constraints:
            y = self.jet(terms)
            if self.recipe.holonomic(terms):
                N.append(y.d[:k])
                off.append(self.along(y))
                # d2f/dt2 = f_s sddot + f_ss sdot sdot + 2 f_st sdot + f_tt
                bent = np.einsum("ijs,is,js->s", y.dd[:k, :k], self.rates, self.rates)
                drift.append(bent + 2 * np.einsum("is,is->s", y.dd[:k, 2 * k], self.rates) + y.dd[2 * k, 2 * k])
                own.append((np.zeros_like(y.dd[:k, :k]), np.zeros_like(y.d[:k])))
            else:
                N.append(y.d[k : 2 * k])
                off.append(y.f)
                drift.append(self.along(y))
                own.append(self.lagrange(y))
        m, states = len(N), len(self.at["t"])
        rows = np.array(N).reshape(m, k, states).transpose(2, 0, 1)
        return rows, np.array(drift).reshape(m, states), np.array(off).reshape(m, states), own

    def lagrange(self, L: Jet) -> tuple[Array, Array]:
        """W (k, k, S) and h (k, S) of  d/dt dL/dsdot - dL/ds = W sddot + h."""
        k = self.k
        mixed = np.einsum("ijs,js->is", L.dd[k : 2 * k, :k], self.rates) + L.dd[k : 2 * k, 2 * k]
        return L.dd[k : 2 * k, k : 2 * k], mixed - L.d[:k]

    def force(self, law: Force) -> Array:
        """Q (k, S) along sdot."""
        k = self.k
        points = [self.jet((e,)) for e in law.along]
        slope = [p.d[k : 2 * k] for p in points]
        if law.kind == "rayleigh":
            return -slope[0]
        if law.kind in ("given", "applied"):
            F = [self.jet((e,)).f for e in law.size]
        else:
            mu = self.jet(law.size).f
            speed = np.sqrt(sum(p.f**2 for p in points) + (SLOW**2 if law.regularised else 0.0))
            F = [-mu * p.f / (speed if law.kind == "dry" else 1.0) for p in points]
        return np.asarray(sum(f * d for f, d in zip(F, slope, strict=True)))

    def parts(self) -> tuple[Array, Array, Array, Array]:
        """W (k, k, S), b (k, S), N (S, m, k) and c (m, S) of  W sddot - N^T lam = b,  N sddot = c."""
        r = self.recipe
        N, drift, _, own = self.rows
        W, h = self.lagrange(self.jet(r.lagrangian))
        Q = sum((self.force(law) for law in r.forces), np.zeros((self.k, N.shape[0])))
        if r.principle == "vakonomic":
            for (n, _), (Wn, hn) in zip(r.constraints, own, strict=True):
                W, h = W - self.at[f"lam_{n}"] * Wn, h - self.at[f"lam_{n}"] * hn
        return W, Q - h, N, -drift

    def motion(self) -> tuple[Array, Array, Array]:
        """udot (S, k), the multipliers or their rates (S, m), and the condition number (S,)."""
        k = self.k
        W, push, N, pull = self.parts()
        m, states = N.shape[1], N.shape[0]
        K = np.zeros((states, k + m, k + m))
        K[:, :k, :k], K[:, :k, k:], K[:, k:, :k] = W.transpose(2, 0, 1), -N.transpose(0, 2, 1), N
        b = np.concatenate([push.T, pull.T], axis=1)
        # each velocity in the unit in which it alone carries energy of order 1; the multipliers keep theirs
        unit = np.ones((states, k + m))
        unit[:, :k] = 1 / np.sqrt(np.maximum(np.abs(np.einsum("iis->si", W)), 1e-30))
        K, b = K * unit[:, :, None] * unit[:, None, :], b * unit
        udot, mu, worst = np.zeros((states, k)), np.zeros((states, m)), np.zeros(states)
        for i in range(states):
            x, _, _, size = np.linalg.lstsq(K[i], b[i], rcond=RANK)  # of least norm in the multipliers
            for _ in range(REFINED):  # small numbers beside large ones have their own digits
                x = x + np.linalg.lstsq(K[i], b[i] - K[i] @ x, rcond=RANK)[0]
            # what is small and not rounding counts: there the rank, and this solution with it, is in doubt
            worst[i] = size[0] / size[size > ROUNDING * size[0]][-1]
            udot[i], mu[i] = x[:k] * unit[i, :k], x[k:]
        return self.accelerations(udot), mu, worst

    def accelerations(self, sdd: Array) -> Array:
        """Those of the velocities (S, k), given sddot (S, k)."""
        k = self.k
        jets = [self.here[n] for n in self.recipe.velocities]
        along = [np.einsum("is,si->s", y.d[k : 2 * k], sdd) + np.einsum("is,is->s", y.d[:k], self.rates) for y in jets]
        return np.stack(along, axis=1)

    def qdot(self) -> Array:
        """Rates of the coordinates (S, n)."""
        k = self.k
        return np.stack([np.einsum("is,is->s", self.here[n].d[:k], self.rates) for n in self.recipe.coordinates], 1)


def moved(plain: Plain, s: Array) -> Values:
    """Coordinates a step s (k, S) away in the chart."""
    k = plain.k
    found, i = {}, 0
    n = 2 * k + 1
    for factor in plain.recipe.factors:
        j = i + len(factor.u)
        step = [constant(e, n) for e in s[i:j]]
        leaves = factor.leaves(plain.at, step, [constant(0 * e, n) for e in s[i:j]])
        found |= {q: leaves[q].f for q in factor.q}
        i = j
    return found


def consistent(recipe: Recipe, seed: int, count: int) -> Values:
    """Random states on the constraints, (S,) by name, by Newton's method; `fit` tells which are."""
    rng = np.random.default_rng(seed)
    at: Values = {}
    for factor in recipe.factors:
        at |= factor.sample(rng, count)
    at |= {u: rng.uniform(-1.5, 1.5, count) for u in recipe.velocities}
    at |= {f"lam_{n}": rng.uniform(-0.5, 0.5, count) for n, _ in recipe.constraints}
    at["t"] = rng.uniform(0, 1, count)
    positions = [terms for _, terms in recipe.constraints if recipe.holonomic(terms)]
    for _ in range(12 if positions else 0):
        plain = Plain(recipe, at)
        jets = [plain.jet(terms) for terms in positions]
        f, slope = np.array([y.f for y in jets]), np.array([y.d[: plain.k] for y in jets])
        if np.abs(f).max() < 1e-14:
            break
        at = {**at, **moved(plain, _step(slope.transpose(2, 0, 1), f))}
    for _ in range(12 if recipe.constraints else 0):
        plain = Plain(recipe, at)
        N, _, off, _ = plain.rows
        if np.abs(off).max() < 1e-14:
            break
        fast = Plain(recipe, at).leaves(plain.rates + _step(N, off))
        at = {**at, **{u: fast[u].f for u in recipe.velocities}}
    return at


def _step(N: Array, f: Array) -> Array:
    """-N^+ f, (k, S); not a number for a state that is lost."""
    lost = np.full(N.shape[2], np.nan)
    fine = np.isfinite(N).all(axis=(1, 2)) & np.isfinite(f).all(axis=0)
    each = zip(N, f.T, fine, strict=True)
    return -np.stack([np.linalg.pinv(a, rcond=RANK) @ b if good else lost for a, b, good in each], axis=1)


def fit(recipe: Recipe, at: Values) -> Array:
    """Which states are on the constraints, not far away, and away from a loss of rank."""
    plain = Plain(recipe, at)
    N, _, off, _ = plain.rows
    good = np.isfinite(off).all(axis=0) & (np.abs(off).max(axis=0, initial=0.0) < 1e-13)
    for _, terms in recipe.constraints:
        if recipe.holonomic(terms):
            good &= np.abs(plain.jet(terms).f) < 1e-13
    for n in (*recipe.coordinates, *recipe.velocities):
        good &= np.abs(at[n]) < 8
    if N.shape[1]:
        sizes = np.linalg.svd(np.where(np.isfinite(N), N, 0.0), compute_uv=False)
        good &= ((sizes > 0.1) | (sizes < 1e-12)).all(axis=1)
    for law in recipe.forces:
        if law.kind == "dry":
            good &= sum(plain.jet((e,)).f ** 2 for e in law.along) > 0.01
    return np.asarray(good)
