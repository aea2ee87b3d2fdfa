"""A ball rolling on a turning table [lewis1995, section 3].

    L = m/2 (vx^2 + vy^2) + I/2 (w1^2 + w2^2 + w3^2)
    roll_x:  vx - r w2 + Omega y = 0
    roll_y:  vy + r w1 - Omega x = 0

(x, y) is the contact point in axes at rest, w the angular velocity in space axes. Friction as in section 3.2:
translational viscous (nu), rotational viscous (mu, on w1 and w2), rolling (delta, against the velocity relative to the
table). Without friction the ball runs on a circle (section 3.3), which is vakonomic only where the ball rests, or where
the circle is centred on the axis and w3 = Omega (Lemma 3.1). Units: centimetre, gram, second, as in the paper, unless
other values are given.

The balls of section 3.6 are `BALLS`; `ball("nylon 1.905 cm")` gives m, r and I. Without friction the period is
2 pi (1 + m r^2/I)/Omega: 4.67 s for every solid ball at 45 rpm, 3.33 s for a thin shell. What an apparatus does
besides is an option of `system`: a table that is not level (`tilt`, fixed in space, or `wobble`, turning with the
plate), an axis that is not at the origin (`centre`), a torque of dry friction against the spin (`tau`). A tilt lets the
circle's centre drift across the slope, at g sin(tilt) m r^2/(I Omega); a wobble adds a circle about the axis, of radius
g sin(wobble)/Omega^2.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ..calculus.frame import TIME
from ..calculus.quantity import number, quantity
from ..errors import InvalidValue, UnknownName, WrongType, as_given, did_you_mean, kind_of
from ..model.force import Force, pivoting_friction, rolling_friction, rotational_friction, viscous_friction
from ..model.space import Space
from ..model.space_factors import plane, rotation
from ..model.symmetry import spin
from ..model.system import System
from ..record import Record
from .facts import Facts

SOURCE = "lewis1995"
UNITS = {"x": "cm", "m": "g"}
EDGE = 15.0  # cm, radius of the table
RPM_45 = 45 * 2 * math.pi / 60
START: dict[str, Any] = {"x": 10.0, "y": 0.0, "vx": 0.0, "vy": 5.0}  # cm, cm/s; w1, w2 follow from rolling

SPACE = Space.product(plane("x y"), rotation("R", velocities="w1 w2 w3", frame="space"))
X, Y, VX, VY, W1, W2, W3 = (SPACE[n] for n in ("x", "y", "vx", "vy", "w1", "w2", "w3"))
M, RADIUS, INERTIA = sp.symbols("m r I", positive=True)
OMEGA = sp.Symbol("Omega", real=True)
NU, MU, DELTA, TAU = sp.symbols("nu mu delta tau", nonnegative=True)
GRAVITY, SLOW = sp.symbols("g v0", positive=True)
TILT, WOBBLE, CENTRE = (sp.symbols(f"{name}_x {name}_y", real=True) for name in ("tilt", "wobble", "centre"))

SLIP = (VX + OMEGA * Y, VY - OMEGA * X)  # velocity of the ball relative to the table

# events, as arguments of `Event`: off the table; across the ray through the start, in the direction of the start
edge = {"name": "edge", "guard": X**2 + Y**2 - EDGE**2, "then": "stop", "direction": +1}
ray = {"name": "ray", "guard": Y, "direction": +1}

_TURN = 2 / 7 * RPM_45  # a solid ball's circle about the axis
STARTS: dict[str, dict[str, Any]] = {
    "experiment": {**START, "w3": 0.0},
    "centred": {"x": 6.0, "y": -3.0, "vx": 3.0 * _TURN, "vy": 6.0 * _TURN, "w3": RPM_45},
    "resting": {"x": 7.0, "y": 2.0, "vx": 0.0, "vy": 0.0, "w3": 1.0},
}

# the circle's centre is (x, y) + (J/(I Omega)) (-vy, vx),  J = I + m r^2
_REACH = (INERTIA + M * RADIUS**2) / (INERTIA * OMEGA)
_CENTRE = (X - _REACH * VY, Y + _REACH * VX)
FACTS = Facts(
    kinds={"roll_x": "affine", "roll_y": "affine"},
    growth=(3, 5),
    generating=True,
    conserved={
        "spin": W3,
        "centre_x": _CENTRE[0],
        "centre_y": _CENTRE[1],
        # the energy is not, but what is left of it as seen from the table
        "T - Omega L_z": M / 2 * (VX**2 + VY**2)
        + INERTIA / 2 * (W1**2 + W2**2 + W3**2)
        - OMEGA * (M * (X * VY - Y * VX) + INERTIA * W3),
    },
    agree={"experiment": False, "centred": True, "resting": True},
    where=[[W3 - OMEGA, *_CENTRE], [VX, VY]],
    multipliers={"lam_roll_x": -INERTIA / RADIUS**2 * VX, "lam_roll_y": -INERTIA / RADIUS**2 * VY},
)

EXPERIMENT = Record({"period": (4.38,), "d": (-1.84, -0.64, 0.0, 0.64, 1.84)}, source="lewis1995, Table 1")


def stated_ball() -> dict[str, float]:
    """The ball of the text: steel, 2.54 cm diameter, 7.8 g/cm^3, solid."""
    return solid_ball(radius=1.27, density=7.8)


def published_ball() -> dict[str, float]:
    """The ball that Table 1 was computed with: 2.54 cm taken as the radius, and 68.64 g."""
    return {"m": 68.64, "r": 2.54, "I": 0.4 * 68.64 * 2.54**2}


def solid_ball(radius: float, density: float) -> dict[str, float]:
    """m, r and I = 2/5 m r^2 of a homogeneous ball.

    Raises:
        WrongType: E204, not a number.
        InvalidValue: E203, not finite; E205, not above 0.
    """
    r, rho = _positive(radius, "radius", "cm"), _positive(density, "density", "g/cm^3")
    return _body(4 / 3 * math.pi * _cube(r) * rho, r, 0.4)


def _body(m: float, r: float, shape: float) -> dict[str, float]:
    """m, r and I = k m r^2."""
    return {"m": _positive(m, "m", "g"), "r": r, "I": _positive(shape * m * (r * r), "I", "g cm^2")}


def _cube(r: float) -> float:
    """r^3, infinite where it is beyond the range of floating point."""
    return r**3 if r < 1e100 else math.inf


def _positive(given: object, name: str, unit: str) -> float:
    """A number above 0, in this unit; E203, E204 or E205."""
    try:
        value = number(given, name)
    except WrongType as error:
        raise WrongType(error.code, error.fact, f"give a number, in {unit}") from None
    if value <= 0:
        raise InvalidValue("E205", f"{name} = {value:g} must be positive", f"give {name} > 0, in {unit}")
    return value


@dataclass(frozen=True)
class Ball:
    """A ball of section 3.6: radius (cm) and density (g/cm^3) or, of a thin shell, mass (g); None: not known.

    `source` says where each value is from: the paper gives diameters, and a density for steel alone.
    """

    radius: float | None
    density: float | None = None
    mass: float | None = None
    shell: bool = False
    source: str = "diameter [lewis1995, 3.6]"


_STEEL, _HANDBOOK = "density [lewis1995, 3.3]", "density, typical: [shackelford2001]; not in the paper"
BALLS: dict[str, Ball] = {
    **{f"steel {d} cm": Ball(d / 2, 7.8, source=f"diameter [lewis1995, 3.6]; {_STEEL}") for d in (0.635, 1.905, 2.54)},
    "aluminium 2.54 cm": Ball(1.27, 2.70, source=f"diameter [lewis1995, 3.6]; {_HANDBOOK}"),
    **{f"nylon {d} cm": Ball(d / 2, 1.14, source=f"diameter [lewis1995, 3.6]; {_HANDBOOK}") for d in (1.905, 2.54)},
    "ping pong ball": Ball(
        1.9, mass=2.5, shell=True, source="38 mm, 2.5 g: rule of table tennis until October 2000; not in the paper"
    ),
    "super ball": Ball(None, source="neither size nor density is published"),
}


def ball(
    name: str, *, radius: float | None = None, density: float | None = None, mass: float | None = None
) -> dict[str, float]:
    """m (g), r (cm) and I (g cm^2) of a ball of section 3.6 by its name in `BALLS`.

    Args:
        name: ``"steel 2.54 cm"``, ``"ping pong ball"``, ...
        radius, density, mass: in place of the listed values, cm, g/cm^3, g; the mass goes before the density.

    Raises:
        UnknownName: E202, no ball of this name.
        WrongType: E204, a value that is not a number.
        InvalidValue: E201, a value that is neither published nor given; E203, one that is not finite; E205, one that
            is not above 0.
    """
    if not isinstance(name, str) or name not in BALLS:
        raise UnknownName("E202", f"unknown ball {as_given(name)}", did_you_mean(str(name), BALLS))
    known = BALLS[name]
    given = (("radius", radius, "cm"), ("density", density, "g/cm^3"), ("mass", mass, "g"))
    radius, density, mass = (None if value is None else _positive(value, what, unit) for what, value, unit in given)
    r = known.radius if radius is None else radius
    rho = known.density if density is None else density
    m = mass if mass is not None else known.mass if density is None else None
    if r is None or (m is None and (rho is None or known.shell)):
        lacks = "no radius" if r is None else "no mass" if known.shell else "no density"
        raise InvalidValue("E201", f"{name}: {lacks}", f"{known.source}; ball({as_given(name)}, radius=..., mass=...)")
    m = 4 / 3 * math.pi * _cube(r) * float(rho or 0) if m is None else m
    # a solid ball, 2/5 m r^2; a thin shell, 2/3 m r^2
    return _body(m, r, 2 / 3 if known.shell else 0.4)


Pair = tuple[float, float] | None
_ROLLING = ("physics", "as published")


# what a page lets a person change
RANGES = {"m": (10, 200), "r": (0.5, 3), "Omega": (-10, 10), "vx": (-20, 20), "vy": (-20, 20), "w3": (-20, 20)}
FOLLOWS = {"I": "2/5*m*r^2"}  # of a homogeneous body


def _bodies(centre: Pair) -> list[dict[str, object]]:
    """The table with its axis, and the ball."""
    at = [0, 0] if centre is None else list(CENTRE)
    return [
        {"shape": "table", "radius": EDGE, "thickness": 0.6, "at": [*at, -0.3], "turn": "z Omega*t"},
        {"shape": "ball", "radius": "r", "at": ["x", "y", "r"], "turn": "R", "trace": ["x", "y", 0]},
    ]


def system(
    ball: Mapping[str, float] | None = None,
    *,
    Omega: float = RPM_45,
    nu: float = 0.0,
    mu: float = 0.0,
    delta: float = 0.0,
    tau: float = 0.0,
    regularised: float | None = None,
    rolling: str = "physics",
    tilt: Pair = None,
    wobble: Pair = None,
    centre: Pair = None,
    title: str = "Ball on a turning table",
) -> System:
    """The ball with those frictions whose coefficient is not 0, and those disturbances that are given.

    Args:
        ball: m, r, I; `stated_ball()` by default.
        Omega: angular velocity of the table.
        nu, mu, delta: coefficients of translational, rotational and rolling friction.
        tau: of dry pivoting friction, a length: the torque about the normal is -tau m g sgn(w3 - Omega).
        regularised: a speed v0, parameter ``v0``: rolling and pivoting friction are smooth below it, and below v0/r.
        rolling: ``"physics"``: the friction opposes the motion relative to the table; ``"as published"``: the term of
            (3.6) as printed, which pushes along that motion and lacks a factor r^2.
        tilt: angles (rad) by which the x and y axes dip below the horizontal, parameters ``tilt_x``, ``tilt_y``. The
            table stands aslant and turns about its normal. The force along it, m g (sin tilt_x, sin tilt_y), is exact.
        wobble: the same for axes that are fixed in the plate, parameters ``wobble_x``, ``wobble_y``: its axis is
            vertical and the plate not normal to it. To first order; in the constraints terms are left out that are
            r Omega^2/g of the force (3 % for the stated ball), the ball's centre being above the plate.
        centre: where the axis is, parameters ``centre_x``, ``centre_y``; `edge` and `ray` stay where they are.
        title: for headings.

    Give ``(0.0, 0.0)`` to have the parameters there, for a fit or a sweep. Dry friction takes the load
    m g sqrt(1 - sin^2 tilt_x - sin^2 tilt_y); g, 981 cm/s^2, is a parameter where it is used.

    Raises:
        WrongType: E204, a value that is no number, or no pair of them.
        DalembertError: E307, another `rolling`; E203, E205, E128, values that no ball has.
    """
    if not isinstance(rolling, str) or rolling not in _ROLLING:
        raise InvalidValue(
            "E307", f"rolling = {as_given(rolling)} is no law", " or ".join(f'rolling="{r}"' for r in _ROLLING)
        )
    parameters = {**_given_ball(ball), "Omega": Omega, **_frictions(nu=nu, mu=mu, delta=delta, tau=tau)}
    dry = "delta" in parameters or "tau" in parameters
    if dry or tilt is not None or wobble is not None:
        parameters["g"] = 981.0
    parameters |= {"v0": regularised} if regularised is not None and dry else {}
    for symbols, pair in ((TILT, tilt), (WOBBLE, wobble), (CENTRE, centre)):
        parameters |= {} if pair is None else _components(symbols, pair)
    x, y = (X, Y) if centre is None else (X - CENTRE[0], Y - CENTRE[1])
    slip = VX + OMEGA * y, VY - OMEGA * x
    return System(
        space=SPACE,
        lagrangian=M / 2 * (VX**2 + VY**2) + INERTIA / 2 * (W1**2 + W2**2 + W3**2) - _height(tilt, wobble, x, y),
        constraints={"roll_x": slip[0] - RADIUS * W2, "roll_y": slip[1] + RADIUS * W1},
        forces=_laws(parameters, slip, rolling),
        symmetry=[*(spin("R", axis) for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)))],
        parameters=parameters,
        bodies=_bodies(centre),
        explore={"ranges": RANGES},
        title=title,
        cite=SOURCE,
    )


def _given_ball(ball: Any) -> dict[str, float]:
    """m, r and I; E204 for what names no values."""
    if ball is None:
        return stated_ball()
    if not isinstance(ball, Mapping):
        fact = f"ball = {as_given(ball)} is {kind_of(ball)}, not values of m, r and I"
        raise WrongType("E204", fact, 'ball=ball_on_turntable.ball("steel 2.54 cm")')
    return dict(ball)


def _frictions(**coefficients: Any) -> dict[str, Any]:
    """The coefficients that are not 0."""
    return {name: c for name, c in coefficients.items() if quantity(c, name).value != 0}


def _components(symbols: Sequence[sp.Symbol], pair: Any) -> dict[str, Any]:
    """Both parameters of a disturbance; E204 for what is no pair."""
    pair = pair.tolist() if isinstance(pair, np.ndarray) else pair
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        name = symbols[0].name.removesuffix("_x")
        fact = f"{name} = {as_given(pair)} is not two numbers, along x and along y"
        raise WrongType("E204", fact, f"{name}=(0.001, 0.0)")
    return dict(zip((s.name for s in symbols), pair, strict=True))


def _height(tilt: Pair, wobble: Pair, x: sp.Expr, y: sp.Expr) -> sp.Expr:
    """The potential: V = -m g (x sin a_x + y sin a_y), (x, y) from the axis, in axes at rest and in those that turn."""
    V = sp.S.Zero
    if tilt is not None:
        V -= M * GRAVITY * (x * sp.sin(TILT[0]) + y * sp.sin(TILT[1]))
    if wobble is not None:
        c, s = sp.cos(OMEGA * TIME), sp.sin(OMEGA * TIME)
        V -= M * GRAVITY * ((x * c + y * s) * sp.sin(WOBBLE[0]) + (y * c - x * s) * sp.sin(WOBBLE[1]))
    return V


def _laws(parameters: Mapping[str, float], slip: tuple[sp.Expr, sp.Expr], rolling: str) -> list[Force]:
    """Friction of each kind that has a coefficient."""
    down = sum(sp.sin(s) ** 2 for s in TILT) if TILT[0].name in parameters else sp.S.Zero
    load = M * GRAVITY * sp.sqrt(1 - down)
    v0 = SLOW if "v0" in parameters else None
    laws: list[Force] = []
    if "nu" in parameters:
        laws.append(viscous_friction([VX, VY], NU))
    if "mu" in parameters:
        laws.append(rotational_friction([W1, W2], MU))
    if "delta" in parameters:
        physics = rolling == "physics"
        laws.append(rolling_friction(slip, DELTA, load, regularised=v0) if physics else _as_printed(slip))
    if "tau" in parameters:
        laws.append(pivoting_friction(W3 - OMEGA, TAU, load, regularised=v0 and v0 / RADIUS))
    return laws


def _as_printed(slip: tuple[sp.Expr, sp.Expr]) -> Force:
    """The rolling term of [lewis1995 (3.6)] as printed: + delta m g v/(r^2 |v|)."""
    speed = sp.sqrt(slip[0] ** 2 + slip[1] ** 2)
    push = tuple(DELTA * M * GRAVITY * v / (RADIUS**2 * speed) for v in slip)
    return Force("rolling term as printed", slip, push, slip=slip, coefficients={"coefficient": DELTA})


EXACT = ("x", "y", "vx", "vy")


def exact(t: np.ndarray | float, start: Sequence[float], parameters: Mapping[str, float]) -> np.ndarray:
    """x, y, vx, vy (4, ...) of the nonholonomic ball at times t, closed form for nu, mu >= 0 without rolling friction.

    With z = x + i y from the axis and J = I + m r^2, (3.6) and a force F along the table read
    J z'' + (mu + nu r^2 - i I Omega) z' - i mu Omega z = r^2 F.

    Args:
        t: times.
        start: x, y, vx, vy at t = 0.
        parameters: m, r, I, Omega, and what there is of nu, mu, g, tilt_x, tilt_y, wobble_x, wobble_y, centre_x,
            centre_y.
    """
    s1, s2 = characteristic_roots(parameters)
    t = np.asarray(t, float)
    forced, pushed = _forced(t, parameters)
    (z_at_0, v_at_0), axis = _forced(np.zeros(()), parameters), _pair(parameters, "centre")
    z0, v0 = complex(start[0], start[1]) - axis - z_at_0, complex(start[2], start[3]) - v_at_0
    e1, e2 = np.exp(s1 * t), np.exp(s2 * t)
    if s1 == s2:
        a, b = z0, v0 - s1 * z0
        z, v = (a + b * t) * e1, (b + s1 * (a + b * t)) * e1
    else:
        # z = a exp(s1 t) + b exp(s2 t)
        a, b = (v0 - s2 * z0) / (s1 - s2), (s1 * z0 - v0) / (s1 - s2)
        z, v = a * e1 + b * e2, s1 * a * e1 + s2 * b * e2
    z, v = z + axis + forced, v + pushed
    return np.array([z.real, z.imag, v.real, v.imag])


def _forced(t: np.ndarray, parameters: Mapping[str, float]) -> tuple[Any, Any]:
    """A motion z, z' under the tilt and the wobble, and nothing else:  J z'' + b z' + c z = r^2 F."""
    p = {"nu": 0.0, "mu": 0.0, "g": 0.0, **parameters}
    J, r2, Omega = p["I"] + p["m"] * p["r"] ** 2, p["r"] ** 2, p["Omega"]
    b, c = p["mu"] + p["nu"] * r2 - 1j * p["I"] * Omega, -1j * p["mu"] * Omega
    still, turning = (p["m"] * p["g"] * _pair(p, name, np.sin) for name in ("tilt", "wobble"))
    if not Omega:
        still, turning = still + turning, 0j
    # F = still:  z = r^2 F/c,  or r^2 F t/b,  or r^2 F t^2/(2 J)
    if c:
        z, v = r2 * still / c + 0 * t, 0j * t
    elif b:
        z, v = r2 * still / b * t, r2 * still / b + 0 * t
    else:
        z, v = r2 * still / (2 * J) * t**2, r2 * still / J * t
    # F = turning exp(i Omega t):  z = r^2 F/(-J Omega^2 + i Omega b + c)
    if turning:
        round_ = r2 * turning / (1j * Omega * b + c - J * Omega**2) * np.exp(1j * Omega * t)
        z, v = z + round_, v + 1j * Omega * round_
    return z, v


def _pair(parameters: Mapping[str, float], name: str, f: Any = float) -> complex:
    """f(x) + i f(y) of a disturbance, 0 where there is none."""
    return complex(*(f(parameters.get(f"{name}_{axis}", 0.0)) for axis in "xy"))


def characteristic_roots(parameters: Mapping[str, float]) -> tuple[complex, complex]:
    """s with J s^2 + (mu + nu r^2 - i I Omega) s - i mu Omega = 0; the eigenvalues are these and their conjugates."""
    p = {"nu": 0.0, "mu": 0.0, **parameters}
    J = p["I"] + p["m"] * p["r"] ** 2
    b, c = p["mu"] + p["nu"] * p["r"] ** 2 - 1j * p["I"] * p["Omega"], -1j * p["mu"] * p["Omega"]
    root = np.sqrt(b * b - 4 * J * c)
    big = -(b + (root if (b.conjugate() * root).real >= 0 else -root)) / 2
    return (complex(big / J), complex(c / big)) if big else (0j, 0j)


def decays(parameters: Mapping[str, float]) -> bool:
    """Do both roots decay? For mu > 0 this is so iff nu I > mu m."""
    return parameters.get("nu", 0.0) * parameters["I"] > parameters.get("mu", 0.0) * parameters["m"]
