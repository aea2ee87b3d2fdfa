"""One integration, in arrays that machine code reads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .tableau import Tableau

T, H, MARGIN, H_OLD, ERROR_OLD, H_LAST, RATE, AGE, MADE, BETWEEN = range(10)  # what `clock` holds
STEPS, REJECTED, EVALUATIONS, JACOBIANS, FACTORED, COUPLED, PATIENCE, BEGUN = range(8)  # what `counters` holds
LARGEST_COUPLED = 400  # unknowns: above it the stages are not solved for at once


class RadauCode(NamedTuple):
    """Addresses of machine code: right-hand side, Jacobian and projection, 0 for none of the latter."""

    rhs: int
    jacobian: int
    project: int


class RadauLimits(NamedTuple):
    """Tolerances and limits.

    Attributes:
        tolerance: relative, then absolute ones (n,); inf for a state that is carried along without error control.
        controlled: how many states are under error control.
        wanted: the error, in units of the tolerance, that Newton's method may leave.
        margin_limit, max_step, max_steps: as for `explicit_runge_kutta.advance`.
    """

    tolerance: np.ndarray
    controlled: int
    wanted: float
    margin_limit: float
    max_step: float
    max_steps: int


class RadauWork(NamedTuple):
    """Work space for n states and s stages, k = (s - 1)/2.

    Attributes:
        moment, at: (1,), (n,), time and state of a call.
        first: derivative and margin at the beginning of the step (n + 1,).
        Z, f: changes of the stages (s, n), derivatives and margins there (s, n + 1).
        R, G, X: residuals, right sides and corrections (s, n).
        path: coefficients (s, n) of the last step's polynomial, from which the next one is guessed.
        scale: reciprocal tolerances (n,), 0 for states without error control.
        error: (n,).
        nudge, nudged, plain: (n,), (n + 1,), (n + 1,), for differences.
        J, Js: Jacobian at the beginning (n, n) and at the stages (s, n, n).
        E, U, V: factored matrices of the transformed systems, each flat: real (n^2,), complex U + i V (k, n^2).
        M: factored matrix of the coupled system, flat.
        rows, rows_pairs, rows_M: exchanges of rows (n,), (k, n), (s n,).
        active: states on which something depends (n,), their number behind them.
        u, v: (s n,).
    """

    moment: np.ndarray
    at: np.ndarray
    first: np.ndarray
    Z: np.ndarray
    f: np.ndarray
    R: np.ndarray
    G: np.ndarray
    X: np.ndarray
    path: np.ndarray
    scale: np.ndarray
    error: np.ndarray
    nudge: np.ndarray
    nudged: np.ndarray
    plain: np.ndarray
    J: np.ndarray
    Js: np.ndarray
    E: np.ndarray
    U: np.ndarray
    V: np.ndarray
    M: np.ndarray
    rows: np.ndarray
    rows_pairs: np.ndarray
    rows_M: np.ndarray
    active: np.ndarray
    u: np.ndarray
    v: np.ndarray

    @classmethod
    def of(cls, n: int, s: int, tail: int = 1) -> RadauWork:
        """Work space, filled with zeros; behind derivatives stand `tail` numbers, the margin first."""
        k, unknowns = (s - 1) // 2, min(n * s, LARGEST_COUPLED)
        shapes: dict[str, tuple[int, ...]] = dict.fromkeys(("at", "scale", "error", "nudge"), (n,))
        shapes |= dict.fromkeys(("first", "nudged", "plain"), (n + tail,)) | {"moment": (1,), "f": (s, n + tail)}
        shapes |= dict.fromkeys(("Z", "R", "G", "X", "path"), (s, n)) | dict.fromkeys(("u", "v"), (s * n,))
        shapes |= {"J": (n, n), "Js": (s, n, n), "E": (n * n,), "U": (k, n * n), "V": (k, n * n), "M": (unknowns**2,)}
        counts = {"rows": (n,), "rows_pairs": (k, n), "rows_M": (s * n,), "active": (n + 1,)}
        arrays = {name: np.zeros(shape) for name, shape in shapes.items()}
        return cls(**arrays, **{name: np.zeros(shape, np.int64) for name, shape in counts.items()})


class Job(NamedTuple):
    """One integration.

    Attributes:
        clock: ``[t, h, least margin on accepted steps, size and error of the last step but for cuts, size that `path`
            belongs to (0 for none), rate of Newton's method, steps since J was made (inf for none), size that E, U and
            V were made for (0 for none), what the margin may have been between the stages]``.
        counters: ``[steps, rejected, evaluations, Jacobians, factorisations, steps left to be solved in the coupled
            form, how many these were, is `first` filled]``.
    """

    code: RadauCode
    rules: RadauLimits
    tab: Tableau
    work: RadauWork
    p: np.ndarray
    y: np.ndarray
    clock: np.ndarray
    counters: np.ndarray
