"""(2.2), (2.3), Remark 2.6.1 of [lewis1995], and by how much the two methods differ: the vakonomic method."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from dalembert import nonholonomic, vakonomic
from dalembert.calculus.simplification import as_fraction

from ...arbitrary import unknown
from ...claim import Claim, identity
from ...runs import refusal
from ...symbolic import bordered, constraint_rows, rows_of
from .arbitrary_forms import (
    ACC,
    FORMS,
    LAM,
    PLAIN,
    RATES,
    REACTIONS,
    N,
    Q,
    U,
    euler_lagrange,
    general_system,
    polynomial,
    rows,
    undefined,
)
from .calculus_of_forms import bracket, inner, lie_derivative
from .rolling_penny import PENNY_START, penny_system


def equations_22_23() -> Iterator[Claim]:
    """(2.2), first line, and (2.3) from the library; its second line is in `errata`."""
    given, form = polynomial(), vakonomic(general_system()).symbolic
    L, w, gamma = given
    lam, rate = sp.Matrix(LAM), sp.Matrix(RATES)
    momentum = sp.Matrix([L.diff(v) for v in U]) - w.T * lam
    derivative = rows_of(PLAIN.derivative(list(momentum)), ACC)
    printed = []
    for i in range(N):
        # d/dt(dL/dqdot^i - lam_a w_i^a) - dL/dq^i + lam_a (d_i w_j^a)(qdot^j - gamma^j) - lam_a w_j^a d_i gamma^j
        e = derivative[i] - (rate.T * w[:, i])[0] - L.diff(Q[i])
        e += (lam.T * w.diff(Q[i]) * (sp.Matrix(U) - gamma))[0] - (lam.T * w * gamma.diff(Q[i]))[0]
        printed.append(e)
    residual = rows(form, RATES) - sp.Matrix(printed)
    yield identity("(2.2) first line", "the library's vakonomic equations", residual, key=True)
    # N udot = g is d/dt (w qdot - w gamma) = 0
    rates = rows_of(PLAIN.derivative(list(w * sp.Matrix(U) - w * gamma)), ACC)
    held = [e - rate for e, rate in zip(constraint_rows(form, ACC), rates, strict=True)]
    yield identity("(2.3)", "the library's equations keep w(qdot) = w(gamma)", held)


def remark_261() -> Iterator[Claim]:
    """Remark 2.6.1: first order equations in (q, qdot, lam), and lam(0) belongs to the start."""
    given = penny_system()
    second = vakonomic(given)
    m, I, J, R = (given.symbols[name] for name in ("m", "I", "J", "R"))
    # W udot - w^T lamdot = f, w udot = g
    value = as_fraction(bordered(second.symbolic).det())
    text = "penny: they can be solved for udot, lamdot: the determinant is J (I + m R^2)"
    yield identity("Remark 2.6.1", text, value - J * (I + m * R**2))
    refused = refusal(second, PENNY_START)
    text = f"refused, {refused.code}" if refused else "accepted"
    yield Claim("Remark 2.6.1", "penny: q and qdot are enough for a start", False, text, not refused, key=True)


def difference() -> Iterator[Claim]:
    """By how much the two sets of equations differ, for every L, w, gamma."""
    for a in range(FORMS):
        w, gamma = list(undefined().w[a, :]), undefined().gamma
        phi = undefined().phi[a]
        found = euler_lagrange(phi) - lie_derivative(w, gamma) - inner(sp.Matrix(U) - gamma, w)
        yield identity("E[phi]", f"phi^{a + 1}: it is L_gamma w + (qdot - gamma) _| dw", found)
    w, gamma = list(undefined().w[0, :]), undefined().gamma
    Y = sp.Matrix([unknown(f"Y{i + 1}", *Q) for i in range(N)])
    # (L_gamma w)(Y) = d(w(Y))(gamma) - w([gamma, Y])
    wY = sum((w[i] * Y[i] for i in range(N)), sp.S.Zero)
    rate = sum((wY.diff(q) * g for q, g in zip(Q, gamma, strict=True)), sp.S.Zero)
    found = lie_derivative(w, gamma).dot(Y) - rate + sp.Matrix(w).dot(bracket(gamma, Y))
    yield identity("E[phi]", "(L_gamma w)(Y) = -w([gamma, Y]) for Y in D", found)
    given = polynomial()
    non, vak = (principle(general_system()).symbolic for principle in (nonholonomic, vakonomic))
    gap = rows(vak, RATES) - rows(non, REACTIONS)
    lag = sum((LAM[a] * euler_lagrange(given.phi[a]) for a in range(FORMS)), sp.zeros(N, 1))
    span = given.w.T * (sp.Matrix(REACTIONS) - sp.Matrix(RATES))
    statement = "vakonomic - nonholonomic = (lam_non - lamdot)_a w^a - lam_a E[phi^a]"
    yield identity("2.3 text", statement, gap - span + lag, key=True)
    without = dict.fromkeys((s for g in given.gamma for s in g.free_symbols - set(Q)), 0)
    curl = sum((LAM[a] * inner(sp.Matrix(U), list(given.w[a, :])) for a in range(FORMS)), sp.zeros(N, 1))
    yield identity("Remark 2.6.2", "gamma = 0: what is left is - lam_a dw^a(qdot, .)", (curl - lag).subs(without))
