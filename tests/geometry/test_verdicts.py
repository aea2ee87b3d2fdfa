"""Verdicts against answers that were derived by hand or published: yes, no, and what is kept from a file to its JSON.

Small coefficients, features far from the origin and scales of 1e-6 and 1e6 are among them: an answer does not depend
on how large a number is that is not 0.
"""

import json

import pytest
from click.testing import CliRunner

import dalembert as da
from dalembert.apps.cli import main
from dalembert.show.html.system import examination_fragment

PLANE = da.coordinates("x y", velocities="vx vy")
SPACE = da.coordinates("x y z", velocities="vx vy vz")
FREE2, FREE3 = "(vx^2 + vy^2)/2", "(vx^2 + vy^2 + vz^2)/2"


def plane(V="0", **forces):
    return da.System(PLANE, f"{FREE2} - ({V})", forces=forces)


def rows(*given, space=SPACE, free=FREE3):
    return da.System(space, free, {f"c{i}": row for i, row in enumerate(given)})


# of each: system, function, is it constant along all motions? [its rate]
CONSTANTS = [
    ("central", plane("sqrt(1 + x^2 + y^2)"), "x*vy - y*vx", True),  # L = r p, a central force
    ("weakly squeezed", plane("x^2 + y^2 + 1e-12*x^2"), "x*vy - y*vx", False),  # 2e-12 x y
    ("bump at x = 7", plane("exp(-(x - 7)^2)"), "vx", False),  # -V'
    ("corner at x = 100", plane("max(0, x - 100)^2"), "vx", False),
    ("bump, other way", plane("exp(-(x - 7)^2)"), "vy", True),  # y is cyclic
    ("energy of a bump", plane("exp(-(x - 7)^2)"), f"{FREE2} + exp(-(x - 7)^2)", True),
    ("weak drag", plane("x^2", vx="-1e-10*vx"), f"{FREE2} + x^2", False),  # -1e-10 vx^2
    ("drag, x + v/c", plane("0", vx="-1e-6*vx"), "vx + 1e-6*x", True),  # v' = -c v
    ("drag, another rate", plane("0", vx="-1e-6*vx"), "vx + 2e-6*x", False),
    ("magnetic", plane("0", vx="1e6*vy", vy="-1e6*vx"), "vx - 1e6*y", True),  # v' = B J v
    ("magnetic speed", plane("0", vx="1e-6*vy", vy="-1e-6*vx"), FREE2, True),
    ("in time", plane("-x*cos(t)"), "vx - sin(t)", True),  # vx' = cos t
    ("in time, off", plane("-x*cos(t)"), "vx + sin(t)", False),
    ("Galilei", plane(), "x - t*vx", True),
    ("isotropic, Fradkin", plane("1e6*(x^2 + y^2)/2"), "vx*vy + 1e6*x*y", True),
    ("anisotropic", plane("1e-6*(x^2 + 4*y^2)/2"), "vx*vy + 1e-6*x*y", False),
    # dx = ux, dz = y ux: ux' (1 + y^2) + y y' ux = 0
    ("particle", rows("vz - y*vx"), "vx*sqrt(1 + y^2)", True),
    ("particle, weak row", rows("vz - 1e-6*y*vx"), "vx", False),
    ("particle, weak row, kept", rows("vz - 1e-6*y*vx"), "vx*sqrt(1 + 1e-12*y^2)", True),
    ("oscillator", rows("vz - y*vx", free=f"{FREE3} - y^2/2"), "vy^2 + y^2", True),
]


@pytest.mark.parametrize(("system", "f", "truth"), [pytest.param(*c[1:], id=c[0]) for c in CONSTANTS])
def test_a_function_is_constant_or_not(system, f, truth):
    assert da.symmetry.conserved(system, f).answer.value is truth


# of each: system, does a density N(q) exist? dv/dt = B(v, v) + linear part; N exists iff the sum of dB is exact
MEASURES = [
    ("free", plane(), True),
    ("drag", plane(vx="-1e-12*vx"), False),  # div = -c
    ("drag and pump", plane(vx="-1e-6*vx", vy="1e-6*vy"), True),  # div = 0
    ("quadratic drag", plane(vx="-1e-6*vx^2"), True),  # N = exp(2 c x)
    ("crosswise drag", plane(vx="-vx*vy"), True),  # N = exp(y)
    ("cubic drag", plane(vx="-1e6*vx^3"), False),  # div = -3 c vx^2, no N(q)
    ("turning drag", plane(vx="-y*vx^2"), False),  # div = -2 y vx, y dx is not closed
    ("a far drag", plane(vx="-max(0, x - 100)*vx"), False),
    ("bump", plane("exp(-(x - 7)^2)"), True),
    ("magnetic", plane(vx="1e6*y*vy", vy="-1e6*y*vx"), True),
    ("drag and a weak pump", plane(vx="-1e6*vx", vy="1e-6*vy"), False),  # div = 1e-6 - 1e6
    ("particle", rows("vz - y*vx"), True),  # (1 + y^2)^(1/2), up to the metric's volume
    ("weak particle", rows("vz - 1e-6*y*vx"), True),
    ("strong particle", rows("vz - 1e6*y*vx"), True),
    ("Heisenberg", rows("vz - (x*vy - y*vx)/2"), True),  # kept by the flow of the group's central extension
]


@pytest.mark.parametrize(("system", "truth"), [pytest.param(*c[1:], id=c[0]) for c in MEASURES])
def test_a_density_of_positions_exists_or_not(system, truth):
    assert da.symmetry.measure(system).answer.value is truth


FOUR = da.coordinates("x y z w", velocities="vx vy vz vw")
FIVE = da.coordinates("x y z w u", velocities="vx vy vz vw vu")
FREE4, FREE5 = "(vx^2 + vy^2 + vz^2 + vw^2)/2", "(vx^2 + vy^2 + vz^2 + vw^2 + vu^2)/2"

# of each: system, verdict, growth vector, does the rank of the rows drop somewhere?
KINDS = [
    ("contact", rows("vz - y*vx"), "nonholonomic", (2, 3), False),
    ("weak contact", rows("vz - 1e-12*y*vx"), "nonholonomic", (2, 3), False),
    ("x with a trace of y", rows("vz - (x + 1e-9*y)*vx"), "nonholonomic", (2, 3), False),
    ("x alone", rows("vz - 1e6*x*vx"), "holonomic in disguise", (2,), False),
    ("Heisenberg", rows("vz - (x*vy - y*vx)/2"), "nonholonomic", (2, 3), False),
    ("closed form", rows("vz - y*vx - x*vy"), "holonomic in disguise", (2,), False),  # d(xy)
    ("factor", rows("y*vx - x*vy", space=PLANE, free=FREE2), "holonomic in disguise", (1,), True),  # 0 at the origin
    ("Martinet", rows("vz - y^2*vx"), "nonholonomic", (2, 3), False),  # (2, 2, 3) on y = 0 alone
    ("a far bump", rows("vz - exp(-(y - 7)^2)*vx"), "nonholonomic", (2, 3), False),
    ("Engel", rows("vz - y*vx", "vw - z*vx", space=FOUR, free=FREE4), "nonholonomic", (2, 3, 4), False),
    # Cartan: 2 velocities, a bracket, and two brackets of it
    ("Cartan", rows("vz - y*vx", "vw - z*vx", "vu - z*vy", space=FIVE, free=FREE5), "nonholonomic", (2, 3, 5), False),
    ("Goursat", rows("vz - y*vx", "vw - z*vx", "vu - w*vx", space=FIVE, free=FREE5),
     "nonholonomic", (2, 3, 4, 5), False),
    ("pair", rows("vz - y*vx", "vy - z*vx"), "holonomic in disguise", (1,), False),  # one velocity
    ("a moving line", rows("vy - t*vx", space=PLANE, free=FREE2), "nonholonomic", (1,), False),  # d(dy - t dx) != 0
    ("thermostat", rows("vx^2 + vy^2 - 1", space=PLANE, free=FREE2), "nonlinear", (), False),
]  # fmt: skip


@pytest.mark.parametrize(("system", "verdict", "growth", "drops"), [pytest.param(*c[1:], id=c[0]) for c in KINDS])
def test_kinds_growth_and_drops(system, verdict, growth, drops):
    found = da.examine(system)
    assert (found.verdict, found.growth, bool(found.drops)) == (verdict, growth, drops)


def test_a_row_of_pieces_is_not_said_to_join_what_one_of_them_does_not():
    """Where y < 100 the row is vz = 0, and z never changes."""
    found = da.examine(rows("vz - max(0, y - 100)*vx"))
    assert found.verdict == "nonholonomic" and found.growth == (2, 3) and found.generating is None
    assert "at some configurations" in str(found) and "almost every" not in str(found)


def test_a_row_that_follows_on_one_side_alone_is_not_called_redundant():
    """Where y > 5 the rows leave vx = 0 as well."""
    found = da.examine(rows("vz - x*vx", "vz - x*vx - max(0, y - 5)*vx"))
    assert found.verdict == "undecided" and not found.redundant and "c1 follows" in found.answer.reason
    assert da.examine(rows("abs(y)*vz - vx", "2*abs(y)*vz - 2*vx")).redundant == {"c1": {"c0": pytest.approx(2)}}


def test_a_row_that_is_nonlinear_is_not_said_to_be_no_relation():
    """(vx - vy)^3 = 0 is x - y = const: that a row is nonlinear shows nothing."""
    found = da.examine(rows("vx^3 - vy^3", space=PLANE, free=FREE2))
    assert found.verdict == "nonlinear" and found.answer.value is None and "nonlinear" in found.answer.reason
    assert found.rows[0].answer.value is None


@pytest.mark.parametrize(
    ("phi", "value", "word"),
    [("vy - y*vx", True, "yes"), ("vy - t*vx", False, "no"), ("vx^2 + vy^2 - 1", None, "not decided")],
)
def test_a_check_tells_programs_what_was_decided_and_why(tmp_path, phi, value, word):
    """One object for each answer, on the command line as in the notebook: the value, and the reason."""
    file = tmp_path / "row.toml"
    text = '[space]\ncoordinates = {x = "line", y = "line"}\n[lagrangian]\nL = "(vx^2 + vy^2)/2"\n'
    file.write_text(f'schema = 1\n{text}[[constraint]]\nname = "row"\nphi = "{phi}"\n')
    told = json.loads(CliRunner().invoke(main, ["check", str(file), "--json", "--trust"]).stdout)["examination"]
    assert told["holonomic"]["answer"] == word and told["holonomic"]["reason"]
    found = da.examine(da.read(str(file)).system)
    assert found.answer.value is value
    if value is not None:
        assert told["rows"]["row"]["integrable"]["answer"] == word
        assert f"{word}: {found.rows[0].answer.reason}" in str(examination_fragment(found))
