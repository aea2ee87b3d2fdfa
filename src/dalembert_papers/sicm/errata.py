"""Where the notes are misprinted: what is printed does not hold, and what stands in its place does.

One line is no formula: (1.239) prints "L['(" for "L'(". The sentence after (1.185) on eta and d1 psi is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sympy as sp

from dalembert import nonholonomic
from dalembert.calculus.frame import TIME

from ..arbitrary import jet
from ..claim import Claim, Group, at_hand, identity, pair
from ..symbolic import saddle_solution
from .examples import Example, nonholonomic_examples
from .general import equation_1185, virtual_velocities
from .notation import Path, path

STRAY_PSI = at_hand(
    "(1.238), which is said to follow, needs E[L] alone; E[L psi] is another operator.",
    r"(\mathscr{E}[L]\, \psi \circ \Gamma[q])\, \xi = 0",
    r"(\mathscr{E}[L] \circ \Gamma[q])\, \xi = 0",
)
EDITORIAL = ("(1.239): L['(t; q, ...) is printed for L'(t; q, ...); the formula itself is right, see (1.240)",)


def equation_1237() -> Iterator[Claim]:
    """(1.237): (E[L] psi o Gamma[q]) xi = 0 can be read in two ways, and neither is the principle."""
    for example in nonholonomic_examples():
        p, psi, L, motion = _along(example)
        virtual, G1 = virtual_velocities(p.d2(psi)), p.d2(psi)
        as_product = [p.dot(p.E(L * psi), xi).subs(motion) for xi in virtual]
        principle = [p.dot(p.E(L), xi).subs(motion) for xi in virtual]
        yield from pair(
            "(1.237)",
            f"{example.name}: E[L psi] xi = 0 for virtual xi",
            on_psi(p, psi, as_product),
            f"{example.name}: E[L] xi = 0 for virtual xi",
            on_psi(p, psi, principle),
            STRAY_PSI,
        )
        # read as (E[L] psi) xi it vanishes with psi, for every xi, and so says nothing
        telling = on_psi(p, psi, [p.dot(p.E(L), G1).subs(motion)])
        yield identity("(1.237)", f"{example.name}: E[L] xi = 0 for xi = G1", telling, expected=False)


def _along(example: Example) -> tuple[Path, Any, Any, dict[Any, Any]]:
    """Path, psi, L and the accelerations of the library's nonholonomic equations."""
    p, form = example.path, nonholonomic(example.system).symbolic
    found = saddle_solution(form)
    return p, example.psi, example.system.lagrangian, dict(zip(p.a, found[:-1], strict=True))


def on_psi(p: Path, psi: sp.Expr, expressions: list[sp.Expr]) -> list[sp.Expr]:
    """The expressions where psi = 0, solved for the last velocity that psi holds."""
    last = next(v for v in reversed(p.v) if psi.has(v))
    (value,) = sp.solve(psi, last)
    return [e.subs(last, value) for e in expressions]


def after_1185() -> Iterator[Claim]:
    """The sentence on eta and d1 psi: orthogonal for a coordinate constraint, d2 psi = 0, and not with velocities."""
    for n in (2, 3):
        p = path(n)
        F = jet("f", (TIME, *p.q), 2)
        psi, dF = p.D(F), p.d1(F)
        where = "after (1.185)"
        tangent = virtual_velocities(dF)[0]
        holds = equation_1185(p, psi, tangent, p.D(tangent)), p.dot(p.d2(psi), tangent)
        yield identity(where, f"n = {n}, psi = DF: eta with d1 F eta = 0 obeys (1.185), orthogonal to d2 psi", *holds)
        no_longer = p.dot(p.d1(psi), tangent)
        yield identity(where, f"n = {n}, psi = DF: it is orthogonal to d1 psi", no_longer, expected=False, key=n == 3)
    yield from lost()


def lost() -> Iterator[Claim]:
    """zdot = y xdot: an eta that obeys (1.185) and is not orthogonal to d2 psi."""
    p = path(3)
    (_, y, _), (vx, _, vz) = p.q, p.v
    psi = vz - y * vx
    # along x = t, y = t, z = t^2/2: eta = (0, 1, t) has -y eta1' + eta3' - x' eta2 = 1 - 1 = 0
    curve = dict(zip((*p.q, *p.v), (TIME, TIME, TIME**2 / 2, 1, 1, TIME), strict=True))
    eta = sp.Matrix([0, 1, TIME])
    condition = equation_1185(p, psi, eta, eta.diff(TIME)).subs(curve)
    yield identity("after (1.185)", "zdot = y xdot: eta = (0, 1, t) obeys (1.185) along (t, t, t^2/2)", condition)
    yield identity(
        "after (1.185)",
        "zdot = y xdot: it is orthogonal to d2 psi",
        p.dot(p.d2(psi), eta).subs(curve),
        expected=False,
    )


def total_derivative() -> Iterator[Claim]:
    """The assumption that psi is not a total time derivative: that makes it not yet nonholonomic."""
    p = path(3)
    (x, _, z), h = p.q, 1 + p.q[0] ** 2
    psi = h * p.D(z - x**2)
    where = "before (1.231)"
    yield identity(where, "(1 + x^2) D(z - x^2) is a total time derivative", p.E(psi), expected=False)
    yield identity(where, "it is equivalent to z - x^2 = const", psi / h - p.D(z - x**2))
    agree = on_psi(p, psi, p.minors(p.d2(psi), p.E(psi)))
    yield identity(where, "and (1.231) and (1.240) agree for it, for every lam", agree)


GROUPS: tuple[Group, ...] = (equation_1237, after_1185, total_derivative)
