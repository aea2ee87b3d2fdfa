"""Hamilton's principle and the space of Appendix D of [lewis1995], along runs: Prop. A.1, (3.7), (3.8), Lemma D.1.

With R Lam = hat(p)/2 the matrix of multipliers is a vector: tr(Lam hat(v) R) = -p . v, and (3.9d) says at each time
p = I xi + r (lam1 e2 - lam2 e1), while (3.9c) carries p along with the ball, p(t) = R(t) R(0)^T p(0).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
import sympy as sp
from scipy.integrate import simpson

from dalembert import Space, System, angle, free, nonholonomic, satisfies, simulate, vakonomic
from dalembert.calculus.frame import TIME
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.equations import Equations
from dalembert.systems import ball_on_turntable as ball

from ..claim import Claim, Group, said, small
from .curves import LAM
from .derivations.extended_space import FLOW, Lam, R, Rdot, extended, lagrangian_38
from .derivations.letters import vx, vy, w1, w2, w3, x, y

BEGIN = {**ball.START, "w3": 0.3}
UNTIL, SAME, ALONG = 0.5, 1e-8, 1e-7  # s; of integrals by Simpson's rule; of a path differentiated
t = np.linspace(0.0, UNTIL, 801)


# --- Proposition A.1 -------------------------------------------------------------------------------------------------


@cache
def pendulum() -> System:
    """A double pendulum whose support is shaken: L is regular, not diagonal, and depends on the time."""
    q = Space.product(angle("a"), angle("b"))
    return System(q, "dot(a)^2 + dot(a)*dot(b)*cos(a - b) + dot(b)^2/2 + (2*cos(a) + cos(b))*(9.8 + sin(3*t))")


def hamilton() -> Iterator[Claim]:
    """Proposition A.1: Lagrange's equations and a stationary J, on a motion and on another curve with its ends."""
    path = simulate(free(pendulum()), {"a": 0.4, "b": -0.3, "va": 1.0, "vb": 0.5}, until=UNTIL, rtol=1e-13)
    found = satisfies(pendulum(), path)
    yield small("Proposition A.1", "a motion satisfies Lagrange's equations", found.free.residual, ALONG)
    at = path.at(t)
    motion = {n: np.asarray(at[n]) for n in ("a", "b", "va", "vb")}
    first = max(abs(_slope(motion, bump)) for bump in BUMPS)
    yield small("Proposition A.1", "and dJ u = 0 for u held at the ends, by differences of J", first, 1e-7)
    # another curve with the same ends
    k = np.pi / UNTIL
    other = {**motion, "a": motion["a"] + 0.1 * np.sin(k * t), "va": motion["va"] + 0.1 * k * np.cos(k * t)}
    slopes = [_slope(other, bump) for bump in BUMPS]
    text = f"dJ u = {slopes[0]:.2g}"
    yield said("Proposition A.1", "another curve has a u with dJ u != 0", max(map(abs, slopes)) > 0.05, text)


BUMPS = tuple((name, k) for name in "ab" for k in (1, 2))
_STEP = 1e-4


def _slope(curve: Mapping[str, np.ndarray], bump: tuple[str, int]) -> float:
    """dJ u for u = sin(k pi t/T) along one coordinate: (J(c + s u) - J(c - s u))/2 s."""
    (name, count), s = bump, _STEP
    k = count * np.pi / UNTIL
    J = []
    for sign in (s, -s):
        moved = {name: curve[name] + sign * np.sin(k * t), f"v{name}": curve[f"v{name}"] + sign * k * np.cos(k * t)}
        (L,) = evaluate([read(pendulum().lagrangian, Graph())], {**curve, **moved, "t": t})
        J.append(float(simpson(L, x=t)))
    return (J[0] - J[1]) / (2 * s)


# --- Appendix D ------------------------------------------------------------------------------------------------------


class Run(NamedTuple):
    """The ball's run under a principle, in the letters of (3.8): what its symbols are at the times `t`."""

    values: dict[str, np.ndarray]
    turn: np.ndarray  # R (T, 3, 3)
    spin: np.ndarray  # xi (T, 3)


def _run(principle: Callable[[System], Equations], begin: Mapping[str, float]) -> Run:
    """With R, and with Lam carried along from where (3.9d) holds at first."""
    equations = principle(ball.system())
    path = simulate(equations, begin, until=UNTIL, rtol=1e-13)
    at = {"lam_roll_x": 0.0, "lam_roll_y": 0.0, **ball.system().values(), **path.at(t), "t": t}
    udot, mu = equations.accelerations(at)
    known = {n: np.broadcast_to(np.asarray(x, float), t.shape) for n, x in at.items()}
    graph = Graph()
    flat = evaluate([read(e, graph) for e in ball.SPACE.R], known)
    turn = np.stack(np.broadcast_arrays(*flat), axis=-1).reshape(-1, 3, 3)
    spin = np.array([known[n] for n in ("w1", "w2", "w3")]).T
    # p(0) = I xi + r (lam1 e2 - lam2 e1) ,  Lam(t) = Lam(0) R(0) R(t)^T ,  R(0) Lam(0) = hat(p(0))/2
    lam1, lam2, r = (known[n][0] for n in ("lam_roll_x", "lam_roll_y", "r"))
    p = known["I"][0] * spin[0] + r * np.array([-lam2, lam1, 0.0])
    multipliers = turn[0].T @ _hat(p) @ turn[0] @ turn.transpose(0, 2, 1) / 2
    known |= _named(R, turn) | _named(Lam, multipliers)
    again = Graph()
    flow = evaluate([read(e, again) for e in FLOW.values()], known)
    known |= {s.name: np.broadcast_to(e, t.shape) for s, e in zip(FLOW, flow, strict=True)}
    known |= dict(zip(("ax", "ay", "a1", "a2", "a3"), udot.T, strict=True))
    known |= dict(zip(("lamdot1", "lamdot2"), mu.T, strict=True))
    return Run(known, turn, spin)


def _hat(p: np.ndarray) -> np.ndarray:
    """The matrices (..., 3, 3) with hat(p) v = p x v."""
    return np.asarray(np.cross(np.eye(3), p[..., None, :]))  # row j is e_j x p


def _named(symbols: sp.Matrix, values: np.ndarray) -> dict[str, np.ndarray]:
    """Entries (T, 3, 3) by their symbols' names."""
    return {s.name: e for s, e in zip(symbols, values.reshape(len(values), -1).T, strict=True)}


def rotation() -> Iterator[Claim]:
    """(3.7), along a run of either principle."""
    for principle, begin in ((nonholonomic, BEGIN), (vakonomic, {**BEGIN, **LAM})):
        run = _run(principle, begin)
        # R(T) - R(0) = int hat(xi) R dt
        gained = simpson(_hat(run.spin) @ run.turn, x=t, axis=0)
        off = float(np.abs(run.turn[-1] - run.turn[0] - gained).max())
        yield small("(3.7)", f"Rdot = hat(xi) R along a {principle.__name__} run", off, SAME)


def matrix_of_multipliers() -> Iterator[Claim]:
    """(3.8), Lemmas D.1 and D.2 along a vakonomic run, with Lam carried along by (3.9c)."""
    run = _run(vakonomic, {**BEGIN, **LAM})
    EL = extended()
    rows = [*EL.position, *EL.xi, *EL.R, *EL.lam, *EL.Lam]
    graph = Graph()
    left = evaluate([read(e, graph) for e in rows], run.values)
    off = max(float(np.abs(e).max()) for e in left)
    text = "(3.8) has Lagrange's equations that a vakonomic run satisfies"
    yield small("(3.8) to (3.10), Lemma D.2", text, off / _size(run), SAME)
    free_ends, moved_end = _variations()
    slopes = [_first_variation(run, u) / _size(run) for u in (free_ends, moved_end)]
    yield small("Lemma D.1", "the action of (3.8) is stationary though xi is free at the ends", abs(slopes[0]), SAME)
    # dJ u = [dL/dRdot u]
    off = abs(slopes[1] - _at_ends(run, moved_end) / _size(run)) if abs(slopes[1]) > 1e-2 else math.inf
    text = "and R must be held there: where it is not, dJ u is what dL/dRdot u gains"
    yield small("Lemma D.1", text, off, SAME, what=f"of {slopes[1]:.2g}")


def _size(run: Run) -> float:
    """Of the terms of the equations: the largest multiplier times its matrix."""
    return float(max(np.abs(run.values[s.name]).max() for s in Lam))


def _variations() -> tuple[dict[sp.Symbol, sp.Expr], dict[sp.Symbol, sp.Expr]]:
    """u with xi free at the ends and all else held there; and one that moves R at the last end."""
    s = TIME / UNTIL
    bump = sp.sin(sp.pi * s)
    held = dict(zip((x, y), (bump, bump * s), strict=True)) | {R[0, 1]: bump, R[2, 2]: s * bump}
    return {**held, w1: 1 + s, w2: sp.cos(s), w3: -s}, {**held, R[0, 0]: s, R[1, 2]: s}


def _first_variation(run: Run, u: Mapping[sp.Symbol, sp.Expr]) -> float:
    """int (dL/dq u + dL/dqdot udot) dt with (3.8); lam and Lam are those of the run."""
    L, rates = lagrangian_38(), {x: vx, y: vy, **dict(zip(R, Rdot, strict=True))}
    slope = sum((L.diff(q) * e for q, e in u.items()), sp.S.Zero)
    slope += sum((L.diff(rates[q]) * e.diff(TIME) for q, e in u.items() if q in rates), sp.S.Zero)
    (values,) = evaluate([read(slope, Graph())], run.values)
    return float(simpson(values, x=t))


def _at_ends(run: Run, u: Mapping[sp.Symbol, sp.Expr]) -> float:
    """What dL/dqdot u with (3.8) gains from the first time to the last."""
    L, rates = lagrangian_38(), dict(zip(R, Rdot, strict=True))
    (values,) = evaluate([read(sum(L.diff(rates[q]) * e for q, e in u.items() if q in rates), Graph())], run.values)
    return float(values[-1] - values[0])


GROUPS: tuple[Group, ...] = (hamilton, rotation, matrix_of_multipliers)
