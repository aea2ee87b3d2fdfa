"""High powers of sums in L, constraints and symmetries: kinds are found without multiplying them out."""

import numpy as np
import pytest

import dalembert as da

SUM = "(x + 2*y + 3*z + 4*w + 5*v + 6)"  # its 30th power has 324,632 summands
Q = da.coordinates("x y z w v")
L = "(dot(x)^2 + dot(y)^2 + dot(z)^2 + dot(w)^2 + dot(v)^2)/2"


def kind(phi):
    return da.System(Q, L, {"row": phi}).constraints[0].kind


@pytest.mark.parametrize(
    ("phi", "expected"),
    [
        (f"{SUM}^30*dot(x) + dot(y)", "linear"),
        (f"{SUM}^30*dot(x) + dot(y) + {SUM}^25", "affine"),
        (f"{SUM}^30*dot(x)^2 + dot(y) + dot(z)", "nonlinear"),
        ("(dot(x) + dot(y) + 2*dot(z) + 3*dot(w) + x)^30 - x^2 - 1", "nonlinear"),
        (f"{SUM}^30 - 1", "holonomic"),
        # what cancels, whether it is short or not
        ("(dot(x) + x)^2 - dot(x)^2 - x^2 + dot(y)", "linear"),
        ("(dot(x) + x)^2 - dot(x)^2 + dot(y)", "affine"),
        (f"(({SUM}/10)^15 + dot(x))^2 - dot(x)^2 - ({SUM}/10)^30 + dot(y)", "linear"),
        (f"(({SUM}/10)^15 + dot(x))^2 - dot(x)^2 + dot(y)", "affine"),
        ("exp(dot(x) + x)*exp(-dot(x))*dot(y) + dot(z)", "linear"),
        ("(sin(x)^2 + cos(x)^2 - 1)*dot(x)^2 + dot(y) + sin(x)^2 + cos(x)^2 - 1", "linear"),
    ],
)
def test_the_kind_is_that_of_the_function_and_not_of_its_spelling(phi, expected):
    assert kind(phi) == expected


def test_a_high_power_moves_as_the_same_power_of_a_coordinate():
    """x' = -s^30 y' / ..., s a sum that a turned set of coordinates has as one of them."""
    phi = f"({SUM}/10)^30*dot(x) + dot(y)"
    equations = da.nonholonomic(da.System(Q, L, {"row": phi}))
    state = {"x": 0.1, "y": 0.2, "z": 0.3, "w": 0.1, "v": 0.2, "vx": 0.3, "vz": 0.1, "vw": -0.2, "vv": 0.4}
    found = equations.evaluate(equations.start(**state))
    q, u = np.array([0.1, 0.2, 0.3, 0.1, 0.2]), np.array([0.3, 0.0, 0.1, -0.2, 0.4])
    c = np.array([1, 2, 3, 4, 5])
    s = (c @ q + 6) / 10
    N = np.array([s**30, 1.0, 0, 0, 0])
    u[1] = -N[0] * u[0]
    # N udot = -Ndot u ,  udot = N lam
    lam = -(30 * s**29 * (c @ u) / 10 * u[0]) / (N @ N)
    assert np.array(list(found["accelerations"].values()), float) == pytest.approx(N * lam, rel=1e-11)


def test_high_powers_are_reduced_and_put_on_the_constraints():
    power = "(x + 2*y + 3*z + 4*w + 6)^30"
    system = da.System(Q, f"{L} - {power}", {"row": f"{power}*dot(x) + dot(v)"}, symmetry=["v"])
    assert "v" not in [s.name for s in da.reduce(system).system.space.coordinates]
    assert da.symmetry.phase_space(da.System(Q, L, {"row": f"{SUM}^30*dot(x) + dot(y)"})).momenta
