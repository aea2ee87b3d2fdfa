"""The systems that tests share, each built once in a process, with the equations that are formed of it.

``ZOO["sleigh"]`` is a system built here from a Lagrangian and nothing else, ``GALLERY["penny"]`` one of the library's
gallery; ``ZOO.equations("sleigh")`` are its equations, under the nonholonomic principle where no other is given.
A test that changes a system takes ``ZOO["sleigh"].changed(...)``: what is shared is not changed.
"""

import pkgutil
from importlib import import_module

import sympy as sp

import dalembert as da
from dalembert import systems

sin, cos = sp.sin, sp.cos


def sleigh():
    """Knife edge at a distance a from the centre of mass (Chaplygin sleigh)."""
    q = da.coordinates("x y theta", velocities="vx vy omega")
    _x, _y, theta, vx, vy, omega = q
    m, J, a = sp.symbols("m J a", positive=True)
    return da.System(
        q,
        m / 2 * ((vx - a * omega * sin(theta)) ** 2 + (vy + a * omega * cos(theta)) ** 2) + J / 2 * omega**2,
        {"blade": -vx * sin(theta) + vy * cos(theta)},
        parameters={"m": 1.3, "J": 0.5, "a": 0.3},
    )


def penny():
    """Vertical rolling penny: spin psi, heading phi."""
    q = da.coordinates("x y phi psi")
    _x, _y, phi, _psi, vx, vy, vphi, vpsi = q
    m, R, C, A = sp.symbols("m R C A", positive=True)
    return da.System(
        q,
        m / 2 * (vx**2 + vy**2) + C / 2 * vpsi**2 + A / 2 * vphi**2,
        {"along": vx - R * cos(phi) * vpsi, "across": vy - R * sin(phi) * vpsi},
        parameters={"m": 1.2, "R": 0.7, "C": 0.4, "A": 0.25},
    )


def disc():
    """Rolling disc with zyz Euler angles, (x, y) below the centre of mass."""
    q = da.coordinates("x y theta phi psi")
    _x, _y, theta, phi, _psi, vx, vy, vtheta, vphi, vpsi = q
    m, r, A, C, g = sp.symbols("m r A C g", positive=True)
    T = m * (vx**2 + vy**2 + r**2 * vtheta**2 * cos(theta) ** 2) + A * (vtheta**2 + vphi**2 * sin(theta) ** 2)
    T += C * (vpsi + vphi * cos(theta)) ** 2
    return da.System(
        q,
        T / 2 - m * g * r * sin(theta),
        {
            "along": vx * cos(phi) + vy * sin(phi) - r * vtheta * sin(theta),
            "across": -vx * sin(phi) + vy * cos(phi) + r * vphi * cos(theta) + r * vpsi,
        },
        parameters={"m": 1.1, "r": 0.9, "A": 0.25, "C": 0.5, "g": 1.3},
    )


def ball():
    """Ball on a turning table, quaternion and spatial angular velocity; with viscous resistance."""
    s = da.Space.product(da.plane("x y"), da.rotation("R", velocities="w1 w2 w3", frame="space"))
    x, y, vx, vy, w1, w2, w3 = (s[n] for n in ("x", "y", "vx", "vy", "w1", "w2", "w3"))
    m, r, J, nu = sp.symbols("m r J nu", positive=True)
    Omega = sp.Symbol("Omega", real=True)
    return da.System(
        s,
        m / 2 * (vx**2 + vy**2) + J / 2 * (w1**2 + w2**2 + w3**2),
        {"roll_x": vx - r * w2 + Omega * y, "roll_y": vy + r * w1 - Omega * x},
        forces=da.forces.viscous_friction([vx, vy], nu),
        parameters={"m": 0.7, "r": 0.5, "J": 0.3, "Omega": 1.1, "nu": 0.2},
    )


def top():
    """Heavy asymmetric top, body frame."""
    s = da.rotation("R", frame="body")
    w1, w2, w3 = s.velocities
    A, B, C, k = sp.symbols("A B C k", positive=True)
    height = (s.R * sp.Matrix([sp.Rational(1, 5), sp.Rational(-1, 3), 1]))[2]
    return da.System(
        s, (A * w1**2 + B * w2**2 + C * w3**2) / 2 - k * height, parameters={"A": 1.0, "B": 1.6, "C": 0.9, "k": 1.4}
    )


def loaded_ball():
    """Ball with its centre of mass off the middle and three moments of inertia, rolling on a plane."""
    s = da.Space.product(da.plane("x y"), da.rotation("R", frame="space"))
    _x, _y, vx, vy, w1, w2, w3 = (s[n] for n in ("x", "y", "vx", "vy", "w1", "w2", "w3"))
    m, r, g = sp.symbols("m r g", positive=True)
    w = sp.Matrix([w1, w2, w3])
    c = s.R * sp.Matrix([0, sp.Rational(1, 10), sp.Rational(1, 5)])
    v = sp.Matrix([vx, vy, 0]) + w.cross(c)
    body = s.R.T * w
    T = m * v.dot(v) / 2 + (sp.Rational(2, 5) * body[0] ** 2 + body[1] ** 2 / 2 + body[2] ** 2 * sp.Rational(7, 10)) / 2
    return da.System(
        s, T - m * g * c[2], {"rx": vx - r * w2, "ry": vy + r * w1}, parameters={"m": 1.1, "r": 0.8, "g": 2.0}
    )


def suslov():
    """Suslov's body: no turning about an axis that is fixed in it and not principal."""
    s = da.rotation("R", velocities="p q r", frame="body")
    w = sp.Matrix(s.velocities)
    third, half = sp.Rational(1, 3), sp.Rational(-1, 2)
    inertia = sp.Matrix([[2, 0, third], [0, 3, half], [third, half, 2]])
    k = sp.Symbol("k", positive=True)
    return da.System(s, w.dot(inertia * w) / 2 - k * s.R[2, 1], {"axis": w[2]}, parameters={"k": 0.6})


def heisenberg():
    """Particle with zdot = y xdot, in a potential."""
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    m, k = sp.symbols("m k", positive=True)
    return da.System(
        q,
        m / 2 * (vx**2 + vy**2 + vz**2) - k / 2 * (x**2 + 2 * y**2 + x * z),
        {"contact": vz - y * vx},
        parameters={"m": 0.8, "k": 0.5},
    )


def pendulum():
    """Spherical pendulum as a constraint on positions."""
    q = da.coordinates("x y z")
    x, y, z, vx, vy, vz = q
    m, g, length = sp.symbols("m g l", positive=True)
    return da.System(
        q,
        m / 2 * (vx**2 + vy**2 + vz**2) - m * g * z,
        {"rod": x**2 + y**2 + z**2 - length**2},
        parameters={"m": 0.9, "g": 3.0, "l": 1.5},
    )


def bead():
    """Bead on a rod that turns with the time: a moving constraint on positions."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    t = sp.Symbol("t", real=True)
    m, k = sp.symbols("m k", positive=True)
    return da.System(
        q,
        m / 2 * (vx**2 + vy**2) - k / 2 * (x**2 + y**2) - m * y,
        {"rod": x * sin(t) - y * cos(t) + t / 10},
        parameters={"m": 0.9, "k": 2.0},
    )


def appell_hamel():
    """Constraint quadratic in the velocities."""
    q = da.coordinates("x y z")
    _x, _y, z, vx, vy, vz = q
    m, g, a = sp.symbols("m g a", positive=True)
    return da.System(
        q,
        m / 2 * (vx**2 + vy**2 + vz**2) - m * g * z,
        {"cone": vz**2 - a**2 * (vx**2 + vy**2)},
        parameters={"m": 1.2, "g": 0.7, "a": 0.8},
    )


def vehicle():
    """Car with a steered front axle in its own moving frame, driven and damped."""
    s = da.SE2("x y theta", velocities="v1 v2 omega") * da.angle("delta")
    v1, v2, omega, vdelta, delta = (s[n] for n in ("v1", "v2", "omega", "vdelta", "delta"))
    m, J, a, b, F, c = sp.symbols("m J a b F c", positive=True)
    return da.System(
        s,
        m / 2 * (v1**2 + (v2 + a * omega) ** 2) + J / 2 * omega**2 + (omega + vdelta) ** 2 / 10 - delta**2,
        {"rear": v2, "front": (v2 + b * omega) * cos(delta) - v1 * sin(delta)},
        forces=[{v1: F}, da.forces.rayleigh(c / 2 * (v1**2 + vdelta**2))],
        parameters={"m": 1.5, "J": 0.6, "a": 0.4, "b": 1.1, "F": 0.3, "c": 0.2},
    )


def driven():
    """Everything depends on time: a particle on a turning, pushing edge in a pulsating potential."""
    q = da.coordinates("x y")
    x, y, vx, vy = q
    t = sp.Symbol("t", real=True)
    m, k, nu = sp.symbols("m k nu", positive=True)
    return da.System(
        q,
        m / 2 * (1 + t / 50) * (vx**2 + vy**2) - k / 2 * (1 + sin(2 * t) / 3) * (x**2 + 2 * y**2),
        {"edge": vx * sin(t + y) - vy * cos(t + y) - sp.Rational(3, 10) * cos(t)},
        forces={vx: sin(3 * t) - nu * vx, vy: -nu * vy},
        parameters={"m": 1.1, "k": 0.9, "nu": 0.15},
    )


def gyroscope():
    """Symmetric body seen through its axis z on the sphere; its spin is prescribed (affine)."""
    s = da.direction("z")
    z, w = sp.Matrix(s.coordinates), sp.Matrix(s.velocities)
    A, C, k, spin = sp.symbols("A C k spin", positive=True)
    return da.System(
        s,
        A * w.dot(w) / 2 + (C - A) / 2 * w.dot(z) ** 2 - k * z[2],
        {"spin": w.dot(z) - spin * (1 + z[0] / 3)},
        parameters={"A": 1.0, "C": 0.6, "k": 0.8, "spin": 2.0},
    )


BUILDERS = (
    sleigh,
    penny,
    disc,
    ball,
    top,
    loaded_ball,
    suslov,
    heisenberg,
    pendulum,
    bead,
    appell_hamel,
    vehicle,
    driven,
    gyroscope,
)


class Zoo:
    """Systems, equations and reductions by name, each made once."""

    def __init__(self, builders):
        self.names = tuple(builders)
        self._builders = builders
        self._systems, self._equations, self._reductions, self._noether = {}, {}, {}, {}

    def __getitem__(self, name):
        if name not in self._systems:
            self._systems[name] = self._builders[name]()
        return self._systems[name]

    def equations(self, name, principle=da.nonholonomic):
        if (name, principle) not in self._equations:
            self._equations[name, principle] = principle(self[name])
        return self._equations[name, principle]

    def reduction(self, name):
        if name not in self._reductions:
            self._reductions[name] = da.reduce(self[name])
        return self._reductions[name]

    def noether(self, name):
        """What `da.symmetry.noether` finds with the system's own symmetry."""
        if name not in self._noether:
            self._noether[name] = da.symmetry.noether(self[name])
        return self._noether[name]


class Gallery(Zoo):
    """The same of the library's gallery."""

    def __init__(self):
        files = sorted({m.name for m in pkgutil.iter_modules(systems.__path__)} - {"facts", "closed"})
        super().__init__({name: None for name in files})

    def __getitem__(self, name):
        if name not in self._systems:
            self._systems[name] = self.module(name).system()
        return self._systems[name]

    def module(self, name):
        """The file of the gallery."""
        return import_module(f"dalembert.systems.{name}")


ZOO = Zoo({b.__name__: b for b in BUILDERS})
GALLERY = Gallery()
