"""(2.2) of [lewis1995], second line: the term with dw is missing."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from ...claim import Claim, author, identity, pair
from ...symbolic import plain_motion, rows_of

_LOST = author(
    "d/dt of lam_a w_i^a holds lam_a (d_j w_i^a) qdot^j; Remark 2.6.2 rests on its loss.",
    r"EL(L)_i - \dot{\lambda}_a w_i^a - \lambda_a (\partial_i w_j^a) \gamma^j"
    r" - \lambda_a w_j^a \partial_i \gamma^j = 0",
    r"EL(L)_i - \dot{\lambda}_a w_i^a + \lambda_a (\partial_i w_j^a - \partial_j w_i^a) \dot{q}^j"
    r" - \lambda_a \partial_i (w_j^a \gamma^j) = 0",
)


def equation_22() -> Iterator[Claim]:
    """(2.2) with arbitrary L, w^a (a = 1, 2) and gamma on R^3."""
    n, k = 3, 2
    q, u, acc = (sp.symbols(f"{letter}1:4", real=True) for letter in ("q", "u", "acc"))
    mult, rate = (sp.symbols(f"{letter}1:3", real=True) for letter in ("l", "ldot"))
    w = sp.Matrix(k, n, lambda i, j: sp.Function(f"w{i + 1}{j + 1}")(*q))
    gamma = sp.Matrix(n, 1, lambda j, _: sp.Function(f"gamma{j + 1}")(*q))
    L = sp.Function("L")(*q, *u)
    motion = plain_motion((*q, *mult), (*u, *rate))
    second = (*acc, *sp.symbols("_second:2"))
    # LL = L - lam_a w^a_i qdot^i + lam_a w^a_i gamma^i
    lam = sp.Matrix(mult)
    appended = L - (lam.T * w * (sp.Matrix(u) - gamma))[0]
    exact = rows_of(motion.euler_lagrange(appended), second)[:n]
    EL = rows_of(motion.euler_lagrange(L), second)[:n]
    momenta = [L.diff(u[i]) - sum(mult[b] * w[b, i] for b in range(k)) for i in range(n)]
    first = [e - L.diff(q[i]) for i, e in enumerate(rows_of(motion.derivative(momenta), second))]

    # lam_a d_i (w^a_j gamma^j)
    drift = [(lam.T * (w * gamma).diff(q[i]))[0] for i in range(n)]

    def moving(i: int, curl: int) -> sp.Expr:
        # lam_a (d_i w^a_j - curl d_j w^a_i) qdot^j
        return (lam.T * (w.diff(q[i]) - curl * w[:, i].jacobian(q)) * sp.Matrix(u))[0]

    line_1 = [first[i] + moving(i, 0) - drift[i] - exact[i] for i in range(n)]
    yield identity("(2.2) first line", "Lagrange's equations of L - lam (w(qdot) - w(gamma))", line_1)
    line_2 = [EL[i] - sum(rate[b] * w[b, i] for b in range(k)) - drift[i] - exact[i] for i in range(n)]
    repaired = [e + moving(i, 1) for i, e in enumerate(line_2)]
    yield from pair(
        "(2.2) second line",
        "it equals the first line",
        line_2,
        "with + lam_a (d_i w_j^a - d_j w_i^a) qdot^j it equals the first line",
        repaired,
        _LOST,
    )
