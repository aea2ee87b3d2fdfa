"""Theorem 5 of [cushman1995], and whether K is involutive."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np
import sympy as sp

from dalembert import Space, System, angle, plane
from dalembert.geometry.distributions import DistributionsAt, apart, outside, span
from dalembert.symmetry import euclidean

from ...claim import Claim, Kind, author, said, small
from .. import given
from .cases import ROUNDING, Case, cases
from .lifts import projected, rate
from .propositions import moved


def theorem_5() -> Iterator[Claim]:
    """The proof's fourth line, for arbitrary fields, and the statement for dim K = 1."""
    p, q = sp.symbols("p q", real=True)
    E, *parts = (sp.Function(name)(p, q) for name in ("E", "X1", "X2", "e1", "e2"))
    X, eta = (
        (lambda f: parts[0] * f.diff(p) + parts[1] * f.diff(q)),
        (lambda f: parts[2] * f.diff(p) + parts[3] * f.diff(q)),
    )
    third = eta(X(E)) + X(eta(E)) - eta(X(E))
    as_printed = 2 * eta(X(E)) - X(eta(E))
    invariant = {E: sp.Function("E")(q), parts[1]: sp.S.Zero}  # fields with X E = 0
    yield from given.printed(
        "Theorem 5, line 4",
        "2 L_eta L_X E - L_X L_eta E",
        [_with(third - as_printed, invariant)],
        "L_X L_eta E",
        [third - X(eta(E)), _with(third - X(eta(E)), invariant)],
        author(
            "[X, eta] E = X(eta E) - eta(X E). The conclusion, 0, is right.",
            r"2 L_\eta L_X E - L_X L_\eta E",
            r"L_X L_\eta E",
        ),
    )
    far, names = 0.0, []
    for name, case in cases().items():
        if case.headings and len(case.places[0].K) == len(case.places[0].VH) > 0:
            names.append(name)
            far = max(far, *(_change(case, place) for place in case.places))
    text = f"<dE, eta> at a moved place is the projected rate, carried there: {', '.join(names)}"
    yield small("Theorem 5", text, far, ROUNDING)


def _with(expression: sp.Expr, values: Mapping[sp.Expr, sp.Expr]) -> sp.Expr:
    return expression.subs(values).doit()


def _change(case: Case, place: DistributionsAt) -> float:
    there, push = moved(case, place)
    k = len(place.xi) // 2
    return float(np.abs(rate(there) - push[:k, :k] @ projected(case, place)).max())


@cache
def floating() -> Case:
    """A body in the plane with a rotor, free of constraints; its group SE(2) does not commute."""
    space = Space.product(plane("x y"), angle("theta", "omega"), angle("alpha"))
    vx, vy, omega, rate = space.velocities
    mass, body, rotor = sp.symbols("m I J", positive=True)
    L = mass / 2 * (vx**2 + vy**2) + body / 2 * omega**2 + rotor / 2 * (omega + rate) ** 2
    parameters = {"m": 1.2, "I": 0.7, "J": 0.4}
    return Case(System(space, L, parameters=parameters), euclidean("x y", headings="theta"), ("theta",))


def several() -> Iterator[Claim]:
    """Theorem 5 for dim K > 1: coordinates of K whose fields are invariant need commuting generators."""
    case, where = floating(), "Theorem 5, proof"
    p = dict(case.system.values())
    # at rest but for the rotor, without momentum: (I + J) omega + J alphadot = 0
    known = {"x": 0.3, "y": -0.2, "theta": 0.5, "alpha": 0.9, "vx": 0.0, "vy": 0.0, "omega": 0.8, "t": 0.0, **p}
    known["valpha"] = -(p["I"] + p["J"]) / p["J"] * known["omega"]
    place = case.work.at(known)
    count, same = len(place.K), apart(place.K, place.V)
    inside = max(outside(span(case.work.bracket(i, j, known)[None]), place.K) for i, j in ((0, 2), (1, 2)))
    text = f"dimension {count}, brackets {inside:.0e} out of K"
    held = count == 3 and same < ROUNDING and inside < ROUNDING
    yield said(where, "a body with a rotor, no momentum, SE(2): K = V, involutive", held, text)
    moving = case.work.at({**known, "vx": 0.7})
    text = f"dimension {len(moving.K)}, {outside(moving.K, moving.V):.0e} out of V"
    yield said(where, "with a momentum, K are the directions that leave it alone: one", len(moving.K) == 1, text)
    # invariant fields on the orbit of a group have the structure constants of its algebra
    structure = case.work.action.structure
    text = f"structure constants up to {np.abs(structure).max():g}"
    statement = "d/dtheta_j, eta_i can be taken invariant for dim K > 1, with other brackets than those of SE(2)"
    yield said(where, statement, not given.as_plane(structure), text, expected=False, key=True)


def involutive() -> Iterator[Claim]:
    """The end of section 5: K need not be involutive."""
    both = {name: cases()[name] for name in ("penny, SE(2) x S^1", "sleigh with a = 0, SE(2)")}
    far = [max(apart(p.K, p.VH), _isotropic(case, p)) for case in both.values() for p in case.places]
    text = f"K = V n H, isotropic in dq ^ dp: {'; '.join(both)}"
    yield small("section 5, end", text, max(far), ROUNDING)
    for name, case in both.items():
        found = min(outside(span(case.work.bracket(0, 1, p.values)[None]), p.K) for p in case.places)
        text = f"a bracket stands {found:.2f} out of K"
        yield said(
            "section 5, end",
            f"{name}: K is involutive, as in all cases of which the authors are aware",
            found < ROUNDING,
            text,
            expected=False,
            key=True,
            kind=Kind.NEW,
        )


def _isotropic(case: Case, place: DistributionsAt) -> float:
    """The largest dq ^ dp between two vectors of V n H."""
    return float(np.abs(place.VH @ case.canonical(place) @ place.VH.T).max())
