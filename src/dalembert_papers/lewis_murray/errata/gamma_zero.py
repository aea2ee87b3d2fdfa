"""Remark 2.6.2 of [lewis1995]: for gamma = 0 the two methods differ, too. Four systems, states of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from dalembert import System, coordinates, nonholonomic, vakonomic

from ...claim import Claim, author, pair
from ...symbolic import saddle_solution
from ...vanishing import all_vanish


def heisenberg() -> tuple[System, list[dict[str, Any]]]:
    """zdot = (x ydot - y xdot)/2, with sample states."""
    q = coordinates("x y z")
    L = (q["vx"] ** 2 + q["vy"] ** 2 + q["vz"] ** 2) / 2
    start = {"x": 1, "y": 2, "vx": 1, "vy": -1, "vz": sp.Rational(-3, 2)}
    given = System(q, L, {"plane": q["vz"] - (q["x"] * q["vy"] - q["y"] * q["vx"]) / 2})
    return given, [{**start, "lam_plane": value} for value in (0, 3)]


def knife_edge() -> tuple[System, list[dict[str, Any]]]:
    """xdot sin theta = ydot cos theta, with sample states at theta = 0."""
    q = coordinates("x y theta")
    L = (q["vx"] ** 2 + q["vy"] ** 2) + q["vtheta"] ** 2 / 2
    start = {"theta": 0, "vx": 2, "vy": 0, "vtheta": 3}
    given = System(q, L, {"edge": q["vx"] * sp.sin(q["theta"]) - q["vy"] * sp.cos(q["theta"])})
    return given, [{**start, "lam_edge": value} for value in (0, 1)]


def penny() -> tuple[System, list[dict[str, Any]]]:
    """The upright rolling penny; lam = m (xdot, ydot) gives the nonholonomic motion [bloch1995]."""
    q = coordinates("x y theta phi")
    L = (q["vx"] ** 2 + q["vy"] ** 2) / 2 + q["vtheta"] ** 2 / 4 + q["vphi"] ** 2 / 8
    rows = {"px": q["vx"] - sp.cos(q["phi"]) * q["vtheta"], "py": q["vy"] - sp.sin(q["phi"]) * q["vtheta"]}
    start = {"phi": 0, "vx": 2, "vy": 0, "vtheta": 2, "vphi": 3}
    return System(q, L, rows), [{**start, "lam_px": p, "lam_py": s} for p, s in ((2, 0), (1, 1))]


def disguised() -> tuple[System, list[dict[str, Any]]]:
    """(1 + x^2) d(z - x^2)/dt = 0: holonomic, and its one-form is not closed."""
    q = coordinates("x y z")
    L = (q["vx"] ** 2 + q["vy"] ** 2 + q["vz"] ** 2) / 2
    given = System(q, L, {"leaf": (1 + q["x"] ** 2) * (q["vz"] - 2 * q["x"] * q["vx"])})
    return given, [{"x": 1, "vx": 1, "vy": 1, "vz": 2, "lam_leaf": 3}]


def curl_term(system: System) -> sp.Matrix:
    """lam_a dw^a(qdot, .), the row lam_a (d_j w_i^a - d_i w_j^a) qdot^j, in plain coordinates."""
    q, u = system.space.coordinates, system.space.velocities
    total = sp.zeros(1, len(q))
    for c in system.constraints:
        D = sp.Matrix(c.normal).jacobian(q)  # D[i, j] = d_j w_i
        total += sp.Symbol(f"lam_{c.name}", real=True) * ((D - D.T) * sp.Matrix(u)).T
    return total


CURL = author(
    "It follows from the second line of (2.2), which lacks this term; it would make both methods agree for gamma = 0.",
    r"\frac{d}{dt}\frac{\partial L}{\partial \dot{q}} - \frac{\partial L}{\partial q} = \dot{\lambda}_a w^a",
    r"\frac{d}{dt}\frac{\partial L}{\partial \dot{q}} - \frac{\partial L}{\partial q}"
    r" = \dot{\lambda}_a w^a + \lambda_a\, dw^a(\dot{q}, \cdot)",
)


def remark_262() -> Iterator[Claim]:
    """Remark 2.6.2 on four systems with gamma = 0."""
    where = "Remark 2.6.2"
    named = {"Heisenberg": heisenberg(), "knife edge": knife_edge(), "penny": penny()}
    for name, (system, _) in named.items():
        non, vak = nonholonomic(system).symbolic, vakonomic(system).symbolic
        gap = sp.Matrix([vak.f]) - sp.Matrix([non.f])
        yield from pair(
            where,
            f"{name}, gamma = 0: the vakonomic equations are the nonholonomic ones with lamdot for lam",
            gap,
            f"{name}: they differ by the term lam_a dw^a(qdot, .)",
            gap - curl_term(system),
            CURL,
        )
    table = [row for system, states in (*named.values(), disguised()) for row in comparisons(system, states)]
    text = ", ".join(f"{'in' if inside else 'out'}: {'same' if same else 'differ'}" for inside, same in table)
    both = {inside for inside, _ in table} == {True, False}
    always = all(same for _, same in table)
    yield Claim(where, "for gamma = 0 both methods give the same accelerations at every sample", False, text, always)
    holds = both and all(inside == same for inside, same in table)
    yield Claim(where, "they do exactly where lam_a dw^a(qdot, .) is in span{w}", True, text, holds)


def comparisons(system: System, states: list[dict[str, Any]]) -> Iterator[tuple[bool, bool]]:
    """At each state: is lam_a dw^a(qdot, .) in the span of w, and are the accelerations of both principles the same?"""
    non, vak = nonholonomic(system).symbolic, vakonomic(system).symbolic
    for state in states:
        point = _point(state, (*non.entries, *vak.entries))
        N = sp.Matrix(non.N).xreplace(point)
        inside = N.col_join(curl_term(system).xreplace(point)).rank() == N.rank()
        udots = [saddle_solution(form, point)[: len(form.W), :] for form in (non, vak)]
        same = all_vanish(udots[0] - udots[1])
        yield inside, same


def _point(state: dict[str, Any], expressions: Sequence[sp.Expr]) -> dict[sp.Symbol, sp.Expr]:
    """The symbols of the expressions with the state's values; 0 where it has none."""
    symbols = set().union(*(e.free_symbols for e in expressions))
    return {symbol: sp.Integer(0) + state.get(symbol.name, 0) for symbol in symbols}
