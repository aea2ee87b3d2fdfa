"""The Levi-Civita connection of a metric g on a frame, with lowered index: no inverse is needed.

    2 g(nabla_a e_b, e_c) = e_a g_bc + e_b g_ac - e_c g_ab + g([e_a,e_b], e_c) - g([e_a,e_c], e_b) - g([e_b,e_c], e_a)

(Koszul's formula; e_a acts on functions of q along the anchor.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .euler_lagrange import Motion

Matrix = Sequence[Sequence[Any]]


def slopes(motion: Motion, g: Matrix) -> list[list[list[Any]]]:
    """e_a g_bc as [a][b][c]."""
    k, flat = len(g), [e for row in g for e in row]
    found = []
    for a in range(k):
        moved = motion.algebra.along(flat, motion.q, [row[a] for row in motion.anchor])
        found.append([moved[b * k : (b + 1) * k] for b in range(k)])
    return found


def lowered_brackets(motion: Motion, g: Matrix) -> dict[tuple[int, int], list[Any]]:
    """g([e_a, e_b], e_c) by pairs a < b, c = 1..k."""
    columns = list(zip(*g, strict=True))
    return {
        pair: [motion.sum(C * gd for C, gd in zip(row, column, strict=True)) for column in columns]
        for pair, row in motion.brackets.items()
    }


def koszul(motion: Motion, g: Matrix) -> list[list[list[Any]]]:
    """2 g(nabla_a e_b, e_c) as [a][b][c]."""
    k, dg, table = range(len(g)), slopes(motion, g), lowered_brackets(motion, g)

    def bracket(a: int, b: int, c: int) -> Any:
        """g([e_a, e_b], e_c)."""
        if (a, b) in table:
            return table[a, b][c]
        return -1 * table[b, a][c] if (b, a) in table else motion.zero

    return [
        [
            # e_a g_bc + e_b g_ac - e_c g_ab + g([e_a,e_b], e_c) - g([e_a,e_c], e_b) - g([e_b,e_c], e_a)
            [
                dg[a][b][c] + dg[b][a][c] - dg[c][a][b] + bracket(a, b, c) - bracket(a, c, b) - bracket(b, c, a)
                for c in k
            ]
            for b in k
        ]
        for a in k
    ]


def centrifugal(motion: Motion, g: Matrix) -> list[Any]:
    """g(nabla_u u, e_c) without the term of udot:  u^a u^b g(nabla_a e_b, e_c)."""
    table, u = koszul(motion, g), motion.u
    pairs = [(a, b) for a in range(len(u)) for b in range(len(u))]
    return [motion.sum(u[a] * u[b] * table[a][b][c] for a, b in pairs) / 2 for c in range(len(u))]
