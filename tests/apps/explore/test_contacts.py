"""Pages step through contacts: what stands stays, what slides slides as friction says, what bounces loses e^2."""

import math
import shutil
from importlib import import_module
from importlib.resources import files

import numpy as np
import pytest
import sympy as sp
from fuzz.pages import ask, in_node

import dalembert as da
from dalembert.apps.explore import kernels
from dalembert.apps.explore.page_model import model
from dalembert.apps.explore.scenario import scenario
from dalembert.systems import bouncing_ball

node = pytest.mark.skipif(shutil.which("node") is None, reason="no node")
ASK = """
const motion = solveMotion(PRINCIPLE, KERNELS, START, PARAMETERS, { until: UNTIL, rtol: 1e-9 });
const found = motion.columns(null, TIMES.filter((t) => t <= motion.end));
for (const name in found) found[name] = Array.from(found[name]);
const { end, why, events, audit } = motion;
const jumps = [], { run } = motion;
for (let s = 0; s < run.count; s++) if (run.H[s] === 0) jumps.push([s, s + 1].map((i) => {
  KERNELS[PRINCIPLE].observe(run.T[i], run.Y.slice(i * run.n, (i + 1) * run.n), motion.p, motion.seen);
  return motion.seen[0];
}));
console.log(JSON.stringify({ found, end, why, events, audit, jumps }));
"""
G = 9.81
q = da.coordinates("x y")
x, y, vx, vy = q
T = (vx**2 + vy**2) / 2


def told(system, start, until, change=None, parameters=None, principle=None, events=(), count=41):
    """The motion in node: printed for a start, solved for changed values."""
    principle = principle or ("nonholonomic" if system.constraints else "free")
    text = kernels(system, [principle], start=start, until=until, events=events)
    names = {"PRINCIPLE": principle, "START": change or {}, "PARAMETERS": parameters or {}, "UNTIL": until}
    found = ask(text, ASK, {**names, "TIMES": np.linspace(0.0, until, count).tolist()}, in_node)
    found["found"] = {name: np.array(column, float) for name, column in found["found"].items()}
    return found


def slope(angle, mu, mu_static=None):
    """A block on a slope, x down it."""
    V = -G * (math.sin(angle) * x - math.cos(angle) * y)
    contact = da.contact(gap=y, slip=[vx], mu="mu", mu_static=mu_static)
    return da.System(q, T - V, contacts={"slope": contact}, parameters={"mu": mu})


@node
def test_a_block_on_a_slope_stays_below_the_limit_and_slides_above_it():
    system, start = slope(0.5, 1.01 * math.tan(0.5)), {"x": 0.0, "y": 0.0, "vx": 0.0, "vy": 0.0}
    found = told(system, start, 60.0)
    assert found["why"] == "" and np.abs(found["found"]["x"]).max() < 1e-12
    np.testing.assert_allclose(found["found"]["slope_normal"], G * math.cos(0.5), rtol=1e-12)
    np.testing.assert_allclose(found["found"]["slope_friction"], -G * math.sin(0.5), rtol=1e-10)
    # the slider of mu: x = (sin - mu cos) g t^2/2
    slides = told(system, start, 2.0, parameters={"mu": 0.2})["found"]
    a = G * (math.sin(0.5) - 0.2 * math.cos(0.5))
    # between its ends a step is drawn straight: a h^2/8 at most, h = 2/4000
    np.testing.assert_allclose(slides["x"], a * np.linspace(0, 2, 41) ** 2 / 2, atol=a * (2 / 4000) ** 2)
    np.testing.assert_allclose(slides["vx"], a * np.linspace(0, 2, 41), atol=1e-11)


@node
def test_friction_at_rest_holds_more_than_in_sliding():
    system, rest = slope(0.5, 0.3, mu_static=0.6), {"x": 0.0, "y": 0.0, "vx": 0.0, "vy": 0.0}
    assert math.tan(0.5) < 0.6
    assert np.abs(told(system, rest, 2.0)["found"]["x"]).max() < 1e-12
    moves = told(system, {**rest, "vx": 0.1}, 2.0)["found"]["vx"]
    assert moves[-1] == pytest.approx(0.1 + 2 * G * (math.sin(0.5) - 0.3 * math.cos(0.5)), rel=1e-12)


@node
def test_a_ball_bounces_by_e_and_rests():
    e, h = 0.6, 1.0
    system = da.System(q, T - G * y, contacts={"floor": da.contact(gap=y, restitution=e)})
    found = told(system, {"x": 0.0, "y": h, "vx": 0.5, "vy": 0.0}, 4.0)
    first = math.sqrt(2 * h / G)
    # flights of 2 v e^n/g
    times = first + np.cumsum([0.0, *(2 * first * e**n for n in range(1, 8))])
    np.testing.assert_allclose([event["t"] for event in found["events"]][:8], times, rtol=1e-6)
    for n, (before, after) in enumerate(found["jumps"][:6]):
        kinetic = G * h * e ** (2 * n)
        assert before - after == pytest.approx(kinetic * (1 - e**2), rel=1e-4)
    assert found["found"]["y"][-1] == pytest.approx(0.0, abs=1e-9)
    np.testing.assert_allclose(found["found"]["floor_normal"][-5:], G, rtol=1e-9)
    assert found["audit"]["balance"] < 1e-9


def box(feet, mu, push=0.0):
    """A box of 1 m and 1 kg, 0.4 m high, on its feet, pushed along x."""
    frame = da.coordinates("x y th")
    _, Y, th, VX, VY, w = frame
    inertia = (1 + 0.4**2) / 12
    contacts = {
        f"foot_{i}": da.contact(
            gap=Y + a * sp.sin(th) - 0.2 * sp.cos(th), slip=[VX + w * (0.2 * sp.cos(th) - a * sp.sin(th))], mu=mu
        )
        for i, a in enumerate(feet)
    }
    L = (VX**2 + VY**2 + inertia * w**2) / 2 - G * Y
    return da.System(frame, L, contacts=contacts, forces={VX: push})


@node
@pytest.mark.parametrize("feet", [(-0.5, 0.5), (-0.5, -0.2, 0.1, 0.5)])
def test_a_box_on_its_feet_rests_and_slides(feet):
    start = {"x": 0.0, "y": 0.2, "th": 0.0, "vx": 0.0, "vy": 0.0, "vth": 0.0}
    rests = told(box(feet, 0.5, 0.95 * 0.5 * G), start, 5.0)["found"]
    assert np.abs(rests["x"]).max() < 1e-10 and np.abs(rests["th"]).max() < 1e-10
    np.testing.assert_allclose(sum(rests[f"foot_{i}_normal"] for i in range(len(feet))), G, rtol=1e-9)
    slides = told(box(feet, 0.5, 1.2 * 0.5 * G), start, 1.0)["found"]
    # a = F/m - mu g, whatever the feet share
    np.testing.assert_allclose(slides["vx"], 0.1 * G * np.linspace(0, 1, 41), atol=1e-9)


@node
def test_a_table_on_four_feet_stops_after_its_braking_distance():
    frame = da.coordinates("x y z a b c")
    _, _, Z, a, b, _, VX, VY, VZ, wa, wb, wc = frame
    # small turns: exact for what is asked, that it stands and slides straight
    L = (VX**2 + VY**2 + VZ**2 + 0.1 * (wa**2 + wb**2) + 0.2 * wc**2) / 2 - G * Z
    feet = {
        f"foot_{i}": da.contact(
            gap=Z + s * a + r * b - 0.1, slip=[VX - s * wc + 0.1 * wb, VY + r * wc + 0.1 * wa], mu=0.4
        )
        for i, (r, s) in enumerate([(-0.4, -0.3), (0.4, -0.3), (-0.4, 0.3), (0.4, 0.3)])
    }
    start = dict.fromkeys([s.name for s in frame], 0.0) | {"z": 0.1, "vx": 1.2, "vy": 0.9}
    found = told(da.System(frame, L, contacts=feet), start, 1.0)["found"]
    # v^2/(2 mu g), along v
    way = 1.5**2 / (2 * 0.4 * G)
    assert found["x"][-1] == pytest.approx(0.8 * way, rel=1e-5)
    assert found["y"][-1] == pytest.approx(0.6 * way, rel=1e-5)
    assert abs(found["c"][-1]) < 1e-6


@node
def test_a_bead_on_a_rough_ring_rubs_with_the_size_of_its_normal_force():
    # level ring of radius 1, two-sided: v' = -mu v^2, so v = v0/(1 + mu v0 t)
    gap = (x**2 + y**2) ** 0.5 - 1
    ring = da.contact(gap=gap, slip=[x * vy - y * vx], mu=0.25, sides=2)
    found = told(da.System(q, T, contacts={"ring": ring}), {"x": 1.0, "y": 0.0, "vx": 0.0, "vy": 3.0}, 4.0)
    speed = np.hypot(found["found"]["vx"], found["found"]["vy"])
    np.testing.assert_allclose(speed, 3 / (1 + 0.75 * np.linspace(0, 4, 41)), rtol=2e-5)
    np.testing.assert_allclose(np.hypot(found["found"]["x"], found["found"]["y"]), 1.0, atol=1e-5)
    assert (found["found"]["ring_normal"] < 0).all()


@node
def test_dry_friction_in_a_joint_takes_the_same_from_every_half_swing():
    k = da.coordinates("s")
    s, vs = k
    system = da.System(k, vs**2 / 2 - 50 * s**2, forces=[da.forces.dry("s", 6.0)])
    half = math.pi / 10
    found = told(system, {"s": 1.0, "vs": 0.0}, 16 * half, count=17)
    # each half swing of pi/w is shorter by 2 F/k = 0.12, until F holds it: |s| <= 0.06
    want = [(-1) ** n * (1.0 - 0.12 * n) for n in range(9)]
    np.testing.assert_allclose(found["found"]["s"][:9], want, atol=2e-5)
    np.testing.assert_allclose(found["found"]["s"][9:], want[8], atol=2e-5)
    assert np.abs(found["found"]["vs"][9:]).max() < 1e-12
    assert found["audit"]["balance"] < 1e-5


@node
def test_constraints_and_contacts_act_together():
    # a pendulum in its plane whose bob hits a wall at x = 0 with e = 1/2
    system = da.System(q, T - G * y, {"rod": "x^2 + y^2 - 1"}, contacts={"wall": da.contact(gap=x, restitution=0.5)})
    start = {"x": 0.6, "y": -0.8, "vx": 0.0, "vy": 0.0}
    found = told(system, start, 2.0)
    path = da.simulate(da.nonholonomic(system), start, until=2.0, samples=np.linspace(0, 2, 41))
    for name in ("x", "y", "vx", "vy"):
        np.testing.assert_allclose(found["found"][name], path[name], atol=2e-5)
    assert found["audit"]["residual"] < 1e-9
    assert found["found"]["lam_rod"][-1] == pytest.approx(path["lam_rod"][-1], rel=1e-3)


@node
def test_a_column_of_beads_that_falls_comes_to_rest_bead_on_bead():
    n = 8
    line = da.coordinates(" ".join(f"z{i}" for i in range(n)))
    Z, V = list(line)[:n], list(line)[n:]
    contacts = {f"c{i}": da.contact(gap=Z[i] - (Z[i - 1] + 1 if i else 0), restitution=0.3) for i in range(n)}
    system = da.System(line, sum(v**2 for v in V) / 2 - G * sum(Z), contacts=contacts)
    start = {f"z{i}": i + 0.01 * (i + 1) for i in range(n)} | {f"vz{i}": 0.0 for i in range(n)}
    found = told(system, start, 2.0)
    assert all(after <= before for before, after in found["jumps"])
    np.testing.assert_allclose([found["found"][f"z{i}"][-1] for i in range(n)], range(n), atol=1e-9)
    # each bears those above it
    np.testing.assert_allclose(
        [found["found"][f"c{i}_normal"][-1] for i in range(n)], G * np.arange(n, 0, -1), rtol=1e-6
    )


@node
def test_a_page_records_forces_beside_its_states():
    made = scenario(slope(0.5, 0.2), start={"x": 0.0, "y": 0.0, "vx": 0.0, "vy": 0.0}, until=1.0)
    said = model(made, [])
    assert said["principles"][0]["states"] == ["x", "y", "vx", "vy"]
    record = files("dalembert.apps.explore").joinpath("page", "record.js").read_text(encoding="utf-8")
    question = f"""{record}
        const job = {{ principle: 0, start: {{}}, parameters: {{}}, until: 1, rtol: 1e-9, count: 11, full: true }};
        const {{ columns, why }} = recorded(MODEL, KERNELS, job);
        console.log(JSON.stringify({{ why, names: Object.keys(columns), N: Array.from(columns.slope_normal) }}));"""
    text = kernels(made.system, ["free"], start=dict(made.entries[0].start), until=1.0)
    found = ask(text, question, {"MODEL": said}, in_node)
    assert found["why"] == "" and {"slope_normal", "slope_friction", "energy"} < set(found["names"])
    np.testing.assert_allclose(found["N"], G * math.cos(0.5), rtol=1e-12)


@node
@pytest.mark.parametrize("name", ["woodpecker_toy", "rocking_block", "billiard_ball", "block_on_belt"])
def test_systems_of_the_gallery_move_for_five_seconds_and_impacts_give_no_energy(name):
    module = import_module(f"dalembert.systems.{name}")
    found = told(module.system(), next(iter(module.STARTS.values())), 5.0)
    assert (found["why"], found["end"]) == ("", 5.0)
    assert all(np.isfinite(column).all() and len(column) == 41 for column in found["found"].values())
    size = max(abs(energy) for jump in found["jumps"] for energy in jump) if found["jumps"] else 1.0
    assert all(after <= before + 1e-12 * size for before, after in found["jumps"])


@node
@pytest.mark.parametrize("name", ["loaded_hoop", "painleve_rod", "rocking_block"])
def test_motions_are_those_of_runs(name):
    module = import_module(f"dalembert.systems.{name}")
    system, start = module.system(), next(iter(module.STARTS.values()))
    found = told(system, start, module.SPAN)
    path = da.simulate(da.free(system), start, until=module.SPAN, samples=np.linspace(0, module.SPAN, 41))
    for column in (s.name for s in (*system.space.coordinates, *system.space.velocities)):
        size = np.abs(path[column]).max()
        np.testing.assert_allclose(found["found"][column], path[column], atol=1e-4 * max(size, 1e-3))
    assert found["audit"]["step"] == pytest.approx(module.SPAN / 4000)


@node
def test_events_act_and_a_start_below_the_floor_does_not_move():
    start = {"x": 0.0, "y": 0.0, "vx": 1.0, "vy": 0.0}
    edge = da.Event("edge", x - 0.25, "stop", 1)
    found = told(slope(0.0, 0.1), start, 2.0, events=[edge])
    # 0.25 = t - 0.1 g t^2/2
    assert found["end"] == pytest.approx((1 - math.sqrt(1 - 0.05 * G)) / (0.1 * G), rel=1e-6)
    assert "stopped by edge" in found["why"]
    below = told(slope(0.0, 0.1), start, 2.0, change={"y": -0.5})
    assert below["end"] == 0.0 and "slope" in below["why"]


def test_a_page_of_what_touches_says_how_it_steps(tmp_path):
    file = da.explore(bouncing_ball.system(), tmp_path / "page.html", start=bouncing_ball.START)
    assert "stepped with a fixed step" in file.read_text(encoding="utf-8")


def test_a_principle_without_modes_is_refused(tmp_path):
    system = da.System(q, T - G * y, {"rod": "x^2 + y^2 - 1"}, contacts={"wall": da.contact(gap=x)})
    start = {"x": 0.6, "y": -0.8, "vx": 0.0, "vy": 0.0}
    with pytest.raises(da.DalembertError, match=r"E139 .*has contacts: wall"):
        da.explore(system, tmp_path / "page.html", start=start, principles=["vakonomic"])
    assert not list(tmp_path.iterdir())
