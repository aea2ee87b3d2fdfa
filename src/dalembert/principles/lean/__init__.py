"""The leanest exact form of nonholonomic equations: speeds of the allowed velocities, and Maggi's equations in them.

- ``allowed``: u = Z s + z, every row of the constraints used to take out one speed.
- ``projected``: A sdot = b, by momenta or by sums of squares.
- ``elimination``: its solution.
- ``work``: what it feeds the energy with.

Every step is tidied by exact identities (`calculus.exact`): what is equal is computed once, what is constant once a
run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...calculus.exact.sums import prefixed
from ...calculus.exact.tidy import Tidy
from ...calculus.frame import TIME
from ...calculus.graph import Graph, Node
from ...calculus.hamel import Motion
from ...calculus.substitution import carried
from ...equations.lean import Lean, speed_names
from ...model.system import System
from .allowed import Allowed
from .elimination import solve
from .projected import projected
from .states import named, random_states
from .work import power

_LONG = 500  # operations above which polynomials take long, and have not been found to be much shorter

States = Sequence[Mapping[str, float]]


def lean(kept: Sequence[int], system: System, at: Mapping[str, float] | None = None) -> Lean | None:
    """The lean form of the nonholonomic equations; None where a constraint is nonlinear in the velocities.

    Args:
        kept: positions of independent constraint rows.
        system: the given system.
        at: values of all symbols at the state around which it is to be regular; by default random states.
    """
    if any(system.constraints[i].kind == "nonlinear" for i in kept):
        return None
    states = [at] if at else random_states(system)
    plain = _written(system, kept, states, polynomials=False)
    if plain.operations()["total"] > _LONG:
        return plain
    return min(plain, _written(system, kept, states, polynomials=True), key=lambda form: form.operations()["total"])


def _written(system: System, kept: Sequence[int], states: States, *, polynomials: bool) -> Lean:
    """The form on a graph of its own, with one way of tidying."""
    graph = Graph()
    algebra = system.over(graph)
    motion = Motion.of(system.space.frame, algebra)
    L, *rest = prefixed(carried(_given(system, kept), graph))
    rows, Q = rest[: len(kept)], rest[len(kept) :]
    q, u = ([s.key[1] for s in symbols] for symbols in (motion.q, motion.u))
    fresh = speed_names(len(u), [*q, *u, *system.symbols])
    tidy = Tidy(graph, [*q, *u, *fresh, TIME.name], q, system.space.unit_vectors, polynomials=polynomials)
    allowed = Allowed(rows, motion, tidy, states, random_states(system))
    speeds = named(allowed, fresh)
    s = [graph.symbol(name) for name in speeds]
    sdot, pivots = solve(projected(allowed, s, L, Q), tidy)
    velocities = allowed.velocities(s)
    rates = _rates(allowed, velocities, sdot)
    work = tidy([power(allowed, s, rates, L, Q)])[0]
    return Lean(
        title=system.title or "",
        frame=system.space.frame,
        graph=graph,
        speeds=tuple(speeds),
        rates=tuple(rates),
        velocities=tuple(tidy(velocities)),
        origin=tuple(tidy(allowed.s)),
        power=work,
        charts=tuple(allowed.charts),
        pivots=tuple(pivots),
        choices=tuple(allowed.choices),
    )


def _given(system: System, kept: Sequence[int]) -> list[Node]:
    """L, the rows and the forces on the system's own graph, where they are read already."""
    algebra = system.algebra
    motion = Motion.of(system.space.frame, algebra)
    rows = [system.constraints[i].row(motion) for i in kept]
    return [algebra.read(system.lagrangian), *rows, *map(algebra.read, system.forces)]


def _rates(allowed: Allowed, velocities: Sequence[Node], sdot: Sequence[Node]) -> list[Node]:
    """qdot = E u and sdot, tidied together; as they are where that is cheaper."""
    motion, tidy = allowed.motion, allowed.tidy
    names = [u.key[1] for u in motion.u]
    qdot = motion.algebra.substitute(motion.qdot, motion.u, velocities) if names else []
    return tidy([*qdot, *sdot])
