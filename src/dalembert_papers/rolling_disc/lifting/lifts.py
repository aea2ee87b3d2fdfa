"""(25) to (28), (30) to (34) of [cushman1995]: lifts of the reduced motion, and the rate along K and its phases."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from dalembert import simulate
from dalembert.geometry.distributions import DistributionsAt, apart, meet, outside, span
from dalembert.symmetry import phases

from ...claim import Claim, at_hand, author, misprint, said, small
from .. import given
from .cases import CLEAR, ROUNDING, Case, cases, everywhere, worst
from .propositions import moved, perpendicular


def lift() -> Iterator[Claim]:
    """(25): a lift of the reduced motion in H is not one in U."""
    case = cases()["disc, E(2) x SO(2)"]
    place = given.work().places(1)[0]
    xi = case.motion(place)
    # two vectors of M lie over one of M-bar where they differ by V
    zeta = max(place.VH, key=lambda row: outside(row[None], place.U))
    lifted = xi + zeta / np.linalg.norm(zeta) * np.linalg.norm(xi)
    over = max(outside(span((lifted - xi)[None]), place.V), outside(span(lifted[None]), place.H))
    far, near = outside(span(lifted[None]), place.U), outside(span(xi[None]), place.U)
    text = f"xi + zeta, over xi-bar and in H ({over:.0e}), is {far:.2f} out of U, xi is not ({near:.0e})"
    follows = not (max(over, near) < ROUNDING and far > CLEAR)
    printed = said("(25)", "dc~/dt in H gives (27)", follows, text)
    far = max(outside(span(case.motion(p)[None]), p.U) for p in case.places)
    repaired = small("(25)", "dc~/dt lies in U, for the motion by multipliers too", far, ROUNDING)
    derivation = "The sentence before says U, and (27) needs it: a vector of V n H can be added in H."
    yield misprint(printed, repaired, at_hand(derivation, r"d\tilde{c}/dt \in H", r"d\tilde{c}/dt \in U"))


def complements() -> Iterator[Claim]:
    """(26) to (28): B and D, those across K in the kinetic metric and others, and the lift that is tangent to B."""
    far = worst(_not_complementary, in_coordinates=True)
    text = "B + K = U and D + K = V n H, with U from dq ^ dp; both sums are direct"
    yield small("(26), (28)", text, far, ROUNDING, key=True)
    carried = 0.0
    for _, case, p in everywhere():
        if not case.headings:
            continue
        there, push = moved(case, p)
        pairs = ((getattr(each.decomposition, n) for each in (there, p)) for n in "BD")
        carried = max(carried, *(apart(after, span(before @ push.T)) for after, before in pairs))
    yield small(
        "(26), (28)", "the group carries B and D to themselves, taken across K in the metric", carried, ROUNDING
    )
    far = worst(lambda case, p: _lift(case, p, p.decomposition.motion))
    yield small("(27)", "the motion without its part along K lies in B, over the same reduced motion", far, ROUNDING)


def _not_complementary(case: Case, p: DistributionsAt) -> float:
    """How far U is from B + K, and V n H from D + K; 1 where a sum is not direct."""
    U, gap = perpendicular(case, p, p.VH), 0.0
    for split in (p.decomposition, p.decompose(seed=1)):
        for part, whole in ((split.B, U), (split.D, p.VH)):
            direct = len(part) + len(split.K) == len(span(part, split.K))
            gap = max(gap, apart(span(part, split.K), whole) if direct else 1.0)
    return gap


def _lift(case: Case, p: DistributionsAt, lifted: np.ndarray) -> float:
    """How far a lift is out of B, and how far it is from the motion but for directions of the group."""
    rest = case.motion(p) - lifted
    return max(outside(span(rows[None]), V) for rows, V in ((lifted, p.decomposition.B), (rest, p.V)) if rows.any())


def components() -> Iterator[Claim]:
    """(30), (31): the motion by multipliers, split, against dq ^ dp and dE on B and on C."""
    for where, name in (("(30)", "B"), ("(31)", "C")):
        far = worst(partial(_component, name), in_coordinates=True)
        yield small(where, f"xi_{name} _| omega_{name} = d_{name} E, omega being dq ^ dp", far, ROUNDING)


def _component(name: str, case: Case, p: DistributionsAt) -> float:
    """omega(xi_B, b) - dE(b) for b in B, or the same of C."""
    split = p.decomposition
    part = split.parts(case.motion(p))["BCD".index(name)]
    rows = getattr(split, name)
    gap = rows @ (part @ case.canonical(p) - case.energy(p))
    return float(np.abs(gap).max(initial=0.0) / np.abs(case.energy(p)).max())


def tangent() -> Iterator[Claim]:
    """Before (33): where eta lies, and why xi_C lies in K; the motion is that by multipliers."""
    far = lies = shares = 0.0
    for _, case, p in everywhere():
        if len(p.K):
            split = p.decomposition
            rows = [case.work.derivative(phi, p.values) for phi in case.work.form.phi]
            far = max(far, float(np.abs(np.array(rows) @ split.eta.T).max()))
            _, along, vertical = split.parts(case.motion(p))
            lies = max(lies, float(np.abs(vertical).max(initial=0.0)))
            shares = max(shares, outside(meet(p.U, split.C), p.K), outside(span(along[None]), p.K))
    text = f"dphi(eta) = {far:.1e}"
    printed = said("before (33)", "the eta do not lie in TM", far > CLEAR, text)
    repaired = small("before (33)", "the eta lie in TM, and xi_C lies in U n C = K", shares, ROUNDING)
    derivation = "eta lies in C, C in H, H in TM; xi and B lie in U and xi_D = 0, hence xi_C in K. (33) is right."
    yield misprint(printed, repaired, author(derivation))
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
    """(33), (34): the rate along K is dE(eta), and its integral along a motion the phase."""
    gap = 0.0
    names: set[str] = set()
    for name, case, p in everywhere():
        if len(p.K) and len(p.K) == len(p.VH):
            gap, names = max(gap, float(np.abs(rate(p) - projected(case, p)).max())), {*names, name}
    text = f"thetadot_i = <dE, eta_i> is the velocity's part along K in the kinetic metric: {len(names)} systems"
    yield small("(33), (34)", text, gap, ROUNDING, key=True)
    yield quadrature()


def rate(p: DistributionsAt) -> np.ndarray:
    """<dE, eta_i> K_i, what it moves of the place."""
    split = p.decomposition
    return np.asarray((split.eta @ p.local.dE) @ split.K)[: len(p.xi) // 2]


def projected(case: Case, p: DistributionsAt) -> np.ndarray:
    """The part of the velocity along K = V n H in the kinetic metric."""
    k = len(p.xi) // 2
    u = case.motion(p)[:k]
    W, S = p.local.omega[:k, k:], p.VH[:, :k]
    return np.asarray(S.T @ np.linalg.solve(S @ W @ S.T, S @ W @ u))


def quadrature() -> Claim:
    """The particle's phase in closed form: xdot sqrt(1 + y^2) is constant, and the lift moves along y alone."""
    case = cases()["particle, R^2"]
    start = {"x": 0.0, "y": 0.3, "z": 0.0, "vx": 0.8, "vy": -0.5}
    path = simulate(case.equations, start, until=4.0, samples=np.linspace(0.0, 4.0, 21))
    found = phases(case.system, path, case.symmetry).phases["x"]
    speed = start["vx"] * np.sqrt(1 + start["y"] ** 2)
    known = speed * (np.arcsinh(path["y"]) - np.arcsinh(start["y"])) / start["vy"]
    off = float(np.abs(found - known).max())
    return small("(34)", "the particle's phase is an arsinh, by quadrature of the rate", off, 1e-7)
