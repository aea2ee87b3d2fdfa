"""The leanest exact form of nonholonomic equations: speeds of the allowed velocities, and Maggi's equations in them.

- ``independent_velocities``: u = Z s + z, every row of the constraints used to take out one speed.
- ``maggi_projection``: A sdot = b, by momenta or by sums of squares; its solution, and what feeds the energy, stand
  here.
- ``sparse_elimination``: the accelerations of a chain, in proportion to the number of its links.

Every step is tidied by exact identities (`calculus.exact`): what is equal is computed once, what is constant once a
run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...calculus.euler_lagrange import Motion
from ...calculus.exact.operation_count import Tidy
from ...calculus.exact.shared_sums import prefixed
from ...calculus.frame import TIME
from ...calculus.graph import Graph, Node, gradient, substitute, tangent
from ...calculus.substitution import carried
from ...equations.lean_form import MANY, Lean, speed_names
from ...model.system import System
from .independent_velocities import FreeVelocities, NodeValues, named, random_states
from .maggi_projection import Projected, Rows, projected
from .sparse_elimination import structured

Pivots = list[tuple[Node, Node]]  # each with the entry of A that it is left over from

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
    by_structure = _by_structure(system, kept)
    if by_structure is not None and len(system.space.velocities) > MANY:
        return by_structure
    states = [at] if at else random_states(system)
    plain = _written(system, kept, states, polynomials=False)
    ways = [plain, *([by_structure] if by_structure is not None else [])]
    if plain.operations()["total"] <= _LONG:
        ways.append(_written(system, kept, states, polynomials=True))
    return min(ways, key=lambda form: form.operations()["total"])


def _by_structure(system: System, kept: Sequence[int]) -> Lean | None:
    """The form by the structure of what is given, where it has one."""
    graph = Graph()
    algebra = system.over(graph)
    motion = Motion.of(system.space.frame, algebra)
    L, *rest = prefixed(carried(_given(system, kept), graph))
    q, u = ([s.key[1] for s in symbols] for symbols in (motion.q, motion.u))
    tidy = Tidy(graph, [*q, *u, TIME.name], q, system.space.unit_vectors, polynomials=False)
    usual = NodeValues(graph, random_states(system))
    found = structured(motion, tidy, L, rest[: len(kept)], rest[len(kept) :], usual)
    if found is None:
        return None
    places = {name: e for name, e in zip(u, found.velocities, strict=True)}
    return Lean(
        title=system.title or "",
        frame=system.space.frame,
        graph=graph,
        speeds=tuple(u[a] for a in found.speeds),
        rates=tuple(tidy([*substitute(motion.qdot, places), *found.rates])),
        velocities=tuple(tidy(found.velocities)),
        origin=tuple(motion.u[a] for a in found.speeds),
        power=tidy([found.power])[0],
        charts=(),
        pivots=tuple(found.pivots),
    )


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
    allowed = FreeVelocities(rows, motion, tidy, states, random_states(system))
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


def _rates(allowed: FreeVelocities, velocities: Sequence[Node], sdot: Sequence[Node]) -> list[Node]:
    """qdot = E u and sdot, tidied together; as they are where that is cheaper."""
    motion, tidy = allowed.motion, allowed.tidy
    names = [u.key[1] for u in motion.u]
    qdot = motion.algebra.substitute(motion.qdot, motion.u, velocities) if names else []
    return tidy([*qdot, *sdot])


# --- A sdot = b by A = L D L^T ----------------------------------------------------------------------------------------


def solve(found: Projected, tidy: Tidy) -> tuple[list[Node], Pivots]:
    """(sdot, the pivots that are no numbers), pivots of parameters alone and of short rows first."""
    A, b = [list(row) for row in found.A], list(found.b)
    left, order = list(range(len(b))), []
    pivots: Pivots = []
    factors: dict[tuple[int, int], Node] = {}
    while left:
        k = min(left, key=lambda i: (not tidy.constant(A[i][i]), sum(not A[i][j].is_zero for j in left), i))
        left.remove(k)
        order.append(k)
        if not A[k][k].is_constant:
            pivots.append((A[k][k], found.A[k][k]))
        _clear(A, b, k, left, factors, tidy)
    return _back(A, b, order, factors, tidy), pivots


def _clear(A: Rows, b: list[Node], k: int, left: list[int], factors: dict[tuple[int, int], Node], tidy: Tidy) -> None:
    """Speed k taken out of the rows that are left."""
    inverse = 1 / A[k][k]
    touched = [i for i in left if not A[i][k].is_zero]
    for i in touched:
        factors[i, k] = A[i][k] * inverse
    pairs = [(i, j) for i in touched for j in touched if j <= i]
    # A_ij - A_ik A_jk/A_kk ,  b_i - A_ik b_k/A_kk
    entries = [A[i][j] - factors[i, k] * A[j][k] for i, j in pairs] + [b[i] - factors[i, k] * b[k] for i in touched]
    entries = tidy(entries)
    for (i, j), e in zip(pairs, entries, strict=False):
        A[i][j] = A[j][i] = e
    for i, e in zip(touched, entries[len(pairs) :], strict=True):
        b[i] = e


def _back(A: Rows, b: list[Node], order: list[int], factors: dict[tuple[int, int], Node], tidy: Tidy) -> list[Node]:
    """The speeds' rates, the last pivot first."""
    x = list(b)
    for at in reversed(range(len(order))):
        k = order[at]
        x[k] = b[k] / A[k][k]
        for i in order[at + 1 :]:
            if (i, k) in factors:
                x[k] = x[k] - factors[i, k] * x[i]
        x[k] = tidy([x[k]])[0]
    return x


# --- what feeds the energy --------------------------------------------------------------------------------------------

#     dE/dt = u^a Q_a + z^a R_a - dL/dt ,   R_a = dp_a/dt + C^c_ab u^b p_c - E^j_a dL/dq^j - Q_a
#
# The reaction R does no work on the velocities Z s.


def power(allowed: FreeVelocities, s: Sequence[Node], rates: Sequence[Node], L: Node, Q: Sequence[Node]) -> Node:
    """dE/dt in t, q and s."""
    motion = allowed.motion
    velocities = allowed.velocities(s)
    places = {u.key[1]: e for u, e in zip(motion.u, velocities, strict=True)}
    forces = substitute(list(Q), places) or [motion.zero] * len(velocities)
    found: Node = motion.sum(e * f for e, f in zip(velocities, forces, strict=True))
    found = found - substitute(gradient(L, [motion.t]), places)[0]
    return found + _by_reactions(allowed, s, rates, L, places, forces)


def _by_reactions(
    allowed: FreeVelocities,
    s: Sequence[Node],
    rates: Sequence[Node],
    L: Node,
    places: dict[str, Node],
    forces: Sequence[Node],
) -> Node:
    """z^a R_a."""
    motion, still = allowed.motion, allowed.still.entries
    if not still:
        zero: Node = motion.zero
        return zero
    at = sorted(still)
    p_u = gradient(L, motion.u)
    p, L_q = substitute(p_u, places), substitute(gradient(L, motion.q), places)
    pdot = tangent([p[a] for a in at], [*motion.q, *s, motion.t], [*rates, motion.one])
    every = motion.curvatures(p_u)
    curved = substitute([every[a] for a in at], places)
    along = [motion.sum(e * L_q[i] for i, e in motion.columns[a]) for a in at]
    rows = zip(at, pdot, curved, along, strict=True)
    total: Node = motion.sum(still[a] * (rate + c - e - forces[a]) for a, rate, c, e in rows)
    return total
