"""A governor, a spatial slider-crank and a bicycle by their published data, each by several descriptions and by other
equations: what was not run yet of the library of multibody benchmarks [gonzalez2006].
"""

import math

import numpy as np
import pytest
import sympy as sp
from scipy.integrate import solve_ivp

import dalembert as da
from dalembert.systems import whipple_bicycle as bicycle

pytestmark = pytest.mark.filterwarnings("ignore:.*W113")
G = 9.81
AXES = "xyz"


class Apart:
    """Rigid bodies that nothing holds together yet, each with a place, an attitude and rates in its own axes."""

    def __init__(self, masses, places):
        """`masses`: mass, inertia and at the start the centre of mass of each body, by name."""
        self.masses, self.places = masses, {n: np.array(place, float) for n, place in places.items()}
        factors = [
            da.coordinates(f"x{n} y{n} z{n}") * da.rotation(f"R{n}", f"w{n}x w{n}y w{n}z", frame="body") for n in masses
        ]
        self.space = da.Space.product(*factors)
        named = self.space.by_name
        self.x, self.v, self.w = (
            {n: sp.Matrix([named[text.format(axis=axis, n=n)] for axis in AXES]) for n in masses}
            for text in ("{axis}{n}", "v{axis}{n}", "w{n}{axis}")
        )
        self.R = {n: factor.R for n, factor in zip(masses, factors, strict=True)}

    def at(self, n, arm):
        return self.x[n] + self.R[n] * sp.Matrix(arm)

    def moves(self, n, arm):
        return self.v[n] + self.R[n] * self.w[n].cross(sp.Matrix(arm))

    def lagrangian(self):
        return sum(
            m * self.v[n].dot(self.v[n]) / 2 + self.w[n].dot(da.inertia(I) * self.w[n]) / 2 - m * G * self.x[n][2]
            for n, (m, I) in self.masses.items()
        )

    def together(self, name, a, arm_a, b, arm_b):
        """The rows of two points that coincide; b is None for the ground."""
        gap = self.at(a, arm_a) - (sp.Matrix(arm_b) if b is None else self.at(b, arm_b))
        return {f"{name}_{axis}": e for axis, e in zip(AXES, gap, strict=True)}

    def across(self, name, a, b, pairs):
        """The rows of axes of a, each of them across an axis of b; b is None for the ground."""
        R = sp.eye(3) if b is None else self.R[b]
        return {
            f"{name}_{i}": (self.R[a] * sp.Matrix(one)).dot(R * sp.Matrix(two)) for i, (one, two) in enumerate(pairs)
        }

    def start(self, spins, speeds, attitudes=None):
        """Start values for angular velocities and velocities in space."""
        values = {}
        for n in self.masses:
            R = np.array((attitudes or {}).get(n, np.eye(3)))
            values[f"R{n}"] = R
            for k, axis in enumerate(AXES):
                values |= {f"{axis}{n}": self.places[n][k], f"v{axis}{n}": speeds[n][k]}
                values[f"w{n}{axis}"] = (R.T @ spins[n])[k]
        return values


X, Y, Z = np.eye(3).tolist()

# --- A05 of [gonzalez2006], a stiff governor: rods on a shaft that hold up a slider by springs with dampers -----------


def prism(*sides):
    """Mass and moments of a prism of 3000 kg/m^3."""
    m, (a, b, c) = 3000.0 * math.prod(sides), sides
    return m, (m * (b * b + c * c) / 12, m * (a * a + c * c) / 12, m * (a * a + b * b) / 12)


ROD, SLIDER, BALL = prism(0.01, 0.01, 1.0), prism(0.1, 0.1, 0.1), 5.0
STIFF, DAMPING, REST, OUT = 8e5, 4e4, 0.5, 0.05  # the hinges, and the springs' ends, lie OUT from the axis
SPIN, TILT = 2 * math.pi, math.pi / 6  # at the start, the rods below the horizontal; the slider at s = 0.5


def governor_of_joints():
    """Angles of the shaft and of both rods, and the slider's height."""
    q = da.coordinates("phi s a b")
    (_, s, *tilts), (w, vs, *turns) = q.coordinates, q.velocities
    L = (ROD[1][2] + SLIDER[1][2]) / 2 * w**2 + SLIDER[0] * (vs**2 / 2 - G * s)
    D = 0
    for a, va in zip(tilts, turns, strict=True):
        c, d = sp.cos(a), sp.sin(a)
        for m, r in ((ROD[0], 0.5), (BALL, 1.0)):
            L += m / 2 * ((r * va) ** 2 + ((OUT + r * c) * w) ** 2) + m * G * r * d
        L += ROD[1][0] / 2 * (va**2 + (w * c) ** 2) + ROD[1][2] / 2 * (w * d) ** 2
        long = sp.sqrt((c / 2) ** 2 + (1 - d / 2 - s) ** 2)
        L -= STIFF / 2 * (long - REST) ** 2
        D += DAMPING / 2 * (sp.diff(long, a) * va + sp.diff(long, s) * vs) ** 2
    start = {"phi": 0, "s": 0.5, "a": TILT, "b": TILT, "vphi": SPIN, "vs": 0, "va": 0, "vb": 0}
    return da.free(da.System(q, L, forces=[da.forces.rayleigh(D)])), start


def governor_of_bodies(again):
    """Four bodies in 20 rows; `again` writes seven of what these say once more."""
    down = {"right": [math.cos(TILT), 0, -math.sin(TILT)], "left": [-math.cos(TILT), 0, -math.sin(TILT)]}
    hinges = {n: np.array([OUT * np.sign(d[0]), 0, 1.0]) for n, d in down.items()}
    places = {"shaft": [0, 0, 0.5], "slider": [0, 0, 0.5], **{n: hinges[n] + np.array(d) / 2 for n, d in down.items()}}
    parts = Apart({"shaft": ROD, "slider": SLIDER, "right": ROD, "left": ROD}, places)
    rows = parts.together("foot", "shaft", [0, 0, -0.5], None, [0, 0, 0]) | parts.across(
        "upright", "shaft", None, [(Z, X), (Z, Y)]
    )
    along = parts.R["shaft"].T * (parts.x["slider"] - parts.x["shaft"])
    rows |= {"slides_x": along[0], "slides_y": along[1]}
    rows |= parts.across("turns", "slider", "shaft", [(X, Y), (X, Z), (Y, Z), *([(Y, X), (Z, X), (Z, Y)] * again)])
    L, D = parts.lagrangian(), 0
    for n, hinge in hinges.items():
        rows |= parts.together(n, n, [0, 0, 0.5], "shaft", hinge - [0, 0, 0.5])
        rows |= parts.across(f"{n}_turns", n, "shaft", [(X, Y), (Z, Y), *([(Y, X), (Y, Z)] * again)])
        ball = parts.moves(n, [0, 0, -0.5])
        L += BALL * ball.dot(ball) / 2 - BALL * G * parts.at(n, [0, 0, -0.5])[2]
        end = [hinge[0], 0, 0]
        d, rate = parts.x[n] - parts.at("slider", end), parts.v[n] - parts.moves("slider", end)
        L -= STIFF / 2 * (sp.sqrt(d.dot(d)) - REST) ** 2
        D += DAMPING / 2 * d.dot(rate) ** 2 / d.dot(d)
    spins = dict.fromkeys(parts.masses, np.array([0, 0, SPIN]))
    turned = {n: np.column_stack([np.cross(Y, np.negative(d)), Y, np.negative(d)]) for n, d in down.items()}
    start = parts.start(spins, {n: np.cross(spins[n], parts.places[n]) for n in spins}, turned)
    return da.nonholonomic(da.System(parts.space, L, rows, forces=[da.forces.rayleigh(D)])), start


@pytest.fixture(scope="module")
def governor_alone():
    """(s, a, s', a', phi, work of the dampers)(t): both rods at one angle, the shaft's spin by the angular momentum."""
    m, (across, _, around) = ROD
    lifted, turning = 2 * (m / 4 + BALL + across), around + SLIDER[1][2]

    def spun(a):  # the moment about the shaft and its slope
        c, d = math.cos(a), math.sin(a)
        J = m * (OUT + c / 2) ** 2 + BALL * (OUT + c) ** 2 + across * c * c + around * d * d
        slope = -d * (m * (OUT + c / 2) + 2 * BALL * (OUT + c) + 2 * (across - around) * c)
        return turning + 2 * J, 2 * slope

    def rates(_t, z):
        s, a, vs, va = z[:4]
        c, d = math.cos(a), math.sin(a)
        gap = 1 - d / 2 - s
        long = math.hypot(c / 2, gap)
        by_s, by_a = -gap / long, -(c * d / 4 + c * gap / 2) / long
        rate = by_s * vs + by_a * va
        pull = STIFF * (long - REST) + DAMPING * rate
        J, slope = spun(a)
        w = spun(TILT)[0] * SPIN / J
        down = 2 * (m / 2 + BALL) * G * c
        fall, lift = -G - 2 * pull * by_s / SLIDER[0], (slope * w * w / 2 + down - 2 * pull * by_a) / lifted
        return [vs, va, fall, lift, w, 2 * DAMPING * rate**2]

    begun = [0.5, TILT, 0, 0, 0, 0]
    return solve_ivp(rates, [0, 10], begun, method="LSODA", rtol=1e-13, atol=1e-14, dense_output=True).sol


def check_lost(path, work):
    assert path.ok, path.audit.reasons
    assert path["energy"] + work == pytest.approx(path["energy"][0], abs=1e-8)
    assert path.audit.work_balance < 1e-10 * path.audit.energy_scale


@pytest.mark.parametrize("options", [{"method": "radau"}, {}, {"method": "taylor"}], ids=str)
def test_a_stiff_governor_in_its_joints(governor_alone, options):
    path = da.simulate(*governor_of_joints(), until=10.0, **options)
    s, a, vs, va, phi, work = governor_alone(path.t)
    check_lost(path, work)
    assert work[-1] == pytest.approx(3.12e-3, abs=1e-5)  # not nothing
    assert np.ptp(path["s"]) > 0.24
    for name, right in {"s": s, "a": a, "b": a, "vs": vs, "va": va, "phi": phi}.items():
        assert path[name] == pytest.approx(right, abs=2e-9), name


@pytest.mark.parametrize(
    ("again", "until", "options"),
    [(0, 0.5, {}), (1, 0.5, {}), pytest.param(1, 10.0, {"method": "radau"}, marks=pytest.mark.long)],
    ids=str,
)
def test_a_stiff_governor_of_bodies_apart(governor_alone, again, until, options):
    path = da.simulate(*governor_of_bodies(again), until=until, **options)
    s, a, vs, _, phi, work = governor_alone(path.t)
    check_lost(path, work)
    assert path.audit.constraint_residual < 1e-11
    assert path["zslider"] == pytest.approx(s, abs=2e-9)
    assert path["vzslider"] == pytest.approx(vs, abs=2e-9)
    for n, side in (("right", 1), ("left", -1)):
        out = side * (OUT + np.cos(a) / 2)
        for axis, right in zip(AXES, (out * np.cos(phi), out * np.sin(phi), 1 - np.sin(a) / 2), strict=True):
            assert path[f"{axis}{n}"] == pytest.approx(right, abs=2e-9), n


# --- the spatial slider-crank of [haug1989 section 12.2]: a crank with its centre on its axis, a ball, a cross --------

HUB, CRANK, LONG = [0, 0.1, 0.12], 0.08, 0.3  # the crank turns about x, the slider moves along x
MASSES = {"crank": (0.12, (1e-4, 1e-5, 1e-4)), "rod": (0.5, (4e-4, 4e-3, 4e-3)), "slider": (2.0, (1e-4, 1e-4, 1e-4))}
RATE = 6.0


def crank_of_joints():
    """The crank's angle, the slider's place, and both angles of the cross."""
    q = da.coordinates("theta x psi chi")
    (theta, x, psi, chi), (w, vx, *turns) = q.coordinates, q.velocities
    pin = sp.Matrix(HUB) + CRANK * sp.Matrix([0, -sp.sin(theta), sp.cos(theta)])
    along = sp.Matrix([sp.cos(chi), sp.sin(chi) * sp.cos(psi), sp.sin(chi) * sp.sin(psi)])
    centre = sp.Matrix([x, 0, 0]) - along * LONG / 2
    speed = centre.jacobian(list(q.coordinates)) * sp.Matrix(q.velocities)
    m, (about, across, _) = MASSES["rod"]
    L = MASSES["crank"][1][0] / 2 * w**2 + MASSES["slider"][0] / 2 * vx**2 + m / 2 * speed.dot(speed)
    L += about / 2 * (turns[0] * sp.cos(chi)) ** 2 - m * G * centre[2]
    L += across / 2 * (turns[1] ** 2 + (turns[0] * sp.sin(chi)) ** 2)
    rows = dict(zip(AXES, pin + along * LONG - sp.Matrix([x, 0, 0]), strict=True))
    start = {"theta": 0, "x": 0.2, "psi": -math.pi + math.atan2(2, 1), "chi": math.acos(2 / 3), "vtheta": RATE}
    return da.nonholonomic(da.System(q, L, rows)), start


def crank_of_bodies(again):
    """Three bodies in 17 rows; `again` writes six of what these say once more."""
    d = np.array([0.2, -0.1, -0.2]) / LONG
    side = np.cross(d, X) / np.linalg.norm(np.cross(d, X))
    parts = Apart(MASSES, {"crank": HUB, "rod": [0.1, 0.05, 0.1], "slider": [0.2, 0, 0]})
    rows = parts.together("hub", "crank", [0, 0, 0], None, HUB)
    rows |= parts.across("hinge", "crank", None, [(X, Y), (X, Z), *([(Y, X), (Z, X)] * again)])
    rows |= parts.together("ball", "crank", [0, 0, CRANK], "rod", [-LONG / 2, 0, 0])
    rows |= parts.together("cross", "rod", [LONG / 2, 0, 0], "slider", [0, 0, 0])
    rows |= parts.across("cross", "rod", "slider", [(Y, X)])
    rows |= {"guide_y": parts.x["slider"][1], "guide_z": parts.x["slider"][2]}
    rows |= parts.across("turns", "slider", None, [(X, Y), (X, Z), (Y, Z), *([(Y, X), (Z, X), (Z, Y)] * again)])
    if again:
        gap = parts.x["slider"] - parts.at("crank", [0, 0, CRANK])
        rows["length"] = gap.dot(gap) - LONG**2
    start = {"Rcrank": "identity", "Rslider": "identity", "Rrod": np.column_stack([d, side, np.cross(d, side)])}
    start |= {f"{axis}{n}": at[k] for n, at in parts.places.items() for k, axis in enumerate(AXES)}
    return da.nonholonomic(da.System(parts.space, parts.lagrangian(), rows)), {**start, "wcrankx": RATE}


@pytest.fixture(scope="module")
def crank_alone():
    """(theta, theta', x)(t) of one equation:  J theta'' + J' theta'^2/2 + V' = 0 ,  the rod by its direction alone."""
    h = sp.Symbol("h")
    pin = sp.Matrix([0, 0.1 - CRANK * sp.sin(h), 0.12 + CRANK * sp.cos(h)])
    x = sp.sqrt(LONG**2 - pin[1] ** 2 - pin[2] ** 2)
    d = (sp.Matrix([x, 0, 0]) - pin) / LONG
    centre = pin + d * LONG / 2
    d1, c1 = d.diff(h), centre.diff(h)
    spin = d[0] * (d[1] * d1[2] - d[2] * d1[1]) / (d[1] ** 2 + d[2] ** 2)  # about the rod, whose cross turns about x
    J = 1e-4 + 0.5 * c1.dot(c1) + 4e-3 * d1.dot(d1) + 4e-4 * spin**2 + 2.0 * x.diff(h) ** 2
    f = sp.lambdify(h, [J, J.diff(h), (0.5 * G * centre[2]).diff(h), x], modules="numpy", cse=True)

    def rates(_t, z):
        inertia, slope, pull, _ = f(z[0])
        return [z[1], -(slope * z[1] ** 2 / 2 + pull) / inertia]

    found = solve_ivp(rates, [0, 5], [0, RATE], method="DOP853", rtol=1e-13, atol=1e-13, dense_output=True).sol
    return lambda t: (*found(t), f(found(t)[0])[3])


@pytest.mark.parametrize("options", [{}, {"method": "radau"}], ids=str)
def test_a_spatial_slider_crank_in_its_joints(crank_alone, options):
    path = da.simulate(*crank_of_joints(), until=5.0, **options)
    theta, rate, x = crank_alone(path.t)
    assert path.ok, path.audit.reasons
    assert path["theta"] == pytest.approx(theta, abs=1e-8)
    assert path["vtheta"] == pytest.approx(rate, abs=1e-7)
    assert path["x"] == pytest.approx(x, abs=1e-9)
    assert np.ptp(path["energy"]) < 1e-10 * path.audit.energy_scale


@pytest.mark.parametrize(("again", "options"), [(0, {}), (1, {}), (1, {"method": "taylor"})], ids=str)
def test_a_spatial_slider_crank_of_bodies_apart(crank_alone, again, options):
    equations, given = crank_of_bodies(again)
    start = equations.start(given)
    # the published rates at the start: [0.12, -0.24, 0] of the rod's centre, 0.24 of the slider
    assert [start[f"v{axis}rod"] for axis in AXES] == pytest.approx([0.12, -0.24, 0], abs=1e-15)
    assert start["vxslider"] == pytest.approx(0.24, rel=1e-14)
    path = da.simulate(equations, start, until=5.0, **options)
    _, rate, x = crank_alone(path.t)
    assert path.ok, path.audit.reasons
    assert path["wcrankx"] == pytest.approx(rate, abs=1e-7)
    assert path["xslider"] == pytest.approx(x, abs=1e-9)
    assert path.audit.constraint_residual < 1e-11  # of all rows
    assert np.ptp(path["energy"]) < 1e-10 * path.audit.energy_scale


# --- the bicycle of [meijaard2007] left to itself in three manoeuvres: its speed, and how fast it begins to lean ------

MANOEUVRES = {"M1": (4.0, 0.05), "M2": (4.6, 0.5), "M3": (8.0, 0.05)}
TABLE = {  # [meijaard2007 table 2]
    4.0: [-12.15861426576447, -1.42944427361326, 0.41325331521125 + 3.07910818603206j],
    5.0: [-14.07838969279822, -0.32286642900409, -0.77534188219585 + 4.46486771378823j],
    8.0: [-20.27940894394569, 0.14327879765713, -2.69348683581097 + 8.46037971396931j],
}


@pytest.fixture(scope="module")
def gallery():
    return da.nonholonomic(bicycle.system())


def ridden(equations, speed, lean):
    return equations.start({**bicycle.STARTS["upright"], "vrear": -speed / 0.3, "vlean": lean})


@pytest.mark.parametrize("speed", TABLE)
def test_a_bicycle_at_rest_in_its_speed_has_the_published_eigenvalues(gallery, speed):
    found = np.linalg.eigvals(da.linearise(gallery, ridden(gallery, speed, 0.0)).A)
    for value in TABLE[speed]:
        assert np.abs(found - value).min() < 1e-9
    assert (np.abs(found) < 1e-6).sum() == len(found) - 4  # places, headings and the speed stay


@pytest.mark.parametrize("options", [{}, {"method": "taylor"}], ids=str)
@pytest.mark.parametrize("name", MANOEUVRES)
def test_a_bicycle_left_to_itself_keeps_its_energy(gallery, name, options):
    path = da.simulate(gallery, ridden(gallery, *MANOEUVRES[name]), until=20.0, **options)
    assert path.ok, path.audit.reasons
    assert np.ptp(path["energy"]) < 1e-11 * path["energy"][0]  # of 1e-5 that is allowed
    assert path.audit.constraint_residual < 1e-11
    steady = np.abs(path.at(np.linspace(18, 20, 41))["lean"]).max() / np.abs(path["lean"]).max()
    assert (steady < 0.01) == (name == "M2")  # the one between the speeds of weave and capsize


def bicycle_of_bodies():
    """Four bodies, z upwards from where the rear wheel touches, in 15 rows of hinges and 6 of rolling wheels."""
    places = {"rear": [0, 0, 0.3], "frame": [0.3, 0, 0.9], "fork": [0.9, 0, 0.7], "front": [1.02, 0, 0.35]}
    frame = [[9.2, 0, -2.4], [0, 11, 0], [-2.4, 0, 2.8]]
    fork = [[0.05892, 0, 0.00756], [0, 0.06, 0], [0.00756, 0, 0.00708]]
    masses = {"rear": (2.0, (0.0603, 0.12, 0.0603)), "frame": (85.0, sp.Matrix(frame)), "fork": (4.0, sp.Matrix(fork))}
    parts = Apart({**masses, "front": (3.0, (0.1405, 0.28, 0.1405))}, places)
    tilt, trail = math.pi / 10, np.array([1.02 + 0.08, 0, 0])
    axis, ahead = [-math.sin(tilt), 0, math.cos(tilt)], [math.cos(tilt), 0, math.sin(tilt)]
    rows = {}
    for a, b, at, along, others in (
        ("frame", "rear", parts.places["rear"], Y, (X, Z)),
        ("frame", "fork", trail, axis, (ahead, Y)),
        ("fork", "front", parts.places["front"], Y, (X, Z)),
    ):
        rows |= parts.together(b, a, at - parts.places[a], b, at - parts.places[b])
        rows |= parts.across(b, a, b, [(other, along) for other in others])
    for n, radius in (("rear", 0.3), ("front", 0.35)):
        axle = parts.R[n] * sp.Matrix(Y)
        root = sp.sqrt(1 - axle[2] ** 2)
        to_ground = radius / root * (axle[2] * axle - sp.Matrix(Z))
        slip = parts.v[n] + (parts.R[n] * parts.w[n]).cross(to_ground)
        rows |= {f"{n}_height": parts.x[n][2] - radius * root, f"{n}_ahead": slip[0], f"{n}_aside": slip[1]}
    return parts, da.nonholonomic(da.System(parts.space, parts.lagrangian(), rows))


def check_rides(parts, equations, gallery, name, until):
    speed, lean = MANOEUVRES[name]
    wheels = {"rear": speed / 0.3, "front": speed / 0.35}
    spins = {n: np.array([lean, wheels.get(n, 0.0), 0.0]) for n in parts.masses}
    speeds = {n: np.array([speed, -lean * place[2], 0.0]) for n, place in parts.places.items()}
    path = da.simulate(equations, parts.start(spins, speeds), until=until)
    other = da.simulate(gallery, ridden(gallery, speed, lean), until=until, method="taylor").at(path.t)
    assert path.ok, path.audit.reasons
    for axis, sign in zip(AXES, (1, -1, -1), strict=True):
        assert path[f"{axis}rear"] == pytest.approx(sign * other[axis], abs=1e-8)
    assert path["wrearx"] ** 2 + path["wrearz"] ** 2 == pytest.approx(
        (other["vlean"] ** 2 + (other["vyaw"] * np.cos(other["lean"])) ** 2), abs=1e-9
    )
    assert np.ptp(path["energy"]) < 1e-10 * path["energy"][0]


def test_a_bicycle_of_bodies_apart_begins_to_lean_alike(gallery):
    check_rides(*bicycle_of_bodies(), gallery, "M2", 0.1)


@pytest.mark.long
def test_a_bicycle_of_bodies_apart_rides_alike(gallery):
    bodies = bicycle_of_bodies()
    for name in MANOEUVRES:
        check_rides(*bodies, gallery, name, 20.0)
