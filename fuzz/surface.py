"""The public surface as calls with correct arguments: the front door, its namespaces, and what they return.

`calls` is the table; the arguments are of one small world: a skate, its reduction, a motion of it and a record of that.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import sympy as sp
from sympy.physics.vector import dynamicsymbols

import dalembert as da
from dalembert.systems import disguised_holonomic, penny, rolling_disc


@dataclass(frozen=True)
class Call:
    """A function and arguments that it takes.

    Attributes:
        name: as a script writes it.
        function: what is called.
        given: its arguments, by position.
        named: those by name.
    """

    name: str
    function: Callable[..., object]
    given: tuple[object, ...] = ()
    named: Mapping[str, object] = field(default_factory=dict)

    def fits(self) -> bool:
        """Does Python's own check of signatures let the call pass?"""
        try:
            inspect.signature(self.function).bind(*self.given, **self.named)
        except TypeError:
            return False
        return True

    @property
    def left_out(self) -> list[str]:
        """Arguments that could be given by name and are not."""
        takes = inspect.signature(self.function).parameters.values()
        by_name = [p for p in takes if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
        return [p.name for p in by_name[len(self.given) :] if p.name not in self.named]


class World:
    """Correct arguments, each made when first used. Files are made in the working folder."""

    start: Mapping[str, float] = {"x": 0.0, "y": 0.0, "theta": 0.1, "vx": 1.0, "omega": 0.5}
    swing: Mapping[str, float] = {"x": 1.0, "vx": 0.0}

    @cached_property
    def skate(self) -> da.System:
        """A knife edge, with the group of the plane."""
        q = da.coordinates("x y theta", velocities="vx vy omega")
        _x, _y, theta, vx, vy, omega = q
        m, J = sp.symbols("m J", positive=True)
        return da.System(
            q,
            m / 2 * (vx**2 + vy**2) + J / 2 * omega**2,
            {"blade": vy * sp.cos(theta) - vx * sp.sin(theta)},
            parameters={"m": 1.0, "J": 0.5},
            symmetry=da.symmetry.euclidean("x y", "theta"),
        )

    @cached_property
    def penny(self) -> da.System:
        """Two constraints, four coordinates."""
        return penny.system()

    @cached_property
    def rolling(self) -> da.System:
        """A wheel on a line: its constraint is integrable."""
        return disguised_holonomic.system("wheel")

    @cached_property
    def spring(self) -> da.System:
        """An oscillator with friction."""
        q = da.line("x")
        x, vx = q
        m, k, c = sp.symbols("m k c", positive=True)
        friction = da.forces.viscous_friction([vx], c)
        return da.System(q, m / 2 * vx**2 - k / 2 * x**2, forces=friction, parameters={"m": 1.0, "k": 4.0, "c": 0.1})

    @cached_property
    def equations(self) -> da.nouns.Equations:
        """Of the skate."""
        return da.nonholonomic(self.skate)

    @cached_property
    def vakonomic(self) -> da.nouns.Equations:
        """Of the skate."""
        return da.vakonomic(self.skate)

    @cached_property
    def swinging(self) -> da.nouns.Equations:
        """Of the spring."""
        return da.free(self.spring)

    @cached_property
    def undamped(self) -> da.nouns.Equations:
        """Of the spring without friction."""
        return da.free(self.spring.changed(forces={}))

    @cached_property
    def hill(self) -> da.System:
        """A point between a hill and two valleys."""
        return da.System(da.line("x"), "vx^2/2 + k*x^2/2 - a*x^4/4", parameters={"k": 1.0, "a": 1.0})

    @cached_property
    def branch(self) -> da.nouns.Branch:
        """Of the point between a hill and two valleys."""
        rest = {"x": 0.0, "vx": 0.0}
        return da.continue_steady(da.free(self.hill), parameter="k", start=rest, over=(-1.0, 2.0))

    @cached_property
    def orbit(self) -> da.nouns.Periodic:
        """Of an oscillator that shakes another one, at rest."""
        L = "(vx^2 + vy^2 - k*x^2 - 4*y^2 + y*x^2)/2"
        system = da.System(da.coordinates("x y"), L, parameters={"k": 1.85})
        return da.periodic(da.free(system), {"x": 0.0, "y": 2.0, "vx": 0.0, "vy": 0.0}, period=3.0)

    @cached_property
    def pushed(self) -> da.nouns.Equations:
        """A point with an input."""
        space = da.line("x")
        return da.free(
            da.System(space, "m*vx^2/2 - k*x^2/2", forces={"vx": "F"}, parameters={"m": 1.0, "k": 1.0}, inputs="F")
        )

    @cached_property
    def begun(self) -> da.nouns.Start:
        """Of the skate."""
        return self.equations.start(**self.start)

    @cached_property
    def path(self) -> da.nouns.Trajectory:
        """Of the skate, with crossings."""
        return da.simulate(
            self.equations,
            self.start,
            until=1.0,
            events=[da.Event("ray", self.skate.space["theta"] - 0.3)],
            samples=np.linspace(0, 1, 21),
        )

    @cached_property
    def swung(self) -> da.nouns.Trajectory:
        """Of the spring."""
        return da.simulate(self.swinging, self.swing, until=9.0, samples=np.linspace(0, 9, 91))

    @cached_property
    def record(self) -> da.nouns.Record:
        """Of the spring."""
        return da.recorded({"t": self.swung.t, "x": self.swung["x"]}, uncertainty={"x": 0.01})

    @cached_property
    def tracked(self) -> da.nouns.Record:
        """Of the skate."""
        return da.recorded(
            {"t": self.path.t, "x": self.path["x"], "y": self.path["y"]}, uncertainty={"x": 0.01, "y": 0.01}
        )

    @cached_property
    def reduction(self) -> da.nouns.Reduction:
        """Of the skate."""
        return da.reduce(self.skate)

    @cached_property
    def disc(self) -> da.nouns.Reduction:
        """Of the rolling disc: one shape coordinate is left."""
        return da.reduce(rolling_disc.system())

    @cached_property
    def small(self) -> da.nouns.Trajectory:
        """Of the reduced skate."""
        equations = da.nonholonomic(self.reduction.system)
        return da.simulate(equations, da.reduced_start(self.reduction, self.begun), until=1.0)

    @cached_property
    def fit(self) -> da.nouns.Fit:
        """Of the spring to its record."""
        return da.fit(self.swinging, self.record, start=self.swing, free="k")

    @cached_property
    def comparison(self) -> da.nouns.Comparison:
        """Of the skate's motions."""
        return da.compare(self.skate, ["nonholonomic", "vakonomic"], start=self.full, until=0.5)

    @cached_property
    def full(self) -> dict[str, float]:
        """A start for both principles."""
        return {**self.start, "lam_blade": 0.1}

    @cached_property
    def stored(self) -> str:
        """The name of a stored path."""
        self.path.save("path.npz")
        return "path.npz"

    @cached_property
    def kept(self) -> str:
        """The name of a stored sweep."""
        da.sweep(self.equations, starts=self.start, parameters={"m": [1.0, 2.0]}, until=0.1, store="kept.zarr")
        return "kept.zarr"

    @cached_property
    def file(self) -> str:
        """The name of a system file."""
        da.write(self.spring, "spring.toml", overwrite=True)
        return "spring.toml"

    @cached_property
    def study(self) -> da.nouns.Study:
        """Of that file."""
        return da.read(self.file)


def _spaces() -> list[Call]:
    space = da.coordinates("x y")
    return [
        Call("da.coordinates", da.coordinates, ("x y", "vx vy")),
        Call("da.line", da.line, ("x", "vx")),
        Call("da.angle", da.angle, ("phi", "vphi")),
        Call("da.plane", da.plane, ("x y", "vx vy")),
        Call("da.direction", da.direction, ("z", "w1 w2 w3")),
        Call("da.rotation", da.rotation, ("R", "w1 w2 w3"), {"frame": "body", "attitude": "quaternion"}),
        Call("da.SE2", da.SE2, ("x y theta", "v1 v2 omega", "body")),
        Call("da.SE3", da.SE3, ("x y z", "R", "v1 v2 v3 w1 w2 w3", "body")),
        Call("da.Space", da.Space, ("x y", "u v", [[1, 0], [0, 1]], {("u", "v"): [0, 0]})),
        Call("Space.product", da.Space.product, (da.line("x"), da.angle("phi"))),
        Call("Space[]", space.__getitem__, ("x",)),
        Call("Space.rotation", da.rotation("R").rotation, ("R",)),
        Call("Space.with_frame", space.with_frame, ("u v", [[1, 0], [0, 1]], {("u", "v"): [0, 0]})),
        Call("Space.sample", space.sample, (np.random.default_rng(0), ["m"])),
        Call("da.Event", da.Event, ("ray", space["x"] - 1, "mark"), {"direction": 1}),
        Call("da.Event(jump)", da.Event, ("ray", space["x"] - 1, {"vx": -space["vx"]})),
        Call("da.cite", da.cite, ()),
    ]


_Q = dynamicsymbols("q")
_QDOT = _Q.diff("t")


def _systems(w: World) -> list[Call]:
    space, s = da.coordinates("x y"), w.skate
    parts = {"constraints": {"c": "vy - x*vx"}, "forces": {"vx": "-k*vx"}, "parameters": {"m": 1.0, "k": 2.0}}
    more = {"massless": [], "title": "a", "up": "y", "limits": {"operations": 3000}, "symmetry": "y", "cite": "appell"}
    return [
        Call("da.System", da.System, (space, "m/2*(vx^2 + vy^2)"), parts),
        Call("da.System", da.System, (space, "(vx^2 + vy^2)/2 - 3*y"), {**more, "cite": (), "walls": {"floor": "y"}}),
        Call(
            "da.System",
            da.System,
            (space, "m/2*(vx^2 + vy^2)"),
            {"momenta": {"p": "m*vx"}, "parameters": {"m": "2 kg"}, "units": {"x": "m", "y": "m"}},
        ),
        Call("System.read", w.pushed.system.read, ("m*F + x", "the formula")),
        Call("System.known", w.pushed.system.known, ({"m": 2.0},)),
        Call(
            "da.System",
            da.System,
            (space, "(J/r^2 + m)/2*(vx^2 + vy^2)"),
            {
                "parameters": {"m": 1.0, "r": 0.5, "J": "m*r^2/2"},
                "symbols": {"m": "M", "x": r"\xi"},
                "definitions": {"Jr": "m*r^2/2 + m"},
            },
        ),
        Call("System.changed", s.changed, (), {"parameters": {"m": 2.0}}),
        Call("System.values", s.values, ({"m": 2.0},)),
        Call("System.unit", s.unit, (s.lagrangian,)),
        Call("System.names_in", s.names_in, ([s.lagrangian],)),
        Call("da.examine", da.examine, (s,)),
        Call("da.symmetries", da.symmetries, (s,)),
        Call("da.symmetry.first_integrals", da.symmetry.first_integrals, (s,)),
        Call("da.reduce", da.reduce, (s, "x y")),
        Call("da.coincide", da.coincide, (s,), {"work": 32000}),
        Call("da.satisfies", da.satisfies, (s, w.path), {"over": (0.0, 0.5), "parameters": {"m": 1.0}}),
        Call("Satisfied.varied", da.satisfies(s, w.path).varied, ({s.space.velocities[0]: "t"},)),
        Call("da.free", da.free, (w.spring,)),
        Call("da.nonholonomic", da.nonholonomic, (s,)),
        Call("da.vakonomic", da.vakonomic, (s,)),
        *(
            Call(f"da.forms.{form}", getattr(da.forms, form), (s, *others))
            for form, others in {
                "gauss": (),
                "gibbs_appell": ("vy",),
                "hamel": ("vy",),
                "kane": ("vy",),
                "maggi": ("vy",),
                "voronec": ("vy",),
                "almost_poisson": ("vy",),
                "symplectic": (),
                "chaplygin": ("vy",),
            }.items()
        ),
        Call("da.penalties.viscous", da.penalties.viscous, (s, "strength", "blade")),
        Call("da.penalties.inertial", da.penalties.inertial, (s, "strength", ["blade"])),
        Call("da.impacts.wall", da.impacts.wall, (s, "x - 2"), {"restitution": 0.5, "name": "right"}),
        Call("da.impacts.walls", da.impacts.walls, (s, {"left": "x"}), {"restitution": 0.5}),
        Call("da.impacts.loss", da.impacts.loss, (s, "x - 2"), {"restitution": 0.5}),
        Call("da.impacts.impose", da.impacts.impose, (w.equations, {**w.start, "vy": 1.0}), {"t": 0.0}),
        Call(
            "da.rolling",
            da.rolling,
            ("sqrt(a^2*n1^2 + n2^2 + n3^2)", "z"),
            {"rubber": True, "moving": ("W", 0, 0), "coordinates": "x y z", "parameters": "a W"},
        ),
        Call(
            "Rolling.fits",
            da.rolling(da.Body("ball", radius=1), "z").fits,
            ({"x": 0, "y": 0, "z": 1, "R_w": 1, "R_x": 0, "R_y": 0, "R_z": 0}, {"g": 9.81}),
        ),
        Call(
            "Rolling.meets",
            da.rolling("x^4 + y^4 + 2*z^4 + k*(x^2 + y^2 + z^2) - 1", "z", parameters="k").meets,
            ({"R_w": 0.8, "R_x": 0.6, "R_y": 0, "R_z": 0}, {"k": 0.5}),
        ),
        Call("Rolling.kinetic", da.rolling(da.Body("ball", radius=1), "z").kinetic, (1, 0.4)),
        Call("Rolling.contact", da.rolling(da.Body("ball", radius=1), "z").contact, (), {"mu": 0.1, "mu_static": 0.2}),
        Call("da.coulomb", da.coulomb, (0.3,), {"mu_static": 0.4, "spin": 0.01, "rolling": 0.01}),
        Call("da.contact", da.contact, ("x - 2", ["vx"]), {"mu": 0.3, "mu_static": 0.4, "restitution": 0.5}),
        Call("da.from_sympy", da.from_sympy, (_QDOT**2, [_Q])),
        Call("penny.system", penny.system, (), {"m": 1.0, "R": 0.5}),
        Call("da.write", da.write, (w.spring, "out.toml"), {"overwrite": True, "comments": True}),
        Call("da.read", da.read, (w.file,), {"limits": {}}),
        Call("Study.overrides", w.study.overrides, ({"m": 2.0},)),
        Call("da.cite", da.cite, (w.penny,)),
        Call("Citations.group", da.cite(w.penny).group, ("data",)),
    ]


def _forces() -> list[Call]:
    f, spin = da.forces, da.rotation("R").velocities
    vx, vy = da.plane("x y").velocities
    nu, N, eps = sp.symbols("nu N eps", positive=True)
    return [
        Call("da.forces.applied", f.applied, (["vx", "vy"], ["1", "k"], "push")),
        Call("da.forces.viscous_friction", f.viscous_friction, ([vx, vy], nu, "drag")),
        Call("da.forces.rotational_friction", f.rotational_friction, (spin, nu, "drag")),
        Call("da.forces.rolling_friction", f.rolling_friction, ([vx, vy], nu, N), {"regularised": eps}),
        Call("da.forces.pivoting_friction", f.pivoting_friction, (spin[2], nu, N), {"regularised": eps}),
        Call("da.inertia", da.inertia, (1, 1, 1)),
        Call("da.forces.rayleigh", f.rayleigh, (nu / 2 * vx**2, "loss")),
    ]


def _symmetries(w: World) -> list[Call]:
    y, s, r = da.symmetry, w.skate, w.reduction
    d, p, state = y.distributions(s), y.phase_space(s), w.begun.state
    return [
        Call("da.symmetry.translations", y.translations, ("x y",)),
        Call("da.symmetry.turns", y.turns, ("x y", "theta")),
        Call("da.symmetry.euclidean", y.euclidean, ("x y", "theta")),
        Call("da.symmetry.rotations", y.rotations, ("R", ["x y z"], 3)),
        Call("da.symmetry.spin", y.spin, ("R", (0, 0, 1))),
        Call("da.symmetry.noether", y.noether, (s, "x y")),
        Call("Noether[]", y.noether(s).__getitem__, (y.noether(s).momenta[0].generator.name,)),
        Call("da.symmetry.conserved", y.conserved, (s, "omega")),
        Call("da.symmetry.measure", y.measure, (s, "1")),
        Call("da.symmetry.reversible", y.reversible, (s, {"y": "-y", "theta": "-theta"})),
        Call("da.symmetry.distributions", y.distributions, (s, "x y")),
        Call("Distributions.at", d.at, (state,)),
        Call("Distributions.bracket", d.bracket, (0, 1, state)),
        Call("Distributions.derivative", d.derivative, (s.space["x"], state)),
        Call("Distributions.normals", d.normals, (state,)),
        Call("Distributions.places", d.places, (2, 5), {"theta": 0.1}),
        Call("Distributions.vectors", d.vectors, ([([1, 0, 0], [0, s.space["x"], 0])], state)),
        Call("Place.decompose", d.at(state).decompose, (3,)),
        Call("da.symmetry.phases", y.phases, (s, w.path, "x y")),
        Call("da.symmetry.phase_space", y.phase_space, (s,)),
        Call("Phase.bracket", p.bracket, (s.space["x"], s.space["y"])),
        Call("da.symmetry.quotient", y.quotient, (s, "x y")),
        Call("da.symmetry.restrict", y.restrict, (s,)),
        Call("da.symmetry.affine", y.affine, (s.space, {"a": {"x": 1}}), {"drift": {"x": 2}, "name": "form"}),
        Call("da.symmetry.allowed", y.allowed, (s,)),
        Call("da.symmetry.leaf", y.leaf, (w.rolling, {"x": 0.1, "phi": 0.2})),
        Call("da.symmetry.leaf(chart)", y.leaf, (w.rolling,), {"on": da.line("s"), "chart": {"x": "r*s", "phi": "s"}}),
        Call("Leaf.lift", y.leaf(w.rolling, {"x": 0.1, "phi": 0.2}).lift, ({"phi": 0.1, "vphi": 1.0},)),
        Call("da.symmetry.splitting", y.splitting, (s, "x y"), {"connection": ["vx*cos(theta) + vy*sin(theta)"]}),
        Call("da.symmetry.gauge_momenta", y.gauge_momenta, (w.disc, 1.3, {"m": 2.0})),
        Call("da.symmetry.holonomy", y.holonomy, (r, w.small, w.begun, 0.5)),
        Call("da.reduced_start", da.reduced_start, (r, w.begun)),
        Call("da.reconstruct", da.reconstruct, (r, w.small, w.begun), {"lifted": False}),
    ]


def _equations(w: World) -> list[Call]:
    e, v, state = w.equations, w.vakonomic, dict(w.begun.state)
    ends = {"x": 0.4, "y": 0.1, "theta": 0.2}
    coincidence = da.coincide(w.penny)
    coin = {"x": 0.0, "y": 0.0, "phi": 0.0, "psi": 0.0, "vphi": 1.0, "vpsi": 1.0}
    rhs, by = e.to_callable(), {"until": 1.0, "by": ["k"]}
    slopes = da.sensitivities(w.swinging, w.swing, **by)
    valley = da.free(w.hill)
    orbits = da.families.continue_periodic(w.orbit, parameter="k", over=(1.8, 1.9), fix="y")
    return [
        Call("Equations.start", e.start, (), {**w.start, "t": 0.0, "project": "kinetic"}),
        Call("Equations.start", e.start, (list(state.values()),), {"parameters": {"m": 2.0}}),
        Call("Equations.evaluate", e.evaluate, (state, {"m": 2.0})),
        Call("Equations.accelerations", e.accelerations, ({**state, "t": 0.0, "m": 1.0, "J": 1.0},)),
        Call("Equations.text", e.text, (80,)),
        Call("Equations.latex", e.latex, (40,)),
        Call("Equations.to_latex", e.to_latex, (), {"numbered": False, "fold": True, "width": 60}),
        Call(
            "Equations.to_c",
            e.to_c,
            (),
            {"parameters": {"m": 1.0}, "start": w.start, "pivots": False, "main": True, "until": 2.0},
        ),
        Call(
            "Equations.to_fmu",
            e.to_fmu,
            ("model.fmu",),
            {"start": w.start, "parameters": {"m": 1.0}, "inputs": None, "binary": False, "overwrite": True},
        ),
        Call("Equations.to_casadi", e.to_casadi, ("rhs",), {"pivots": False}),
        Call(
            "Equations.to_javascript",
            e.to_javascript,
            (),
            {"parameters": {"m": 1.0}, "start": w.start, "pivots": False, "until": 2.0},
        ),
        Call(
            "Equations.to_python",
            e.to_python,
            (),
            {"parameters": {"m": 1.0}, "start": w.start, "pivots": False, "until": 2.0},
        ),
        Call("Equations.to_latex", e.to_latex, (), {"numbered": True, "fold": True}),
        Call("Equations.to_callable", e.to_callable, ({"m": 1.0},)),
        Call("RightHandSide()", rhs, (0.0, w.begun.vector)),
        Call("Equations.to_sympy", e.to_sympy, (), {"dynamicsymbols": False}),
        Call("Start.get", w.begun.get, ("x",)),
        Call("Start in", w.begun.__contains__, ("x",)),
        Call("Start[]", w.begun.__getitem__, ("x",)),
        Call("Coincidence.lam", coincidence.lam, (coin, {"m": 2.0})),
        Call("Coincidence.match", coincidence.match, (coin, {"m": 2.0})),
        Call("Coincidence.start", coincidence.start, (), {**coin, "t": 0.0, "parameters": {"m": 1.0}}),
        Call(
            "da.linearise", da.linearise, (w.pushed, {"x": 0.0, "vx": 0.0}), {"inputs": {"F": 0.0}, "outputs": "x vx"}
        ),
        Call("da.plant", da.plant, (w.pushed, {"x": 0.0, "vx": 0.0}), {"step": 0.01, "parameters": {"m": 2.0}}),
        Call(
            "da.plants", da.plants, (w.pushed, {"x": [0.0, 1.0], "vx": 0.0}), {"step": 0.01, "parameters": {"m": 2.0}}
        ),
        Call("Plants.step", da.plants(w.pushed, {"x": [0.0, 1.0], "vx": 0.0}).step, ([[0.1], [0.2]],)),
        Call("Plants.reset", da.plants(w.pushed, {"x": [0.0, 1.0], "vx": 0.0}).reset, ([0],)),
        Call("Plant.step", da.plant(w.pushed, {"x": 0.0, "vx": 0.0}).step, ({"F": 0.1},)),
        Call(
            "da.inputs.environment",
            da.inputs.environment,
            (da.plant(w.pushed, {"x": 0.0, "vx": 0.0}),),
            {"bounds": {"F": (-1.0, 1.0)}, "reward": lambda state, action: 0.0},
        ),
        Call("da.inputs.tabulated", da.inputs.tabulated, ([0.0, 1.0, 2.0], [0.1, 0.2, 0.3], "linear")),
        Call("da.inputs.sampled", da.inputs.sampled, (lambda t, state: -state["x"], 0.1)),
        Call("da.steady", da.steady, (w.swinging, {"x": 0.1}, ()), {"parameters": {"m": 2.0}}),
        Call("da.lyapunov", da.lyapunov, (w.swinging, w.swing), {"until": 20.0, "parameters": {"m": 2.0}}),
        Call(
            "da.periodic",
            da.periodic,
            (w.undamped, w.swing),
            {"period": 3.0, "parameters": {"m": 1.0}},
        ),
        Call(
            "da.families.continue_periodic",
            da.families.continue_periodic,
            (w.orbit,),
            {"parameter": "k", "over": (1.8, 1.9), "fix": "y", "period": None},
        ),
        Call(
            "da.periodic, symmetry",
            da.periodic,
            (w.undamped, w.swing),
            {"period": 3.0, "symmetry": None},
        ),
        Call(
            "da.families.swing",
            da.families.swing,
            (valley, da.steady(valley, {"x": 1.0})),
            {"size": 0.01, "frequency": None},
        ),
        Call(
            "da.families.continue_special",
            da.families.continue_special,
            (w.branch, 0),
            {"parameter": "a", "over": (0.5, 2.0), "fix": ()},
        ),
        Call("Branch.fork", w.branch.fork, (0,)),
        Call("Branch.switch", w.branch.switch, (0, 0.01)),
        Call("Orbits.orbit", orbits.orbit, (0,)),
        Call("Orbits.switch", orbits.switch, (0, 0.01)),
        Call("Orbits[]", orbits.__getitem__, ("x",)),
        Call(
            "da.continue_steady",
            da.continue_steady,
            (w.swinging,),
            {"parameter": "k", "start": {"x": 0.0, "vx": 0.0}, "over": (1.0, 9.0), "fix": (), "parameters": {"m": 1.0}},
        ),
        Call(
            "da.sensitivities",
            da.sensitivities,
            (w.swinging, w.swing),
            {"until": 1.0, "by": ["k"], "samples": [0.5, 1.0]},
        ),
        Call("Sensitivities.of", slopes.of, (w.spring.space["x"] ** 2,)),
        Call("Sensitivities[]", slopes.__getitem__, ("x",)),
        Call(
            "da.steer",
            da.steer,
            (w.pushed, "F", {"x": 0.0, "vx": 0.0}, {"x": 1.0}),
            {"until": 1.0, "cost": "F^2", "bounds": {"x": (-1.0, 2.0)}, "kind": "linear", "steps": 4, "tries": 1},
        ),
        Call("da.two_point", da.two_point, (v, {"x": 0.0, "y": 0.0, "theta": 0.0}, ends), {"duration": 1, "starts": 2}),
    ]


def _runs(w: World) -> list[Call]:
    e, o = w.equations, w.swinging
    m = da.methods
    ray = da.Event("ray", w.skate.space["theta"] - 0.2)
    more = {"method": "radau", "rtol": 1e-8, "atol": 1e-9, "max_step": 0.5, "seconds": 20.0}
    return [
        Call("da.simulate", da.simulate, (e, w.start), {"until": 0.2, "events": [ray], "parameters": {"J": 2.0}}),
        Call("da.simulate", da.simulate, (e, w.start), {"until": 0.2, "samples": [0, 0.1, 0.2], **more}),
        Call("da.simulate", da.simulate, (e, w.begun), {"until": 0.2, "stabilisation": m.Drift(), "dense": True}),
        Call("da.simulate", da.simulate, (o, w.swing), {"until": 0.2, "method": "dla", "step": 0.01, "order": 2}),
        Call("da.methods.Radau", m.Radau, (9,)),
        Call("da.methods.DiscreteGradient", m.DiscreteGradient, (0.1, 2)),
        Call("da.methods.DiscreteLagrangeDAlembert", m.DiscreteLagrangeDAlembert, (0.1, 2)),
        Call("da.methods.SymmetricProjection", m.SymmetricProjection, (0.1, 2)),
        Call("da.methods.Baumgarte", m.Baumgarte, (1.0,)),
        Call("da.ensembles.samples", da.ensembles.samples, (8,), {"method": "sobol", "seed": 1, "x": (-1, 1)}),
        Call("Samples.draw", da.ensembles.samples(8, x=(0, 1)).draw, (1,)),
        Call("Samples.only", da.ensembles.samples(8, x=(0, 1), y=(0, 1)).only, ("x",)),
        Call("da.ensembles.table", da.ensembles.table, ({"x": [1.0, 2.0], "vx": [0.0, 1.0]},)),
        Call("Table.only", da.ensembles.table({"x": [1.0, 2.0]}).only, ("x",)),
        Call("da.ensembles.summary", da.ensembles.summary, (da.sweep(e, starts=w.start, until=0.1),), {"columns": "x"}),
        Call("da.ensembles.stored", da.ensembles.stored, (w.kept,)),
        Call(
            "da.sweep",
            da.sweep,
            (o,),
            {"starts": {"x": [0.5, 1.0], "vx": 0.0}, "until": 0.2, "parameters": {"k": [1.0, 2.0]}, "times": [0, 0.2]},
        ),
        Call(
            "da.sweep",
            da.sweep,
            (o,),
            {"starts": w.swing, "until": 0.2, "keep": {"far": lambda p: p["x"][-1]}, "jobs": 1, "seed": 0, "batch": 4},
        ),
        Call("da.compare", da.compare, (w.skate, ["nonholonomic", "vakonomic"]), {"start": w.full, "until": 0.2}),
        Call(
            "da.limit",
            da.limit,
            (w.skate, da.penalties.viscous, "nonholonomic"),
            {"start": w.start, "until": 0.2, "strengths": [10.0, 100.0, 1000.0], "times": [0.1, 0.2]},
        ),
        Call("da.methods.Taylor", m.Taylor, ()),
        Call("Comparison.pair", w.comparison.pair, ("nonholonomic", "vakonomic")),
        Call("Comparison[]", w.comparison.__getitem__, ("vakonomic",)),
    ]


def _paths(w: World) -> list[Call]:
    p = w.path
    return [
        Call("Trajectory[]", p.__getitem__, ("x",)),
        Call("Trajectory.at", p.at, (0.5,)),
        Call("Trajectory.state", p.state, (0.5,)),
        Call("Trajectory.sol", p.sol, (0.5,)),
        Call("Trajectory.save", p.save, ("again.npz",)),
        Call("Trajectory.to_numpy", p.to_numpy, ()),
        Call("Trajectory.to_xarray", p.to_xarray, ()),
        Call("Marks[]", p.marks["ray"].__getitem__, ("x",)),
        Call("da.load", da.load, (w.stored,)),
        Call("da.draw", da.draw, (p,)),
        Call("da.film", da.film, (p, "film.gif"), {"fps": 1, "seconds": 1}),
        Call("da.report", da.report, (p, "p.html"), {"system": w.skate, "equations": w.equations, "start": w.begun}),
        Call("da.explore", da.explore, (w.skate, "live.html"), {"start": dict(w.begun.given), "until": 1.0}),
        Call("da.explore, branch", da.explore, (w.hill, "hill.html"), {"branch": w.branch, "until": 1.0}),
        Call(
            "da.report", da.report, (w.fit, "f.html"), {"title": "a", "command": "b", "source": "c", "verdict": ["d"]}
        ),
    ]


def _measures(w: World) -> list[Call]:
    p, g = w.path, da.measures
    return [
        Call("da.measures.crossings", g.crossings, (p, "ray"), {"direction": 0}),
        Call("da.measures.crossings", g.crossings, (w.record, "x"), {"level": 0.1, "direction": 1}),
        Call("Crossings[]", g.crossings(w.record, "x").__getitem__, ("x",)),
        Call("da.measures.period", g.period, (w.swung, "x", 2), {"level": 0.0, "direction": 1}),
        Call("da.measures.amplitudes", g.amplitudes, (w.swung, "vx", "x", 2), {"level": 0.0, "direction": 1}),
        Call("da.measures.dominant_frequency", g.dominant_frequency, (w.swung, "x")),
        Call("da.measures.growth_rate", g.growth_rate, (w.swung, "x vx")),
        Call("da.measures.fitted_circle", g.fitted_circle, (p, "x y")),
        Call("da.measures.exit_time", g.exit_time, (p, 0.5, "x y"), {"centre": (0.0, 0.0)}),
        Call("da.measures.deviations", g.deviations, (w.record, w.swung, "x"), {"units": {"x": "m"}, "check": True}),
        Call("da.measures.deviations", g.deviations, (w.tracked, p, "x y"), {"frame": ("table", "table")}),
        Call("Deviations[]", g.deviations(w.record, w.swung, "x").__getitem__, ("x",)),
        Call("da.measures.camera", g.camera, ("px py", "x y"), {"scale": "s", "angle": "a", "shift": "u v"}),
    ]


def _records(w: World) -> list[Call]:
    data = {"t": [0.0, 0.1, 0.2], "a": [1.0, 2.0, 3.0], "b": [1.0, 2.0, 1.0]}
    o, r = w.swinging, w.record
    question = {"start": w.swing, "free": "k", "bounds": {"k": (1, 9)}, "priors": {"k": (4.0, 1.0)}, "rtol": 1e-8}
    asked = {"start": w.full, "free": ["omega"], "columns": "x y", "uncertainty": {"x": 0.01, "y": 0.01}}
    frame = {"scale": 2.0, "rotation": 0.1, "columns": {"a": "x", "b": "y"}, "offset": {"x": 1.0}}
    return [
        Call("da.recorded", da.recorded, (data,), {"columns": {"a": "x", "b": "y"}, "uncertainty": {"x": 0.1}}),
        Call("da.recorded", da.recorded, (data,), {"leave": ["b"], "units": {"a": "cm"}, "time": "t", "sort": True}),
        Call("da.recorded", da.recorded, (data,), frame),
        Call("da.recorded", da.recorded, (data,), {"gaps": "keep", "separator": ",", "skip": 0, "source": "s"}),
        Call("Record[]", r.__getitem__, ("x",)),
        Call("Record.sigma", r.sigma, ("x",)),
        Call("da.fit", da.fit, (o, r), question),
        Call(
            "da.fit",
            da.fit,
            (w.spring, r),
            {"principle": "free", **question, "starts": 2, "loss": "huber"},
        ),
        Call("Fit.interval", w.fit.interval, ("k", 0.9)),
        Call("Fit.profile", w.fit.profile, ("k", [3.9, 4.0, 4.1], 5)),
        Call("Fit.predict", w.fit.predict, ([0.5, 1.0],)),
        Call("Fit.get", w.fit.get, ("k",)),
        Call("Fit[]", w.fit.__getitem__, ("k",)),
        Call("da.rank", da.rank, (w.skate, w.tracked), {**asked, "later": 0.5}),
        Call(
            "da.plan",
            da.plan,
            (w.skate,),
            {
                "between": ("nonholonomic", "vakonomic"),
                "vary": {"omega": (0.1, 1.0)},
                "times": [0.1, 0.2],
                **asked,
                "columns": {"x": "2*x", "y": "y"},
            },
        ),
    ]


def quick(world: World) -> list[Call]:
    """What takes no equations but those of two short motions."""
    return [*_spaces(), *_forces(), *_measures(world)]


def calls(world: World) -> list[Call]:
    """The whole table."""
    parts = (_systems, _symmetries, _equations, _runs, _paths, _records)
    return [*quick(world), *(call for part in parts for call in part(world))]
