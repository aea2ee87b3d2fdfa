"""Proposition 2.8 of [lewis1995] in adapted coordinates: (2.4) to (2.9) for every L; leaves are in `on_a_leaf`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import sympy as sp

from dalembert.calculus.frame import TIME

from ...arbitrary import unknown
from ...claim import Claim, identity
from ...symbolic import plain_motion, rows_of


class Adapted(NamedTuple):
    """Coordinates x (on the leaves) and y (across), and an arbitrary L."""

    k: int
    m: int
    q: tuple[Any, ...]
    u: tuple[Any, ...]
    acc: tuple[Any, ...]
    L: Any

    @property
    def leaf(self) -> dict[Any, Any]:
        """ydot = 0 and yddot = 0."""
        return dict.fromkeys((*self.u[self.k :], *self.acc[self.k :]), 0)


def adapted(k: int, m: int) -> Adapted:
    """k coordinates x, m coordinates y."""
    names = [f"x{i + 1}" for i in range(k)] + [f"y{a + 1}" for a in range(m)]
    q, u, acc = (tuple(sp.symbols([prefix + n for n in names], real=True)) for prefix in ("", "v", "a"))
    return Adapted(k, m, q, u, acc, unknown("L", *q, *u, TIME))


def proposition_28() -> Iterator[Claim]:
    """(2.6) to (2.9) for arbitrary L, and for arbitrary one-forms that span the annihilator of D."""
    along_x: list[sp.Expr] = []
    for k, m in ((2, 1), (1, 2)):
        given = adapted(k, m)
        label = f"k = {k}, n - k = {m}"
        lam, rate, l = (sp.symbols(f"{name}1:{m + 1}", real=True) for name in ("lam", "lamdot", "l"))
        motion = plain_motion((*given.q, *lam), (*given.u, *rate))
        acc = (*given.acc, *sp.symbols(f"_dd1:{m + 1}"))
        EL = rows_of(motion.euler_lagrange(given.L), acc)
        closed = given.L - sum((lam[a] * given.u[k + a] for a in range(m)), sp.S.Zero)
        found = rows_of(motion.euler_lagrange(closed), acc)
        along_x += [found[i] - EL[i] for i in range(k)]
        across = [found[k + a] - EL[k + a] + rate[a] for a in range(m)]
        yield identity("(2.7), (2.9)", f"{label}: lamdot_a of one is lam_a of the other", across)
        yield from any_forms(given, label, (lam, rate, l), EL)
    yield identity("(2.6), (2.8)", "the equations on the leaf are the same, for either k", along_x, key=True)


def any_forms(given: Adapted, label: str, multipliers: Sequence[Any], EL: Sequence[sp.Expr]) -> Iterator[Claim]:
    """w^a = h^a_b dy^b with arbitrary h, and gamma in D: d/dt(lam_a h^a_b) = (lam_non)_a h^a_b."""
    k, m, (lam, rate, l) = given.k, given.m, multipliers
    h = sp.Matrix(m, m, lambda a, b: unknown(f"h{a + 1}{b + 1}", *given.q))
    motion = plain_motion((*given.q, *lam), (*given.u, *rate))
    acc = (*given.acc, *sp.symbols(f"_dd1:{m + 1}"))
    phi = h * sp.Matrix(given.u[k:])
    gap = [
        e - found
        for e, found in zip(
            rows_of(motion.euler_lagrange(given.L - (sp.Matrix(lam).T * phi)[0]), acc), EL, strict=False
        )
    ]
    # on the leaf the difference is - d/dt(lam_a h^a_b) across, 0 along
    carried = rows_of(motion.derivative(list(h.T * sp.Matrix(lam))), acc)
    residuals = [sp.expand(e).subs(given.leaf) for e in gap[:k]]
    residuals += [(sp.expand(e.doit()) + c).subs(given.leaf) for e, c in zip(gap[k : k + m], carried, strict=True)]
    yield identity(
        "Prop. 2.8", f"{label}, any w and L: same leaf equations, d/dt(lam h) = lam_non h", residuals, key=m == 1
    )
    if m == 1:
        # lamdot + lam hdot/h = lam_non
        hdot = rows_of(motion.derivative([h[0, 0]]), acc)[0]
        solved = carried[0].subs(rate[0], l[0] - lam[0] * hdot / h[0, 0]) - l[0] * h[0, 0]
        yield identity("(2.9)", "w = h dF: lamdot + lam hdot/h = lam_non", solved)
