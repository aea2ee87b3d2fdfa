"""What the entries with contacts say beside their facts: times, cycles, blows, and what turns over."""

import math

import numpy as np
import pytest

from dalembert.systems import billiard_ball, block_on_belt, bouncing_ball, rocking_block, woodpecker_toy


def changes(path, *which):
    return [t for t, *mode in path.modes if tuple(mode) == which]


@pytest.mark.parametrize("start", ["dropped", "thrown"])
def test_a_bouncing_ball_rests_at_the_sum_of_its_hops(named, start):
    case = named("bouncing_ball")
    path = case.path(start)
    said = bouncing_ball.rest(case.start(start), case.system().values())
    assert changes(path, "floor", "slides") == [pytest.approx(said, abs=1e-9)]
    assert path.impulses["floor"]["normal"][1:5] == pytest.approx(0.7 * path.impulses["floor"]["normal"][:4])
    assert bouncing_ball.rest(case.start(start), {**case.system().values(), "e": 1.0}) == math.inf


@pytest.mark.parametrize("start", ["thrown", "draw", "follow", "masse"])
def test_a_billiard_ball_begins_to_roll_when_and_as_coriolis_says(named, start):
    case = named("billiard_ball")
    path = case.path(start)
    t, v = billiard_ball.rolls(case.start(start), case.system().values())
    assert changes(path, "cloth", "sticks") == [pytest.approx(t, abs=1e-10)]
    late = path.t > t + 1e-9
    assert path["vx"][late] == pytest.approx(v.real, abs=1e-10)
    assert path["vy"][late] == pytest.approx(v.imag, abs=1e-10)
    # on the parabola before, on a straight line afterwards
    drawn = start == "draw"
    assert (v.real < 0) == drawn


def test_a_block_on_a_belt_repeats_its_cycle(named):
    case = named("block_on_belt")
    path = case.path("let go")
    slides, sticks = block_on_belt.cycle(case.system().values())
    begins, ends = changes(path, "belt", "slides"), changes(path, "belt", "sticks")
    assert ends[1] - begins[1] == pytest.approx(slides, abs=1e-9)
    assert begins[2] - ends[1] == pytest.approx(sticks, abs=1e-9)


def test_a_rocking_block_loses_at_each_blow_what_housner_says_and_swings_as_long(named):
    case = named("rocking_block")
    path, values = case.path("let go"), case.system().values()
    kept = rocking_block.kept(values)
    blows = np.sort([t for mark in path.marks.values() for t in np.atleast_1d(mark.t)])[:4]
    before, after = ([path.at(t + s)["w"] for t in blows] for s in (-1e-9, 1e-9))
    assert np.array(after) == pytest.approx(kept * np.array(before), rel=1e-6)
    # the block is four times as high as wide: the formula of small angles is off by a few per cent
    assert blows[0] == pytest.approx(rocking_block.quarter(0.1, values), rel=0.03)


def test_only_a_top_that_slides_turns_over(named):
    for name, end in (("tippe_top", -1), ("tippe_top/rough table", 1)):
        path = named(name).path("turns over")
        w, x, y, z = (path[f"R_{e}"] for e in "wxyz")
        upright = w**2 - x**2 - y**2 + z**2
        assert np.sign(upright[-1]) == end
        assert abs(upright[-1]) > 0.9
        assert np.diff(path["energy"]).max() <= 1e-9 * abs(path["energy"][0])


def test_a_woodpecker_goes_through_the_published_cycle(named):
    path, published = named("woodpecker_toy").path("jammed"), woodpecker_toy.START
    t = np.linspace(0.05, 0.3, 25001)
    seen = path.at(t)
    low = seen["bird"] <= published["bird"]
    (i, *others) = np.flatnonzero(low[1:] & ~low[:-1])
    for name, off in (("sleeve", 2e-3), ("v", 1e-2), ("wb", 2e-3)):
        assert seen[name][i] == pytest.approx(published[name], rel=off), name
    assert len(others) <= 1
