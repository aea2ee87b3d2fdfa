"""What a set of constraints is: growth vectors from the literature, integrals held along motions, faults named."""

import numpy as np
import pytest
import sympy as sp

import dalembert as da
from dalembert.geometry.one_forms import OneForm
from dalembert.systems import whipple_bicycle

sin, cos = sp.sin, sp.cos


def plain(names, constraints, **parameters):
    """A system of unit masses in plain coordinates; constraints: function of the symbols by name."""
    space = da.coordinates(names)
    symbols = {s.name: s for s in space} | {n: sp.Symbol(n, positive=True) for n in parameters}
    given = {k: sp.sympify(v) for k, v in constraints(symbols).items()}
    return da.System(space, sum(v**2 for v in space.velocities) / 2, given, parameters=parameters)


def car(trailers):
    """A car whose axle pulls trailers; the drawbars have length 1."""
    space = da.coordinates("x y " + " ".join(f"th{i}" for i in range(trailers + 1)))
    th, w = space.coordinates[2:], space.velocities[2:]
    X, Y = space.velocities[:2]
    rows = {}
    for i in range(trailers + 1):
        rows[f"axle{i}"] = X * sin(th[i]) - Y * cos(th[i])
        if i < trailers:
            X, Y = X + sin(th[i + 1]) * w[i + 1], Y - cos(th[i + 1]) * w[i + 1]
    return da.System(space, sum(v**2 for v in space.velocities) / 2, rows)


def ball(spin):
    """A ball that rolls on a plane, with or without pivoting."""
    space = da.Space.product(da.plane("x y"), da.rotation("R", velocities="w1 w2 w3", frame="space"))
    vx, vy, w1, w2, w3 = space.velocities
    rows = {"rx": vx - w2, "ry": vy + w1} | ({} if spin else {"pivot": w3})
    return da.System(space, (vx**2 + vy**2 + w1**2 + w2**2 + w3**2) / 2, rows)


# --- growth ----------------------------------------------------------------------------------------------------------

GROWTH = {
    "Heisenberg": (lambda: plain("x y z", lambda s: {"c": s["vz"] - s["y"] * s["vx"]}), (2, 3)),
    "Martinet": (lambda: plain("x y z", lambda s: {"c": s["vz"] - s["y"] ** 2 * s["vx"]}), (2, 3)),
    "Engel": (
        lambda: plain("x y z w", lambda s: {"a": s["vz"] - s["y"] * s["vx"], "b": s["vw"] - s["z"] * s["vx"]}),
        (2, 3, 4),
    ),
    "Cartan": (
        lambda: plain(
            "x y z u v",
            lambda s: {
                "a": s["vz"] - s["x"] * s["vy"],
                "b": s["vu"] - s["z"] * s["vx"],
                "c": s["vv"] - s["z"] * s["vy"],
            },
        ),
        (2, 3, 5),
    ),
    "contact in five": (
        lambda: plain("x y z p q", lambda s: {"c": s["vz"] - s["p"] * s["vx"] - s["q"] * s["vy"]}),
        (4, 5),
    ),
    "car, no trailer": (lambda: car(0), (2, 3)),
    "car, one trailer": (lambda: car(1), (2, 3, 4)),
    "car, two trailers": (lambda: car(2), (2, 3, 4, 5)),
    "car, four trailers": (lambda: car(4), (2, 3, 4, 5, 6, 7)),
    "ball that pivots": (lambda: ball(True), (3, 5)),
    "ball that does not": (lambda: ball(False), (2, 3, 5)),
}


@pytest.mark.parametrize("name", GROWTH)
def test_growth_vectors_of_the_literature(name):
    build, vector = GROWTH[name]
    found = da.examine(build())
    assert (found.growth, found.generating, found.verdict) == (vector, True, "nonholonomic")
    assert found.degree == len(vector)
    assert "N141" in [n.code for n in found.notes]


def test_growth_over_the_budget_is_said_and_not_guessed():
    found = da.examine(car(9))
    assert len(found.growth) > 2
    assert found.growth == tuple(range(2, 2 + len(found.growth)))
    assert (found.generating, found.growth_complete, found.degree) == (None, False, None)
    assert "not computed" in str(found)


def test_rows_multiplied_out_integrate_still():
    """mu (df), multiplied out: terms cancel, and what rounding leaves of a bracket is no direction."""
    x, y, z, w = sp.symbols("x y z w", real=True)
    cases = [
        (x + 2 * z * sin(x), 1 + 3 * y**2 - 3 * z**2 + z * (2 - 3 * z)),
        (3 * T * w - 2 * w + x, 1 - 2 * w - z),
        (2 * w * y + x - 2 * sin(T) + 2 * sin(z), 1 - 2 * sin(y)),
    ]
    for f, mu in cases:

        def rows(s, f=f, mu=mu):
            rate = sum(f.diff(q) * s[f"v{q}"] for q in (x, y, z, w)) + f.diff(T)
            return {"c": sp.expand(mu * rate)}

        found = da.examine(plain("x y z w", rows))
        assert (found.growth, found.verdict) == ((3,), "holonomic in disguise"), f


def test_small_slopes_of_large_rows_count():
    for large, small in ((1.0, 1e-7), (1e8, 1e-4)):
        row = {"c": lambda s, a=large, b=small: a * s["vz"] - b * s["y"] * s["vx"]}
        found = da.examine(plain("x y z", lambda s, row=row: {n: f(s) for n, f in row.items()}))
        assert (found.growth, found.rows[0].integrable, found.affine_holonomic) == ((2, 3), False, False)


# --- holonomic in disguise -------------------------------------------------------------------------------------------

DISGUISED = {
    "wheel on a line": ("x phi", lambda s: {"c": s["vx"] - s["r"] * s["vphi"]}, {"r": 0.3}, ["x - r*phi"]),
    "ray": ("x y", lambda s: {"c": s["y"] * s["vx"] - s["x"] * s["vy"]}, {}, ["x/y"]),
    "sphere": (
        "x y z",
        lambda s: {"c": s["x"] * s["vx"] + s["y"] * s["vy"] + s["z"] * s["vz"]},
        {},
        ["x**2 + y**2 + z**2"],
    ),
    "integrating factor": (
        "x y z",
        lambda s: {"c": s["y"] * s["z"] * s["vx"] + 2 * s["x"] * s["z"] * s["vy"] + 3 * s["x"] * s["y"] * s["vz"]},
        {},
        ["x*y**2*z**3"],
    ),
    "trigonometric": ("x y", lambda s: {"c": s["vx"] * cos(s["y"]) - s["x"] * sin(s["y"]) * s["vy"]}, {}, ["x*cos(y)"]),
    "only together": (
        "x y z",
        lambda s: {"a": s["vz"] - s["y"] * s["vx"], "b": s["vy"] - s["x"] * s["vx"]},
        {},
        ["y - x**2/2", "z - x*y + x**3/3"],
    ),
    "disc that does not turn": (
        "x y th ph",
        lambda s: {
            "a": s["vx"] - s["r"] * cos(s["th"]) * s["vph"],
            "b": s["vy"] - s["r"] * sin(s["th"]) * s["vph"],
            "c": s["vth"],
        },
        {"r": 0.4},
        ["th", "x - r*ph*cos(th)", "y - r*ph*sin(th)"],
    ),
    "combination of a nonholonomic pair": (
        "x y th a b",
        lambda s: {
            "slip": s["vx"] * sin(s["th"]) - s["vy"] * cos(s["th"]),
            "left": s["vx"] * cos(s["th"]) + s["vy"] * sin(s["th"]) + s["w"] * s["vth"] - s["r"] * s["va"],
            "right": s["vx"] * cos(s["th"]) + s["vy"] * sin(s["th"]) - s["w"] * s["vth"] - s["r"] * s["vb"],
        },
        {"r": 0.4, "w": 0.7},
        ["2*w*th - r*a + r*b"],
    ),
    "drift that integrates": ("z w", lambda s: {"c": s["vz"] - 1 - s["z"] ** 2}, {}, ["atan(z) - t"]),
    "forced relaxation": (
        "x y",
        lambda s: {"c": s["vx"] + s["k"] * s["x"] - T},
        {"k": 2.0},
        ["exp(k*t)*(k**2*x - k*t + 1)"],
    ),
    "steady drift": ("z w", lambda s: {"c": s["vz"] - s["k"]}, {"k": 2.0}, ["z - k*t"]),
    "moving wall": (
        "x y",
        lambda s: {"c": s["vx"] * sin(T) - s["vy"] * cos(T) + s["x"] * cos(T) + s["y"] * sin(T)},
        {},
        ["x*sin(t) - y*cos(t)"],
    ),
}
T = sp.Symbol("t", real=True)


@pytest.mark.parametrize("name", DISGUISED)
def test_integrals_are_found_and_are_functions_of_the_known_ones(name):
    names, constraints, parameters, known = DISGUISED[name]
    system = plain(names, constraints, **parameters)
    found = da.examine(system)
    assert found.integral_count == len(found.integrals) == len(known)
    assert "N116" in [n.code for n in found.notes]
    variables = [T, *system.space.coordinates]
    own = {s.name: s for s in [*variables, *system.symbols.values()]}
    expected = [sp.sympify(k, locals=own) for k in known]
    J = sp.Matrix([[f.diff(v) for v in variables] for f in [*expected, *(i.expression for i in found.integrals)]])
    rng = np.random.default_rng(0)
    for _ in range(3):
        at = {s: sp.Float(rng.uniform(0.3, 1.4)) for s in own.values()}
        rank = np.linalg.matrix_rank(np.array(J.xreplace(at).evalf(), float), tol=1e-9)
        assert rank == len(known)  # each found one depends on the known ones, and they on it


@pytest.mark.parametrize("name", ["only together", "combination of a nonholonomic pair", "wheel on a line"])
def test_integrals_are_constant_along_a_motion(name):
    names, constraints, parameters, _ = DISGUISED[name]
    system = plain(names, constraints, **parameters)
    equations = da.nonholonomic(system)
    start = equations.start(project="kinetic", **system.space.sample(np.random.default_rng(1)))
    path = da.simulate(equations, start, until=3.0)
    for integral in da.examine(system).integrals:
        f = sp.lambdify([*system.space.coordinates, *system.symbols.values()], integral.expression)
        values = f(*(path[q.name] for q in system.space.coordinates), *(system.parameters[n] for n in system.symbols))
        assert np.ptp(values * np.ones_like(path.t)) < 1e-9 * (1 + np.abs(values).max())


def test_rotations_are_integrated_in_the_entries_of_the_matrix():
    space = da.rotation("R", frame="body")
    a, b, _ = space.velocities
    found = da.examine(da.System(space, sum(w**2 for w in space.velocities) / 2, {"a": a, "b": b}))
    assert (found.verdict, found.integral_count, len(found.integrals)) == ("holonomic in disguise", 2, 2)
    assert {i.constraints for i in found.integrals} == {("a", "b")}
    assert [r.integrable for r in found.rows] == [False, False]


def mecanum(reach):
    """A platform on four wheels with rollers at 45 degrees to the axles, `reach` = half length + half width."""
    q = da.coordinates("x y theta psi1 psi2 psi3 psi4")
    theta, (vx, vy, omega, *turns) = q["theta"], q.velocities
    r = sp.Symbol("r", positive=True)
    ahead, aside = vx * cos(theta) + vy * sin(theta), -vx * sin(theta) + vy * cos(theta)
    rows = {
        f"wheel{i}": ahead + sideways * aside + turning * reach * omega - r * turn
        for i, (sideways, turning, turn) in enumerate(zip((-1, 1, 1, -1), (-1, 1, -1, 1), turns, strict=True), 1)
    }
    values = {"r": 0.1} | {s.name: 0.3 for s in reach.free_symbols}
    return da.System(q, sum(v**2 for v in q.velocities) / 2, rows, parameters=values)


@pytest.mark.parametrize("reach", ["l", "a + b"])
def test_mecanum_wheels_bind_the_heading_and_each_other(reach):
    """vx, vy and omega determine the wheels; psi1 + psi2 = psi3 + psi4, and theta goes with psi2 - psi3."""
    arms = sum(sp.symbols(reach.split(" + "), positive=True), sp.S.Zero)
    system = mecanum(arms)
    found = da.examine(system)
    assert (found.growth, found.verdict, found.integral_count) == ((3, 5), "partly integrable", 2)
    r, theta, psi = sp.Symbol("r", positive=True), system.space["theta"], system.space.coordinates[3:]
    known = [psi[0] + psi[1] - psi[2] - psi[3], 2 * arms * theta - r * (psi[1] - psi[2])]
    slopes = sp.Matrix([*known, *(i.expression for i in found.integrals)]).jacobian(system.space.coordinates)
    assert len(found.integrals) == 2
    assert sp.simplify(slopes).rank() == 2  # each found one is a sum of multiples of the known ones
    assert not any(i.expression.has(sp.Float) for i in found.integrals)


def test_of_mixed_rows_the_integrable_one_is_solved_for():
    """d(z - x y) and dw - y dx, mixed with factors of the place: solved for dz and dw the first comes out alone."""
    from dalembert.geometry.one_forms import solved_rows

    t, x, y, z, w = sp.symbols("t x y z w", real=True)
    integrable, other = sp.Matrix([[0, -y, -x, 1, 0]]), sp.Matrix([[0, -y, 0, 0, 1]])
    forms = [OneForm((t, x, y, z, w), tuple(row)) for row in (integrable + x * other, y * integrable - other)]
    assert [tuple(f.entries) for f in solved_rows(forms, [3, 4])] == [tuple(integrable)]


def test_rows_are_solved_only_where_that_gives_something_integrable(monkeypatch):
    """A chain of axles solved for x or for y has no integrable row: no inverse is written out."""
    written = []
    monkeypatch.setattr("dalembert.geometry.one_forms.adjugate", written.append)
    from dalembert.geometry.one_forms import solved_rows

    _x, _y, th0, th1, th2 = q = sp.symbols("x y th0 th1 th2", real=True)
    forms = [
        OneForm(q, (sin(th0), -cos(th0), sp.S.Zero, sp.S.Zero, sp.S.Zero)),
        OneForm(q, (sin(th1), -cos(th1), sp.S.Zero, -sp.S.One, sp.S.Zero)),
        OneForm(q, (sin(th2), -cos(th2), sp.S.Zero, -cos(th1 - th2), -sp.S.One)),
    ]
    for which in ((0, 3, 4), (1, 3, 4)):
        assert not list(solved_rows(forms, which))
    assert not written


def test_an_integral_out_of_reach_is_counted_and_said():
    # dz/z + exp(x^2) dx: integrable, without an elementary integral in these functions
    system = plain("x z", lambda s: {"c": s["vz"] + s["z"] * sp.exp(sin(s["x"])) * s["vx"]})
    found = da.examine(system)
    assert (found.verdict, found.integral_count, found.integrals) == ("holonomic in disguise", 1, ())
    assert "not found in closed form" in str(found)


# --- affine constraints ----------------------------------------------------------------------------------------------

AFFINE = {
    # row: (D integrable, drift in D, integral of time found)
    "vz - k*x": (True, False, False),
    "vz - k": (True, False, True),
    "vz - z": (True, False, True),
    "vz": (True, True, True),
    "vz - y*vx": (False, True, False),
    "vz - y*vx - k": (False, False, False),
}


@pytest.mark.parametrize("row", AFFINE)
def test_both_halves_of_affine_holonomy(row):
    integrable, drift, integral = AFFINE[row]
    system = plain("x y z", lambda s: {"c": sp.sympify(row, locals=s)}, **({"k": 0.7} if "k" in row else {}))
    found = da.examine(system)
    assert (found.distribution_integrable, found.drift_in_distribution) == (integrable, drift)
    assert found.affine_holonomic == (integrable and drift)
    assert bool(found.integrals) == integral
    assert ("N142" in [n.code for n in found.notes]) == (not drift)


def test_a_line_that_turns_is_integrable_at_each_instant_only():
    turning = da.examine(plain("x y", lambda s: {"c": s["vx"] * cos(T) + s["vy"] * sin(T)}))
    assert (turning.distribution_integrable, turning.drift_in_distribution) == (True, True)
    assert (turning.integrable_in_time, turning.affine_holonomic, turning.verdict) == (False, False, "nonholonomic")
    steady = da.examine(plain("x y", lambda s: {"c": (2 + cos(T)) * (s["vx"] - s["vy"])}))
    assert (steady.affine_holonomic, steady.verdict) == (True, "holonomic in disguise")


def test_undecided_is_not_said_to_be_no():
    found = da.examine(plain("x y", lambda s: {"a": s["vx"] - s["y"], "b": 2 * s["vx"] - 2 * s["y"] - 1}))
    assert (found.verdict, found.affine_holonomic) == ("contradictory", None)
    assert "D is" not in str(found)
    assert da.examine(plain("x y", lambda s: {"c": s["vx"] ** 2 + s["vy"] ** 2 - 1})).generating is None


def test_the_ball_on_a_turning_table():
    from dalembert.systems import ball_on_turntable

    found = da.examine(ball_on_turntable.system(Omega=1.2))
    assert [r.kind for r in found.rows] == ["affine", "affine"]
    assert (found.verdict, found.growth, found.affine_holonomic) == ("nonholonomic", (3, 5), False)


# --- ranks -----------------------------------------------------------------------------------------------------------


def test_redundant_rows_are_named_with_their_combination():
    system = plain("x y z", lambda s: {"a": s["vx"] - s["vy"], "b": s["vy"] - s["vz"], "c": s["vx"] - s["vz"]})
    found = da.examine(system)
    assert found.rank == 2
    (name, parts), *_ = found.redundant.items()
    rows = {"a": (1, -1, 0), "b": (0, 1, -1), "c": (1, 0, -1)}
    assert np.allclose(sum(c * np.array(rows[r]) for r, c in parts.items()), rows[name])
    assert f"{name} is redundant" in str(found)


@pytest.mark.parametrize(
    ("rows", "guilty"),
    [
        (lambda s: {"a": s["vx"] - s["vy"], "b": s["vz"], "c": s["vx"] - s["vy"] - 1}, ("a", "c")),
        (lambda s: {"a": s["x"] ** 2 + 1}, ("a",)),
        (lambda s: {"a": s["vx"] ** 2 + s["vy"] ** 2 + 1}, ("a",)),
        (lambda s: {"a": s["x"] ** 2 + s["y"] ** 2 - 1, "b": s["x"] - 3}, ("a", "b")),
    ],
)
def test_contradictions_are_found_and_refused(rows, guilty):
    system = plain("x y z", rows)
    assert da.examine(system).contradictory == guilty
    with pytest.raises(da.DalembertError, match="E111") as caught:
        da.nonholonomic(system)
    assert ", ".join(guilty) in str(caught.value)


def spheres(ball, base, twist=True):
    """A ball that rolls on a fixed sphere: its centre at (ball + base) n, |n| = 1; three rows, of which two count."""
    space = da.Space.product(da.coordinates("x y z"), da.rotation("R", velocities="w1 w2 w3", frame="space"))
    n, v, w = (sp.Matrix(s) for s in (space.coordinates[:3], space.velocities[:3], space.velocities[3:]))
    roll = (ball + base) * v - ball * w.cross(n)
    rows = {"sphere": n.dot(n) - 1, **{f"r{i}": e for i, e in enumerate(roll)}} | ({} if twist else {"twist": w.dot(n)})
    return da.System(space, (v.dot(v) + w.dot(w)) / 2, rows)


@pytest.mark.parametrize(
    ("ball", "base", "twist", "rank", "growth", "verdict"),
    [
        # without twist (2, 3, 5) unless the radii are equal, where it integrates [bor2009]
        (1, 3, True, 3, (3, 5), "nonholonomic"),
        (1, 3, False, 4, (2, 3, 5), "nonholonomic"),
        (2, 1, False, 4, (2, 3, 5), "nonholonomic"),
        (1, 1, False, 4, (2,), "holonomic in disguise"),
    ],
)
def test_velocity_rows_that_imply_a_relation_between_positions_are_the_redundant_ones(
    ball, base, twist, rank, growth, verdict
):
    found = da.examine(spheres(ball, base, twist))
    assert (found.rank, found.growth, found.verdict) == (rank, growth, verdict)
    (name,) = found.redundant
    assert name.startswith("r")
    # two of three rolling rows lose rank somewhere, all three never do
    assert found.drops == ()
    if verdict == "nonholonomic":
        assert "bracket-generating on the positions allowed" in str(found)


def test_rows_that_hold_together_at_special_positions_only():
    # vx = y = x: the normals agree, yet neither row follows from the other; left unsaid is x = y
    found = da.examine(plain("x y z", lambda s: {"a": s["vx"] - s["y"], "b": s["vx"] - s["x"]}))
    assert (found.verdict, found.hidden, found.rank, found.redundant) == ("undecided", True, 1, {})
    assert "none follows" in str(found)
    with pytest.warns(da.DalembertWarning, match=r"W121 the constraints a, b are dependent \(rank 1 of 2\) wherever"):
        equations = da.nonholonomic(plain("x y z", lambda s: {"a": s["vx"] - s["y"], "b": s["vx"] - s["x"]}))
    assert "W121" in [n.code for n in equations.notes]
    with pytest.raises(da.DalembertError, match="E121"):
        equations.start(x=0.3, y=0.3, z=0, vx=0.3, vy=0.1, vz=0.1)
    cube = plain("x y", lambda s: {"a": s["vx"] ** 3})
    assert da.examine(cube).hidden
    with pytest.warns(da.DalembertWarning, match="W121 the constraint a has no normal wherever"):
        da.nonholonomic(cube)


def test_where_a_function_is_not_real_nothing_is_contradicted():
    # vx = exp(x) vz > 0; and a root that is real nowhere near
    found = da.examine(plain("x y z", lambda s: {"c": sp.log(s["vx"]) - sp.log(s["vz"]) - s["x"]}))
    assert (found.verdict, found.contradictory) == ("nonlinear", ())
    far = da.examine(plain("x y z", lambda s: {"c": sp.sqrt(s["x"] - 50) * s["vx"] - s["vz"]}))
    assert (far.verdict, far.contradictory) == ("undecided", ())


def test_a_squared_constraint_has_no_normal_where_it_holds():
    edge = "(vx*sin(th) - vy*cos(th))**2"
    (drop,) = da.examine(plain("x y th", lambda s: {"c": sp.sympify(edge, locals=s)})).drops
    assert str(drop) == "rank 0 where the constraints hold"


def test_places_where_the_rank_drops():
    def where(system):
        found = da.examine(system).drops
        return [(d.rank, d.where) for d in found]

    cone = plain("x y z", lambda s: {"c": s["vx"] ** 2 + s["vy"] ** 2 - 4 * s["vz"] ** 2})
    assert where(cone) == [(0, "vx = 0, vy = 0, vz = 0")]
    slider = plain("x y th", lambda s: {"a": s["vx"] * cos(s["th"]) + s["vy"], "b": s["vy"]})
    assert where(slider) == [(1, "th = pi/2 (mod pi)")]
    # the minors are x sin z and 0: there are two families of places
    found = where(plain("x y z", lambda s: {"a": s["vx"] - s["vy"] * sin(s["z"]), "b": s["x"] * s["vx"]}))
    assert set(found) == {(1, "x = 0"), (1, "z = 0 (mod pi)")}
    assert where(plain("x y th", lambda s: {"c": s["vx"] * sin(s["th"]) - s["vy"] * cos(s["th"])})) == []


def test_a_linkage_with_a_spare_crank_moves():
    """Three parallel cranks: one rod too many, redundant on the linkage's own manifold only."""
    space = da.coordinates("a b c x y th")
    a, b, c, x, y, th, *v = space
    rows = {}
    for i, (angle, d) in enumerate(((a, 0), (b, 1), (c, 2))):
        rows[f"x{i}"] = d + cos(angle) - x - d * cos(th)
        rows[f"y{i}"] = sin(angle) - y - d * sin(th)
    system = da.System(space, (sum(u**2 for u in v[:3]) + 3 * (v[3] ** 2 + v[4] ** 2) + v[5] ** 2) / 2, rows)
    with pytest.warns(da.DalembertWarning, match="W113"):
        equations = da.nonholonomic(system)
    start = equations.start(
        a=0.7, b=0.7, c=0.7, x=cos(0.7), y=sin(0.7), th=0, va=0.5, vb=0.5, vc=0.5, project="kinetic"
    )
    path = da.simulate(equations, start, until=2.0)
    assert path.ok
    # nothing pulls: all cranks turn as one, steadily
    assert np.allclose(path["a"], 0.7 + 0.5 * path.t, atol=1e-9)
    assert np.allclose(path["b"], path["a"], atol=1e-9)
    assert np.abs(path["th"]).max() < 1e-9


def test_a_spare_crank_is_seen_where_the_linkage_is_like_elsewhere():
    """The states at which the rank is decided are no dead points: there it drops further, and only to rounding."""
    from dalembert.geometry.constraint_rank import directions, ranks

    space = da.coordinates("a b c x y th")
    a, b, c, x, y, th, *v = space
    rows = {}
    for i, (angle, d) in enumerate(((a, 0), (b, 1), (c, 2))):
        rows[f"x{i}"] = d + cos(angle) - x - d * cos(th)
        rows[f"y{i}"] = sin(angle) - y - d * sin(th)
    decided = ranks(da.System(space, sum(u**2 for u in v), rows))
    assert decided.held
    assert decided.rank == 5
    for N in decided.normals:
        *_, last, least = np.linalg.svd(directions(N), compute_uv=False)
        assert least < 1e-13
        assert last > 1e-4


# --- the constraint put into L ---------------------------------------------------------------------------------------


def disc(substituted):
    """Rolling disc of SymPy's tutorial: the centre's velocity as free, or replaced by that of rolling [sympy#27631]."""
    space = da.coordinates("x y lean yaw spin")
    vx, vy, vlean, vyaw, vspin = space.velocities
    lean, yaw = space["lean"], space["yaw"]
    rolling = {vx: -vspin * cos(yaw), vy: -vspin * sin(yaw)}
    T = (vx**2 + vy**2) / 2 + (vlean**2 + (vyaw * cos(lean)) ** 2 + 2 * (vspin + vyaw * sin(lean)) ** 2) / 8
    rows = {"rx": vx + vspin * cos(yaw), "ry": vy + vspin * sin(yaw)}
    return da.System(space, T.xreplace(rolling) if substituted else T, rows)


def test_a_constraint_that_was_put_into_the_lagrangian_is_named():
    assert da.examine(disc(False)).without_energy == {}
    found = da.examine(disc(True)).without_energy
    assert found == {"vx = 1": ("rx",), "vy = 1": ("ry",)}
    with pytest.raises(da.DalembertError, match="E112"):
        da.nonholonomic(disc(True))


def test_it_is_named_in_a_moving_frame_too():
    space = da.SE2("x y th", velocities="v1 v2 w")
    v1, v2, w = space.velocities
    light = da.System(space, ((v1 + v2) ** 2 + w**2) / 2, {"blade": v1 - v2})
    assert da.examine(light).without_energy == {"v1 = 1, v2 = -1": ("blade",)}
    with pytest.raises(da.DalembertError, match="E112"):
        da.nonholonomic(light)
    assert da.nonholonomic(light.changed(massless=["v1", "v2"])).evaluate({"x": 0, "y": 0, "th": 0, "v1": 1, "w": 1})


# --- on the equations ------------------------------------------------------------------------------------------------


def test_findings_are_notes_on_the_equations():
    system = plain("x phi", lambda s: {"c": s["vx"] - s["vphi"]})
    for principle in (da.nonholonomic, da.vakonomic):
        assert [n.code for n in principle(system).notes] == ["N116"]
    assert da.free(system).notes == ()


def test_what_is_no_system_is_refused():
    with pytest.raises(TypeError, match="E101"):
        da.examine("x")


@pytest.mark.parametrize("name", DISGUISED)
def test_the_text_fits_the_terminal(name):
    names, constraints, parameters, _ = DISGUISED[name]
    text = str(da.examine(plain(names, constraints, **parameters)))
    assert max(map(len, text.splitlines())) <= 80


# --- one-forms -------------------------------------------------------------------------------------------------------


def test_a_form_is_integrated_up_to_a_factor_or_not_at_all():
    x, y, z = sp.symbols("x y z", real=True)
    assert OneForm((x, y, z), (-y, sp.S.Zero, sp.S.One)).integral() is None
    for f in (x * y + z, x**2 * sin(y) / z, sp.exp(x) * (y + z)):
        for mu in (sp.S.One, x, y**2 * z, 1 / (1 + x**2)):
            form = OneForm((x, y, z), tuple(mu * f.diff(s) for s in (x, y, z)))
            found = form.integral()
            if found is None:
                assert mu == 1 / (1 + x**2)
                continue
            cross = sp.Matrix([[g.diff(s) for s in (x, y, z)] for g in (f, found)])
            at = {x: 0.7, y: 1.1, z: 0.4}
            assert np.linalg.matrix_rank(np.array(cross.subs(at).evalf(), float), tol=1e-9) == 1


@pytest.mark.parametrize("radius", [1e-6, 1.0, 1e6])
def test_little_energy_in_large_units_is_energy(radius):
    # a hoop whose radius is given in another unit: its rotation carries energy, however small the number
    q = da.coordinates("x phi")
    _x, _phi, vx, vphi = q
    hoop = da.System(q, (vx**2 + radius**2 * vphi**2) / 2, {"roll": vx - radius * vphi})
    assert da.examine(hoop).without_energy == {}
    without = da.System(q, radius**2 * vphi**2, {"roll": vx - radius * vphi})
    assert da.examine(without).without_energy == {"vx = 1": ("roll",)}


def test_sums_over_many_rows_hold_parameters():
    # two carts: each turns by the difference of its wheels' turns, 2 d a = r (c - b), which no row says alone
    q, rows = da.coordinates("x1 y1 a1 b1 c1 x2 y2 a2 b2 c2"), {}
    for i in "12":
        on = f"dot(x{i})*cos(a{i}) + dot(y{i})*sin(a{i})"
        rows[f"left{i}"] = f"{on} - d*dot(a{i}) - r*dot(b{i})"
        rows[f"right{i}"] = f"{on} + d*dot(a{i}) - r*dot(c{i})"
        rows[f"side{i}"] = f"dot(y{i})*cos(a{i}) - dot(x{i})*sin(a{i})"
    energy = sum(v**2 for v in q.velocities) / 2
    found = da.examine(da.System(q, energy, rows, parameters={"d": 0.4, "r": 0.15})).integrals
    d, r = sp.symbols("d r", real=True)
    assert len(found) == 2
    for i, integral in zip("12", found, strict=True):
        a, b, c = (q[f"{n}{i}"] for n in "abc")
        f = integral.expression
        assert not f.has(sp.Float)
        values = {s: {"d": d, "r": r}.get(s.name, s) for s in f.free_symbols}
        ratio = sp.simplify(f.xreplace(values) / (2 * d * a - r * (c - b)))
        assert ratio.free_symbols <= {d, r}


def test_an_integral_in_velocities_that_are_no_rates():
    # xdot = u + x v, ydot = v: d(x e^y)/dt = e^y (u + 2 x v)
    x, y, u, v = sp.symbols("x y u v", real=True)
    space = da.Space("x y z", "u v w", anchor=[[1, x, 0], [0, 1, 0], [0, 0, 1]])
    system = da.System(space, sum(s**2 for s in space.velocities) / 2, {"c": u + 2 * x * v})
    (found,) = da.examine(system).integrals
    f = found.expression
    assert f.free_symbols == {x, y}
    assert sp.simplify(x * f.diff(x) - f.diff(y)) == 0


def test_an_integral_on_the_leaves_of_another():
    # z = x y + c, and on each leaf wdot = c w xdot: w e^(-c x); the row of w holds that of z, and is none alone
    q = da.coordinates("x y z w")
    x, y, z, w, vx, vy, vz, vw = q
    first = vz - x * vy - y * vx
    rows = {"leaf": first, "grows": vw - w * (z - x * y) * vx + x * first}
    found = [i.expression for i in da.examine(da.System(q, sum(v**2 for v in q.velocities) / 2, rows)).integrals]
    assert len(found) == 2
    rates = {x: vx, y: vy, z: x * vy + y * vx, w: w * (z - x * y) * vx}
    for f in found:
        assert sp.simplify(sum(f.diff(s) * rate for s, rate in rates.items())) == 0
    assert any(f.has(w) for f in found)


# --- no more than was shown ------------------------------------------------------------------------------------------


def slope(f):
    """dz = f(x, y) dx: d omega ^ omega = df/dy, an integral z - int f dx where f does not hold y."""
    return plain("x y z", lambda s: {"c": s["vz"] - f(s["x"], s["y"]) * s["vx"]})


@pytest.mark.parametrize("small", [1e-12, 1e-9, 1e-6, 1.0, 1e6])
def test_one_question_has_one_answer_whatever_the_size(small):
    found = da.examine(slope(lambda x, y: x + small * y))
    assert (found.verdict, found.growth, found.rows[0].integrable) == ("nonholonomic", (2, 3), False)
    assert (found.distribution_integrable, found.affine_holonomic, found.integrals) == (False, False, ())
    assert found.answer.value is False
    assert "in disguise" not in str(found)
    found = da.examine(slope(lambda x, y: small * x))
    assert (found.verdict, found.growth, found.affine_holonomic) == ("holonomic in disguise", (2,), True)
    (integral,) = found.integrals
    x, z = sp.symbols("x z", real=True)
    ratio = integral.expression.diff(x) / integral.expression.diff(z)
    assert float(ratio.subs(x, 1)) == pytest.approx(-small, rel=1e-12)
    assert found.answer.value is True


FAR = {
    "Gaussian": lambda y: sp.exp(-50 * (y - 7) ** 2),
    "tail": lambda y: sp.exp(y - 40),
    "flat": lambda y: sp.exp(-1000 / y**2),
    "ramp": lambda y: sp.Max(0, y - 100),
    "kink": lambda y: sp.Abs(y - 1e4) - sp.Abs(y - 1e5),
}


@pytest.mark.parametrize("f", FAR.values(), ids=FAR)
def test_what_acts_far_away_acts(f):
    found = da.examine(slope(lambda x, y: f(y)))
    assert (found.verdict, found.growth, found.rows[0].integrable) == ("nonholonomic", (2, 3), False)
    found = da.examine(slope(lambda x, y: f(x)))
    assert (found.verdict, found.growth, found.rows[0].integrable) == ("holonomic in disguise", (2,), True)
    # z = const holds near the origin only
    assert not any(i.expression == sp.Symbol("z", real=True) for i in found.integrals)


def test_what_cannot_be_decided_is_said():
    # 0 for all y, which no rule here knows
    found = da.examine(slope(lambda x, y: sp.Max(0, sp.exp(y) - sp.exp(y + 1))))
    assert (found.verdict, found.rows[0].integrable, found.distribution_integrable) == ("undecided", None, None)
    assert (found.affine_holonomic, found.integrable_in_time, found.degree) == (None, None, None)
    assert "not decided" in str(found)
    with pytest.raises(da.DalembertError, match="E158"):
        bool(found.answer)


def rates(f):
    return lambda s: {"c": sum(f(s["x"], s["y"], s["z"]).diff(s[q]) * s[f"v{q}"] for q in "xyz")}


DROPS = {
    "quartic": (rates(lambda x, y, z: x**2 + y**2 + z**4), [(0, "x = 0, y = 0, z = 0")]),
    "fifth": (
        lambda s: {"c": s["x"] ** 4 * s["vx"] + s["y"] ** 4 * s["vy"] + s["z"] ** 4 * s["vz"]},
        [(0, "x = 0, y = 0, z = 0")],
    ),
    # grad = (2 x y^2, 2 x^2 y, 5 z^4)
    "crossed": (rates(lambda x, y, z: x**2 * y**2 + z**5), [(0, "x = 0, z = 0"), (0, "y = 0, z = 0")]),
    "axes": (rates(lambda x, y, z: x * y * z), [(0, "x = 0, y = 0"), (0, "x = 0, z = 0"), (0, "y = 0, z = 0")]),
    "shifted": (rates(lambda x, y, z: (x - 1) ** 4 + (y + 2) ** 2 + z**2), [(0, "x = 1, y = -2, z = 0")]),
    # the minors are x y, x z^3 and -y z
    "levels": (
        lambda s: {"c": s["x"] * s["vx"] + s["z"] * s["vz"], "d": s["y"] * s["vy"] + s["z"] ** 3 * s["vz"]},
        [(0, "x = 0, y = 0, z = 0"), (1, "x = 0, y = 0"), (1, "x = 0, z = 0"), (1, "y = 0, z = 0")],
    ),
    "not with a small part": (lambda s: {"c": s["x"] * s["vx"] + s["y"] * s["vy"] + 1e-12 * s["vz"]}, []),
    "not where it underflows": (lambda s: {"c": sp.exp(-20 * s["x"] ** 2) * (s["vx"] + s["y"] * s["vy"])}, []),
    "not off the sphere": (lambda s: {"c": s["x"] ** 2 + s["y"] ** 2 + s["z"] ** 2 - 1e-12}, []),
    "not off the circle": (
        lambda s: {"c": s["x"] ** 2 + s["y"] ** 2 + s["z"] ** 2 - 1e-12, "d": s["z"] - 5e-7},
        [],
    ),
}


@pytest.mark.parametrize("name", DROPS)
def test_a_rank_drops_where_it_does_and_nowhere_else(name):
    rows, known = DROPS[name]
    system = plain("x y z", rows)
    found = da.examine(system).drops
    assert sorted((d.rank, d.where) for d in found) == sorted(known)
    q, u = system.space.coordinates, system.space.velocities
    for drop in found:
        assert drop.exact
        at = {s: sp.nsimplify(drop.state.get(s.name, 0)) for s in q}
        assert sp.Matrix([[c.phi.diff(v).xreplace(at) for v in u] for c in system.constraints]).rank() == drop.rank


def test_places_are_joined_near_most_configurations_alone_where_a_surface_is_never_left():
    """D = {d/dx, d/dy + z x d/dz}: its brackets are z times a constant, and z = 0 is never left."""
    space = da.coordinates("x y z", "vx vy vz")
    found = da.examine(da.System(space, "(vx^2 + vy^2 + vz^2)/2", {"c": "vz - z*x*vy"}))
    assert found.growth == (2, 3) and "around almost every configuration" in " ".join(str(found).split())
    assert found.answer.value is False and "c" in found.answer.reason
    assert found.data["rows"]["c"]["integrable"]["answer"] == "no"


def test_rows_too_long_for_exact_arithmetic_are_told_apart_by_what_is_clear():
    """The bicycle: 2 contacts and 4 rows of rolling, whose brackets have thousands of terms."""
    found = da.examine(whipple_bicycle.system())
    assert (found.verdict, found.growth) == ("nonholonomic", (3, 5, 7))
