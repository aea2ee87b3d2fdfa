"""Andrews' squeezing mechanism: seven bodies, six rows, against the reference solution of the test set [mazzia2008]."""

import numpy as np
import pytest

import dalembert as da

NUMBERS = {
    **dict(m1=0.04325, m2=0.00365, m3=0.02373, m4=0.00706, m5=0.07050, m6=0.00706, m7=0.05498),
    **dict(I1=2.194e-6, I2=4.410e-7, I3=5.255e-6, I4=5.667e-7, I5=1.169e-5, I6=5.667e-7, I7=1.912e-5),
    **dict(xa=-0.06934, ya=-0.00227, xb=-0.03635, yb=0.03273, xc=0.014, yc=0.072, d=0.028, da=0.0115),
    **dict(e=0.02, ea=0.01421, rr=0.007, ra=0.00092, l0=0.07785, ss=0.035, sa=0.01874, sb=0.01043),
    **dict(sc=0.018, sd=0.02, ta=0.02308, tb=0.00916, u=0.04, ua=0.01228, ub=0.00449, zf=0.02, zt=0.04),
    **dict(fa=0.01421, c0=4530.0, mom=0.033),
}
ANGLES = "beta Theta gamma Phi delta Omega epsilon"
MASSES = {
    ("beta", "beta"): "m1*ra^2 + m2*(rr^2 - 2*da*rr*cos(Theta) + da^2) + I1 + I2",
    ("beta", "Theta"): "m2*(da^2 - da*rr*cos(Theta)) + I2",
    ("Theta", "Theta"): "m2*da^2 + I2",
    ("gamma", "gamma"): "m3*(sa^2 + sb^2) + I3",
    ("Phi", "Phi"): "m4*(e - ea)^2 + I4",
    ("Phi", "delta"): "m4*((e - ea)^2 + zt*(e - ea)*sin(Phi)) + I4",
    ("delta", "delta"): "m4*(zt^2 + 2*zt*(e - ea)*sin(Phi) + (e - ea)^2) + m5*(ta^2 + tb^2) + I4 + I5",
    ("Omega", "Omega"): "m6*(zf - fa)^2 + I6",
    ("Omega", "epsilon"): "m6*((zf - fa)^2 - u*(zf - fa)*sin(Omega)) + I6",
    ("epsilon", "epsilon"): "m6*((zf - fa)^2 - 2*u*(zf - fa)*sin(Omega) + u^2) + m7*(ua^2 + ub^2) + I6 + I7",
}
SPRING = "sqrt((sd*cos(gamma) + sc*sin(gamma) + xb - xc)^2 + (sd*sin(gamma) - sc*cos(gamma) + yb - yc)^2)"
ENDS = {"x": "rr*cos(beta) - d*cos(beta + Theta)", "y": "rr*sin(beta) - d*sin(beta + Theta)"}
LOOPS = {  # behind the crank's end: by b, by a and the fourth body, by a and the sixth
    "x": {
        "b": "- ss*sin(gamma) - xb",
        "a": "- e*sin(Phi + delta) - zt*cos(delta) - xa",
        "c": "- zf*cos(Omega + epsilon) - u*sin(epsilon) - xa",
    },
    "y": {
        "b": "+ ss*cos(gamma) - yb",
        "a": "+ e*cos(Phi + delta) - zt*sin(delta) - ya",
        "c": "- zf*sin(Omega + epsilon) + u*cos(epsilon) - ya",
    },
}
START = {
    "beta": -0.0617138900142764496,
    "Theta": 0.0,
    "gamma": 0.455279819163070380,
    "Phi": 0.222668390165885885,
    "delta": 0.487364979543842550,
    "Omega": -0.222668390165885885,
    "epsilon": 1.23054744454982119,
}
REFERENCE = {  # at t = 0.03
    "beta": 15.81077119629904,
    "Theta": -15.75637105984298,
    "gamma": 0.04082224013073101,
    "Phi": -0.5347301163226499,
    "delta": 0.5244099658805304,
    "Omega": 0.5347301163226499,
    "epsilon": 1.048080741042263,
}


def squeezer():
    kinetic = [
        f"{'' if a == b else '2*'}({mass})*dot({a})*dot({b})/2" for (a, b), mass in MASSES.items()
    ]  # symmetric: an entry off the diagonal stands twice
    lagrangian = " + ".join(kinetic) + f" - c0/2*({SPRING} - l0)^2"
    rows = {f"{name}{axis}": f"{ENDS[axis]} {rest}" for axis, loops in LOOPS.items() for name, rest in loops.items()}
    return da.System(da.coordinates(ANGLES), lagrangian, rows, forces={"vbeta": "mom"}, parameters=NUMBERS)


@pytest.mark.parametrize("options", [{}, {"method": "radau"}], ids=str)
def test_it_ends_where_the_test_set_says(options):
    equations = da.nonholonomic(squeezer())
    start = equations.start({**START, **{f"v{name}": 0.0 for name in START}}, project="kinetic")
    path = da.simulate(equations, start, until=0.03, **options)
    assert path.ok, path.audit.reasons
    for name, value in REFERENCE.items():
        assert path[name][-1] == pytest.approx(value, rel=2e-9, abs=2e-10)
    assert np.abs(path["lam_ax"]).max() > 0
