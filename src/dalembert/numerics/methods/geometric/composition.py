"""Symmetric compositions of a symmetric method of order 2: orders 4 and 6 [hairer2006, V.3.2].

One step of size h is a row of steps gamma_1 h, gamma_2 h, ..., the same read forwards and backwards. What the method
of order 2 keeps exactly, its composition keeps; some gamma are negative.
"""

from __future__ import annotations

import numpy as np

REASONS = {4: ("suzuki1990", "the composition of order 4"), 6: ("kahan1997", "the composition of order 6")}
ORDERS = (2, *REASONS)

_SUZUKI = 1 / (4 - 4 ** (1 / 3))

_HALVES = {
    2: (1.0,),
    # [suzuki1990]: five steps
    4: (_SUZUKI, _SUZUKI, 1 - 4 * _SUZUKI),
    # [kahan1997]: nine steps
    6: (
        0.39216144400731413927925056,
        0.33259913678935943859974864,
        -0.70624617255763935980996482,
        0.08221359629355080023149045,
        0.79854399093482996339895035,
    ),
}


def steps(order: int) -> np.ndarray:
    """gamma_1, ..., gamma_s: the parts of a step whose composition has this order (2, 4 or 6)."""
    half = _HALVES[order]
    return np.array([*half, *half[-2::-1]])
