"""The disc of most jobs, on both sides: m = r = g = 1, homogeneous, leaning and rolling."""

from __future__ import annotations

import hashlib
import subprocess
from collections.abc import Sequence
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

import dalembert as da
from dalembert.systems import rolling_disc

from .contest import Missing
from .yardsticks import Yardsticks, cache_folder, compiler, load

PARAMETERS = {"m": 1.0, "r": 1.0, "A": 0.25, "C": 0.5, "g": 1.0}
P = np.array(list(PARAMETERS.values()))
GIVEN = {"x": 0.0, "y": 0.0, "theta": 1.2, "phi": 0.3, "psi": 0.0, "vtheta": 0.1, "vphi": 0.5, "vpsi": 2.0}


@cache
def equations() -> da.nouns.Equations:
    """The equations from the Lagrangian and the two constraints, as a user gets them."""
    return da.nonholonomic(rolling_disc.system(**PARAMETERS))


@cache
def start() -> da.nouns.Start:
    """The start, completed by the library."""
    return equations().start(**GIVEN)


def reduce(values: Any) -> np.ndarray:
    """Columns by name -> states (..., 8) of the hand-reduced equations, w = vpsi + cos(theta) vphi."""
    theta, vphi, vpsi = (np.asarray(values[n]) for n in ("theta", "vphi", "vpsi"))
    names = ("x", "y", "theta", "phi", "psi", "vtheta", "vphi")
    return np.stack([*(np.asarray(values[n]) for n in names), vpsi + np.cos(theta) * vphi], axis=-1)


def reduced_start() -> np.ndarray:
    """The start of the hand-reduced equations, shape (8,)."""
    return reduce(GIVEN)


def rates(xp: Any, y: Sequence[Any], p: Sequence[Any]) -> list[Any]:
    """The hand-reduced equations over any module with sin and cos; y and p of any numbers or expressions."""
    m, r, A, C, g = p
    s, c, sp, cp = xp.sin(y[2]), xp.cos(y[2]), xp.sin(y[3]), xp.cos(y[3])
    vth, vph, w = y[5], y[6], y[7]
    J = m * r * r
    return [
        r * (s * cp * vth + sp * w),
        r * (s * sp * vth - cp * w),
        vth,
        vph,
        w - vph * c,
        (A * vph * vph * s * c - (C + J) * w * vph * s - m * g * r * c) / (A + J),
        (C * w - 2.0 * A * c * vph) * vth / (A * s),
        J * vth * vph * s / (C + J),
    ]


def as_written(values: Any) -> np.ndarray:
    """Columns by name, without vx and vy -> states (..., 10) of the equations as the user wrote them, rolling."""
    s, c, theta = np.sin(values["phi"]), np.cos(values["phi"]), np.asarray(values["theta"])
    along = PARAMETERS["r"] * np.sin(theta) * values["vtheta"]
    across = -PARAMETERS["r"] * (np.cos(theta) * values["vphi"] + values["vpsi"])
    known = {**{name: values[name] for name in GIVEN}, "vx": along * c - across * s, "vy": along * s + across * c}
    return np.stack([np.asarray(known[name]) for name in equations().states], axis=-1)


def many(count: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Starts spread about the one above, by name; shape (count,) each."""
    rng = np.random.default_rng(seed)
    spread = {"theta": 0.1, "vtheta": 0.1, "vphi": 0.1, "vpsi": 0.1}
    values = {name: np.full(count, value) for name, value in GIVEN.items()}
    return {name: v + spread.get(name, 0.0) * rng.uniform(-1, 1, count) for name, v in values.items()}


def public(name: str) -> Any:
    """A name of the library; Missing where this version has none."""
    try:
        return attrgetter(name)(da)
    except AttributeError:
        raise Missing(f"da.{name} is not there yet") from None


def yardsticks() -> Yardsticks:
    """The C library; Missing where there is no compiler, or one that does not understand."""
    if compiler() is None:
        raise Missing("no C compiler")
    try:
        return load()
    except subprocess.CalledProcessError as refused:
        raise Missing(f"the C compiler refuses: {refused.stderr.strip().splitlines()[:1]}") from None


def worst(found: np.ndarray, truth: np.ndarray) -> float:
    """Largest error of states, relative to max(1, |y|)."""
    return float(np.max(np.abs(found - truth) / np.maximum(1.0, np.abs(truth))))


# --- the truth -------------------------------------------------------------------------------------------------------


LONGEST = 20.0  # s, of the slow reference


def truth(times: Sequence[float]) -> np.ndarray:
    """Reduced states (len(times), 8) to 1e-16, from a Taylor series in more digits; kept in the cache folder."""
    key = hashlib.sha256(repr((sorted(PARAMETERS.items()), sorted(GIVEN.items()), list(times))).encode()).hexdigest()
    file = cache_folder() / f"disc-{key[:16]}.npy"
    if not file.exists():
        try:
            found = _by_heyoka(times)
        except ImportError:
            found = _by_series(times)
        np.save(file, found)
    return np.load(file)


def _by_heyoka(times: Sequence[float]) -> np.ndarray:
    import heyoka as hy

    real = hy.real128
    y = hy.make_vars(*(f"y{i}" for i in range(8)))
    names = ("x", "y", "theta", "phi", "psi", "vtheta", "vphi")
    first = [real(GIVEN[n]) for n in names] + [real(GIVEN["vpsi"]) + np.cos(real(GIVEN["theta"])) * real(GIVEN["vphi"])]
    p = [hy.par[i] for i in range(5)]
    run = hy.taylor_adaptive(
        list(zip(y, rates(hy, y, p), strict=True)),
        np.array(first),
        pars=np.array([real(v) for v in P]),
        fp_type=real,
        tol=real("1e-30"),
        compact_mode=True,
    )
    found = []
    for t in times:
        run.propagate_until(real(t))
        found.append([float(v) for v in run.state])
    return np.array(found)


def _by_series(times: Sequence[float]) -> np.ndarray:
    """The same by series in mpmath: slow, and needs nothing but mpmath."""
    try:
        import mpmath as mp
    except ImportError:
        raise Missing("heyoka or mpmath not installed") from None
    if max(times) > LONGEST:
        raise Missing(f"heyoka not installed: a reference beyond {LONGEST:g} s takes minutes without it")
    with mp.workdps(28):
        y0 = [mp.mpf(GIVEN[n]) for n in ("x", "y", "theta", "phi", "psi", "vtheta", "vphi")]
        y0.append(mp.mpf(GIVEN["vpsi"]) + mp.cos(mp.mpf(GIVEN["theta"])) * mp.mpf(GIVEN["vphi"]))
        p = [mp.mpf(v) for v in P]
        solution = mp.odefun(lambda t, y: rates(mp, y, p), 0, y0, tol=mp.mpf(10) ** -20)
        return np.array([[float(v) for v in solution(t)] for t in times])
