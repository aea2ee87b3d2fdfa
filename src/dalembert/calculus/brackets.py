"""Do anchor and brackets of a frame belong together? Two expressions that vanish where they do.

[E_a, E_b]^i - E^i_c C^c_ab                  compatibility
[[e_a, e_b], e_c]^d + cyclic                 the Jacobi identity, which may fail on a frame that is "almost" one
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .hamel import Motion


def compatibility(motion: Motion, a: int, b: int) -> list[Any]:
    """[E_a, E_b]^i - E^i_c C^c_ab for each coordinate."""
    E_a, E_b = ([row[x] for row in motion.anchor] for x in (a, b))
    # [E_a, E_b]^i = E^j_a dE^i_b/dq^j - E^j_b dE^i_a/dq^j
    there, back = motion.algebra.along(E_b, motion.q, E_a), motion.algebra.along(E_a, motion.q, E_b)
    C = motion.bracket(a, b)
    return [
        x - y - motion.sum(e * c for e, c in zip(row, C, strict=True))
        for x, y, row in zip(there, back, motion.anchor, strict=True)
    ]


def jacobi(motion: Motion, a: int, b: int, c: int) -> list[Any]:
    """Components of [[e_a, e_b], e_c] + cyclic."""
    turns = ((a, b, c), (b, c, a), (c, a, b))
    parts = [_bracket_with(motion, motion.bracket(x, y), z) for x, y, z in turns]
    return [motion.sum(each) for each in zip(*parts, strict=True)]


def _bracket_with(motion: Motion, f: Sequence[Any], z: int) -> list[Any]:
    """[f^s e_s, e_z] = f^s C^d_sz e_d - (E^i_z df^d/dq^i) e_d."""
    slopes = motion.algebra.along(f, motion.q, [row[z] for row in motion.anchor])
    rows = [motion.bracket(s, z) for s in range(len(f))]
    return [motion.sum(fs * row[d] for fs, row in zip(f, rows, strict=True)) - slopes[d] for d in range(len(f))]
