"""Whether walls and contacts leave a function invariant that is constant between them.

Velocities jump by d with  W d = N^T mu + R^T nu ,  N d = 0 ,  where the rates R u of a wall, or the approach of a
contact, change to -e times what they were. Friction changes those that it resists by any amount. Where f(u + d) - f(u)
vanishes at all states at the wall, f stays.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import sympy as sp

from ..answer import Answer, no, undecided
from ..calculus.from_sympy import read
from ..calculus.graph import Node, evaluate, gradient, substitute
from ..calculus.linear_systems import solve
from ..calculus.numerical_rank import rank_of
from .identities import MotionNodes, decided

_PUSH = "impulse of friction {}"


def passing(answer: Answer, flow: MotionNodes, f: Node) -> tuple[Answer, tuple[str, ...]]:
    """The verdict on f between walls, with walls and contacts counted; and those that change f, or may."""
    if answer.value is False:
        return answer, ()
    found = [(name, _stays(flow, f, *acting)) for name, acting in _acting(flow)]
    held = [c.name for c in flow.sampler.system.contacts if c.sides == 2]  # whose normal force does not act in jumps
    found += [(name, undecided(f"{name} holds the motion to a surface")) for name in held]
    open_ = [(name, each) for name, each in found if each.value is not True]
    struck = tuple(dict.fromkeys(name for name, _ in open_))
    broken = next((each for _, each in open_ if each.value is False), None)
    if answer.value is None or not open_:
        return answer, struck
    kept = f"constant{while_apart(struck)}"
    names = ", ".join(struck)
    if broken is None:
        return undecided(f"{kept}; what {names} does to it was not decided"), struck
    return no(f"{names} {'changes' if len(struck) == 1 else 'change'} it; {kept}", broken.witness), struck


def while_apart(struck: Sequence[str]) -> str:
    """In words: while these do not act."""
    return f" while {', '.join(struck)} {'does' if len(struck) == 1 else 'do'} not act" if struck else ""


def _acting(
    flow: MotionNodes,
) -> Iterator[tuple[str, tuple[sp.Expr | None, Sequence[sp.Expr], Sequence[sp.Expr | None]]]]:
    """Each wall and contact: its guard, the rates that it acts on, and their restitutions; None for friction.

    What has a load has no guard: it acts everywhere.
    """
    system = flow.sampler.system
    for wall in system.walls:
        yield wall.name, (wall.guard, [*wall.rows.values()], [wall.factors[name] for name in wall.rows])
    for contact in system.contacts:
        approach, *slips = contact.acting
        if contact.sides == 1 and contact.load is None:
            yield contact.name, (contact.gap, [approach], [contact.restitution])
        if slips:
            yield contact.name, (None if contact.load is not None else contact.gap, slips, [None] * len(slips))


def _stays(
    flow: MotionNodes, f: Node, guard: sp.Expr | None, rates: Sequence[sp.Expr], factors: Sequence[sp.Expr | None]
) -> Answer:
    """Is f the same after these jumps?"""
    sampler, motion, graph = flow.sampler, flow.sampler.motion, flow.sampler.graph
    at = sampler if guard is None else sampler.touching(read(guard, graph))
    place = next(at.inside(29), None)
    if place is None:
        return undecided("no state at it was found")
    rows, changes = [*flow.N], [motion.zero] * len(flow.N)
    for i, (rate, e) in enumerate(zip(rates, factors, strict=True)):
        row = read(rate, graph)
        more = [*rows, gradient(row, motion.u)]
        numbers = np.array(evaluate([x for r in more for x in r], place), float).reshape(len(more), -1)
        if np.isfinite(numbers).all() and rank_of(numbers) == len(more):  # else the constraints hold it already
            rows = more
            changes.append(graph.symbol(_PUSH.format(i)) if e is None else -1 * (1 + read(e, graph)) * row)
    zeros = [motion.zero] * len(rows)
    A = [[*W, *(-1 * row[a] for row in rows)] for a, W in enumerate(flow.W)] + [[*row, *zeros] for row in rows]
    jump = solve(A, [[b] for b in [*[motion.zero] * len(motion.u), *changes]], place)
    moved = {u.key[1]: u + d for u, (d,) in zip(motion.u, jump, strict=False)}
    change = substitute([f], moved)[0] - f
    pushes = [_PUSH.format(i) for i, e in enumerate(factors) if e is None]
    anywhere = decided([[change]], sampler, "the jump", pushes)
    return anywhere if anywhere.value else decided([[change]], at, "the jump", pushes)
