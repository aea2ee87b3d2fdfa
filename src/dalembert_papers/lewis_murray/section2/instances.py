"""Proposition 2.8 of [lewis1995] on instances, and its sharp form: [gamma, D] in D suffices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import sympy as sp
from scipy.integrate import simpson

from dalembert import System, coordinates, free, nonholonomic, vakonomic
from dalembert.symmetry import allowed
from dalembert.symmetry import leaf as restrict_to_leaf

from ...arbitrary import unknown
from ...claim import Claim, identity, said
from ...runs import largest_gap
from .arbitrary_forms import Q, U, euler_lagrange
from .calculus_of_forms import lie_derivative
from .equal_steps import QUADRATURE, SAME, run

RUN = 2.0  # units of time


class Instance(NamedTuple):
    """w and gamma on R^3, a start that satisfies them, and what is to come out."""

    name: str
    w: Any
    gamma: Any
    start: dict[str, float]
    in_D: bool
    kept: bool
    varied: sp.Matrix  # E[phi]
    told: str

    @property
    def system(self) -> System:
        """With L = |qdot|^2/2 - z - x y."""
        q = coordinates("x y z")
        phi = (self.w * (sp.Matrix(U) - self.gamma))[0]
        return System(q, sum(v**2 for v in U) / 2 - Q[2] - Q[0] * Q[1], {"leaf": phi}, title=self.name)


def instances() -> tuple[Instance, ...]:
    """D integrable in all of them; gamma in D, or only [gamma, D] in D, or neither."""
    x, y, z = Q
    dz = sp.Matrix([[0, 0, 1]])
    start = {"x": 0.4, "y": 0.3, "z": 0.16, "vx": 1.0, "vy": 0.5}
    h = 1 + x**2
    return (
        Instance(
            "(1 + x^2) d(z - x^2), gamma = d/dx + 2 x d/dz",
            h * sp.Matrix([[-2 * x, 0, 1]]),
            sp.Matrix([1, 0, 2 * x]),
            start,
            True,
            True,
            2 * x * U[0] * sp.Matrix([-2 * x, 0, 1]),
            "(2 x xdot/(1 + x^2)) w",
        ),
        Instance(
            "spheres, gamma a rotation",
            sp.Matrix([[x, y, z]]),
            sp.Matrix([-y, x, 0]),
            {"x": 0.6, "y": 0.0, "z": 0.8, "vx": 0.8, "vy": 1.0},
            True,
            True,
            sp.zeros(3, 1),
            "0",
        ),
        Instance("zdot = -z", dz, sp.Matrix([0, 0, -z]), start, False, True, -dz.T, "-w"),
        Instance("zdot = x", dz, sp.Matrix([0, 0, x]), start, False, False, sp.Matrix([1, 0, 0]), "dx"),
    )


def sharp_condition() -> Iterator[Claim]:
    """For every integrable D: both methods agree for every lam exactly if [gamma, D] lies in D."""
    found = [(each, allowed(each.system)) for each in instances()]
    kinds = [each.system.constraints[0].kind for each, _ in found]
    in_D = [kind == "linear" for kind in kinds] == [each.in_D for each, _ in found]
    yield said("Prop. 2.8", "gamma lies in D, so that phi is linear, in the first two", in_D, ", ".join(kinds))
    decaying, rising = ([row["leaf"] for row in on.drift_curvature.values()] for _, on in found[2:])
    statement = "zdot = -z: [gamma, D] lies in D; zdot = x: it does not, w([gamma, d/dx]) = -1"
    yield identity("Prop. 2.8, scope", statement, *decaying, rising[0] + 1, *rising[1:])
    for each, on in found:
        E = sp.Matrix([*on.variation["leaf"].values()])
        off = [on_constraint(each, e) for e in E - each.varied]
        where = "Prop. 2.8" if each.kept else "Prop. 2.8, scope"
        so = "so that every lam has the same motion" if each.kept else "no multiple of w"
        yield identity(where, f"{each.name}: E[phi] = {each.told}, {so}", *off)


def on_constraint(each: Instance, expression: sp.Expr) -> sp.Expr:
    """The expression where phi = 0, solved for zdot."""
    phi = (each.w * (sp.Matrix(U) - each.gamma))[0]
    return expression.subs(U[2], sp.solve(phi, U[2])[0])


def every_drift() -> Iterator[Claim]:
    """zdot = f(z) with arbitrary f: gamma is not in D, and both methods agree all the same."""
    f = unknown("f", Q[2])
    # gamma lies in D only where f = 0
    w, gamma = [sp.S.Zero, sp.S.Zero, sp.S.One], sp.Matrix([0, 0, f])
    E = euler_lagrange(U[2] - f)
    slope = sp.Matrix(w) * f.diff(Q[2])
    where = "Prop. 2.8, scope"
    yield identity(where, "zdot = f(z), every f: E[phi] = L_gamma w = f'(z) w", E - lie_derivative(w, gamma), E - slope)
    yield identity(where, "zdot = f(z), every f: it is in the span of w", E[0], E[1], key=True)


def motions() -> Iterator[Claim]:
    """The instances by simulation: distances between the methods for two lam(0)."""
    for each in instances():
        non, vak = nonholonomic(each.system), vakonomic(each.system)
        truth = run(non, each.start, RUN)
        rivals = [run(vak, {**each.start, "lam_leaf": lam}, RUN) for lam in (0.0, 1.0)]
        apart = [largest_gap(truth, path, "xyz") for path in rivals]
        text = f"{apart[0]:.1e} and {apart[1]:.1e} apart by t = {RUN:g}"
        statement = f"{each.name}: lam(0) = 0 and 1 give the nonholonomic motion"
        where = "Prop. 2.8" if each.in_D else "Prop. 2.8, scope"
        yield Claim(where, statement, each.kept, text, max(apart) <= SAME, key=True)


def leaf_motion() -> Iterator[Claim]:
    """(iii), (iv) of Proposition 2.8 and the multipliers, for the leaf z = x^2 of w = (1 + x^2) d(z - x^2)."""
    each = instances()[0]
    on = restrict_to_leaf(each.system, chart={"z": "x^2"}).system
    x, y, vx, vy = on.space
    # L on z = x^2
    L = ((1 + 4 * x**2) * vx**2 + vy**2) / 2 - x**2 - x * y
    yield identity("(2.10)", "L_Lambda on z = x^2, by the library", on.lagrangian - L)
    leaf = run(free(on), {n: each.start[n] for n in ("x", "y", "vx", "vy")}, RUN)
    truth = run(nonholonomic(each.system), each.start, RUN)
    apart = largest_gap(truth, leaf, "xy")
    statement = "Lagrange's equations of L_Lambda on z = x^2: the nonholonomic motion"
    yield Claim("Prop. 2.8 (iv)", statement, True, f"{apart:.1e} apart", apart <= SAME)
    kept = float(np.abs(truth["z"] - truth["x"] ** 2).max())
    yield Claim("Remark 2.7", "the motion stays on its leaf", True, f"z - x^2 = {kept:.1e}", kept <= SAME)
    path = run(vakonomic(each.system), {**each.start, "lam_leaf": 1.0}, RUN)
    # d/dt(h lam) = h lam_non, integrated
    h = 1 + truth["x"] ** 2
    gained = float((h * path["lam_leaf"])[-1] - (h * path["lam_leaf"])[0])
    off = abs(gained - float(simpson(h * truth["lam_leaf"], x=truth.t)))
    plainly = abs(float(np.diff(path["lam_leaf"][[0, -1]])[0]) - float(simpson(truth["lam_leaf"], x=truth.t)))
    text = f"off by {off:.1e}"
    yield Claim("(2.9)", "w = h dF: lamdot + lam hdot/h = lam_non along it", True, text, off <= QUADRATURE)
    text = f"off by {plainly:.2g}"
    yield Claim("(2.9)", "w = h dF: lamdot = lam_non along it", False, text, plainly <= QUADRATURE)
