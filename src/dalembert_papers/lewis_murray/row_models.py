"""Models with unknowns that are chosen by the row of the experiment: the vakonomic ball, and causes beside rolling."""

from __future__ import annotations

import math
import warnings
from functools import cache
from typing import Any

import numpy as np

from dalembert import DalembertWarning, nonholonomic, simulate, sweep, vakonomic
from dalembert.ensembles import samples, table
from dalembert.equations import Equations
from dalembert.experiment.fit import fit
from dalembert.findings.fit import Fit
from dalembert.question import Guess, Likelihood, Question, Runs
from dalembert.systems import ball_on_turntable as ball

from .row import EVENTS, LONG, PERIOD, READINGS, TURNS, UNIT, Seen, about_third, changes, mean_period, run, seen

# --- the vakonomic ball ----------------------------------------------------------------------------------------------

# lam_roll_x(0), lam_roll_y(0) in g cm/s, w3(0) in rad/s: where motions with five crossings were found
BOX: dict[str, Any] = {"lam_roll_x": (-500.0, 500.0), "lam_roll_y": (-1500.0, -500.0), "w3": (0.0, 50.0)}
SCAN, SEED = 256, 1


# of a search; the motion that is shown is run again
_SEARCH: dict[str, Any] = {"until": LONG, "events": list(EVENTS), "rtol": 1e-8, "atol": 1e-8}

Hit = tuple[tuple[float, ...], float, tuple[float, ...]]


@cache
def scan() -> tuple[Hit, ...]:
    """Vakonomic motions with five crossings on the table from starts all over the box: start, period, changes."""
    drawn = samples(SCAN, seed=SEED, **BOX).draw().columns
    held = {name: np.broadcast_to(float(value), SCAN) for name, value in ball.START.items()}
    # in lanes, which cross often enough; of these alone the crossings are looked at
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)  # motions that are chaotic are no worse a guess
        told = sweep(_equations(), starts=table({**held, **drawn}), keep={"ray": 1}, jobs=1, **_SEARCH)
    often = np.flatnonzero(told["ray_count"].to_numpy() >= TURNS)
    tried = (_tried(tuple(float(drawn[name][i]) for name in BOX)) for i in often)
    return tuple(hit for hit in tried if hit is not None)


@cache
def _equations() -> Any:
    return vakonomic(ball.system())


def _tried(lam: tuple[float, ...]) -> Hit | None:
    equations = _equations()
    begin = equations.start(**ball.START, **dict(zip(BOX, lam, strict=True)))
    path = simulate(equations, begin, **_SEARCH)
    T, d = mean_period(path), changes(path)
    return (lam, T, tuple(map(float, d))) if math.isfinite(T) else None


@cache
def nearest(reading: str) -> Seen:
    """The nearest to the row of all vakonomic motions that are tried.

    Least squares would not do: crossings come and go with the multipliers, and the six numbers jump.
    """
    best = min(scan(), key=lambda hit: _far(hit, reading))[0]
    path = run(_equations(), **dict(zip(BOX, best, strict=True)))
    label = "vakonomic, lam(0) = ({:.0f}, {:.0f}), w3(0) = {:.1f}".format(*best)
    return seen(path, reading, label, len(BOX))


def _far(hit: Hit, reading: str) -> float:
    _, T, d = hit
    return Seen("", 0, T, d if reading == "changes" else tuple(about_third(np.array(d)))).distance


# --- the nonholonomic ball with unknowns -----------------------------------------------------------------------------

LEVEL = (0.0, 0.0)
SWAY = (-0.005, 0.005)  # rad: the edge of the plate goes up and down by 1.5 mm
TILT = {"tilt_x": 1.2e-4, "tilt_y": -3.9e-4}  # rad
PUSH = {"vx": 0.0, "vy": 5.0}
# of the start: half to twice the stated velocity
BOUNDS = {"tilt_x": (-0.01, 0.01), "tilt_y": (-0.01, 0.01), "vx": (-2.5, 2.5), "vy": (2.5, 10.0)}
BOUNDS |= {"Omega": (4.0, 6.0), "wobble_x": SWAY, "wobble_y": SWAY, "mu": (0.0, 50.0), "nu": (0.0, 50.0)}

# what may be other than stated -> options of the system, guesses; of a guess the ball must stay on the table
CAUSES: dict[str, tuple[dict[str, Any], dict[str, float]]] = {
    "tilt": ({"tilt": LEVEL}, TILT),
    "wobble": ({"wobble": LEVEL}, {"wobble_x": -0.002, "wobble_y": 0.001}),
    "mu, nu": ({"mu": 5.0, "nu": 4.0}, {"mu": 5.0, "nu": 4.0}),
    "mu, tilt": ({"mu": 3.0, "tilt": LEVEL}, {"mu": 3.0, "tilt_x": 3.9e-4, "tilt_y": 4.2e-4}),
    "tilt, rate": ({"tilt": LEVEL}, {**TILT, "Omega": 5.0}),
    "tilt, start": ({"tilt": LEVEL}, {**TILT, **PUSH}),
}
# another guess: near where a search ended that takes tens of runs, or from random places ended lower
NEARER: dict[tuple[str, str], dict[str, float]] = {
    ("tilt", "changes"): {"tilt_x": 5.0362e-06, "tilt_y": -5.784e-08},
    ("wobble", "changes"): {"wobble_x": -0.0020795, "wobble_y": 0.00499},
    ("mu, tilt", "changes"): {"mu": 3.025, "tilt_x": 3.8827e-4, "tilt_y": 4.2219e-4},
    ("tilt", "places"): {"tilt_x": 1.2557e-4, "tilt_y": -3.8726e-4},
    ("wobble", "places"): {"wobble_x": -0.0021085, "wobble_y": 0.00499},
    ("mu, nu", "places"): {"mu": 2.7, "nu": 0.1},
    ("mu, tilt", "places"): {"mu": 1.45060774514, "tilt_x": 3.97433252017e-4, "tilt_y": -7.69872527043e-4},
    ("tilt, start", "places"): {"tilt_x": 1.0588e-4, "tilt_y": -3.5776e-4, "vx": -0.96277, "vy": 2.505},
    ("tilt, rate", "places"): {"tilt_x": 1e-6, "tilt_y": -4e-4, "Omega": 5.02},
}
# as changes a tilt alone brings nothing nearer, nor does it with another rate or start; a start alone changes nothing
ASKED = {"changes": tuple(CAUSES)[:4], "places": tuple(CAUSES)}


@cache
def fitted(cause: str, reading: str) -> Fit:
    """The nonholonomic ball with the unknowns of a cause, by least squares in units of the last digit.

    The fit is told the units as if they were uncertainties; what it then says of chances, and its doubts whether the
    model describes the data, are not used.
    """
    guess = {**CAUSES[cause][1], **NEARER.get((cause, reading), {})}
    equations = _rolling(cause)
    asked = Guess(
        start={**ball.START, "w3": 0.0, **{k: v for k, v in guess.items() if k in ball.START}},
        free=list(guess),
        parameters={k: v for k, v in guess.items() if k not in ball.START},
        bounds={name: BOUNDS[name] for name in guess},
    )
    seen_as = Likelihood({"period": mean_period, "d": READINGS[reading]}, {"period": UNIT, "d": UNIT})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DalembertWarning)
        return fit(equations, ball.EXPERIMENT, Question(asked, seen_as, runs=Runs(until=LONG, events=EVENTS)))


@cache
def _rolling(cause: str) -> Equations:
    """The nonholonomic ball with the unknowns of a cause."""
    return nonholonomic(ball.system(**CAUSES[cause][0]))


def of_fit(found: Fit) -> Seen:
    """A fit as a line of the table, with its values in words."""
    parts = []
    for name in ("tilt", "wobble"):
        if f"{name}_x" in found:
            parts.append(f"{name} {math.degrees(math.hypot(found[f'{name}_x'], found[f'{name}_y'])):.3f} deg")
    parts += [f"v(0) = ({found['vx']:.1f}, {found['vy']:.1f})"] if "vx" in found else []
    parts += [f"{name} = {found[name]:.1f}" for name in ("mu", "nu") if name in found]
    parts += [f"{found['Omega'] * 30 / math.pi:.1f} rpm"] if "Omega" in found else []
    d = tuple(map(float, found.predicted[found.column == 1]))
    return Seen(", ".join(parts), len(found), float(found.predicted[0]), d)


# --- a tilt, and the period ------------------------------------------------------------------------------------------

ANGLES = (0.01, 0.02, 0.05)  # degrees


@cache
def tilts() -> tuple[tuple[str, float, Seen], ...]:
    """The ball without friction on a table of which one axis points up or down by an angle: changes."""
    equations = nonholonomic(ball.system(tilt=LEVEL))

    def dips(axis: str, angle: float) -> Seen:
        return seen(run(equations, {f"tilt_{axis}": math.radians(angle)}, w3=0.0), "changes", "")

    ways = [(axis, way, sign) for axis in "xy" for way, sign in (("up", -1), ("down", 1))]
    return tuple((f"{axis} {way}", angle, dips(axis, sign * angle)) for axis, way, sign in ways for angle in ANGLES)


def rate_of_period(T: float = PERIOD) -> float:
    """The table's rate (rpm) at which a solid ball has the period T:  T = 2 pi (1 + m r^2/I)/Omega."""
    return 60 * 3.5 / T


def shape_of_period(T: float = PERIOD) -> float:
    """The I/(m r^2) with which a ball has the period T at 45 rpm."""
    return 1 / (ball.RPM_45 * T / (2 * math.pi) - 1)
