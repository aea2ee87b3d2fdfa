"""(2.7), (2.9) and Proposition 2.8 of [lewis1995]: what happens on the leaves of an integrable constraint."""

from __future__ import annotations

from collections.abc import Iterator

import sympy as sp

from dalembert import System, coordinates, nonholonomic, vakonomic
from dalembert.calculus.simplification import as_fraction

from ...claim import Claim, at_hand, identity, misprint
from ...symbolic import motion_rows, plain_motion, rows_of, saddle_solution, solved
from ...vanishing import vanishes
from ..derivations.letters import (
    t,
)

LOST_DOT = at_hand(
    "Lagrange's expression in adapted coordinates; the dot of ydot is lost.",
    r"\frac{\partial^2 L}{\partial y\, \partial t} - \frac{\partial L}{\partial y}",
    r"\frac{d}{dt}\frac{\partial L}{\partial \dot{y}} - \frac{\partial L}{\partial y}",
)


def equations_27_29() -> Iterator[Claim]:
    """(2.7), (2.9): the multiplier of the leaf y = 0 in adapted coordinates, for a sample Lagrangian."""
    q = coordinates("x y")
    X, Y, VX, VY = q
    L = VX**2 * (1 + Y) / 2 + VY**2 / 2 + X**2 * VX * VY + X**3 * Y
    system = System(q, L, {"leaf": VY})
    leaf = {Y: 0, VY: 0}
    for where, form in (("(2.7)", nonholonomic(system).symbolic), ("(2.9)", vakonomic(system).symbolic)):
        acc, value = sp.symbols("acc:2", real=True), sp.Symbol("mu", real=True)
        row = motion_rows(form, acc, [value])[1]
        multiplier = solved([row], [value])[value].subs(leaf)
        motion = plain_motion((X, Y), (VX, VY))
        partial, total, momentum = (
            (e - L.diff(Y)).subs(leaf) - multiplier
            for e in (
                L.diff(Y, t),
                rows_of(motion.derivative([L.diff(Y)]), acc)[0],
                rows_of(motion.derivative([L.diff(VY)]), acc)[0],
            )
        )
        text = "d^2L/dy dt - dL/dy is the multiplier, d/dt partial or total"
        printed = identity(where, text, partial)
        printed = printed if not printed.holds else identity(where, text, total)
        repaired = identity(where, "d/dt(dL/d ydot) - dL/dy is the multiplier", momentum)
        yield misprint(printed, repaired, LOST_DOT)


def proposition_28() -> Iterator[Claim]:
    """Proposition 2.8: "integrable" must be read as the holonomic of section 2.3."""
    where = "Proposition 2.8"
    q = coordinates("x y z")
    k = sp.Symbol("k", positive=True)
    L = (q["vx"] ** 2 + q["vy"] ** 2 + q["vz"] ** 2) / 2
    # w = dz, gamma = k x d/dz not in D; w = (1 + x^2)(dz - 2 x dx), gamma = d/dx + 2 x d/dz in D
    w = sp.Matrix([[0, 0, 1]]), (1 + q["x"] ** 2) * sp.Matrix([[-2 * q["x"], 0, 1]])
    gamma = sp.Matrix([0, 0, k * q["x"]]), sp.Matrix([1, 0, 2 * q["x"]])
    systems = [
        System(q, L, {"leaf": (form * (sp.Matrix(q.velocities) - g))[0]}) for form, g in zip(w, gamma, strict=True)
    ]
    text = 'read as "D integrable": zdot = k x, only lam = 0 has the same accelerations, and lamdot = k xdot there'
    (leaving,) = some_multiplier(systems[0])
    yield identity(where, text, leaving - k * q["vx"])
    yield identity(
        where, 'read as "D integrable and gamma in D": the same motion for every lam', acceleration_gap(systems[1])
    )


def acceleration_gap(system: System) -> sp.Matrix:
    """udot_vakonomic - udot_nonholonomic on the constraints, solved for the last velocity."""
    non, vak = nonholonomic(system).symbolic, vakonomic(system).symbolic
    last = system.space.velocities[-1]
    allowed = solved([c.phi for c in system.constraints], [last])
    n = len(non.W)
    gap = (saddle_solution(vak) - saddle_solution(non))[:n, :]
    return gap.subs(allowed).applyfunc(as_fraction)


def some_multiplier(system: System) -> list[sp.Expr]:
    """The conditions for the same motion at the only lam that gives the same accelerations: lamdot there.

    The accelerations agree only at one lam (0 here); to stay there lamdot must vanish.
    """
    vak = vakonomic(system).symbolic
    multiplier = sp.Symbol("lam_leaf", real=True)
    gap = [e for e in acceleration_gap(system) if not vanishes(e)]
    (root,) = {value for e in gap for value in sp.solve(e, multiplier)}
    return [saddle_solution(vak)[-1].subs(multiplier, root)]
