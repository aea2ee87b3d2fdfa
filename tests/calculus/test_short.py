"""Shorter expressions from counted work: no search without an end."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus import simplification
from dalembert.calculus.budget import Effort
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.calculus.simplification import SEARCHED, as_fraction, short
from dalembert.geometry.one_forms import OneForm
from dalembert.geometry.symbolic_null_space import tidy

x, y, z = sp.symbols("x y z", real=True)
sin, cos, tan = sp.sin, sp.cos, sp.tan


def _same(one: sp.Expr, other: sp.Expr) -> None:
    graph, rng = Graph(), np.random.default_rng(3)
    for _ in range(3):
        values = {s.name: float(rng.uniform(0.3, 1.2)) for s in (x, y, z)}
        a, b = evaluate([read(one, graph), read(other, graph)], values)
        assert a == pytest.approx(b, rel=1e-11)


TANGENTS = (sin(x) ** 2 * tan(y) + cos(x) ** 2 * tan(y)) / (sin(y) / cos(y) * (1 + z)) * (1 + z) ** 2 * (x + y)
SAME = [
    (TANGENTS, sp.expand((z + 1) * (x + y))),
    (sin(x + y) * cos(y) - cos(x + y) * sin(y) + (x**2 - y**2) / (x - y) - x - y, sin(x)),
    (sp.sqrt(x) ** 3 / sp.sqrt(x) - x + (y**3 - 1) / (y - 1) - y**2 - y + sin(z) * cos(x) / cos(x), 1 + sin(z)),
]


@pytest.mark.parametrize(("long", "brief"), SAME)
def test_one_fraction_in_lowest_terms(long: sp.Expr, brief: sp.Expr) -> None:
    found = as_fraction(long)
    _same(found, long)
    assert found.count_ops() <= brief.count_ops()


def test_a_symbol_that_stands_in_a_root_alone() -> None:
    e = (x * sp.sqrt(y + z) + x**2 * sp.sqrt(y + z)) / (x + x**2) + sin(x) ** 2 + cos(x) ** 2 + tan(x) * cos(x)
    assert as_fraction(e) == 1 + sp.sqrt(y + z) + sin(x)


def test_work_that_is_used_up_leaves_the_expression() -> None:
    e = SAME[0][0]
    assert as_fraction(e, Effort(10)) == e
    assert as_fraction(e + cos(100 * x)) == e + cos(100 * x)  # no polynomial of degree 100


def test_body_rates_in_euler_angles_have_the_brackets_of_rotations() -> None:
    # zyz: omega along the body by the angles' rates; [e_1, e_2] = e_3 and cyclic, written as numbers
    phi, th, psi = sp.symbols("phi th psi", real=True)
    rates = sp.Matrix([[-sin(th) * cos(psi), sin(psi), 0], [sin(th) * sin(psi), cos(psi), 0], [cos(th), 0, 1]])
    space = da.Space([phi, th, psi], "w1 w2 w3", anchor=rates.inv())
    assert space.brackets == {(0, 1): (0, 0, 1), (0, 2): (0, -1, 0), (1, 2): (1, 0, 0)}


def test_a_space_of_five_velocities_from_its_anchor() -> None:
    a, b, th, phi, psi, r = sp.symbols("a b th phi psi r", real=True)
    anchor = sp.Matrix(
        [
            [r * sin(th) * cos(phi), cos(th) * sin(phi), sin(phi), 0, 1],
            [r * cos(th), sin(phi) * sin(psi), 1, cos(phi), 0],
            [1, a, 0, cos(psi), sin(th)],
            [0, 1, b, sin(phi) * cos(th), a],
            [sin(psi), 0, cos(th), 1, r],
        ]
    )
    space = da.Space([a, b, th, phi, psi], "c d e f g", anchor)
    graph, rng = Graph(), np.random.default_rng(1)
    values = {s.name: float(v) for s, v in zip((a, b, th, phi, psi, r), rng.uniform(0.3, 1.2, 6), strict=True)}
    E = np.array(evaluate([read(e, graph) for e in anchor], values)).reshape(5, 5)
    for i, j in itertools.combinations(range(5), 2):
        # [E_i, E_j] by differences of SymPy's derivatives, then E^-1 in numbers
        lie = [_lie(anchor, i, j, n, (a, b, th, phi, psi)) for n in range(5)]
        known = np.linalg.solve(E, evaluate([read(e, graph) for e in lie], values))
        found = evaluate([read(e, graph) for e in space.brackets[i, j]], values)
        assert np.allclose(found, known, rtol=1e-9, atol=1e-9 * np.abs(known).max())


def _lie(E: sp.Matrix, i: int, j: int, n: int, q: tuple[sp.Symbol, ...]) -> sp.Expr:
    """[E_i, E_j]^n."""
    return sum((E[k, i] * E[n, j].diff(s) - E[k, j] * E[n, i].diff(s) for k, s in enumerate(q)), sp.S.Zero)


def test_momenta_of_a_long_series_are_written_without_a_search(monkeypatch: pytest.MonkeyPatch) -> None:
    searched = []
    simplify = sp.simplify

    def counted(e: sp.Expr) -> sp.Expr:
        searched.append(sp.count_ops(e) * (1 + len(e.atoms(sp.Function))))
        return simplify(e)

    monkeypatch.setattr(simplification.sp, "simplify", counted)
    q = da.coordinates("x y th", velocities="vx vy vth")
    th, vx, vy, vth = q["th"], q["vx"], q["vy"], q["vth"]
    series = sum((sp.Rational(1, k + 1) * cos(k * th) for k in range(40)), sp.S.Zero)
    system = da.System(space=q, lagrangian=(vx**2 + vy**2 + vth**2) / 2, constraints={"skate": vy - sin(th) * vx})
    found = da.symmetry.noether(system, {"g": {"x": series, "y": q["x"]}})
    _ = short(sin(x) + x)
    assert max(searched) <= SEARCHED
    J = found["g"].momentum
    values = {"x": 0.3, "th": 0.7, "vx": 1.1, "vy": -0.4, "vth": 0.0, "y": 0.0}
    known = 1.1 * sum(np.cos(k * 0.7) / (k + 1) for k in range(40)) - 0.4 * 0.3
    assert evaluate([read(J, Graph())], values)[0] == pytest.approx(known, rel=1e-12)


STEEP = [
    sp.tanh(y) / (3 * (2 - sp.exp(-40 * (x - sp.Rational(5, 2)) ** 2) * sp.tanh(y) / 9)),
    sin(y) / ((1 + x) ** 30 + cos(y) ** 20),
    tan(y) / (2 - x**40 * tan(y)),
    sp.tanh(y) / (2 - 2 ** (40 * x) * sp.tanh(y)),
]


@pytest.mark.parametrize("e", STEEP)
def test_high_powers_and_multiples_are_not_searched(e: sp.Expr, monkeypatch: pytest.MonkeyPatch) -> None:
    """SymPy makes polynomials of their degree, and factors them: minutes for forty letters."""
    monkeypatch.setattr(sp, "simplify", lambda e: pytest.fail(f"searched: {e}"))
    _same(short(e), e)
    assert tidy(e) == e
    OneForm((x, y), (e, sp.S.One)).potential()
