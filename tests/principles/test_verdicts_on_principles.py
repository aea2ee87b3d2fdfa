"""Do nonholonomic motions solve the vakonomic equations, and is a curve a motion? Answers that were derived by hand.

As in `geometry/test_verdicts`: small coefficients, features far away and scales of 1e-6 and 1e6 are among them.
"""

import importlib

import numpy as np
import pytest

import dalembert as da

PLANE = da.coordinates("x y", velocities="vx vy")
SPACE = da.coordinates("x y z", velocities="vx vy vz")
SKATE = da.coordinates("x y theta", velocities="vx vy w")
FREE2, FREE3 = "(vx^2 + vy^2)/2", "(vx^2 + vy^2 + vz^2)/2"
T, F, N = True, False, None


def plane(V="0", contacts=(), walls=(), **forces):
    return da.System(PLANE, f"{FREE2} - ({V})", forces=forces, contacts=dict(contacts), walls=dict(walls))


def rows(*given, space=SPACE, free=FREE3):
    return da.System(space, free, {f"c{i}": row for i, row in enumerate(given)})


def flat(row, V="0"):
    return rows(row, space=PLANE, free=f"{FREE2} - ({V})")


def skate():
    return rows("vx*sin(theta) - vy*cos(theta)", space=SKATE, free="(vx^2 + vy^2 + w^2)/2")


def book(name):
    return importlib.import_module(f"dalembert.systems.{name}").system()


# lam EL(phi) + lamdot N = mu N along the nonholonomic motion, for one lam: it is 0 or EL(phi) lies along N
COINCIDENCES = [
    ("no row", lambda: plane("x^2"), "always"),
    ("x alone", lambda: rows("vz - 1e6*x*vx"), "always"),  # EL(df/dt) = 0
    ("closed form", lambda: rows("vz - y*vx - x*vy"), "always"),
    ("contact", lambda: rows("vz - y*vx"), "conditions"),  # vx vy = 0
    ("weak row", lambda: rows("vz - 1e-6*y*vx"), "conditions"),
    ("weaker row", lambda: rows("vz - 1e-12*y*vx"), "conditions"),
    ("strong row", lambda: rows("vz - 1e6*y*vx"), "conditions"),
    ("bump at y = 7", lambda: rows("vz - exp(-(y - 7)^2)*vx"), "conditions"),
    ("a piece of a corner", lambda: rows("vz - max(0, y - 100)*vx"), "undecided"),  # beyond y = 100 few are
    ("x with a trace of y", lambda: rows("vz - (x + 1e-9*y)*vx"), "conditions"),  # vx = 0 or vx = -1e-9 vy
    ("x with less of y", lambda: rows("vz - (x + 1e-12*y)*vx"), "conditions"),
    ("Heisenberg", lambda: rows("vz - (x*vy - y*vx)/2"), "always"),  # straight lines: mu = 0, lam = 0
    ("weak Heisenberg", lambda: rows("vz - 1e-6*(x*vy - y*vx)/2"), "always"),
    ("skate", skate, "conditions"),  # u w = 0
    ("a moving line", lambda: flat("vy - t*vx"), "conditions"),  # rest
    ("a moving line, pulled", lambda: flat("vy - t*vx", "-x"), "never"),  # lam = 0, and vx = -t has not vx' = 1
    ("a moving line, weakly pulled", lambda: flat("vy - t*vx", "-1e-9*x"), "never"),
    ("affine", lambda: rows("vz - 1e-6*y"), "conditions"),  # vy = 0
    ("affine, pulled", lambda: rows("vz - y", free=f"{FREE3} + 1e-12*y"), "never"),  # vy' = 1e-12
    ("affine, on a spring", lambda: rows("vz - y", free=f"{FREE3} - y^2/2"), "conditions"),  # y = vy = 0
    ("thermostat", lambda: flat("vx^2 + vy^2 - 1"), "always"),  # EL(phi) = 2 v' = 0
    ("thermostat in a weak field", lambda: flat("vx^2 + vy^2 - 1", "1e-6*x"), "conditions"),  # along the field
    ("penny", lambda: book("penny"), "always"),
    ("Chaplygin's sleigh", lambda: book("chaplygin_sleigh"), "conditions"),  # straight on
    ("Suslov", lambda: book("suslov"), "conditions"),  # rest
    ("roller racer", lambda: book("roller_racer"), "conditions"),  # straight on
]
LONG = {"roller racer", "Suslov", "strong row"}


@pytest.mark.parametrize(
    ("made", "verdict"),
    [pytest.param(*c[1:], id=c[0], marks=[pytest.mark.long] * (c[0] in LONG)) for c in COINCIDENCES],
)
def test_motions_are_vakonomic_always_sometimes_or_never(made, verdict):
    assert da.coincide(made()).verdict == verdict


HEISENBERG, SMOOTH = "vz - (x*vy - y*vx)/2", {"floor": da.contact("y")}
ROSENBERG = {"x": "asinh(t)", "y": "t", "z": "sqrt(1 + t^2)"}  # vx (1 + y^2)^(1/2) = 1

# of each: system, curve, until when, is it a motion: free, nonholonomic, vakonomic
CURVES = [
    ("straight", plane(), {"x": "t", "y": "2*t"}, 1, (T, T, T)),
    ("slow spring", plane("1e-6*x^2/2"), {"x": "cos(t/1000)", "y": "t"}, 1000, (T, T, T)),
    ("slow spring, another rate", plane("1e-6*x^2/2"), {"x": "cos(t/999)", "y": "t"}, 1000, (F, F, F)),
    ("a weak bend", plane(), {"x": "t", "y": "1e-6*t^2"}, 1, (F, F, F)),
    ("a fall far away", plane("y"), {"x": "1e6", "y": "1e6 - t^2/2"}, 1, (T, T, T)),
    ("in time", plane("-x*cos(t)"), {"x": "-cos(t)", "y": "0"}, 10, (T, T, T)),
    ("weak drag", plane(vx="-1e-6*vx"), {"x": "-1e6*exp(-1e-6*t)", "y": "0"}, 1, (T, T, T)),
    ("weak drag, straight on", plane(vx="-1e-6*vx"), {"x": "t", "y": "0"}, 1, (F, F, F)),
    ("before a corner", plane("max(0, x - 100)^2"), {"x": "t", "y": "0"}, 1, (N, N, N)),  # 0 on this side alone
    ("weaker drag", plane(vx="-1e-12*vx"), {"x": "t", "y": "2*t"}, 1, (N, N, N)),  # R = 1e-12
    ("beside a bump", plane("exp(-(x - 7)^2)"), {"x": "t", "y": "0"}, 0.9, (N, N, N)),  # V' = 1e-15
    ("into a corner by 0.001", plane("max(0, x - 1)^2"), {"x": "t", "y": "0"}, 1.001, (F, F, F)),
    ("weak row, rolling", rows("vz - 1e-6*y*vx"),
     {"x": "1e6*asinh(1e-6*t)", "y": "t", "z": "1e6*sqrt(1 + 1e-12*t^2)"}, 2, (F, T, N)),
    ("a small circle, fast", rows(HEISENBERG),
     {"x": "1e-6*cos(1e6*t)", "y": "1e-6*sin(1e6*t)", "z": "1e-6*t/2"}, 3e-6, (F, F, N)),
    ("through a corner", plane("max(0, x - 100)^2"), {"x": "t", "y": "0"}, 200, (F, F, F)),
    ("particle", rows("vz - y*vx"), ROSENBERG, 2, (F, T, F)),
    ("particle along y", rows("vz - y*vx"), {"x": "0", "y": "t", "z": "0"}, 2, (T, T, T)),
    ("particle along x", rows("vz - 1e-6*y*vx"), {"x": "t", "y": "1", "z": "1e-6*t"}, 2, (T, T, T)),
    ("off the row", rows("vz - y*vx"), {"x": "0", "y": "t", "z": "1e-9*t"}, 1, (F, F, F)),
    ("Heisenberg, round", rows(HEISENBERG), {"x": "cos(t)", "y": "sin(t)", "z": "t/2"}, 6, (F, F, T)),  # lam = -1
    ("Heisenberg, round, wide", rows(HEISENBERG),
     {"x": "1e6*cos(1e-6*t)", "y": "1e6*sin(1e-6*t)", "z": "5e5*t"}, 6e6, (F, F, T)),
    ("Heisenberg, round, short", rows(HEISENBERG), {"x": "cos(t)", "y": "sin(t)", "z": "t/2"}, 0.02, (F, F, T)),
    ("Heisenberg, straight", rows(HEISENBERG), {"x": "1", "y": "t", "z": "t/2"}, 6, (T, T, T)),
    ("skate, a wide circle", skate(),
     {"x": "1e6*sin(1e-6*t)", "y": "1e6*(1 - cos(1e-6*t))", "theta": "1e-6*t"}, 6e6, (F, T, F)),
    ("thermostat, straight", flat("vx^2 + vy^2 - 1"), {"x": "t", "y": "0"}, 1, (T, T, T)),
    ("thermostat, round", flat("vx^2 + vy^2 - 1"), {"x": "cos(t)", "y": "sin(t)"}, 1, (F, F, T)),  # lam = 1/2
    ("a moving line", flat("vy - t*vx"), {"x": "asinh(t)", "y": "sqrt(1 + t^2)"}, 2, (F, T, F)),
    ("above a floor", plane("9.81*y", SMOOTH), {"x": "t", "y": "1 - 9.81*t^2/2"}, 0.3, (T, T, T)),
    ("through a floor", plane("9.81*y", SMOOTH), {"x": "t", "y": "1 - 9.81*t^2/2"}, 2, (F, F, F)),
]  # fmt: skip


@pytest.mark.parametrize(("system", "curve", "until", "truth"), [pytest.param(*c[1:], id=c[0]) for c in CURVES])
def test_a_curve_is_a_motion_or_not(system, curve, until, truth):
    found = da.satisfies(system, curve, over=(0, until))
    assert (found.free.holds, found.nonholonomic.holds, found.vakonomic.holds) == truth


def test_a_curve_through_a_wall_is_refused():
    with pytest.raises(da.DalembertError, match="E150 the curve goes beyond the wall"):
        da.satisfies(plane(walls={"wall": "y"}), {"x": "0", "y": "1 - t"}, over=(0, 2))


def test_multipliers_that_change_solve_the_vakonomic_equations_identically():
    """Forces made for lam = t^2 along (t, t, t^2/2): EL(L) - Q = lam' (-y, 0, 1) + lam (-y', x', 0)."""
    pushes = {"vx": "3*t^2", "vy": "-t^2", "vz": "1 - 2*t"}
    system = da.System(SPACE, FREE3, {"c0": "vz - y*vx"}, pushes)
    found = da.satisfies(system, {"x": "t", "y": "t", "z": "t^2/2"}, over=(0, 2))
    assert (found.free.holds, found.nonholonomic.holds, found.vakonomic.holds) == (F, F, T)
    np.testing.assert_allclose(found.vakonomic.multipliers["lam_c0"], found.t**2, atol=1e-7)
