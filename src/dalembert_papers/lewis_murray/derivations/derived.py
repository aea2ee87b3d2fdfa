"""What the library derives: both sets of equations, reactions and angular velocities eliminated."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import sympy as sp

from dalembert import nonholonomic, vakonomic
from dalembert.equations import Form
from dalembert.systems import ball_on_turntable as ball

from ...symbolic import constraint_rows, motion_rows, solved
from .letters import a1, a2, ax, ay, lamdot, r, reaction, udot, vx, vy, w1, w2


@cache
def nonholonomic_form(**friction: float) -> Form:
    """The nonholonomic equations of the ball."""
    return nonholonomic(ball.system(**friction)).symbolic  # type: ignore[arg-type]


@cache
def vakonomic_form() -> Form:
    """The vakonomic equations of the ball."""
    return vakonomic(ball.system()).symbolic


@cache
def rolling() -> dict[sp.Symbol, sp.Expr]:
    """w1, w2 from the constraints."""
    return solved([c.phi for c in ball.system().constraints], (w1, w2))


@cache
def planar(**friction: float) -> tuple[sp.Expr, sp.Expr]:
    """The nonholonomic equations of x and y, times r^2, after eliminating reactions and angular velocities."""
    form = nonholonomic_form(**friction)
    rows = motion_rows(form, udot, reaction)
    reactions = solved(rows[2:4], reaction)
    turning = solved(constraint_rows(form, udot), (a1, a2))
    first, second = (sp.expand(r**2 * e.subs(reactions).subs(turning).subs(rolling())) for e in rows[:2])
    return first, second


def displays() -> Iterator[tuple[str, list[str]]]:
    """The derived equations as text, by the paper's numbers."""
    for where, friction in (("(3.4)", {}), ("(3.6)", {"nu": 1.0, "mu": 1.0})):
        rows = [sp.collect(sp.expand(e), [ax, ay, vx, vy]) for e in planar(**friction)]
        yield where, [f"{e} = 0" for e in rows]
    motion = vakonomic_motion()
    yield "(3.15)", [f"{rate} = {sp.factor(motion[rate])}" for rate in lamdot]


@cache
def nonholonomic_motion() -> dict[sp.Symbol, sp.Expr]:
    """udot and the reactions of the frictionless nonholonomic ball, on the constraints."""
    form = nonholonomic_form()
    found = solved([*motion_rows(form, udot, reaction), *constraint_rows(form, udot)], (*udot, *reaction))
    return {k: e.subs(rolling()) for k, e in found.items()}


@cache
def vakonomic_motion() -> dict[sp.Symbol, sp.Expr]:
    """udot and lamdot of the vakonomic ball, on the constraints."""
    form = vakonomic_form()
    found = solved([*motion_rows(form, udot, lamdot), *constraint_rows(form, udot)], (*udot, *lamdot))
    return {k: e.subs(rolling()) for k, e in found.items()}
