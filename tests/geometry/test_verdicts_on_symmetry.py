"""Symmetries, integrals, momenta and connections against answers derived by hand or published: yes, no, not decided.

As in `test_verdicts`: small coefficients, features far from the origin and scales of 1e-6 and 1e6 are among them, and
walls and contacts, of which each answer says what they change.
"""

import importlib

import pytest

import dalembert as da

pytestmark = pytest.mark.filterwarnings("ignore:.*sign of friction")
PLANE = da.coordinates("x y", velocities="vx vy")
SPACE = da.coordinates("x y z", velocities="vx vy vz")
SKATE = da.coordinates("x y theta", velocities="vx vy w")
POLAR = da.coordinates("r a", velocities="vr va")
FREE2, FREE3 = "(vx^2 + vy^2)/2", "(vx^2 + vy^2 + vz^2)/2"
TURN = da.symmetry.turns("x y")
RIM, LOSSY, LINE = ({"wall": {"guard": g, "restitution": e}} for g, e in (("1 - x^2 - y^2", 1), ("1 - x^2 - y^2", 0.5),
                                                                        ("y", 1)))  # fmt: skip
ROUGH, SMOOTH = {"floor": da.contact("y", ["vx"], mu=0.3)}, {"floor": da.contact("y")}


def plane(V="0", symmetry=None, walls=(), contacts=(), **forces):
    surfaces = {"walls": dict(walls), "contacts": dict(contacts)}
    return da.System(PLANE, f"{FREE2} - ({V})", forces=forces, symmetry=symmetry, **surfaces)


def rows(*given, space=SPACE, free=FREE3, symmetry=None):
    return da.System(space, free, {f"c{i}": row for i, row in enumerate(given)}, symmetry=symmetry)


def skate(symmetry=None):
    return rows("vx*sin(theta) - vy*cos(theta)", space=SKATE, free="(vx^2 + vy^2 + w^2)/2", symmetry=symmetry)


def book(name):
    return importlib.import_module(f"dalembert.systems.{name}").system()


def table(*cases, slow=()):
    marked = [(c, [pytest.mark.long] if c[0] in slow else []) for c in cases]
    return pytest.mark.parametrize(("made", "truth"), [pytest.param(*c[1:], id=c[0], marks=m) for c, m in marked])


# --- integrals: is the energy one; the degrees of the others; of those that walls and contacts change -----------------

ROSENBERG = (True, (1, 1), ())  # vz = k y vx: vy and k z vy - (1 + k^2 y^2) vx


@table(
    ("central", lambda: plane("sqrt(1 + x^2 + y^2)"), (True, (1,), ())),  # r p
    ("weakly squeezed", lambda: plane("x^2 + y^2 + 1e-12*x^2"), (True, (2,), ())),  # vx^2/2 + V_1(x) alone
    ("bump at x = 7", lambda: plane("exp(-(x - 7)^2)"), (True, (1,), ())),  # vy
    ("corner at x = 100", lambda: plane("max(0, x - 100)^2"), (True, (1,), ())),
    ("weak drag on a spring", lambda: plane("x^2", vx="-1e-10*vx"), (False, (1,), ())),
    ("weak drag", lambda: plane(vx="-1e-12*vx"), (False, (1, 1), ())),  # vx + c x, vy
    ("strong drag", lambda: plane(vx="-1e6*vx"), (False, (1, 1), ())),
    ("weak magnet", lambda: plane(vx="1e-6*vy", vy="-1e-6*vx"), (True, (1, 1), ())),  # the centre of the circle
    ("Kepler far away", lambda: plane("-1/sqrt((x - 50)^2 + y^2)"), (True, (1, 2, 2), ())),
    ("in time", lambda: plane("-x*cos(t)"), (False, (1,), ())),
    ("stiff springs", lambda: plane("1e6*(x^2 + y^2)/2"), (True, (1, 2, 2), ())),  # r p and the tensor of Fradkin
    ("soft springs", lambda: plane("1e-6*(x^2 + y^2)/2"), (True, (1, 2, 2), ())),
    ("springs 1:2", lambda: plane("1e-6*(x^2 + 4*y^2)/2"), (True, (2, 2), ())),  # r p vx + k x^2 y, vx^2 + k x^2
    ("weak Kepler", lambda: plane("-1e-6/sqrt(x^2 + y^2)"), (True, (1, 2, 2), ())),  # Runge and Lenz
    ("Henon and Heiles, weak", lambda: plane("(x^2 + y^2)/2 + 1e-6*(x^2*y - y^3/3)"), (True, (), ())),
    ("particle", lambda: rows("vz - y*vx"), ROSENBERG),
    ("weak row", lambda: rows("vz - 1e-6*y*vx"), ROSENBERG),
    ("strong row", lambda: rows("vz - 1e6*y*vx"), ROSENBERG),
    ("oscillator", lambda: rows("vz - y*vx", free=f"{FREE3} - y^2/2"), (True, (2,), ())),  # vy^2 + y^2
    ("Heisenberg", lambda: rows("vz - (x*vy - y*vx)/2"), (True, (1,) * 5, ())),  # straight lines: v and r x v
    ("in a circle", lambda: plane(walls=RIM), (True, (1,), (1, 1))),  # r p; v between blows
    ("in a circle that takes energy", lambda: plane(walls=LOSSY), (False, (1,), (1, 1))),
    ("on a rough floor", lambda: plane("9.81*y", contacts=ROUGH), (False, (), (1, 2, 2))),
    ("Chaplygin's sleigh", lambda: book("chaplygin_sleigh"), (True, (), ())),
    ("roller racer", lambda: book("roller_racer"), (True, (), ())),
    ("snakeboard", lambda: book("snakeboard"), (True, (1, 1, 1), ())),  # rotor and axles
    ("Suslov", lambda: book("suslov"), (True, (), ())),
    ("Veselova", lambda: book("veselova"), (True, (1, 1), ())),  # the level parts of the momentum
    ("Chaplygin's ball", lambda: book("chaplygin_ball"), (True, (1, 1, 1), ())),  # the momentum about the contact
    ("rolling disc", lambda: book("rolling_disc"), (True, (), ())),  # two are linear, and hypergeometric
    slow=("Suslov", "Kepler far away", "Veselova", "Chaplygin's ball", "rolling disc", "Chaplygin's sleigh",
          "Heisenberg", "strong row", "in a circle that takes energy", "soft springs", "snakeboard"),
)  # fmt: skip
def test_integrals(made, truth):
    found = da.symmetry.first_integrals(made())
    assert (found.answer.value, tuple(f.degree for f in found), tuple(f.degree for f in found.apart)) == truth
    assert all(f.answer.value is True for f in found)


# --- infinitesimal symmetries: how many; how many more but for a derivative; are these all ----------------------------


@table(
    ("free", plane, (3, 0, True)),
    ("central", lambda: plane("sqrt(1 + x^2 + y^2)"), (1, 0, True)),
    ("weakly squeezed", lambda: plane("x^2 + y^2 + 1e-12*x^2"), (0, 0, True)),
    ("bump at x = 7", lambda: plane("exp(-(x - 7)^2)"), (1, 0, None)),  # that it is no turn is not seen
    ("corner at x = 100", lambda: plane("max(0, x - 100)^2"), (1, 0, True)),
    ("weak field", lambda: plane("-1e-12*x"), (1, 0, True)),
    ("weak magnet", lambda: plane("-1e-6*(x*vy - y*vx)"), (1, 2, True)),  # shifts change L by d(b y)/dt
    ("weaker magnet", lambda: plane("-1e-12*(x*vy - y*vx)"), (1, 2, True)),
    ("strong magnet", lambda: plane("-1e6*(x*vy - y*vx)"), (1, 2, True)),
    ("magnet as a force", lambda: plane(vx="1e6*vy", vy="-1e6*vx"), (3, 0, True)),
    ("weak drag", lambda: plane(vx="-1e-12*vx"), (2, 0, True)),
    ("weak bond", lambda: plane("1e-12*(x - y)^2"), (1, 0, True)),  # both are shifted
    ("heavy one way", lambda: rows(space=PLANE, free="(vx^2 + 1e6*vy^2)/2"), (3, 0, True)),  # a turn of the ellipse
    ("in time", lambda: plane("-x*cos(t)"), (1, 0, True)),
    ("Kepler far away", lambda: plane("-1/sqrt((x - 1000)^2 + (y + 3)^2)"), (1, 0, True)),
    ("particle", lambda: rows("vz - y*vx"), (2, 0, True)),
    ("weak row", lambda: rows("vz - 1e-6*y*vx"), (2, 0, True)),
    ("weaker row", lambda: rows("vz - 1e-12*y*vx"), (2, 0, True)),
    ("strong row", lambda: rows("vz - 1e6*y*vx"), (2, 0, True)),
    ("x with a trace of y", lambda: rows("vz - (x + 1e-9*y)*vx"), (2, 0, True)),  # along x + 1e-9 y = const, and z
    ("x alone", lambda: rows("vz - 1e6*x*vx"), (2, 0, True)),
    ("closed form", lambda: rows("vz - y*vx - x*vy"), (1, 0, True)),
    ("weak Heisenberg", lambda: rows("vz - 1e-6*(x*vy - y*vx)/2"), (2, 0, True)),
    ("corner in a row", lambda: rows("vz - max(0, y - 100)*vx"), (2, 0, True)),
    ("thermostat", lambda: rows("vx^2 + vy^2 - 1", space=PLANE, free=FREE2), (3, 0, True)),
    ("skate", skate, (3, 0, True)),
    ("in a circle", lambda: plane(walls=RIM), (1, 0, True)),
    ("in a circle about (100, 0)", lambda: plane(walls={"rim": "1e6 - (x - 100)^2 - y^2"}), (1, 0, True)),
    ("on a rough floor", lambda: plane("9.81*y", contacts=ROUGH), (1, 0, True)),
    ("roller racer", lambda: book("roller_racer"), (3, 0, True)),
    ("Veselova", lambda: book("veselova"), (1, 0, True)),
    ("Chaplygin's ball", lambda: book("chaplygin_ball"), (3, 0, True)),
    ("snakeboard", lambda: book("snakeboard"), (4, 0, True)),
    slow=("snakeboard", "Chaplygin's ball"),
)
def test_infinitesimal_symmetries(made, truth):
    found = da.symmetries(made())
    assert (len(found), len(found.gauged), found.answer.value) == truth


# --- momenta: of each generator, is it a symmetry, does it lie in the constraints, is its momentum constant -----------

T, F, N = True, False, None
XYZ = ["x", "y", "z"]
BOND = {"both": {"x": 1, "y": 1}}, {"apart": {"x": 1, "y": -1}}
ROSENBERGS = ((T, F, F), (F, T, T), (T, F, F))  # of shifts of x, y, z: vy alone


@table(
    ("central", lambda: (plane("sqrt(1 + x^2 + y^2)"), TURN), ((T, T, T),)),
    ("weakly squeezed", lambda: (plane("x^2 + y^2 + 1e-12*x^2"), TURN), ((F, T, F),)),
    ("bump at x = 7", lambda: (plane("exp(-(x - 7)^2)"), ["x", "y"]), ((F, T, F), (T, T, T))),
    ("corner at x = 100", lambda: (plane("max(0, x - 100)^2"), ["x", "y"]), ((F, T, F), (T, T, T))),
    ("in time", lambda: (plane("-x*cos(t)"), ["x", "y"]), ((F, T, F), (T, T, T))),
    ("weak drag", lambda: (plane(vx="-1e-12*vx"), ["x", "y"]), ((T, T, F), (T, T, T))),
    ("magnet as a force", lambda: (plane(vx="1e-12*vy", vy="-1e-12*vx"), ["x", "y", TURN]), ((T, T, F),) * 3),
    ("magnet in L", lambda: (plane("-1e-12*(x*vy - y*vx)"), ["x", "y", TURN]), ((F, T, F), (F, T, F), (T, T, T))),
    ("weak bond", lambda: (plane("1e-12*(x - y)^2"), BOND[0]), ((T, T, T),)),
    ("weak bond, apart", lambda: (plane("1e-12*(x - y)^2"), BOND[1]), ((F, T, F),)),
    ("particle", lambda: (rows("vz - y*vx"), XYZ), ROSENBERGS),
    ("weak row", lambda: (rows("vz - 1e-12*y*vx"), XYZ), ROSENBERGS),
    ("strong row", lambda: (rows("vz - 1e6*y*vx"), XYZ), ROSENBERGS),
    ("corner in a row", lambda: (rows("vz - max(0, y - 100)*vx"), XYZ), ROSENBERGS),
    ("bump at y = 70 in a row", lambda: (rows("vz - exp(-(y - 70)^2)*vx"), XYZ), ROSENBERGS),
    ("a piece that nobody saw", lambda: (rows("vz - max(0, 1 - (y - 5000)^2)*vx"), ["x"]), ((T, N, N),)),
    ("such a piece in L", lambda: (plane("max(0, 1 - (x - 5000)^2)"), ["x"]), ((N, T, N),)),
    ("a row of nothing", lambda: (rows("vz - (abs(y) - sqrt(y^2))*vx"), ["x"]), ((T, T, T),)),
    ("Heisenberg", lambda: (rows("vz - (x*vy - y*vx)/2"), ["z", TURN]), ((T, F, T), (T, F, T))),  # vz and r p
    ("affine", lambda: (rows("vz - 1e-9*y"), XYZ), ((T, T, T), (F, T, T), (T, F, F))),
    ("skate", lambda: (skate(), ["theta"]), ((F, T, T),)),
    ("thermostat", lambda: (rows("vx^2 + vy^2 - 1", space=PLANE, free=FREE2), ["x"]), ((T, F, T),)),
    ("against a wall", lambda: (plane(walls=LINE), ["x", "y"]), ((T, T, T), (F, T, F))),
    ("in a circle", lambda: (plane(walls=LOSSY), TURN), ((T, T, T),)),
    ("on a rough floor", lambda: (plane("9.81*y", contacts=ROUGH), ["x"]), ((T, T, F),)),
    ("on a smooth floor", lambda: (plane("9.81*y", contacts=SMOOTH), ["x"]), ((T, T, T),)),
    ("roller racer", lambda: (book("roller_racer"), None), ((T, F, F),) * 3),
    # about the contact K is constant: of its parts, only the upright one is a momentum of turns
    ("Chaplygin's ball", lambda: (book("chaplygin_ball"), da.symmetry.rotations("R")), ((F, F, F),) * 2 + ((F, T, T),)),
)
def test_momenta(made, truth):
    found = da.symmetry.noether(*made())
    assert tuple((m.symmetric, m.horizontal, m.conserved) for m in found.momenta) == truth
    assert " ".join(str(found).split()).count("is not decided") == sum(each.count(None) for each in truth)


# --- TQ = H + S + U: dimensions, and is the connection flat -----------------------------------------------------------


def along(row, symmetry="z", free=FREE3):
    return lambda: rows(*([row] if row else []), free=free, symmetry=symmetry.split())


@table(
    ("weak row", along("vz - 1e-12*y*vx"), (2, 0, 1, False)),
    ("strong row", along("vz - 1e6*y*vx"), (2, 0, 1, False)),
    ("weak row, x and z", along("vz - 1e-6*y*vx", "x z"), (1, 1, 1, True)),  # one shape has no area
    ("weak row, x", along("vz - 1e-6*y*vx", "x"), (2, 0, 1, False)),
    ("weak Heisenberg", along("vz - 1e-6*(x*vy - y*vx)/2"), (2, 0, 1, False)),
    ("x alone", along("vz - 1e6*x*vx"), (2, 0, 1, True)),
    ("x squared along y", along("vz - 1e-12*x^2*vy"), (2, 0, 1, False)),
    ("closed form", along("vz - y*vx - x*vy"), (2, 0, 1, True)),
    ("nearly closed", along("vz - y*vx - (1 + 1e-12)*x*vy"), (2, 0, 1, False)),
    ("x with a trace of y", along("vz - (x + 1e-9*y)*vx"), (2, 0, 1, False)),
    ("Martinet", along("vz - y^2*vx"), (2, 0, 1, False)),
    ("bump at y = 70", along("vz - exp(-(y - 70)^2)*vx"), (2, 0, 1, False)),
    ("corner at y = 100", along("vz - max(0, y - 100)*vx"), (2, 0, 1, False)),
    ("corner, closed", along("vz - max(0, y - 100)*vy"), (2, 0, 1, True)),
    ("no row", along(""), (2, 1, 0, True)),  # the mechanical connection, of W_zx/W_zz dx + dz
    ("weak coupling", along("", free=f"{FREE3} + 1e-12*y*vx*vz"), (2, 1, 0, False)),
    ("closed coupling", along("", free=f"{FREE3} + 0.1*cos(x)*vx*vz"), (2, 1, 0, True)),
    ("magnetic part", along("", free=f"{FREE3} + 1e6*y*vz"), (2, 1, 0, True)),  # no part of the metric
    ("skate", lambda: skate([da.symmetry.euclidean("x y", "theta")]), (0, 2, 1, True)),
    ("skate, x", lambda: skate(["x"]), (2, 0, 1, False)),
    ("Suslov", lambda: book("suslov"), (0, 2, 1, True)),
    ("Veselova", lambda: book("veselova"), (2, 0, 1, False)),
    ("Chaplygin's sleigh", lambda: book("chaplygin_sleigh"), (0, 2, 1, True)),
    ("rolling disc", lambda: book("rolling_disc"), (1, 2, 2, True)),
    ("roller racer", lambda: book("roller_racer"), (1, 1, 2, True)),
    ("snakeboard", lambda: book("snakeboard"), (2, 2, 2, False)),
    slow=("snakeboard", "Veselova"),
)
def test_connections(made, truth):
    found = da.symmetry.splitting(made())
    assert (found.H.cols, found.S.cols, found.U.cols, found.answer.value) == truth


# --- momenta transported along the shape: are there constants? "E124": there are none of this kind --------------------


def moved(**given):
    return lambda: plane(symmetry=["x"], **given)


@table(
    ("particle", along("vz - y*vx", "x z"), True),  # vx (1 + y^2)^(1/2)
    ("weak row", along("vz - 1e-6*y*vx", "x z"), True),
    ("strong row", along("vz - 1e6*y*vx", "x z"), True),
    ("oscillator", along("vz - y*vx", "x z", f"{FREE3} - y^2/2"), True),
    ("two shapes", along("vz - y*vx"), "E124"),
    ("in proportion", moved(vx="y*vy*vx"), True),  # vx exp(-y^2/2)
    ("weakly in proportion", moved(vx="1e-12*vx*vy"), True),
    ("and a weak drag", moved(vx="y*vy*vx - 1e-12*vx"), "E124"),
    ("quadratic", moved(vx="1e-12*vx^2"), "E124"),
    ("the shape's square", moved(vx="1e-6*vy^2"), "E124"),
    ("late", moved(vx="1e-9*t"), "E124"),
    ("a weak push", moved(vx="1e-12"), "E124"),
    ("the shape's drag", moved(vy="-1e-6*vy"), True),
    ("the shape in time", moved(vy="cos(t)"), True),
    ("magnet", moved(vx="1e6*vy", vy="-1e6*vx"), True),  # vx - B y
    ("corner at y = 100", moved(vx="max(0, y - 100)*vx"), "E124"),
    ("corner, in proportion", moved(vx="max(0, y - 100)*vx*vy"), True),
    ("bump at y = 7", moved(vx="exp(-(y - 7)^2)*vx"), "E124"),
    ("wide metric", lambda: rows(space=PLANE, free="((1 + 1e6*y^2)*vx^2 + vy^2)/2", symmetry=["x"]), True),
    ("Kepler", lambda: rows(space=POLAR, free="(vr^2 + r^2*va^2)/2 + 1e6/r", symmetry=["a"]), True),
    ("against a wall", moved(walls=LINE, vx="vx*vy"), True),
    ("on a smooth floor", moved(contacts=SMOOTH, vx="vx*vy"), True),
    ("on a rough floor", moved(contacts=ROUGH, vx="vx*vy"), False),  # friction takes vx
    ("rolling disc", lambda: book("rolling_disc"), True),
    ("roller racer", lambda: book("roller_racer"), "E124"),  # dp/dt holds the hinge's rate squared
    ("Chaplygin's sleigh", lambda: book("chaplygin_sleigh"), "E124"),
    ("snakeboard", lambda: book("snakeboard"), "E124"),
    slow=("snakeboard",),
)
def test_transported_momenta(made, truth):
    reduction = da.reduce(made())
    if truth == "E124":
        with pytest.raises(da.DalembertError, match="E124"):
            da.symmetry.gauge_momenta(reduction, at=0.5)
    else:
        assert da.symmetry.gauge_momenta(reduction, at=0.5).answer.value is truth
