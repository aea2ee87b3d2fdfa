"""What feeds the energy  E = u dL/du - L  along u = Z s + z:  forces, explicit time, and constraints that move.

    dE/dt = u^a Q_a + z^a R_a - dL/dt ,   R_a = dp_a/dt + C^c_ab u^b p_c - E^j_a dL/dq^j - Q_a

The reaction R does no work on the velocities Z s.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...calculus.graph import Node, gradient, substitute, tangent
from .allowed import Allowed


def power(allowed: Allowed, s: Sequence[Node], rates: Sequence[Node], L: Node, Q: Sequence[Node]) -> Node:
    """dE/dt in t, q and s."""
    motion = allowed.motion
    velocities = allowed.velocities(s)
    places = {u.key[1]: e for u, e in zip(motion.u, velocities, strict=True)}
    forces = substitute(list(Q), places) or [motion.zero] * len(velocities)
    found: Node = motion.sum(e * f for e, f in zip(velocities, forces, strict=True))
    found = found - substitute(gradient(L, [motion.t]), places)[0]
    return found + _by_reactions(allowed, s, rates, L, places, forces)


def _by_reactions(
    allowed: Allowed, s: Sequence[Node], rates: Sequence[Node], L: Node, places: dict[str, Node], forces: Sequence[Node]
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
