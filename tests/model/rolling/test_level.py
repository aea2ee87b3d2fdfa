"""Bodies by the equation of their surface: the shapes that are named, the normals, the laws of Chaplygin and Routh."""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.interpolate import make_interp_spline
from scipy.spatial.transform import Rotation

import dalembert as da
from dalembert.calculus.from_sympy import read
from dalembert.calculus.graph import Graph, evaluate

m = sp.Symbol("m", positive=True)
TILTED = {"w": 0.9, "x": 0.3, "y": -0.1, "z": math.sqrt(1 - 0.91)}
SIZE, AT = (0.5, 0.36, 0.28), (0.02, 0, 0.01)
STONE = da.Body("ellipsoid", size=SIZE, at=AT)
QUADRIC = "(x - 0.02)^2/0.25^2 + y^2/0.18^2 + (z - 0.01)^2/0.14^2 - 1"
# the same surface by an equation that is of no degree, and of degree 6 with the other sign
DISGUISED = [f"sqrt({QUADRIC} + 1) - 1", f"-({QUADRIC}) - ({QUADRIC})^3/5"]
CUSHION = "x^4 + y^4 + 2*z^4 + 0.1*(x^2 + y^2 + z^2) - 0.005"


def system(rolls, weight=9.81):
    L = rolls.kinetic(m, [0.02, 0.03, 0.04]) - m * weight * rolls.position[2]
    return da.System(rolls.space, L, rolls.constraints, parameters={"m": 1.0})


def run(rolls, start, until=1.0, weight=9.81):
    equations = da.nonholonomic(system(rolls, weight))
    path = da.simulate(equations, equations.start(**rolls.meets(start)), until=until, rtol=1e-11)
    assert path.ok, path.audit
    return path


def along(path, asked, t):
    """Vectors or scalars of expressions at times, (len(t), n) each."""
    found = []
    for each in asked:
        graph = Graph()
        nodes = [read(sp.sympify(e), graph) for e in sp.Matrix([each])]
        found.append(np.array([evaluate(nodes, {"m": 1.0, **dict(path.at(s)), "t": s}) for s in t], float))
    return found


# --- quadrics, in closed form ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "equation", ["x^2/a^2 + y^2/b^2 + (z - d)^2/c^2 - 1", "2 - 2*x^2/a^2 - 2*y^2/b^2 - 2*(z - d)^2/c^2"]
)
def test_the_equation_of_an_ellipsoid_makes_the_rows_of_the_shape(equation):
    shape = da.rolling(da.Body("ellipsoid", size=("2*a", "2*b", "2*c"), at=(0, 0, "d")), "z", parameters="a b c d")
    found = da.rolling(equation, "z", parameters="a b c d")
    values = {"a": 0.3, "b": 0.2, "c": 0.15, "d": 0.02, "z": 0.4, "vx": 1, "vy": 2, "w1": 0.3, "w2": 0.5, "w3": 0.7}
    values |= {f"R_{k}": v for k, v in TILTED.items()}
    for name, row in shape.constraints.items():
        graph = Graph()
        ours, theirs = evaluate([read(found.constraints[name], graph), read(row, graph)], values)
        assert float(ours) == pytest.approx(float(theirs), abs=1e-14)
    assert found.bodies[-1].shape == "ellipsoid"


def test_the_equation_of_a_ball_is_a_ball_wherever_it_rolls():
    start = {"x": 0.8, "y": 0, "z": 0, "vy": 1.6, "vz": 0.3, "R": TILTED, "w1": 0.5}
    bodies = ("x^2 + y^2 + z^2 - 0.04", da.Body("ball", radius=0.2))
    path, other = (run(da.rolling(body, "1 - sqrt(x^2 + y^2)"), start) for body in bodies)
    assert path.names == other.names
    assert [path[n][-1] for n in ("x", "z", "w1", "w2")] == pytest.approx(
        [other[n][-1] for n in ("x", "z", "w1", "w2")], abs=1e-10
    )


def test_an_ellipsoid_that_lies_askew_turns_with_its_axes():
    """x . A x = 1 with A = Q D Q^T is the ellipsoid D turned by Q: h(n) = |D^(-1/2) Q^T n|."""
    Q = Rotation.from_euler("zyx", [0.4, 0.3, 0.2]).as_matrix()
    A = Q @ np.diag([16, 25, 40.0]) @ Q.T
    x = sp.Matrix(sp.symbols("x y z"))
    rolls = da.rolling(sp.expand(x.dot(sp.Matrix(A) * x) - 1), "z")
    (gap,) = evaluate([read(rolls.gap, Graph())], {"z": 1, **{f"R_{k}": v for k, v in TILTED.items()}})
    n = -Rotation.from_quat([TILTED[k] for k in "xyzw"]).as_matrix().T @ [0, 0, 1]
    assert float(gap) == pytest.approx(1 - np.linalg.norm((Q.T @ n) / np.sqrt([16, 25, 40])), abs=1e-13)


# --- other equations: the point that touches is part of the state ----------------------------------------------------

PLACES = {
    "a plane": ("z", {"x": 0, "y": 0, "R": TILTED, "w1": 1.0, "w2": 0.4, "w3": 2.0}, "w3"),
    "a bowl": ("z - 0.3*(x^2 + 2*y^2)", {"x": 0.4, "y": 0.1, "R": TILTED, "w1": 1.0, "w2": 2.0, "w3": 0.5}, "w3"),
    "a tube": ("1 - x^2 - y^2", {"x": 1, "y": 0, "z": 0, "R": TILTED, "w1": 0.5, "w2": 1.0, "w3": 1.0}, "w1"),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("rubber", [False, True])
def test_any_equation_of_an_ellipsoid_rolls_as_the_shape(place, rubber):
    surface, start, spin = PLACES[place]
    start = {k: v for k, v in start.items() if not (rubber and k == spin)}
    disguised = DISGUISED[int(rubber)]
    rolls = [da.rolling(body, surface, rubber=rubber) for body in (STONE, disguised)]
    shape, found = (run(each, start, until=0.5) for each in rolls)
    names = ("R_w", "R_x", "w1", "w2", "w3")
    assert [found.at(0.5)[n] for n in names] == pytest.approx([shape.at(0.5)[n] for n in names], abs=1e-10)
    for vector in ("position", "point"):
        (a,), (b,) = (along(p, [getattr(r, vector)], [0.25]) for p, r in zip((shape, found), rolls, strict=True))
        assert a == pytest.approx(b, abs=1e-10)
    at = (each.fits(path.at(0.5)) for each, path in zip(rolls, (shape, found), strict=True))
    assert next(at) == pytest.approx(next(at), abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_it_touches_where_the_support_function_of_a_fourth_degree_says(seed):
    """(x/a)^4 + (y/b)^4 + (z/c)^4 = 1 has h(n) = (sum |a_i n_i|^(4/3))^(3/4) and touches at grad h(n)."""
    size = np.array([0.3, 0.2, 0.15])
    rolls = da.rolling("(x/a)^4 + (y/b)^4 + (z/c)^4 - 1", "z", parameters="a b c")
    R = Rotation.random(random_state=seed).as_matrix()
    values = dict(zip("abc", size, strict=True))
    found = rolls.meets({"R": R}, values)
    n = -R.T @ [0, 0, 1]
    h = (np.abs(size * n) ** (4 / 3)).sum() ** 0.75
    touching = np.sign(n) * size ** (4 / 3) * np.abs(n) ** (1 / 3) * h ** (-1 / 3)
    assert [found[f"R_{i}"] for i in (1, 2, 3)] == pytest.approx(touching, abs=1e-12)
    # with F from its other side too
    other = da.rolling("1 - (x/a)^4 - (y/b)^4 - (z/c)^4", "z", parameters="a b c").meets({"R": R}, values)
    assert other["R_1"] == pytest.approx(found["R_1"], abs=1e-12)


@pytest.mark.parametrize("surface", ["z + 0.1*x", "z - 0.2*(x^2 + 2*y^2)"])
def test_the_matter_at_the_contact_is_at_rest_and_the_energy_is_kept(surface):
    rolls = da.rolling(CUSHION, surface)
    path = run(rolls, {"x": 0.1, "y": 0, "R": TILTED, "w1": 1.0, "w2": 0.4, "w3": 2.0})
    assert np.ptp(path["energy"]) < 1e-9
    t, h = np.linspace(0.1, 0.9, 7), 5e-4
    X, C, w = along(path, [rolls.position, rolls.point, rolls.turning], t)
    at = {k: along(path, [rolls.position], t + k * h)[0] for k in (-2, -1, 1, 2)}
    V = (8 * (at[1] - at[-1]) - (at[2] - at[-2])) / (12 * h)
    assert np.abs(V + np.cross(w, C - X)).max() < 1e-7


def test_a_body_by_its_equation_bounces_and_stays_above_the_floor():
    rolls = da.rolling(CUSHION, "z")
    L = rolls.kinetic(1.0, [0.02, 0.03, 0.04]) - 9.81 * rolls.position[2]
    touch = rolls.contact(mu=0.3, restitution=0.5)
    dropped = da.System(rolls.space, L, rolls.held, contacts={"floor": touch})
    equations = da.nonholonomic(dropped)
    given = {"x": 0, "y": 0, "z": 0.5, "vx": 1, "vy": 0, "vz": 0, "R": TILTED, "w1": 1, "w2": 2, "w3": 0}
    path = da.simulate(equations, equations.start(**rolls.meets(given)), until=0.6, rtol=1e-10)
    assert path.ok, path.audit
    (gaps,) = along(path, [rolls.gap], np.linspace(0, 0.6, 61))
    assert gaps.min() > -1e-9
    assert len(path.impulses["floor"]["normal"]) >= 1
    assert (np.diff(path["energy"]) <= 1e-9).all()


@pytest.mark.parametrize("equation", [DISGUISED[0], CUSHION])
def test_a_body_by_its_equation_slips_and_rolls(equation):
    """The energy loses what friction takes; of the disguised ellipsoid the motion is that of the ellipsoid."""
    paths = []
    for body in (equation, STONE)[: 1 + (equation != CUSHION)]:
        rolls = da.rolling(body, "z")
        start = da.nonholonomic(system(rolls)).start(
            **rolls.meets({"x": 0, "y": 0, "R": TILTED, "w1": 1.0, "w2": 0.4, "w3": 2.0})
        )
        L = rolls.kinetic(m, [0.02, 0.03, 0.04]) - m * 9.81 * rolls.position[2]
        floor = rolls.contact(mu=0.3)
        slipping = da.System(rolls.space, L, rolls.held, contacts={"floor": floor}, parameters={"m": 1.0})
        slips = {**start.state, "vx": start["vx"] + 0.4, "vy": start["vy"] - 0.2}
        path = da.simulate(da.nonholonomic(slipping), slips, until=0.4, rtol=1e-11)
        assert path.ok, path.audit
        assert [word for _, _, word in path.modes] == ["slides", "sticks"]
        assert path.audit.energy_change < -0.04
        assert (np.diff(path["energy"]) <= 1e-11).all()
        paths.append(path)
    for name in ("x", "y", "z", "w1", "w2", "w3", "floor_normal"):
        assert [path[name][-1] for path in paths] == pytest.approx([paths[0][name][-1]] * len(paths), abs=1e-8)


# --- published laws --------------------------------------------------------------------------------------------------


def test_a_body_of_revolution_has_spins_that_are_linear_in_each_other_at_each_tilt():
    """<w, e> and <w, N> solve a linear equation in the tilt [chaplygin1897]: motions that meet superpose."""
    rolls = da.rolling("x^4 + y^4 + 2*x^2*y^2 + 3*z^4 + 0.2*(x^2 + y^2) + 0.3*z^2 - 0.02", "z", rotation=BODY)
    L = rolls.kinetic(1.0, [0.02, 0.02, 0.035]) - 9.81 * rolls.position[2]
    equations = da.nonholonomic(da.System(rolls.space, L, rolls.constraints))
    R = Rotation.from_euler("x", 0.7).as_matrix()
    w, axis = sp.Matrix(rolls.turning), sp.Matrix(rolls.rotation)[:, 2]
    asked = [axis[2], w.dot(axis), w.dot(sp.Matrix(rolls.normal))]
    found = []
    for across, spin in ((1.0, 3.0), (-2.0, 1.0), (0.5, 6.5)):
        start = equations.start(**rolls.meets({"x": 0, "y": 0, "R": R, "w1": 2.5, "w2": across, "w3": spin}))
        path = da.simulate(equations, start, until=0.12, rtol=1e-11)
        assert path.ok, path.audit
        tilt, *spins = (e[:, 0] for e in along(path, asked, np.linspace(0, 0.12, 241)))
        assert (np.diff(tilt) < 0).all()
        found.append((tilt[::-1], [s[::-1] for s in spins]))
    low, high = max(tilt[0] for tilt, _ in found), min(tilt[-1] for tilt, _ in found)
    assert high - low > 0.1
    at = np.linspace(high, low, 20)
    one, two, three = (np.array([_smooth(tilt, s, at) for s in spins]) for tilt, spins in found)
    # the third from the first two, where the tilt is the same at the start
    a, b = np.linalg.solve(np.column_stack([one[:, 0], two[:, 0]]), three[:, 0])
    assert np.ptp(three, axis=1).max() > 0.05
    assert a * one + b * two == pytest.approx(three, abs=1e-6)


BODY = da.rotation("R", frame="body")


def _smooth(x, y, at):
    return make_interp_spline(x, y, k=5)(at)


@pytest.mark.parametrize("equation", ["x^2 + y^2 + z^2 - r^2", "(x^2 + y^2 + z^2)^2 + r^2*(x^2 + y^2 + z^2) - 2*r^4"])
def test_a_ball_in_a_paraboloid_moves_as_routh_s_linear_equations_say(equation):
    """On a surface of revolution, with b the slope and R1, R2 the radii of that of the centre [routh1905]:

        d(rho u)/db = - I/(I + m r^2) rho r w_n ,    r dw_n/db = u (1 - R1/R2)

    rho is the centre's distance from the axis, u its velocity around that, w_n the spin about the normal.
    """
    k, r, I, values = 0.4, 0.2, 0.016, {"r": 0.2}
    rolls = da.rolling(equation, "z - k*(x^2 + y^2)", parameters="r k")
    L = rolls.kinetic(1.0, I) - 9.81 * rolls.position[2]
    equations = da.nonholonomic(da.System(rolls.space, L, rolls.constraints, parameters={**values, "k": k}))
    given = {"x": 0.9, "y": 0, "R": "identity", "w1": 6.0, "w2": 2.0, "w3": 5.0}
    start = equations.start(**rolls.meets(given, {**values, "k": k}))
    path = da.simulate(equations, start, until=1.2, rtol=1e-11)
    X, V, N, w, C = (sp.Matrix(getattr(rolls, n)) for n in ("position", "velocity", "normal", "turning", "point"))
    rho_u, steep = X[0] * V[1] - X[1] * V[0], 2 * sp.Symbol("k") * sp.sqrt(C[0] ** 2 + C[1] ** 2)
    t = np.linspace(0, 1.2, 80)
    path_of = [read(sp.sympify(e), Graph()) for e in (sp.atan(steep), rho_u, w.dot(N))]
    states = [{**values, "k": k, **dict(path.at(s))} for s in t]
    b, moved, spin = (np.array([evaluate([e], state)[0] for state in states], float) for e in path_of)

    def slopes(b, y):
        R1, R2 = (1 / (2 * k * math.cos(b) ** n) - r for n in (3, 1))
        rho = R2 * math.sin(b)
        return [-I / (I + r**2) * rho * r * y[1], y[0] / rho * (1 - R1 / R2) / r]

    # from the start to the least slope and to the largest
    for end in (b.min(), b.max()):
        near = (b - b[0]) * (end - b[0]) >= 0
        if abs(end - b[0]) < 1e-3:
            continue
        found = solve_ivp(slopes, (b[0], end), [moved[0], spin[0]], rtol=1e-11, atol=1e-12, dense_output=True).sol(
            b[near]
        )
        assert found[0] == pytest.approx(moved[near], abs=1e-8)
        assert found[1] == pytest.approx(spin[near], abs=1e-7)
    assert np.ptp(b) > 0.1 and np.ptp(spin) > 0.1


# --- what is refused -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("equation", "words"),
    [
        ("x^2 + y^2 - 1", "not closed"),
        ("x^2 + y^2 - z^2 - 1", "not closed"),
        ("x^2 + y^2 + z^2 + 1", "no points"),
        ("x", "not closed"),
        ("x^4 + y^4 - 1", "one direction only"),
        ("x^4 + y^4 + z^2", "0 times"),
        ("(x - 3)^2 + y^4 + z^4 - 1", "0 times"),
        ("(sqrt(x^2 + y^2) - 0.3)^2 + z^2 - 0.0025", "0 times"),
        ("(x^2 + y^2 + z^2)^2 - 2*x^2 + 2*y^2 - 0.2", "outside of a plane"),
        ("abs(x)^3 + abs(y) + abs(z) - 1", "edges"),
        ("x^4 + n1", "a normal"),
        ("x^4 + vx", "moves"),
        ("x^4 + y^4 + z^4 - 1 - t", "moves"),
    ],
)
def test_equations_that_bound_no_body_that_rolls(equation, words):
    with pytest.raises(da.DalembertError, match=rf"E155 .*{words}"):
        da.rolling(equation, "z")


def test_parameters_decide_with_their_values():
    rolls = da.rolling("(x^2 + y^2 + z^2)^2 - 2*k*x^2 + 2*k*y^2 - 0.2", "z", parameters="k")
    found = rolls.meets({"R": TILTED}, {"k": 0.05})
    assert found["R_3"] < 0
    with pytest.raises(da.DalembertError, match=r"E155 .*outside of a plane"):
        rolls.meets({"R": TILTED}, {"k": 1.0})


def test_where_it_is_flat_nothing_rolls():
    rolls = da.rolling("x^4 + y^4 + z^4 - 1", "z", rotation=da.rotation("Q"))
    start = rolls.meets({"x": 0, "y": 0, "z": 1, "Q": "identity"})
    assert start["Q_3"] == pytest.approx(-1)
    with pytest.raises(da.DalembertError, match=r"E155 .*flat"):
        rolls.fits(start)
