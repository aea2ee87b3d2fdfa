"""Known unknowns are found again in simulated tracks, within the uncertainties that are stated."""

import numpy as np
import pytest
from scipy import stats

import dalembert as da
from dalembert.systems import ball_on_turntable as ball
from dalembert.systems import chaplygin_sleigh as sleigh

SEEDS, NOISE = 100, 0.02
T = np.linspace(0, 8, 41)


def covered(truth, fits, names):
    """How many of the fits have each true value in their 95 per cent interval; squared distances of all at once."""
    each = {n: sum(abs(f[n] - truth[n]) <= 1.959964 * f.errors[n] for f in fits) for n in names}
    far = [np.array([f[n] - truth[n] for n in names]) for f in fits]
    square = np.array([d @ np.linalg.solve(f.covariance, d) for d, f in zip(far, fits, strict=True)])
    return each, square


def test_a_rolling_ball_with_known_noise_in_95_of_100_seeds(table, circle, simulated, guess):
    names = ("x", "y", "vx", "vy", "Omega")
    fits = [
        da.fit(
            table,
            simulated(circle, T, ("x", "y"), NOISE, seed),
            start={**guess, "x": 9.8, "y": 0.3},
            free=names,
            parameters={"Omega": 4.5},
        )
        for seed in range(SEEDS)
    ]
    truth = {**ball.START, "Omega": ball.RPM_45}
    each, square = covered(truth, fits, names)
    # the count is binomial with p = 0.95: 88 to 100 in all but one of 500 sets
    assert all(88 <= n <= 100 for n in each.values()), each
    # all five at once, at the 95 per cent of chi2 with 5 degrees of freedom
    inside = int((square <= stats.chi2.ppf(0.95, 5)).sum())
    assert 88 <= inside <= 100, inside
    # and the goodness of fit is uniform, as chance has it
    assert stats.kstest([f.p_value for f in fits], "uniform").pvalue > 1e-3


@pytest.mark.parametrize(("seeds", "least"), [(40, 33), (SEEDS, 88)])
def test_with_noise_that_is_not_known(table, circle, simulated, guess, seeds, least):
    """The squared distance from the truth follows F then, with as many degrees of freedom as the noise is known by."""
    names = ("vx", "vy", "Omega")
    times = T[::3]
    fits = [
        da.fit(table, simulated(circle, times, ("x",), NOISE, seed, known=False), start=guess, free=names)
        for seed in range(seeds)
    ]
    _, square = covered({**ball.START, "Omega": ball.RPM_45}, fits, names)
    inside = int((square / 3 <= stats.f.ppf(0.95, 3, fits[0].dof)).sum())
    assert inside >= least, inside  # in all but one of 500 sets
    noise = np.array([f.noise["x"] for f in fits])
    # the mean of s^2 dof/sigma^2 is dof, of standard deviation sqrt(2 dof/seeds)
    dof = fits[0].dof
    assert abs(np.mean(noise**2) / NOISE**2 - 1) < 4 * np.sqrt(2 / dof / seeds)


def test_vakonomic_multipliers_are_found_with_the_rest(simulated):
    e = da.vakonomic(ball.system())
    truth = {**ball.START, "w3": 1.0, "lam_roll_x": 60.0, "lam_roll_y": -150.0}
    path = da.simulate(e, e.start(**truth), until=1.5)
    start = {**truth, "vx": 0.3, "vy": 5.3, "lam_roll_x": 0.0, "lam_roll_y": 0.0}
    names = ("vx", "vy", "lam_roll_x", "lam_roll_y")
    inside = 0
    for seed in range(8):
        track = simulated(path, np.linspace(0, 1.5, 31), ("x", "y"), NOISE, seed)
        fit = da.fit(e, track, start=start, free=names, starts=4)
        d = np.array([fit[n] - truth[n] for n in names])
        inside += d @ np.linalg.solve(fit.covariance, d) <= stats.chi2.ppf(0.95, 4)
        assert fit.adequate
    assert inside >= 6  # binomial, 8 times 0.95: fewer once in 1700


def test_a_sleigh_with_its_mass_and_its_offset(simulated):
    """A holonomy-free other system: a constraint that is linear, a motion that dies out."""
    system = sleigh.system()
    e = da.nonholonomic(system)
    start = dict(next(iter(sleigh.STARTS.values())))
    path = da.simulate(e, e.start(**start), until=4)
    values, name = system.values(), "a"
    track = simulated(path, np.linspace(0, 4, 40), ("x", "y", "theta"), 0.01, 5)
    fit = da.fit(e, track, start=start, free=[name], parameters={name: values[name] * 1.3})
    assert abs(fit[name] - values[name]) < 3 * fit.errors[name]


@pytest.mark.parametrize("coefficients", [{"nu": 3.0}, {"mu": 6.0}, {"nu": 2.0, "mu": 4.0}])
def test_friction_is_found(coefficients, simulated):
    e = da.nonholonomic(ball.system(**coefficients))
    path = da.simulate(e, e.start(**ball.START, w3=0.0), until=12)
    track = simulated(path, np.linspace(0, 12, 121), ("x", "y"), NOISE, 8)
    guess = {name: 1.0 for name in coefficients}
    fit = da.fit(e, track, start={**ball.START, "w3": 0.0}, free=["vx", "vy", *coefficients], parameters=guess)
    for name, value in coefficients.items():
        assert abs(fit[name] - value) < 3 * fit.errors[name]
        assert fit.errors[name] < 0.2 * value


def test_dry_friction_and_a_spring_from_half_swings_that_end_at_rest(simulated):
    """Of 11 half swings, the last second is at rest; the fit goes through every reversal."""
    values = {"m": 1.0, "k": 20.0, "F": 0.9}
    law = [da.forces.dry("x", "F")]
    system = da.System(da.coordinates("x"), "m/2*dot(x)^2 - k/2*x^2", forces=law, parameters=values)
    equations, start, inside = da.nonholonomic(system), {"x": 1.0, "vx": 0.0}, 0
    path = da.simulate(equations, start, until=9)
    assert path.modes[-1] == (pytest.approx(11 * np.pi / np.sqrt(20), abs=1e-9), "dry_x", "sticks")
    for seed in range(8):
        track = simulated(path, np.linspace(0, 9, 181), ("x",), 0.01, seed)
        guess = {"k": 22.0, "F": 1.2} if seed % 2 else {"k": 18.0, "F": 0.5}
        fit = da.fit(equations, track, start=start, free=("k", "F"), parameters=guess)
        d = np.array([fit[n] - values[n] for n in ("k", "F")])
        inside += d @ np.linalg.solve(fit.covariance, d) <= stats.chi2.ppf(0.95, 2)
        assert fit.adequate and fit.errors["F"] < 0.002 and fit.errors["k"] < 0.01
    assert inside >= 6  # binomial, 8 times 0.95: fewer once in 1700
