"""The classical forms, the systems on which they are tried, and random consistent states in bulk."""

import functools

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.calculus.graph import evaluate
from dalembert.equations.saddle_form import Numbers
from dalembert.principles.almost_poisson import almost_poisson
from dalembert.principles.chaplygin import chaplygin
from dalembert.principles.gauss import gauss
from dalembert.principles.gibbs_appell import gibbs_appell
from dalembert.principles.hamel import hamel
from dalembert.principles.maggi import maggi
from dalembert.principles.voronec import voronec
from zoo import ZOO, Zoo

WORST = 1e3  # condition number of states and of runs on which forms are compared
WEAK = 0.02  # share of named dependent velocities below which their own form loses digits: 1e-16/WEAK^2
FORMS = {f.__name__: f for f in (gauss, maggi, hamel, voronec, chaplygin, gibbs_appell, almost_poisson)}
sin, cos = sp.sin, sp.cos
t = sp.Symbol("t", real=True)


def redundant_penny():
    """Three rows of rank 2, the third with coefficients that depend on the heading."""
    penny = ZOO["penny"]
    rows = {c.name: c.given for c in penny.constraints}
    mix = sp.Rational(3, 2) * rows["along"] - cos(penny.space["phi"]) * rows["across"]
    return penny.changed(constraints={**rows, "mix": mix})


def massless_wheel():
    """A wheel without inertia: W is singular, and is not on what is allowed."""
    q = da.coordinates("x phi")
    vx, vphi = q.velocities
    F, r = sp.symbols("F r", positive=True)
    return da.System(
        q, vx**2 / 2, {"roll": vx - r * vphi}, {vx: F * cos(q["phi"])}, {"F": 2.0, "r": 0.5}, massless=["phi"]
    )


def conveyor():
    """A blade on a moving belt, in its own frame: affine, time-dependent, brackets; a gyroscopic term and a force."""
    s = da.SE2("x y theta", velocities="v1 v2 omega")
    x, y, theta = s.coordinates
    v1, v2, omega = s.velocities
    belt = sp.Rational(3, 10) * (1 + x / 4 + sin(t) / 5)
    T = (v1**2 + (v2 + omega / 3) ** 2 + omega**2 / 2) / 2
    return da.System(
        s, T + y * omega / 4 - cos(theta) * x / 3, {"blade": v2 + belt * sin(theta)}, {v1: -v1 / 5, omega: y * v1}
    )


def bent():
    """Nonlinear in the velocities, depending on place and time, in a moving frame."""
    s = da.SE2("x y theta", velocities="v1 v2 omega")
    x, _y, theta = s.coordinates
    v1, v2, omega = s.velocities
    T = (v1**2 + sp.Rational(3, 2) * v2**2 + omega**2 + v2 * omega / 2) / 2
    return da.System(s, T - cos(theta) * x, {"bend": v2 + omega**2 * sin(x) / 3 - v1**2 / 5 - cos(t) / 7})


def snakeboard():
    """Board, rotor and two steered axles that turn oppositely [ostrowski1994]."""
    q = da.coordinates("x y theta psi phi")
    _x, _y, theta, _psi, phi, vx, vy, w, vpsi, vphi = q
    m, J, J0, J1, b = sp.symbols("m J J0 J1 b", positive=True)
    L = m / 2 * (vx**2 + vy**2) + J / 2 * w**2 + J0 / 2 * (w + vpsi) ** 2 + J1 / 2 * ((w + vphi) ** 2 + (w - vphi) ** 2)
    rows = {
        "back": -vx * sin(theta + phi) + vy * cos(theta + phi) - b * cos(phi) * w,
        "front": -vx * sin(theta - phi) + vy * cos(theta - phi) + b * cos(phi) * w,
    }
    torque = {vpsi: cos(t), vphi: -phi}
    return da.System(q, L, rows, torque, {"m": 1.2, "J": 0.4, "J0": 0.2, "J1": 0.1, "b": 0.6})


def quartic():
    """A Lagrangian that is not quadratic in the velocities."""
    q = da.coordinates("x y z")
    x, y, _z, vx, vy, vz = q
    T = (vx**2 + vy**2 + vz**2) / 2 + (vx**2 + vz**2) ** 2 / 12 + vy**4 / 9
    return da.System(q, T - x * y, {"contact": vz - y * vx})


OWN = {b.__name__: b for b in (redundant_penny, massless_wheel, conveyor, bent, snakeboard, quartic)}
BUILDERS = {name: functools.partial(ZOO.__getitem__, name) for name in ZOO.names} | OWN
TAKES = {  # systems a form refuses
    "gauss": set(),
    "maggi": set(),
    "voronec": set(),
    "hamel": {"appell_hamel", "bent"},
    "gibbs_appell": {"quartic"},
    "almost_poisson": {"appell_hamel", "bent", "quartic"},
    "chaplygin": set(BUILDERS)
    - {"sleigh", "penny", "disc", "redundant_penny", "massless_wheel", "quartic", "snakeboard"},
}
PAIRS = [(f, s) for f in FORMS for s in BUILDERS if s not in TAKES[f]]


class Shelf(Zoo):
    """Systems and their equations in every form."""

    def equations(self, form, name):
        return super().equations(name, FORMS.get(form, da.nonholonomic))


@pytest.fixture(scope="session")
def shelf():
    return Shelf(BUILDERS)


@pytest.fixture(autouse=True)
def _quiet(recwarn):
    """Redundant rows are told (W113); elsewhere that is tested."""
    yield
    recwarn.clear()


def _moved(q, frame_rates, values, step):
    rates = evaluate(frame_rates, {**values, **step})
    return {name: values[name] + np.asarray(rate) for name, rate in zip(q, rates, strict=True)}


def condition(equations, values):
    """Condition number of the accelerations at states, each velocity in the unit in which it carries energy 1/2.

    It is large where the chart is singular (the disc lying flat): the accelerations themselves are ill-conditioned.
    """
    numbers = Numbers.of(equations.machine.form.rows(equations.kept), values)
    unit = 1 / np.sqrt(np.maximum(np.abs(np.einsum("saa->sa", numbers.W)), 1e-3))
    W = numbers.W * unit[:, :, None] * unit[:, None, :]
    return np.linalg.cond(Numbers(W, numbers.N * unit[:, None, :], numbers.f, numbers.g).bordered)


def _inverse(N, **options):
    """Pseudoinverses (s, k, m); 0 where a number is not finite."""
    fine = np.isfinite(N).all(axis=(1, 2), keepdims=True)
    return np.linalg.pinv(np.where(fine, N, 0.0), **options)


@functools.cache
def consistent(equations, count, seed):
    """``{name: array}`` of random states on the constraints, positions first, then velocities, by Newton's method."""
    rng, space, machine = np.random.default_rng(seed), equations.space, equations.machine
    points = [space.sample(rng) for _ in range(count)]
    values = {name: np.array([p[name] for p in points]) for name in points[0]}
    values |= {k: np.full(count, v) for k, v in equations.system.values().items()}
    values["t"] = rng.uniform(0, 1, count)
    q, u = ([s.name for s in names] for names in (space.coordinates, space.velocities))
    rows = list(machine.position)
    for _ in range(50 if rows else 0):
        f = np.array([np.broadcast_to(evaluate([machine.position[r]], values)[0], count) for r in rows]).T
        N = Numbers.of(machine.form, values).N[:, rows]
        step = -(_inverse(N) @ f[..., None])[..., 0]
        values |= _moved(q, machine.qdot, values, dict(zip(u, step.T, strict=True)))
    for _ in range(50 if machine.phi else 0):
        phi = np.array([np.broadcast_to(p, count) for p in evaluate(machine.phi, values)]).T
        step = -(_inverse(Numbers.of(machine.form, values).N, rcond=1e-9) @ phi[..., None])[..., 0]
        values |= {name: values[name] + d for name, d in zip(u, step.T, strict=True)}
    kept = list(equations.kept)
    N = Numbers.of(machine.form, values).N[:, kept]
    phi = np.array([np.broadcast_to(p, count) for p in evaluate(machine.phi, values)]).reshape(-1, count)
    held = np.abs(phi).max(axis=0, initial=0.0) < 1e-11
    if rows:  # Newton's steps may have gone astray
        held &= np.max([np.abs(evaluate([machine.position[r]], values)[0]) for r in rows], axis=0) < 1e-11
    values, N = {name: v[held] for name, v in values.items()}, N[held]
    held = held[held]
    if kept:  # away from where the constraints lose rank
        held &= np.linalg.svd(N, compute_uv=False)[:, -1] > 0.05
    held &= condition(equations, values) < WORST
    size = np.max([np.abs(values[name]) for name in (*q, *u)], axis=0)
    held &= size < 30
    return {name: v[held] for name, v in values.items()}


@pytest.fixture(scope="session")
def states():
    return consistent
