"""What the results print: short, narrow, and of the result rather than of the program."""

import pytest

import dalembert as da
from dalembert.systems import chaplygin_sleigh
from zoo import GALLERY


def made(systems, name):
    system = systems[name]
    restricted = [da.symmetry.restrict(system)] if all(c.kind == "linear" for c in system.constraints) else []
    return [systems.reduction(name), da.symmetry.quotient(system), systems.reduction(name).shape, *restricted]


@pytest.mark.parametrize(
    "name", ["rolling penny", "rolling disc", "rattleback", "snakeboard", "routh sphere", "veselova"]
)
def test_summaries_are_short_and_without_internals(systems, name):
    found = made(systems, name)
    if name != "rattleback":  # its inverse metric takes its time
        found.append(da.symmetry.phase_space(systems.reduction(name).system))
    for result in found:
        text = str(result)
        assert text == repr(result)
        lines = text.splitlines()
        assert len(lines) <= 25
        assert max(map(len, lines)) <= 80
        assert not {"Frame(", "dtype", "array(", "ImmutableDenseMatrix", "object at"} & set(text.split())
        assert "Matrix(" not in text


def test_they_say_what_was_done(systems):
    sleigh = chaplygin_sleigh.system()
    quotient, restricted = str(da.symmetry.quotient(sleigh)), str(da.symmetry.restrict(sleigh))
    assert quotient.startswith("Chaplygin sleigh, without shift x, shift y, turn x y")
    assert "frame carried along from a slice" in quotient
    assert "velocities   vx = d_vx*cos(theta), vy = d_vx*sin(theta)\n" in str(da.reduce(sleigh))
    assert "velocities   vx" not in str(systems.reduction("rolling penny"))  # whose velocities keep their names
    assert " - 2*R_y**2 + 1\n" in str(GALLERY.reduction("chaplygin_ball"))  # one blank where a line was folded
    assert restricted.startswith("Chaplygin sleigh, restricted by blade")
    assert "omega = omega" in restricted
    phase = str(da.symmetry.phase_space(systems.reduction("rolling disc").system))
    assert "{theta, p_vtheta} = 1" in phase
    assert "Jacobi       fails" in phase
