"""Theorem 3.1, Propositions 1 and 2, (29) of [cushman1995] in numbers."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from ....geometry.distributions import Place
from ....geometry.subspaces import Rows, apart, meet, outside, span
from ...claim import Claim, said, small
from .cases import CLEAR, ROUNDING, Case, cases, everywhere, worst
from .splitting import Split


def lies_in_U() -> Iterator[Claim]:
    """Theorem 3.1 and the special case V n H = 0."""
    count = len(cases())
    far = worst(lambda p: outside(span(p.xi[None]), p.U))
    yield small("Theorem 3.1", f"xi lies in U, for {count} systems with a symmetry", far, ROUNDING)
    for place in cases()["disc, R^2"].places[:1]:
        flat = not len(place.VH) and apart(place.U, place.H) < ROUNDING
        text = f"dimensions {len(place.VH)} and {len(place.U)}"
        yield said("section 5", "V n H = 0, then U = H: the disc with R^2 alone", flat, text)


def proposition_1() -> Iterator[Claim]:
    """Proposition 1 in numbers."""
    where = "Proposition 1"
    yield small(f"{where}.1", "K is isotropic", worst(lambda p: p.isotropic(p.K)), ROUNDING)
    yield small(f"{where}.1", "K, U, H are invariant under E(2)", max(_carried()), ROUNDING)
    sizes_ = [(len(p.U) - len(p.K), len(span(_past(p.U, p.V)))) for _, _, p in everywhere()]
    text = f"dimensions {', '.join(sorted({str(a) for a, _ in sizes_}))}"
    yield said(f"{where}.2", "U/K and H-bar have one dimension", all(a == b for a, b in sizes_), text)
    yield small(f"{where}.3", "K = U n U_omega", worst(lambda p: apart(p.K, meet(p.U, p.perp(p.U)))), ROUNDING)
    yield small(f"{where}.3", "K = (U + U_omega)_omega", worst(lambda p: apart(p.K, p.perp(_total(p)))), ROUNDING)
    least = min(p.regular(span(_past(_total(p), p.K))) for _, _, p in everywhere())
    yield said(f"{where}.3", "(U + U_omega)/K is symplectic", least > CLEAR, f"least {least:.1e}")
    chain = worst(lambda p: max(outside(a, b) for a, b in pairwise((p.K, p.U, _total(p), p.H))))
    yield small(f"{where}.3", "K in U in U + U_omega in H", chain, ROUNDING)
    yield from _extremes(where)


def _extremes(where: str) -> Iterator[Claim]:
    """The two special cases of Proposition 1.3, at systems where they occur."""
    for condition, then in (("K = U", "U lies in U_omega"), ("U = U + U_omega", "U_omega lies in U")):
        chosen = [(n, p) for n, _, p in everywhere() if _occurs(condition, p)]
        pairs = [(p.U, p.perp(p.U)) if condition == "K = U" else (p.perp(p.U), p.U) for _, p in chosen]
        far = max((outside(a, b) for a, b in pairs), default=np.inf)
        names = len({n for n, _ in chosen})
        yield small(f"{where}.3", f"if {condition} then {then}: {names} systems", far, ROUNDING)


def _occurs(condition: str, p: Place) -> bool:
    other = p.K if condition == "K = U" else _total(p)
    return len(p.U) == len(other)


def _total(p: Place) -> Rows:
    return span(p.U, p.perp(p.U))


def _past(rows: Rows, less: Rows) -> Rows:
    """What is left of rows across another subspace."""
    return np.asarray(rows - rows @ less.T @ less)


def _carried() -> Iterator[float]:
    """How far K, U, H at a turned and shifted state are from those carried there."""
    for case in cases().values():
        if case.headings:
            for place in case.places:
                there, push = moved(case, place)
                yield from (apart(getattr(there, n), span(getattr(place, n) @ push.T)) for n in ("K", "U", "H"))


def moved(case: Case, place: Place, by: float = 0.8) -> tuple[Place, np.ndarray]:
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
    """Proposition 2, and its proof as printed."""
    least, decomposed, maximal = np.inf, True, True
    for _, _, p in everywhere():
        split = Split.of(p)
        least = min(least, *(p.regular(rows) for rows in (split.D, split.B, split.both)))
        decomposed &= len(span(split.B, split.C, split.D)) == len(p.H) == len(split.B) + len(split.C) + len(split.D)
        maximal &= outside(p.K, split.C) < ROUNDING and len(split.C) == 2 * len(p.K)
    yield said("Proposition 2", "D, B, D + B are symplectic", least > CLEAR, f"least {least:.1e}", key=True)
    yield said("(29)", "H = B + C + D", decomposed, "dimensions add up")
    yield said("(29)", "K is maximal isotropic in C", maximal, "dim C = 2 dim K")
    where = "Prop. 2, proof"
    far = min(outside(p.perp(p.U), Split.of(p).B) for _, _, p in everywhere() if len(p.VH))
    yield small(where, "as printed: U_omega lies in B", far, ROUNDING, expected=False, key=True)
    lie = worst(lambda p: max(outside(Split.of(p).D, p.VH), apart(p.VH, p.perp(p.U))))
    yield small(where, "repaired: D lies in V n H = U_omega", lie, ROUNDING, key=True)
    lie = worst(lambda p: max(outside(Split.of(p).B, p.U), outside(p.U, p.perp(Split.of(p).D))))
    yield small(where, "repaired: B lies in U, and U in D_omega", lie, ROUNDING)
    alone = max(len(meet(Split.of(p).B, p.K)) for _, _, p in everywhere())
    yield said(where, "B n K = 0", alone == 0, f"dimension {alone}")
