"""The paper's ball by the functions that any system can be given to: forms, limits, coincidence, ends, derivatives."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np
import sympy as sp
from scipy.integrate import simpson

from dalembert import DalembertWarning, System, coincide, nonholonomic, sensitivities, simulate, two_point, vakonomic
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate
from dalembert.equations import Equations
from dalembert.experiment.compare import compare
from dalembert.experiment.fit import fit
from dalembert.experiment.penalty_limit import limit
from dalembert.model.constraint import Constraint
from dalembert.penalties import inertial, viscous
from dalembert.principles.coincide import Coincidence, Coincident
from dalembert.question import Guess, Question
from dalembert.record import Record
from dalembert.systems import ball_on_turntable as ball
from dalembert.trajectory import Trajectory

from ..claim import Claim, Group, said, small
from ..every_form import every_form

SPAN, NU = 0.5, 3.0
LAM = {"lam_roll_x": 2.0, "lam_roll_y": -1.0}
BEGIN = {**ball.START, "w3": 0.0}
TIMES = np.linspace(0.05, SPAN, 10)
ENDS = {"x": 10.0, "y": 0.0}, {"x": 11.0, "y": 1.0}
LEFT = {
    "chaplygin": "the velocities are not the rates of the coordinates",
    "symplectic": "is affine in the velocities",
}


def forms() -> Iterator[Claim]:
    """The nonholonomic equations by every route."""
    yield from every_form("(3.4)", {"ball": ball.system()}, LEFT)


# --- Lemma 3.1 -------------------------------------------------------------------------------------------------------


@cache
def lemma() -> Coincidence:
    """When nonholonomic motions of the ball are vakonomic."""
    return coincide(ball.system())


def branches() -> Iterator[Claim]:
    """Lemma 3.1 from L and the constraints alone, its exceptions with their multipliers."""
    found = lemma()
    x, y, vx, vy, w3 = (ball.SPACE[name] for name in ("x", "y", "vx", "vy", "w3"))
    m, r, I, Omega = ball.M, ball.RADIUS, ball.INERTIA, ball.OMEGA
    rate = I * Omega / (I + m * r**2)
    circle = {vx: -rate * y, vy: rate * x, w3: Omega}
    here = [b for b in found.branches if b.here]
    yield said("Lemma 3.1", "the exceptions are rest, the centred circle, and rest on the axis", *_counted(here, 3))
    turning = [b for b in here if not b.resting]
    text = "; ".join(str(c) for b in turning for c in b.conditions)
    same = len(turning) == 1 and _vanish(turning[0].conditions, circle) and len(turning[0].conditions) == 3
    yield said("Lemma 3.1", "circles about the axis at the rate I Omega/(I + m r^2), w3 = Omega", same, text)
    lam = turning[0].multipliers if turning else {}
    wanted = {"lam_roll_x": -I * vx / r**2, "lam_roll_y": -I * vy / r**2}
    agreed = {s.name: sp.simplify((e - wanted[s.name]).xreplace(circle)) for s, e in lam.items()}
    right = set(agreed) == set(wanted) and not any(agreed.values())
    yield said("Lemma 3.1", "there lam(0) = -(I/r^2) (vx, vy), and no other", right and turning[0].unique, str(lam))
    still = [b for b in found.branches if not b.here and not b.conditions]
    text = f"{len(still)} of all motions"
    yield said("Lemma 3.1", "Omega = 0: every motion, with lam(0) = 0", _every(still, Omega), text)


def _counted(here: list[Coincident], wanted: int) -> tuple[bool, str]:
    return len(here) == wanted and all(b.confirmed for b in here), f"{len(here)} branches"


def _vanish(conditions: Any, values: dict[Any, Any]) -> bool:
    return all(sp.simplify(c.xreplace(values)) == 0 for c in conditions)


def _every(still: list[Coincident], Omega: sp.Symbol) -> bool:
    return len(still) == 1 and set(still[0].parameters) == {Omega} and not any(still[0].multipliers.values())


# --- Section 2.4 and Figure 3: constraints as limits -----------------------------------------------------------------


def friction() -> Iterator[Claim]:
    """Strong friction: the nonholonomic motion, and its reactions."""
    # Q = -c phi dphi/du tends to lam N:  c phi + lam = 0
    yield from _limiting(viscous, nonholonomic, BEGIN, "c phi tends to minus the reactions lam")


def inertia() -> Iterator[Claim]:
    """A strong inertia: the vakonomic motion, and its multipliers."""
    # p = dL/du + M phi dphi/du = dL/du - lam N:  M phi + lam = 0
    yield from _limiting(inertial, vakonomic, {**BEGIN, **LAM}, "M phi tends to minus the multipliers lam")
    one_row = partial(inertial, only="roll_x")
    with warnings.catch_warnings():  # of moments that no body has (W109): inertia about one axis alone
        warnings.simplefilter("ignore", DalembertWarning)
        found = limit(ball.system(), one_row, vakonomic, start={**BEGIN, **LAM}, until=SPAN, times=TIMES)
    statement = "so it does where one of the two rows is inertia and the other is imposed"
    yield small("2.4", statement, abs(found.order - 1), 0.02, what="from order 1")


def _limiting(
    penalty: Callable[..., System], principle: Callable[[System], Equations], begin: Mapping[str, float], pushed: str
) -> Iterator[Claim]:
    """The limit of the motion, and of what holds it on the constraints."""
    system = ball.system(nu=NU)
    found = limit(system, penalty, principle, start=begin, until=SPAN, times=TIMES)
    last = float(found.distances[-1].max())
    text, right = f"order {found.order:.3f}, the last error {last:.1e}", abs(found.order - 1) < 0.02 and last < 1e-4
    statement = f"{penalty.__name__} constraints tend to the {found.principle} motion as 1/strength"
    yield said("2.4", statement, right, text, key=True)
    strong, exact, late = found.paths[-1], found.reference.at(TIMES), TIMES[len(TIMES) // 2 :]
    worst = max(_off(c, system, strong, float(found.strengths[-1]), exact, late) for c in system.constraints)
    yield small("2.4", pushed, worst, 1e-3)


def _off(
    constraint: Constraint,
    system: System,
    strong: Trajectory,
    strength: float,
    exact: Mapping[str, Any],
    late: np.ndarray,
) -> float:
    """strength phi + lam at late times, over the largest lam."""
    known = {**system.values(), **dict(strong.at(late))}
    (phi,) = evaluate([read(constraint.phi, Graph())], known)
    lam = exact[f"lam_{constraint.name}"]
    return float(np.abs(strength * phi + lam[-len(late) :]).max() / np.abs(lam).max())


# --- ends, derivatives, data -----------------------------------------------------------------------------------------


def ends() -> Iterator[Claim]:
    """Vakonomic curves join given ends, and are stationary among those the constraints allow."""
    system = ball.system()
    curves = vakonomic(system)
    found = two_point(curves, *ENDS, duration=1.0, starts=10)
    best = found[0]
    again = simulate(curves, best.start, until=1.0)
    missed = float(np.hypot(again.at(1.0)["x"] - 11.0, again.at(1.0)["y"] - 1.0))
    yield small("Definition 2.5", "the curve of least action ends where it is to", missed, 1e-7, what="cm")
    other = two_point(curves, *ENDS, duration=1.0, starts=10, seed=1)[0]
    apart = abs(best.action - other.action) / abs(best.action)
    yield small("Definition 2.5", "other starts of the search find its action", apart, 1e-8)
    # S = int L dt
    t = np.linspace(0.0, 1.0, 2001)
    at = {**system.values(), **dict(again.at(t))}
    (L,) = evaluate([read(system.lagrangian, Graph())], at)
    action = float(simpson(L, x=t))
    yield small("(2.9)", "its action is the integral of L", abs(action - best.action) / abs(best.action), 1e-9)


def derivatives() -> Iterator[Claim]:
    """Derivatives of the motion by parameters and start values against those of the closed form."""
    equations = nonholonomic(ball.system(nu=5.0, mu=6.0))
    start = equations.start(**ball.START, w3=0.0)
    found = sensitivities(equations, start, until=2.0, by=["nu", "Omega", "vy"], samples=[0.0, 2.0])
    values, first = dict(start.parameters), list(ball.START.values())
    for name in found.by:
        h = 1e-5 * max(1.0, abs({**values, **ball.START}[name]))
        exact = (_closed(values, first, name, h) - _closed(values, first, name, -h)) / (2 * h)
        seen = np.array([found.values[-1, found.names.index(q), found.by.index(name)] for q in ("x", "y")])
        apart = float(np.abs(seen - exact).max() / np.abs(exact).max())
        yield small("(3.6)", f"d(x, y)/d{name} after 2 s is that of the closed form", apart, 1e-6)


def _closed(values: dict[str, float], first: list[float], name: str, h: float) -> np.ndarray:
    moved, begin = dict(values), dict(zip(ball.START, first, strict=True))
    (begin if name in begin else moved)[name] += h
    return np.asarray(ball.exact(2.0, list(begin.values()), moved)[:2])


def fitted() -> Iterator[Claim]:
    """A record of the closed form: what a fit finds, and how sure it says it is."""
    equations = nonholonomic(ball.system(nu=5.0))
    start = equations.start(**ball.START, w3=0.0)
    values, sigma = dict(start.parameters), 0.01
    t = np.linspace(0.0, 5.0, 51)
    x, y, _, _ = ball.exact(t, list(ball.START.values()), values)
    record = Record({"t": t, "x": x, "y": y}, "the closed form", {"x": sigma, "y": sigma})
    asked = Question(Guess(start=dict(BEGIN), free=["nu"], parameters={"nu": 4.0}))
    found = fit(equations, record, asked)
    yield small("(3.6)", "nu is found in a record of the closed form", abs(found["nu"] - 5.0), 1e-5)
    h = 1e-4
    up, down = (ball.exact(t, list(ball.START.values()), {**values, "nu": 5.0 + e})[:2] for e in (h, -h))
    # sigma_nu = sigma/|d(x, y)/dnu|
    wanted = sigma / float(np.linalg.norm((up - down) / (2 * h)))
    apart = abs(found.errors["nu"] - wanted) / wanted
    yield small("(3.6)", "and its uncertainty follows from the slope of the closed form", apart, 1e-4)
    # known before as 5 + 2 sigma_nu, to sigma_nu:  nu = 5 + sigma_nu ,  to sigma_nu/sqrt(2)
    asked = replace(asked, guess=replace(asked.guess, priors={"nu": (5.0 + 2 * wanted, wanted)}))
    with warnings.catch_warnings():  # what the record leaves is less than its noise: it has none
        warnings.simplefilter("ignore", DalembertWarning)
        found = fit(equations, record, asked)
    off = max(abs((found["nu"] - 5.0) / wanted - 1), abs(found.errors["nu"] / wanted * math.sqrt(2) - 1))
    yield small("(3.6)", "half of what was known before of nu is kept, where it is known as well", off, 1e-2)


def apart() -> Iterator[Claim]:
    """The two principles from one start: how they part, by `compare`."""
    system, begin = ball.system(), {**BEGIN, "lam_roll_x": 0.0, "lam_roll_y": 0.0}
    both = compare(system, [nonholonomic, vakonomic], start=begin, until=SPAN, samples=[0.01, 0.02, SPAN])
    pair = both.pairs[0]
    named = {q: i for i, q in enumerate(pair.columns)}
    seen = np.hypot(*(pair.differences[:, named[q]] for q in ("x", "y")))
    p, v = system.values(), np.hypot(begin["vx"], begin["vy"])
    I, mr2 = p["I"], p["m"] * p["r"] ** 2
    # lamdot = (m I Omega/J) (-ydot, xdot), and the accelerations are (r^2/J) |lam| |w3 - Omega| apart
    rate = mr2 * I * p["Omega"] / (I + mr2) ** 2 * v * abs(begin["w3"] - p["Omega"]) / 6
    first, second = seen[-3:-1] / np.array([0.01, 0.02]) ** 3
    statement = "the principles part as (m r^2 I Omega/(6 J^2)) |v| |w3 - Omega| t^3 at first, J = I + m r^2"
    yield small("2.5", statement, abs((2 * first - second) / rate - 1), 1e-2)
    one, other = (np.array([path.at(pair.parts_at)[n] for n in pair.columns]) for path in both.paths)
    turned = np.array([n.startswith("R_") for n in pair.columns])
    other = np.where(turned, other * np.sign(one[turned] @ other[turned]), other)
    share = float(np.abs((other - one) / list(both.scales.values())).max())
    statement = "visibly so from where a coordinate is, by 1 % of its range"
    yield small("2.5", statement, abs(share / 0.01 - 1), 1e-6, what=f"at {pair.parts_at:.4f} s")


GROUPS: tuple[Group, ...] = (forms, branches, friction, inertia, ends, derivatives, fitted, apart)
