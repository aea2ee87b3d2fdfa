"""Splittings by a connection that is chosen: its curvature against fields and by hand, and the same motion."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.systems import nonholonomic_particle, penny, roller_racer, rolling_disc, symmetric_sphere


def gauge():
    """A particle whose group is the shift along x: no constraint, S = V."""
    q = da.coordinates("r s x", velocities="vr vs vx")
    r, s, _x, vr, vs, vx = q
    return da.System(q, (vr**2 + vs**2 + (1 + r**2) * vx**2) / 2 - r * s, symmetry="x")


CASES = {
    "gauge": (gauge, None, ["vx - s*vr"]),
    "symmetric sphere": (symmetric_sphere.system, None, ["w1*z1 + w2*z2 + w3*z3"]),
    "penny": (penny.system, da.symmetry.euclidean("x y", "phi"), ["vphi - vpsi/2"]),
    "particle": (nonholonomic_particle.system, "x z", "vx - y*vy"),
    "roller racer": (roller_racer.system, None, ["omega - vphi/3"]),
    "disc": (rolling_disc.system, None, ["vphi - 0.3*vtheta", "vpsi + cos(theta)*vtheta"]),
}
MADE = {}


def made(name):
    if name not in MADE:
        system, symmetry, connection = CASES[name]
        MADE[name] = da.symmetry.splitting(system(), symmetry, connection=connection)
    return MADE[name]


def matrix(value, A, values):
    return np.array([float(value(e, values)) for e in A]).reshape(A.shape)


@pytest.mark.parametrize("name", sorted(CASES))
def test_H_is_the_kernel_of_the_forms_in_D_and_alpha_takes_the_parts(states_of, value, name):
    split = made(name)
    system, k = split.quotient.system, len(split.quotient.system.space.velocities)
    N = sp.Matrix(
        len(system.constraints), k, [c.phi.diff(v) for c in system.constraints for v in system.space.velocities]
    )
    default = da.symmetry.splitting(split.quotient)
    for values in states_of(system, 2):
        H, S, U, n, A, alpha = (
            matrix(value, e, values) for e in (split.H, split.S, split.U, N, split.connection, split.alpha)
        )
        assert np.abs(np.vstack([n, A]) @ H).max(initial=0) < 1e-9 * (1 + np.abs(H).max())
        assert alpha @ np.hstack([H, S, U]) == pytest.approx(np.eye(k), abs=1e-9)
        for own, theirs in ((split.S, default.S), (split.U, default.U)):
            assert matrix(value, own, values) == pytest.approx(matrix(value, theirs, values))


def test_curvature_by_hand(value):
    split = made("gauge")
    # h_r = d_r + s d_x ,  h_s = d_s :  [h_r, h_s] = -d_x
    scale = sp.Matrix(split.H[:2, :]).det()
    ((pair, vertical),) = split.curvature.items()
    assert pair == (0, 1)
    assert [sp.simplify(e / scale) for e in vertical] == [0, 0, -1]


def test_the_text_s_own_connection_on_the_sphere(states_of, value):
    # [cendra2001a Section 3]: B~(zdot, dz) = -(zdot x dz . z, 2 (zdot x dz) x r e3)
    split = made("symmetric sphere")
    space = split.quotient.system.space
    assert list(split.curvature) == [(0, 1)]
    for values in states_of(split.quotient.system, 3):
        H, vertical = matrix(value, split.H, values), [float(value(e, values)) for e in split.curvature[0, 1]]
        z = np.array([values[n] for n in ("z1", "z2", "z3")])
        rho = matrix(value, sp.Matrix(space.anchor), values)
        area = np.cross(*(rho @ H).T)
        along = dict(zip((v.name for v in space.velocities), vertical, strict=True))
        assert [along[f"w{i}"] for i in (1, 2, 3)] == pytest.approx((area @ z) * z, abs=1e-9)
        shift = 2 * np.cross(area, [0, 0, values["r"]])
        # of the place itself: the shift beside the rolling of the turn about z
        assert [along["vx"], along["vy"]] == pytest.approx(shift[:2], abs=1e-9)


@pytest.mark.parametrize("name", sorted(CASES))
def test_the_motion_does_not_depend_on_the_connection(states_of, accelerations, value, name):
    split = made(name)
    one, other = split.quotient.system, split.system
    T = sp.Matrix.hstack(split.H, split.S, split.U)
    solve = lambda s: da.nonholonomic(s) if s.constraints else da.free(s)  # noqa: E731
    first, second = solve(one), solve(other)
    names, h = [v.name for v in one.space.velocities], 1e-5
    for values in states_of(other, 2):
        v = np.array([values[s.name] for s in other.space.velocities])
        u = matrix(value, T, values) @ v
        expected = accelerations(first, {**values, **dict(zip(names, u, strict=True))})
        rates = {q.name: float(value(e, values)) for q, e in other.space.rates.items()}

        def moved(s, values=values, rates=rates):
            return matrix(value, T, {**values, **{n: values[n] + s * r for n, r in rates.items()}})

        # u = T v:  udot = T vdot + Tdot v
        found = moved(0.0) @ accelerations(second, values) + (moved(h) - moved(-h)) / (2 * h) @ v
        assert found == pytest.approx(expected, abs=1e-7 * (1 + np.abs(expected).max()))


def test_the_forms_of_the_kinetic_metric_give_the_nonholonomic_connection(states_of, value):
    system = gauge()
    one = da.symmetry.splitting(system)
    other = da.symmetry.splitting(system, connection=["(1 + r**2)*vx"])
    assert other.H == one.H
    assert other.curvature == one.curvature


def test_refused():
    system = gauge()
    for connection, code in (
        (3, "E101 a connection is a list"),
        (["vx", "vr"], "E124 the connection has 2 forms, S has 1 dimension"),
        ([], "E124 the connection has 0 forms"),
        (["vr"], "E124 a direction of S"),
        (["vx**2"], "E124 the form .* is not linear"),
        (["vx + 1"], "E124 the form .* is not linear"),
        ([sp.Symbol("k") * system.space["vx"]], "E104 a form of the connection holds k"),
        (["vx +"], "E70"),
        ([None], "E718"),
    ):
        with pytest.raises(da.DalembertError, match=code):
            da.symmetry.splitting(system, connection=connection)
