"""Theorem 3.1, Propositions 1 and 2, (29) of [cushman1995] in numbers.

The library's U, K, B, C, D are measured by what does not use its form: the motion by multipliers, and dq ^ dp from L.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dalembert.geometry.distributions import DistributionsAt, Rows, apart, kernel, outside, span

from ...claim import Claim, author, misprint, said, small
from .cases import CLEAR, ROUNDING, Case, cases, everywhere, worst


def lies_in_U() -> Iterator[Claim]:
    """Theorem 3.1 and the special case V n H = 0."""
    count = len(cases())
    far = worst(lambda case, p: outside(span(case.motion(p)[None]), p.U))
    yield small("Theorem 3.1", f"the motion by multipliers lies in U, for {count} systems", far, ROUNDING, key=True)
    case = cases()["disc, R^2"]
    gap = max(float(np.abs(case.motion(p) - p.xi).max() / np.abs(p.xi).max()) for p in case.places)
    flat = all(not len(p.VH) and apart(p.U, p.H) < ROUNDING for p in case.places)
    text = f"off by {gap:.1e}"
    statement = "V n H = 0: U = H, and omega_H lifts to the motion by multipliers: the disc with R^2 alone"
    yield said("section 5", statement, flat and gap < ROUNDING, text)


def proposition_1() -> Iterator[Claim]:
    """(21) and Proposition 1: perpendicular in dq ^ dp, not in the form that made them."""
    where = "Proposition 1"
    far = worst(lambda case, p: _on(case, p, p.U, p.VH), in_coordinates=True)
    yield small("(21)", "dq ^ dp vanishes on U and V n H: 7 systems", far, ROUNDING, key=True)
    kept = max(_carried())
    yield small(f"{where}.1", "K, U, H are invariant under E(2)", kept, ROUNDING)


def _on(case: Case, p: DistributionsAt, A: Rows, B: Rows) -> float:
    """The largest dq ^ dp on rows of A and B, relative to the form."""
    form = case.canonical(p)
    return float(np.abs(A @ form @ B.T).max(initial=0.0) / np.abs(form).max())


def perpendicular(case: Case, p: DistributionsAt, W: Rows) -> Rows:
    """{u in H: dq ^ dp (u, w) = 0 for all w in W}."""
    return span(kernel(W @ case.canonical(p) @ p.H.T) @ p.H)


def _carried() -> Iterator[float]:
    """How far K, U, H at a turned and shifted state are from those carried there."""
    for case in cases().values():
        if case.headings:
            for place in case.places:
                there, push = moved(case, place)
                yield from (apart(getattr(there, n), span(getattr(place, n) @ push.T)) for n in ("K", "U", "H"))


def moved(case: Case, place: DistributionsAt, by: float = 0.8) -> tuple[DistributionsAt, np.ndarray]:
    """A state turned in the plane and shifted, and the map of tangent vectors (x, w) that goes with it."""
    space = case.system.space
    names = [q.name for q in space.coordinates]
    turn = np.eye(len(names))
    i, j = names.index("x"), names.index("y")
    turn[np.ix_([i, j], [i, j])] = [[np.cos(by), -np.sin(by)], [np.sin(by), np.cos(by)]]
    q, u = (np.array([place.values[z.name] for z in group]) for group in (space.coordinates, space.velocities))
    shift = np.array([{"x": 0.7, "y": -1.3}.get(n, by if n in case.headings else 0.0) for n in names])
    values = dict(zip((z.name for z in space), map(float, [*(turn @ q + shift), *(turn @ u)]), strict=True))
    return case.work.at({**place.values, **values}), np.kron(np.eye(2), turn)


def proposition_2() -> Iterator[Claim]:
    """(29), Proposition 2, and its proof as printed."""
    yield small("(29)", "B, C, D are perpendicular in dq ^ dp, and make up H", worst(_apart, True), ROUNDING, key=True)
    where = "Prop. 2, proof"
    found = [(case, p, p.decomposition) for _, case, p in everywhere() if len(p.VH) and not case.system.space.attitudes]
    far = min(outside(perpendicular(case, p, p.U), split.B) for case, p, split in found)
    printed = small(where, "U_omega lies in B", far, ROUNDING)
    lie = max(max(outside(split.D, p.VH), apart(p.VH, perpendicular(case, p, p.U))) for case, p, split in found)
    repaired = small(where, "D lies in V n H = U_omega", lie, ROUNDING)
    derivation = "U_omega = V n H meets B in 0 only; the conclusion holds with D in its place."
    slip = author(derivation, r"U_{\omega_H} \subset B", r"D \subset V \cap H = U_{\omega_H}")
    yield misprint(printed, repaired, slip)


def _apart(case: Case, p: DistributionsAt) -> float:
    """The largest dq ^ dp between two of B, C, D; 1 where they do not make up H, or one is degenerate."""
    split = p.decomposition
    whole = len(span(split.B, split.C, split.D)) == len(p.H) == len(split.B) + len(split.C) + len(split.D)
    form = case.canonical(p)
    least = [np.linalg.svd(rows @ form @ rows.T, compute_uv=False)[-1] for rows in (split.B, split.D) if len(rows)]
    if not whole or any(size < CLEAR for size in least):
        return 1.0
    return max(_on(case, p, a, b) for a, b in ((split.B, split.C), (split.C, split.D), (split.B, split.D)))
