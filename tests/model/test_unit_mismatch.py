"""Values of one kind that are far apart are doubted (W213), and those that are meant are not."""

import warnings

import pytest

import dalembert as da
from dalembert.systems import ball_on_turntable as ball

TWO = "m1*(dot(x)^2 + dot(y)^2)/2 + m2*(dot(u)^2 + dot(v)^2)/2 - k*((x - l1)^2 + (u - l2)^2)"
PENDULUMS = (
    "m1*l1^2*dot(a)^2/2 + m2*(l1^2*dot(a)^2 + l2^2*dot(b)^2 + 2*l1*l2*dot(a)*dot(b)*cos(a - b))/2"
    " + m1*g*l1*cos(a) + m2*g*(l1*cos(a) + l2*cos(b))"
)


def points():
    return da.plane("x y") * da.plane("u v")


def angles():
    return da.angle("a") * da.angle("b")


def doubts(space, L, values):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [str(note) for note in da.System(space, L, parameters=values).notes if note.code == "W213"]


KNOWN = {"m1": 1.0, "m2": 2.0, "l1": 0.3, "l2": 0.5, "k": 7.0}


@pytest.mark.parametrize(
    ("space", "L", "values", "words"),
    [
        (points, TWO, {"m2": 1e6}, "m2 = 1e+06 is 1e+06 times m1 = 1, and both are masses"),
        (points, TWO, {"l1": 600}, "l1 = 600 is 1.2e+03 times l2 = 0.5, and both are lengths"),
        (points, TWO, {"m1": "1 kg", "m2": 1e6}, 'with its unit, m2="..."'),
        (points, TWO, {"m1": 1e-6, "m2": "1 kg"}, 'with its unit, m1="..."'),
        (angles, PENDULUMS, {"m2": 1e6, "g": 9.81}, "m2 = 1e+06 is 1e+06 times m1 = 1, and both are of one dimension"),
    ],
)  # fmt: skip
def test_masses_and_lengths_far_apart_are_doubted(space, L, values, words):
    given = {name: value for name, value in {**KNOWN, **values}.items() if name in L}
    found = doubts(space(), L, given)
    assert len(found) == 1 and words in found[0]


@pytest.mark.parametrize(
    ("space", "L", "values"),
    [
        (points, TWO, {}),
        (points, TWO, {"l1": 300}),  # a wheel may run on a field
        (points, TWO, {"k": 1e9}),  # a stiffness is compared with nothing
        (points, TWO, {"m1": "1 kg", "m2": "1000 t"}),
        (points, TWO, {"m1": 0.0}),
        (angles, PENDULUMS, {"l2": 1000, "g": 9.81}),
    ],
)
def test_what_may_be_meant_is_not_doubted(space, L, values):
    given = {name: value for name, value in {**KNOWN, **values}.items() if name in L}
    assert doubts(space(), L, given) == []


def test_the_lever_of_a_friction_is_not_doubted():
    assert [note for note in ball.system(tau=1e-5).notes if note.code == "W213"] == []


def test_terms_that_do_not_fit_are_compared_with_nothing():
    """Numbers without dimensions: x + x^2 makes all of them numbers."""
    assert doubts(da.line("x"), "m1*dot(x)^2/2 + m2*dot(x)^2*x/2 - x - x^2", {"m1": 1.0, "m2": 1e9}) == []
