"""(25), (32) to (34) of [cushman1995]: lifts of the reduced motion, and the rate along K."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....geometry.subspaces import apart, meet, outside, span
from ...claim import Claim, said, small
from .. import given
from .cases import CLEAR, ROUNDING, cases, everywhere, worst
from .splitting import Split


def lift() -> Iterator[Claim]:
    """(25): a lift of the reduced motion in H is not one in U."""
    place = given.work().places(1)[0]
    # two vectors of M lie over one of M-bar where they differ by V
    zeta = max(place.VH, key=lambda row: outside(row[None], place.U))
    lifted = place.xi + zeta / np.linalg.norm(zeta) * np.linalg.norm(place.xi)
    over = max(outside(span((lifted - place.xi)[None]), place.V), outside(span(lifted[None]), place.H))
    far = outside(span(lifted[None]), place.U)
    text = f"xi + zeta, over xi-bar and in H ({over:.0e}), is {far:.2f} out of U"
    follows = not (over < ROUNDING and far > CLEAR)
    yield said("(25)", "as printed: dc~/dt in H gives (27)", follows, text, expected=False, key=True)
    both = worst(lambda p: apart(meet(p.U, p.V), p.K))
    yield small("(25)", "with dc~/dt in U, lifts of dc-bar/dt differ by K", both, ROUNDING)


def tangent() -> Iterator[Claim]:
    """Before (33): where eta lies, and why xi_C lies in K."""
    far = lies = shares = 0.0
    for _, case, p in everywhere():
        if len(p.K):
            split = Split.of(p)
            rows = [case.work.derivative(phi, p.values) for phi in case.work.form.phi]
            far = max(far, float(np.abs(np.array(rows) @ split.eta.T).max()))
            lies = max(lies, float(np.abs(split.part(p.xi)[1]).max(initial=0.0)))
            shares = max(shares, outside(meet(p.U, split.C), p.K), outside(span(split.part(p.xi)[0][None]), p.K))
    text = f"dphi(eta) = {far:.1e}"
    yield said("before (33)", "as printed: the eta do not lie in TM", far > CLEAR, text, expected=False, key=True)
    yield small("before (33)", "repaired: they do, and xi_C lies in U n C = K", shares, ROUNDING, key=True)
    yield small("(32)", "xi_D = 0", lies, ROUNDING)
    yield example()


def example() -> Claim:
    """eta of the particle in closed form."""
    case = cases()["particle, R^2"]
    place = case.places[0]
    known = place.values["y"]
    # eta = (d/dv_x + y d/dv_z)/(m (1 + y^2)) on M, where K = d/dx + y d/dz
    rows = np.array([[0, 0, 0, 1, 0, known]]) / (place.values["m"] * (1 + known**2))
    K = np.array([[1, 0, known, 0, 0, 0]])
    gap = max(outside(span(rows), place.H), apart(span(K), place.K), abs(float(place.omega(K, rows)[0, 0]) - 1))
    return small("before (33)", "the particle: eta = d/dv_x/(1 + y^2), in M's coordinates", gap, ROUNDING)


def equation() -> Iterator[Claim]:
    """(33), (34): the rate along K is dE(eta)."""
    gap, names = 0.0, set()
    for name, _, p in everywhere():
        if len(p.K):
            split = Split.of(p)
            along = split.part(p.xi)[0]
            rate = np.linalg.lstsq(p.K.T, along, rcond=None)[0]
            gap = max(gap, float(np.abs(rate - split.eta @ p.local.dE).max()))
            names.add(name)
    yield small("(33), (34)", f"thetadot_i = <dE, eta_i>: {len(names)} systems with K != 0", gap, ROUNDING, key=True)
