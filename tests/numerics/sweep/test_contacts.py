"""Sweeps of bodies that touch: members are those of single runs, and one that is refused does not end the others."""

import math

import numpy as np
import pytest

import dalembert as da

g, R = 9.81, 0.1
q = da.coordinates("x y phi", velocities="vx vy w")
y = q.coordinates[1]
vx, vy, w = q.velocities
lane = da.contact(gap=y - R, slip=[vx - R * w], mu="mu", restitution=0.3)
ball = da.nonholonomic(
    da.System(q, vx**2 + vy**2 + R**2 * w**2 * 2 / 5 - 2 * g * y, contacts={"lane": lane}, parameters={"mu": 0.2})
)
START = {"x": 0, "y": R, "phi": 0, "vx": 2.0, "vy": 0, "w": 0}


def test_members_begin_to_roll_when_their_speed_and_friction_say():
    """t = 2 v0/(7 mu g); a negative coefficient is a member that was refused."""
    v0, mu = np.array([1.0, 2.0, 3.0]), np.array([-0.1, 0.1, 0.2])
    found = da.sweep(
        ball,
        starts={**START, "vx": v0},
        parameters={"mu": mu},
        until=3.5,
        times=[1.0, 3.5],
        keep=["vx", "energy", {"rolls": lambda path: path.modes[-1][0]}],
    )
    assert (found.outcome.values == np.where(mu > 0, 0, 138)).all()
    rolls = 2 * v0[:, None] / (7 * mu[1:] * g)
    assert found.rolls.values[:, 1:] == pytest.approx(rolls, abs=1e-12)
    assert found.vx.values[:, 1:, 1] == pytest.approx(np.broadcast_to(5 / 7 * v0[:, None], (3, 2)), abs=1e-12)
    assert found.energy_drift.values[:, 1:].max() < 1e-12


@pytest.mark.parametrize(("jobs", "batch"), [(1, 4), (2, 1)])
def test_a_member_that_bounces_is_the_single_run(jobs, batch):
    """Its end, its energy, its events, and the work that impacts have taken, whatever members share its code."""
    height, mu, events = [0.5, 1.0], [0.02, 0.03], [da.Event("fast", q.coordinates[0] - 1)]
    given = {"starts": {**START, "y": height}, "parameters": {"mu": mu}, "until": 3.0, "times": [0.4, 3.0]}
    told = ["lane_changes", "lane_mode", "lane_impacts", "lane_impulse", "energy_jumps"]
    found = da.sweep(ball, **given, events=events, jobs=jobs, batch=batch, keep=[*START, "fast", *told])
    for i, j in np.ndindex(2, 2):
        path = da.simulate(ball, {**START, "y": height[i]}, until=3.0, events=events, parameters={"mu": mu[j]})
        inside = path.dense(np.array(given["times"]))[:, : len(START)].T
        assert np.array([found[name].values[i, j] for name in START]) == pytest.approx(inside, abs=1e-12)
        said, lost = [word for _, _, word in path.modes], found.energy_jumps.values[i, j]
        assert found.lane_changes.values[i, j] == len(said) - 1 == 2
        assert found.steps.values[i, j] == path.audit.steps
        assert found.lane_impacts.values[i, j] == len(path.impulses["lane"]["normal"]) > 2
        assert ("apart", "slides", "sticks")[int(found.lane_mode.values[i, j])] == said[-1]
        assert found.lane_impulse.values[i, j] == pytest.approx(path.impulses["lane"]["normal"].sum(), rel=1e-12)
        assert f"changed the energy by {lost:.6g}" in " ".join(path.audit.notes)
        assert found.fast_time.values[i, j] == pytest.approx(path.marks["fast"].t[0], abs=1e-12)
    assert (found.verdict.values == 0).all()


def test_members_that_no_motion_follows_from_are_told():
    """Painleve's rod: members beyond the critical friction end with E410, whose number is the outcome."""
    space = da.coordinates("x y th", velocities="vx vy w")
    tip = da.contact(gap="y - sin(th)", slip=["vx + w*sin(th)"], mu="mu")
    rod = da.System(space, "(vx^2 + vy^2)/2 + w^2/6 - 9.81*y", contacts={"tip": tip}, parameters={"mu": 1})
    th = math.atan(2)
    start = {"x": 0, "y": math.sin(th), "th": th, "vx": -3, "vy": 0, "w": 0}
    found = da.sweep(da.nonholonomic(rod), starts=start, parameters={"mu": [1.33, 1.34]}, until=0.1)
    assert found.outcome.values.tolist() == [0, 410]


def test_reactions_are_told_by_paths_alone():
    with pytest.raises(da.DalembertError, match=r"(?s)E317.*lane_mode"):
        da.sweep(ball, starts=START, until=1.0, keep=["lane_modes"])
    with pytest.raises(da.DalembertError, match="E317"):
        da.sweep(ball, starts=START, until=1.0, keep=["lane_normal"])
    with pytest.raises(da.DalembertError, match="E139"):
        da.sweep(da.vakonomic(ball.system), starts=START, until=1.0)
