"""Impacts in a plane by Routh's method, by hand: the normal velocity is made of straight pieces over the impulse.

With c the normal velocity, s the slip, and their rates over the impulses (P, T) in a matrix (a, b; b, d) [routh1905]:

    slides to the side k:  T' = - mu k ,  c' = a - mu k b ,  s' = b - mu k d
    has stopped:           sticks where |b| <= mu d, c' = a - b^2/d ; else slides on to the side of b
"""

import math
from itertools import pairwise

import numpy as np
import pytest

from dalembert.numerics.contacts.course import Course, RestitutionLaw


def pieces(a, b, d, mu, s):
    """``[(how long, c', T')]`` over the normal impulse; the last one has no end."""
    k, found = np.sign(s), []
    if s:
        closing = b - mu * k * d
        found.append((-s / closing if closing * s < 0 else math.inf, a - mu * k * b, -mu * k))
        if math.isinf(found[0][0]):
            return found
    sticks = abs(b) <= mu * d
    t = -b / d if sticks else -mu * np.sign(b)
    return [*found, (math.inf, a + b * t, t)]


def corners(parts, c):
    """P, c, T and the work of N where the pieces meet, and what the last one goes on with."""
    P, T, work, found = 0.0, 0.0, 0.0, []
    for length, rate, t in parts:
        found.append((P, c, T, work, rate, t))
        if math.isinf(length):
            return found
        work += length * (c + rate * length / 2)
        P, c, T = P + length, c + rate * length, T + t * length
    return found


def at(found, P):
    """c, T and the work of N at an impulse."""
    P0, c, T, work, rate, t = [piece for piece in found if piece[0] <= P][-1]
    h = P - P0
    return c + rate * h, T + t * h, work + h * (c + rate * h / 2)


def compressed(found):
    """Where c is 0."""
    for (P, c, _, _, rate, _), last in pairwise([*found, (math.inf,)]):
        if rate > 0 and P - c / rate <= last[0]:
            return P - c / rate
    raise AssertionError("it is never compressed")


def ended(found, e, law):
    """The normal impulse of the whole."""
    Pc = compressed(found)
    if law == "poisson":
        return (1 + e) * Pc
    left = (1 - e**2) * at(found, Pc)[2]
    for (P, c, _, work, rate, _), last in pairwise([*found, (math.inf,)]):
        # work + c h + rate h^2/2 = left ,  c >= 0 there
        under = c**2 + 2 * rate * (left - work)
        h = (-c + math.sqrt(max(under, 0.0))) / rate
        if rate > 0 and under >= 0 and max(P, Pc) <= P + h <= last[0]:
            return P + h
    raise AssertionError("it does not end")


@pytest.mark.parametrize("law", ["poisson", "stronge"])
def test_every_kind_of_impact_in_a_plane_is_routh_s(law):
    """It slides on, stops and sticks, or turns, and does so before or after the greatest compression."""
    rng, kinds = np.random.default_rng(12), set()
    for _ in range(2000):
        a, d = rng.uniform(0.2, 3, 2)
        b = rng.uniform(-1, 1) * math.sqrt(a * d)
        mu, e, s, c = rng.uniform(0, 1.2), rng.uniform(0, 1), rng.normal(), -rng.uniform(0.1, 2)
        found = corners(pieces(a, b, d, mu, s), c)
        P = ended(found, e, law)
        stops = found[-1][0] if len(found) > 1 and found[-1][0] < P else math.inf
        then = "slides on" if math.isinf(stops) else "sticks" if abs(b) <= mu * d else "turns"
        kinds.add((then, stops < compressed(found)))
        end = Course(np.array([[a, b], [b, d]]), mu, mu).along(c, np.array([s]), RestitutionLaw(e, law)).end
        assert (end.P, float(end.T[0])) == pytest.approx((P, at(found, P)[1]), rel=1e-9, abs=1e-12)
    assert kinds == {("slides on", False), *((then, early) for then in ("sticks", "turns") for early in (True, False))}


def test_a_rod_that_sticks_in_its_impact_leaves_as_poisson_says():
    """P = (1 + e) P_c, both velocities by the piece in which it sticks; a rod of half length 1 at 45 degrees."""
    s, c, I = math.sin(math.pi / 4), math.cos(math.pi / 4), 1 / 3
    # K = 1/m + r r/I
    a, b, d = 1 + c * c / I, -s * c / I, 1 + s * s / I
    found = corners(pieces(a, b, d, 0.8, 0.0), -1.0)
    # |b|/d = 3/5: it sticks from the beginning, c' = a - b^2/d = 8/5
    assert compressed(found) == pytest.approx(5 / 8)
    assert ended(found, 0.5, "poisson") == pytest.approx(15 / 16)
    end = Course(np.array([[a, b], [b, d]]), 0.8, 0.8).along(-1.0, np.array([0.0]), RestitutionLaw(0.5, "poisson")).end
    assert (end.P, float(end.T[0])) == pytest.approx((15 / 16, 9 / 16))
