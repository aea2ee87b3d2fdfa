"""What statics holds stays: ladders, tables, ropes; what slides stops; how many contacts there may be."""

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp
from scipy.optimize import linprog

import dalembert as da
from dalembert.errors import InvalidValue

G = 9.81


def ladder(floor, wall):
    """Of 1 kg and 2 m, uniform, its foot on a floor and its top at a wall."""
    q = da.coordinates("x y a")
    x, y, a, vx, vy, va = q
    contacts = {
        "floor": da.contact(gap=y - sp.sin(a), slip=[vx - sp.sin(a) * va], mu=floor),
        "wall": da.contact(gap=x - sp.cos(a), slip=[vy + sp.cos(a) * va], mu=wall),
    }
    return da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2 + va**2 / 6 - G * y, contacts=contacts))


def statics(floor, wall, angle):
    """Do forces in the cones balance the ladder? By linear programming in (N_f, T_f, N_w, T_w)."""
    c, s = np.cos(angle), np.sin(angle)
    balance = [[0, 1, 1, 0], [1, 0, 0, 1], [c, s, -s, -c]]
    cone = [[-floor, 1, 0, 0], [-floor, -1, 0, 0], [0, 0, -wall, 1], [0, 0, -wall, -1]]
    bounds = [(0, None), (None, None), (0, None), (None, None)]
    return linprog(np.zeros(4), cone, np.zeros(4), balance, [0, G, 0], bounds).status == 0


@pytest.mark.parametrize(
    ("floor", "wall"), [(0.5, 0.5), (0.3, 0.8), (0.25, 1.0), (0.3, 0.3), (0.2, 0.5), (0.6, 0.1)], ids=str
)
def test_a_ladder_rests_where_linear_programming_balances_it(floor, wall):
    """tan(angle) >= (1 - mu_f mu_w)/(2 mu_f)."""
    equations, limit = ladder(floor, wall), np.arctan((1 - floor * wall) / (2 * floor))
    for off in (-2.0, -0.1, 0.1, 0.5, 2.0, 5.0):
        angle = limit + np.radians(off)
        start = {"x": np.cos(angle), "y": np.sin(angle), "a": angle, "vx": 0, "vy": 0, "va": 0}
        path = da.simulate(equations, start, until=1.0)
        assert statics(floor, wall, angle) == (off > 0)
        assert (abs(path["a"][-1] - angle) < 1e-12) == (off > 0)
        assert path.audit.ok


def test_hyperstatic_forces_are_the_least_in_the_cones():
    """By another programme, on a grid of the one number that statics leaves open."""
    angle = np.arctan((1 - 0.24) / 0.6) + np.radians(1.0)
    start = {"x": np.cos(angle), "y": np.sin(angle), "a": angle, "vx": 0, "vy": 0, "va": 0}
    path = da.simulate(ladder(0.3, 0.8), start, until=0.1)
    found = [path[f"{name}_{what}"][-1] for name in ("floor", "wall") for what in ("normal", "friction")]
    c, s = np.cos(angle), np.sin(angle)
    balance = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [c, s, -s, -c]])
    assert balance @ found == pytest.approx([0, G, 0], abs=1e-9)
    one = np.linalg.lstsq(balance, [0, G, 0], rcond=None)[0]
    free = np.linalg.svd(balance)[2][-1]
    each = one + np.linspace(-20, 20, 400_001)[:, None] * free
    inside = (np.abs(each[:, 1]) <= 0.3 * each[:, 0]) & (np.abs(each[:, 3]) <= 0.8 * each[:, 2])
    sizes = np.linalg.norm(each[inside], axis=1)
    assert np.linalg.norm(found) == pytest.approx(sizes.min(), abs=1e-3)


FEET = [(1, 1, -1), (1, -1, -1), (-1, 1, -1), (-1, -1, -1)]


def box(forces=None, mu=0.5, corners=FEET, restitution=0.0, a=0.3, b=0.2, h=0.1, m=2.0):
    """A box in space, some of whose corners touch a rough floor."""
    space = da.coordinates("x y z", velocities="v1 v2 v3") * da.rotation("R", "w1 w2 w3")
    R, place = space.R, sp.Matrix(space.coordinates[:3])
    v, w = sp.Matrix(space.velocities[:3]), sp.Matrix(space.velocities[3:])
    moments = (m * (b * b + h * h) / 3, m * (a * a + h * h) / 3, m * (a * a + b * b) / 3)
    L = m * v.dot(v) / 2 + sum(i * c**2 for i, c in zip(moments, R.T * w, strict=True)) / 2 - m * G * place[2]
    contacts = {}
    for i, (sx, sy, sz) in enumerate(corners):
        arm = R * sp.Matrix([sx * a, sy * b, sz * h])
        slip = v + w.cross(arm)
        contacts[f"c{i}"] = da.contact(gap=(place + arm)[2], slip=[slip[0], slip[1]], mu=mu, restitution=restitution)
    return da.nonholonomic(da.System(space, L, contacts=contacts, forces=forces or {}))


STILL = {"x": 0, "y": 0, "z": 0.1, "R": "identity", **dict.fromkeys(("v1", "v2", "v3", "w1", "w2", "w3"), 0)}


def test_a_box_on_four_feet_slides_straight_and_stops():
    """After v^2/(2 mu g): the part of the normal forces that statics leaves open turns nothing."""
    path = da.simulate(box(), {**STILL, "v1": 1.0}, until=0.5)
    assert path["x"][-1] == pytest.approx(1 / (2 * 0.5 * G), abs=1e-9)
    assert path.audit.ok
    assert {word for _, _, word in path.modes} == {"slides", "sticks"}


@pytest.mark.parametrize(("share", "rests"), [(0.99, True), (1.01, False)])
def test_a_box_on_four_feet_rests_below_the_limit(share, rests):
    path = da.simulate(box({"v1": share * 0.5 * 2 * G}), STILL, until=0.2)
    right = 0.0 if rests else (share - 1) * 0.5 * G * 0.2**2 / 2
    assert path["x"][-1] == pytest.approx(right, abs=1e-9)
    assert path.audit.ok


def largest_push(a, b, mu, m, along, directions=720):
    """At a corner, along a direction, by linear programming in N and T of each foot: cones of so many sides."""
    turns = 2 * np.pi * np.arange(directions) / directions
    feet = np.array([(sx * a, sy * b) for sx, sy, _ in FEET])
    balance, n = np.zeros((6, 13)), np.arange(4)
    for i, (x, y) in enumerate(feet):
        balance[:, 3 * i : 3 * i + 3] = np.array(
            [[0, 1, 0], [0, 0, 1], [1, 0, 0], [y, 0, 0.1], [-x, -0.1, 0], [0, -y, x]]
        )
    c, s = along
    balance[:, 12] = [c, s, 0, 0.1 * s, -0.1 * c, a * s - b * c]
    cones = np.zeros((4 * directions, 13))
    for i in n:
        cones[i * directions : (i + 1) * directions, 3 * i : 3 * i + 3] = np.column_stack(
            [np.full(directions, -mu), np.cos(turns), np.sin(turns)]
        )
    bounds = [(0, None), (None, None), (None, None)] * 4 + [(0, None)]
    right = [0, 0, m * G, 0, 0, 0]
    return linprog(-np.eye(13)[12], cones, np.zeros(len(cones)), balance, right, bounds).x[12]


@pytest.mark.parametrize("angle", [0.0, 0.7, 1.5, 2.6])
def test_a_box_that_is_pushed_at_a_corner_rests_up_to_what_statics_holds(angle):
    """The push acts at the corner (a, b, -h): it turns the box as well."""
    a, b, c, s = 0.3, 0.2, np.cos(angle), np.sin(angle)
    most = largest_push(a, b, 0.5, 2.0, (c, s))
    for share in (0.5, 0.99):
        F = share * most
        push = {"v1": F * c, "v2": F * s, "w1": 0.1 * F * s, "w2": -0.1 * F * c, "w3": F * (a * s - b * c)}
        path = da.simulate(box(push), STILL, until=0.1)
        assert max(np.ptp(path[name]) for name in ("x", "y", "z", "w3")) < 1e-12
        assert path.audit.ok
    push = {name: 1.01 / 0.99 * force for name, force in push.items()}
    try:
        path = da.simulate(box(push), STILL, until=0.1)
    except InvalidValue as refused:  # sliding and turning at once depends on how the feet share the load
        assert refused.code == "E411"
    else:
        assert max(np.ptp(path[name]) for name in ("x", "y")) > 1e-6


@pytest.mark.parametrize("share", [0.99, 1.01])
def test_a_tall_box_tips_about_two_feet(share):
    """I f'' = F (a sin f + 2 h cos f) - m g (a cos f - h sin f) about them, I = m (4 a^2 + 4 h^2)/3."""
    a, h, m = 0.2, 0.5, 2.0
    F = share * m * G * a / (2 * h)
    R = da.rotation("R", "w1 w2 w3").R
    push = {"v1": F, "w1": -F * h * R[1, 2], "w2": F * h * R[2, 2]}
    path = da.simulate(box(push, a=a, h=h, m=m), {**STILL, "z": h}, until=0.5)

    def tips(t, f):
        lever, weight = a * np.sin(f[0]) + 2 * h * np.cos(f[0]), a * np.cos(f[0]) - h * np.sin(f[0])
        return [f[1], (F * lever - m * G * weight) / (m * 4 * (a * a + h * h) / 3)]

    f = solve_ivp(tips, [0, 0.5], [0, 0], rtol=1e-11, atol=1e-13).y[0, -1] if share > 1 else 0.0
    assert path["z"][-1] == pytest.approx(a * np.sin(f) + h * np.cos(f), abs=1e-9)
    assert path.audit.ok


def test_a_box_turns_about_its_middle_to_rest():
    """With the radius r of its feet  I w' = -mu m g r : the open part of the normal forces has no moment."""
    a, b, m, mu, w0 = 0.3, 0.2, 2.0, 0.5, 4.0
    path = da.simulate(box(), {**STILL, "w3": w0}, until=1.0)
    rate = mu * m * G * np.hypot(a, b) / (m * (a * a + b * b) / 3)
    assert path.modes[-1][0] == pytest.approx(w0 / rate, abs=1e-7)
    assert path.audit.ok


def test_a_motion_that_depends_on_how_forces_are_shared_is_not_begun():
    """Sliding and turning at once: friction has a moment that a rigid body does not tell."""
    with pytest.raises(InvalidValue, match=r"E411.*not unique"):
        da.simulate(box(), {**STILL, "v1": 1.0, "w3": 1.0}, until=0.5)


def rope(n, share, mu=0.5):
    """n beads of a rope, 15 degrees apart, round a rough drum; its pull as a share of the most that holds."""
    step = np.radians(15)
    q = da.coordinates(" ".join(f"x{i} y{i}" for i in range(n)))
    L = sum(0.05 * (q[f"vx{i}"] ** 2 + q[f"vy{i}"] ** 2) for i in range(n))
    rows, drum, start = {}, {}, {}
    for i in range(n):
        x, y = q[f"x{i}"], q[f"y{i}"]
        r = sp.sqrt(x**2 + y**2)
        drum[f"c{i}"] = da.contact(gap=r - 1, slip=[(x * q[f"vy{i}"] - y * q[f"vx{i}"]) / r], mu=mu)
        start |= {f"x{i}": float(np.cos(i * step)), f"y{i}": float(np.sin(i * step)), f"vx{i}": 0, f"vy{i}": 0}
        if i:
            length = float(2 * np.sin(step / 2))
            rows[f"rope{i}"] = (x - q[f"x{i - 1}"]) ** 2 + (y - q[f"y{i - 1}"]) ** 2 - length**2
    c, s = np.cos(step / 2), np.sin(step / 2)
    pull = 1 + (((c + mu * s) / (c - mu * s)) ** n - 1) * share
    first, last = -step / 2, (n - 1) * step + step / 2
    forces = {"vx0": float(np.sin(first)), "vy0": float(-np.cos(first))}
    forces |= {f"vx{n - 1}": float(-pull * np.sin(last)), f"vy{n - 1}": float(pull * np.cos(last))}
    return da.nonholonomic(da.System(q, L, rows, contacts=drum, forces=forces)), start


@pytest.mark.parametrize(("n", "share"), [(5, 0.99), (5, 1.01), (9, 0.99)])
def test_a_rope_holds_by_the_capstan_formula(n, share):
    """((c + mu s)/(c - mu s))^n, c and s of half the angle between beads."""
    equations, start = rope(n, share)
    path = da.simulate(equations, start, until=0.1)
    moved = np.hypot(path["x0"][-1] - 1, path["y0"][-1])
    assert (moved < 1e-12) == (share < 1)


def test_a_bead_on_a_rough_wire_is_pushed_from_either_side():
    """theta'' = -g/R sin(theta) - mu |theta'^2 + g/R cos(theta)| sign(theta')."""
    mu, R, v0 = 0.2, 1.0, 6.0
    q = da.coordinates("x y")
    x, y, vx, vy = q
    r = sp.sqrt(x**2 + y**2)
    wire = {"wire": da.contact(gap=R - r, slip=[(x * vy - y * vx) / r], mu=mu, sides=2)}
    bead = da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2 - G * y, contacts=wire))
    path = da.simulate(bead, {"x": 0, "y": -R, "vx": v0, "vy": 0}, until=0.54)

    def own(t, z):
        return [z[1], -G * np.sin(z[0]) - mu * abs(z[1] ** 2 + G * np.cos(z[0])) * np.sign(z[1])]

    right = solve_ivp(own, [0, 0.54], [0, v0], rtol=1e-11, atol=1e-13, max_step=0.002).y[0, -1]
    assert np.arctan2(path["x"][-1], -path["y"][-1]) == pytest.approx(right, abs=1e-7)
    assert path["wire_normal"].min() < -0.1 < 1 < path["wire_normal"].max()
    assert path.audit.ok
    later = da.simulate(bead, {"x": 0, "y": -R, "vx": v0, "vy": 0}, until=8)
    assert later.modes[-1][2] == "sticks"
    assert abs(np.tan(np.arctan2(later["x"][-1], -later["y"][-1]))) < mu


def test_a_rod_whirls_on_a_pin_in_a_rough_slot():
    """N = (g + l w^2 sin a)/(1 + 3 cos^2 a + 3 mu sign(N) sign(v) sin a cos a), of 1 kg and 2 l, v of the pin."""
    mu, half, G0 = 0.3, 0.5, 9.81
    q = da.coordinates("x y a", velocities="vx vy w")
    _, y, a, vx, vy, w = q
    slot = da.contact(gap=y + half * sp.sin(a), slip=[vx - half * sp.sin(a) * w], mu=mu, sides=2)
    rod = da.System(q, (vx**2 + vy**2) / 2 + half**2 * w**2 / 6 - G0 * y, contacts={"slot": slot})
    start = {"x": 0.0, "y": 0.0, "a": 0.0, "vx": 20.0, "vy": -half * 9.0, "w": 9.0}
    path = da.simulate(da.nonholonomic(rod), start, until=0.4)

    def own(t, z):
        _, angle, speed, rate = z
        s, c = np.sin(angle), np.cos(angle)
        push, v = G0 + half * rate**2 * s, speed - half * s * rate
        N = push / (1 + 3 * c * c + 3 * mu * np.sign(push) * np.sign(v) * s * c)
        T = -mu * abs(N) * np.sign(v)
        return [speed, rate, T, 3 / half * (N * c - T * s)]

    right = solve_ivp(own, [0, 0.4], [0, 0, 20.0, 9.0], rtol=1e-9, atol=1e-11, max_step=1e-3).y[:, -1]
    assert path["slot_normal"].min() < -1 < 1 < path["slot_normal"].max()
    assert [path[name][-1] for name in ("x", "a", "vx", "w")] == pytest.approx(right, abs=1e-5)
    assert path.audit.ok


def test_two_contacts_on_either_side_of_one_surface_are_one_with_two_sides():
    q = da.coordinates("x y")
    sides = {"out": da.contact(gap="1 - sqrt(x^2 + y^2)"), "in": da.contact(gap="sqrt(x^2 + y^2) - 1")}
    with pytest.raises(InvalidValue, match=r"E132.*two sides") as told:
        da.System(q, "vx^2/2 + vy^2/2", contacts=sides)
    assert "sides=2" in str(told.value)


def test_dry_friction_in_a_joint_sticks_and_goes_on():
    """11 half swings, each 2 F/k smaller, of pi sqrt(m/k) each."""
    m, k, F = 1.0, 20.0, 0.9
    joint = {"joint": da.contact(slip=["dot(x)"], load=F, mu=1)}
    equations = da.nonholonomic(da.System(da.coordinates("x"), f"{m / 2}*dot(x)^2 - {k / 2}*x^2", contacts=joint))
    path = da.simulate(equations, {"x": 1, "vx": 0}, until=9)
    assert path["x"][-1] == pytest.approx(-0.01, abs=1e-10)
    assert path.modes[-1] == (pytest.approx(11 * np.pi * np.sqrt(m / k), abs=1e-9), "joint", "sticks")
    assert path["joint_friction"][-1] == pytest.approx(-k * 0.01, abs=1e-9)
    assert path.audit.ok


@pytest.mark.parametrize("friction", [0.3, 0.6])
@pytest.mark.parametrize("share", [0.5, 0.97, 0.995])
def test_a_block_at_rest_on_a_slope_creeps_by_nothing_and_is_ok(friction, share):
    q = da.coordinates("x y f")
    x, y, f, vx, vy, vf = q
    a, h, slope = 0.1, 0.1, float(np.arctan(share * friction))
    feet = {}
    for name, s in (("up", 1), ("down", -1)):
        ay = -s * a * sp.sin(f) - h * sp.cos(f)
        feet[name] = da.contact(gap=y + ay, slip=[vx - vf * ay], mu=friction)
    L = (vx**2 + vy**2) / 2 + 0.004 * vf**2 / 2 + G * (sp.sin(slope) * x - sp.cos(slope) * y)
    start = {"x": 0, "y": h, "f": 0, "vx": 0, "vy": 0, "vf": 0}
    path = da.simulate(da.nonholonomic(da.System(q, L, contacts=feet)), start, until=60.0)
    assert abs(path["x"]).max() == 0
    assert path.audit.ok


def pressed(F):
    """A block of 1 kg on two feet, pushed by F t."""
    q = da.coordinates("x y f")
    _, y, f, vx, vy, vf = q
    a = h = 0.1
    feet = {}
    for name, s in (("left", -1), ("right", 1)):
        ay = s * a * sp.sin(f) - h * sp.cos(f)
        feet[name] = da.contact(gap=y + ay, slip=[vx - vf * ay], mu=0.5)
    L = (vx**2 + vy**2) / 2 + 0.004 * vf**2 / 2 - G * y
    return da.nonholonomic(da.System(q, L, contacts=feet, forces={"vx": "F*t"}, parameters={"F": F}))


def test_what_two_feet_hold_lets_go_at_the_limit_of_both():
    """At t_0 = mu g/F, then x = F (T^3 - t_0^3)/6 - F t_0^2 (T - t_0)/2 - mu g (T - t_0)^2/2."""
    F, T, start = 6.0, 1.5, {"x": 0, "y": 0.1, "f": 0, "vx": 0, "vy": 0, "vf": 0}
    path, t0 = da.simulate(pressed(F), start, until=T), 0.5 * G / F
    assert [t for t, _, word in path.modes if word == "slides"] == pytest.approx([t0, t0], abs=1e-10)
    right = F * (T**3 - t0**3) / 6 - F * t0**2 * (T - t0) / 2 - 0.5 * G * (T - t0) ** 2 / 2
    assert path["x"][-1] == pytest.approx(right, abs=1e-9)
    with pytest.raises(InvalidValue, match=r"E319.*not unique"):
        da.sensitivities(pressed(F), start, until=T, by=["F"])


def stack(n, push, mu=0.4):
    """n blocks of 1 kg, one on the other, the lowest pushed."""
    q = da.coordinates(" ".join(f"x{i} y{i} f{i}" for i in range(n)))
    a, h, L, corners, start = 0.2, 0.1, 0, {}, {}
    for i in range(n):
        x, y, f, vx, vy, vf = (q[f"{k}{i}"] for k in ("x", "y", "f", "vx", "vy", "vf"))
        L += (vx**2 + vy**2) / 2 + (a * a + h * h) / 6 * vf**2 - G * y
        start |= {f"x{i}": 0, f"y{i}": h + 2 * h * i, f"f{i}": 0, f"vx{i}": 0, f"vy{i}": 0, f"vf{i}": 0}
        for side in (-1, 1):
            ax, ay = side * a * sp.cos(f) + h * sp.sin(f), side * a * sp.sin(f) - h * sp.cos(f)
            px, py, ux, uy = x + ax, y + ay, vx - vf * ay, vy + vf * ax
            gap, slip = py, ux
            if i:
                X, Y, F, VX, VY, VF = (q[f"{k}{i - 1}"] for k in ("x", "y", "f", "vx", "vy", "vf"))
                dx, dy = px - X, py - Y
                gap = dy * sp.cos(F) - dx * sp.sin(F) - h
                slip = (ux - VX + VF * dy) * sp.cos(F) + (uy - VY - VF * dx) * sp.sin(F)
            corners[f"c{i}_{(side + 1) // 2}"] = da.contact(gap=gap, slip=[slip], mu=mu)
    return da.nonholonomic(da.System(q, L, contacts=corners, forces={"vx0": push})), start


@pytest.mark.parametrize(("n", "push"), [(3, 10.0), (3, 15.0), pytest.param(10, 60.0, marks=pytest.mark.long)])
def test_a_stack_is_pulled_at_the_bottom(n, push):
    """It rests below mu n m g, and moves as one above, as long as nothing in it slips."""
    mu = 0.4
    equations, start = stack(n, push, mu)
    path, rate = da.simulate(equations, start, until=0.2), max(push / n - mu * G, 0.0)
    for name in ("x0", f"x{n - 1}"):
        assert path[name][-1] == pytest.approx(rate * 0.2**2 / 2, abs=1e-10)
    assert path.audit.ok


def test_a_foot_that_no_longer_presses_lifts_beside_forces_that_are_not_unique():
    """The lowest of three blocks is drawn out: its front foot lifts where the load has moved behind it."""
    path = da.simulate(*stack(3, 50.0), until=0.2)
    assert path.reached and path.audit.ok
    assert [(name, word) for _, name, word in path.modes if word == "apart"] == [("c0_1", "apart")]
    assert path["c0_1_normal"].min() > -1e-9


@pytest.mark.parametrize(
    "seeds", [pytest.param([0, 5], id="two"), pytest.param(range(100), id="hundred", marks=pytest.mark.long)]
)
@pytest.mark.parametrize("restitution", [0.0, 0.3])
def test_a_brick_that_is_dropped_settles_on_a_face(restitution, seeds):
    corners = [((-1) ** i, (-1) ** (i // 2), (-1) ** (i // 4)) for i in range(8)]
    equations, sides = box(mu=0.4, corners=corners, restitution=restitution), np.array([0.1, 0.2, 0.3])
    for seed in seeds:
        rng = np.random.default_rng(seed)
        turned = dict(zip("wxyz", rng.normal(size=4), strict=True))
        rates = dict(zip(("v1", "v2", "v3"), 0.5 * rng.normal(size=3), strict=True))
        rates |= dict(zip(("w1", "w2", "w3"), 2 * rng.normal(size=3), strict=True))
        size = np.linalg.norm(list(turned.values()))
        turned = {k: c / size for k, c in turned.items()}
        path = da.simulate(equations, {"x": 0, "y": 0, "z": 0.6, "R": turned, **rates}, until=8.0)
        assert path.reached
        assert path.audit.verdict != "failed"
        assert np.abs(path["z"][-1] - sides).min() < 1e-9
        assert np.diff(path["energy"]).max() < 1e-10


def balls(n, push, angle, box=10.0, ball=1.0, r=0.05, rough=0.8, floor=0.4):
    """Balls on a box on a floor, which is pushed: the box with its weight, rough contacts, no turning of the box."""
    space = da.coordinates(
        "X Y Z " + " ".join(f"x{i} y{i} z{i}" for i in range(n)),
        velocities="vX vY vZ " + " ".join(f"vx{i} vy{i} vz{i}" for i in range(n)),
    )
    for i in range(n):
        space = space * da.rotation(f"R{i}", f"wx{i} wy{i} wz{i}")
    s = space.by_name
    L = box * (s["vX"] ** 2 + s["vY"] ** 2 + s["vZ"] ** 2) / 2 - box * G * s["Z"]
    touch = {"floor": da.contact(gap=s["Z"], slip=[s["vX"], s["vY"]], mu=floor)}
    start = {**dict.fromkeys(("X", "Y", "Z", "vX", "vY", "vZ"), 0)}
    for i in range(n):
        v, w = ([s[f"{k}{axis}{i}"] for axis in "xyz"] for k in "vw")
        L += ball * sum(u**2 for u in v) / 2 + ball * r * r / 5 * sum(u**2 for u in w) - ball * G * s[f"z{i}"]
        slip = [v[0] - r * w[1] - s["vX"], v[1] + r * w[0] - s["vY"]]
        touch[f"b{i}"] = da.contact(gap=s[f"z{i}"] - s["Z"] - r, slip=slip, mu=rough)
        start |= {f"x{i}": 0.2 * i, f"y{i}": 0, f"z{i}": r, f"R{i}": "identity"}
        start |= {f"{k}{axis}{i}": 0 for k in "vw" for axis in "xyz"}
    forces = {"vX": push * float(np.cos(angle)), "vY": push * float(np.sin(angle))}
    return da.nonholonomic(da.System(space, L, contacts=touch, forces=forces, limits={"coordinates": 500})), start


@pytest.mark.parametrize("n", [2, pytest.param(25, marks=pytest.mark.long)])
def test_balls_roll_on_a_box_that_is_pushed(n):
    """(M + 2/7 n m) a = F - mu (M + n m) g , and 2/7 of it of each ball."""
    push, M = 6.0 * n, 0.4 * n
    equations, start = balls(n, push, np.pi / 4, box=M)
    path = da.simulate(equations, start, until=0.5)
    a = (push - 0.4 * (M + n) * G) / (M + 2 / 7 * n)
    assert np.hypot(path["vX"][-1], path["vY"][-1]) == pytest.approx(0.5 * a, rel=1e-12)
    for i in range(n):
        assert np.hypot(path[f"vx{i}"][-1], path[f"vy{i}"][-1]) == pytest.approx(a / 7, rel=1e-12)
    assert path.audit.ok
