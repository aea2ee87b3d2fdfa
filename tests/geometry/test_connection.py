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


@pytest.mark.parametrize("name", ["symmetric sphere", "particle", "gauge", "spatial top"])
def test_what_the_connection_makes_of_sections_against_fields_on_the_given_space(states_of, value, name):
    # B~, D/Dt and the fibres' bracket: brackets of fields E T_a of all coordinates, by central differences
    split = (
        da.symmetry.splitting(top(), connection=["w1*z1 + w2*z2 + 2*w3*z3"]) if name == "spatial top" else made(name)
    )
    assert not split.quotient.carried
    space, shape = split.quotient.given.space, split.quotient.shape
    T = sp.Matrix.hstack(split.H, split.S, split.U).xreplace(shape.meaning)
    E, X = sp.Matrix(space.anchor), sp.Matrix(space.anchor) * T
    names, first = [q.name for q in space.coordinates], split.H.cols
    zero = (sp.S.Zero,) * T.rows
    for values in states_of(split.quotient.given, 2, seed=8):
        anchor, frame = matrix(value, E, values), matrix(value, T, values)

        def slopes(along, column, values=values):
            y, h = np.array([values[n] for n in names]), 1e-5
            ends = (
                matrix(value, X[:, column], {**values, **dict(zip(names, y + s * h * along, strict=True))})
                for s in (1, -1)
            )
            forward, back = ends
            return ((forward - back) / (2 * h)).ravel()

        fields = (anchor @ frame).T
        for j in range(T.cols):
            for i in range(j):
                lie = np.linalg.lstsq(anchor, slopes(fields[i], j) - slopes(fields[j], i), rcond=None)[0]
                parts = np.linalg.solve(frame, lie)
                parts[:first] = 0.0
                if j < first:
                    found = [-e for e in split.B_tilde.get((i, j), zero)]
                elif i < first:
                    found = split.covariant.get((i, j - first), zero)
                else:
                    found = split.fibre.get((i - first, j - first), zero)
                there = [float(value(sp.sympify(e).xreplace(shape.meaning), values)) for e in found]
                assert there == pytest.approx(frame @ parts, abs=1e-7 * (1 + np.abs(lie).max()))


def top():
    """A top that spins freely about an axis of its own; no constraints, S = V."""
    q = da.rotation("R")
    L = sum(J * w**2 for J, w in zip((1, 2, 3), q.velocities, strict=True)) / 2
    return da.System(q, L, symmetry=[da.symmetry.spin("R")])


def test_the_fibres_of_a_body_that_the_group_turns_are_the_rotations():
    q = da.rotation("R", frame="body")
    L = sum(J * w**2 for J, w in zip((1, 2, 3), q.velocities, strict=True)) / 2
    split = da.symmetry.splitting(da.System(q, L, symmetry=da.symmetry.rotations("R")))
    basis = split.S  # columns along the body's axes, of any lengths
    for (a, b), parts in split.fibre.items():
        assert list(sp.Matrix(parts)) == list(basis[:, a].cross(basis[:, b]))
    assert len(split.fibre) == 3 and not split.covariant and not split.B_tilde


def test_the_covariant_derivative_on_the_sphere_is_the_printed_one():
    # [cendra2001 Section 3]: D(z, xi e3, a)/Dt = (z, xidot e3, adot), the group being abelian: of the section
    # S = (1, z x r e3) only the second part changes, by zdot x r e3
    split = made("symmetric sphere")
    z, (r,) = split.quotient.system.space.coordinates, [s for s in split.S.free_symbols if s.name == "r"]
    u = [v.name for v in split.quotient.system.space.velocities]
    rho = sp.Matrix(split.quotient.system.space.anchor)
    for i in range(split.H.cols):
        carried = dict(zip(u, split.covariant.get((i, 0), (sp.S.Zero,) * len(u)), strict=True))
        zdot = rho * split.H[:, i]
        scale = split.S[u.index("w1"), 0] / z[0]  # S = scale (z, z x r e3), scale a number
        known = scale * zdot.cross(sp.Matrix([0, 0, r]))
        assert not scale.free_symbols
        off = [carried["vx"] - known[0], carried["vy"] - known[1], *(carried[n] for n in ("w1", "w2", "w3"))]
        on_sphere = [sp.reduced(sp.expand(e), [sum(x**2 for x in z) - 1], *z)[1] for e in off]
        assert on_sphere == [0] * 5


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
