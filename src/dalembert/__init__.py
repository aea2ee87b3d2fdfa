"""Constrained mechanics, done whole: one system, its equations of motion under every principle, its motion.

Names are loaded when they are first used, so that importing the package is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import display

if TYPE_CHECKING:
    from .apps.cite import cite as cite
    from .apps.compare import compare as compare
    from .apps.compare import limit as limit
    from .apps.fit import fit as fit
    from .apps.rank import plan as plan
    from .apps.rank import rank as rank
    from .apps.recorded import recorded as recorded
    from .apps.report import report as report
    from .comparison import Comparison as Comparison
    from .comparison import Limit as Limit
    from .equations import Equations as Equations
    from .equations import Start as Start
    from .errors import DalembertError as DalembertError
    from .errors import DalembertWarning as DalembertWarning
    from .event import Event as Event
    from .experiment.deviations import Deviations as Deviations
    from .experiment.deviations import deviations as deviations
    from .experiment.fit.camera import camera as camera
    from .experiment.measures import Circle as Circle
    from .experiment.measures import Crossings as Crossings
    from .experiment.measures import Oscillation as Oscillation
    from .experiment.measures import amplitudes as amplitudes
    from .experiment.measures import crossings as crossings
    from .experiment.measures import dominant_frequency as dominant_frequency
    from .experiment.measures import exit_time as exit_time
    from .experiment.measures import fitted_circle as fitted_circle
    from .experiment.measures import growth_rate as growth_rate
    from .experiment.measures import period as period
    from .findings.fit import Fit as Fit
    from .findings.fit import Profile as Profile
    from .findings.plan import Plan as Plan
    from .findings.ranking import Ranking as Ranking
    from .geometry.distributions import distributions as distributions
    from .geometry.examination import Examination as Examination
    from .geometry.examine import examine as examine
    from .geometry.noether import conserved as conserved
    from .geometry.noether import noether as noether
    from .geometry.phase import phase_space as phase_space
    from .geometry.quotient import quotient as quotient
    from .geometry.reduce import Reduction as Reduction
    from .geometry.reduce import reduce as reduce
    from .geometry.restrict import restrict as restrict
    from .geometry.splitting import splitting as splitting
    from .model.factors import SE2 as SE2
    from .model.factors import SE3 as SE3
    from .model.factors import angle as angle
    from .model.factors import coordinates as coordinates
    from .model.factors import direction as direction
    from .model.factors import line as line
    from .model.factors import plane as plane
    from .model.factors import rotation as rotation
    from .model.force import Force as Force
    from .model.force import applied_force as applied_force
    from .model.force import pivoting_friction as pivoting_friction
    from .model.force import rayleigh as rayleigh
    from .model.force import rolling_friction as rolling_friction
    from .model.force import rotational_friction as rotational_friction
    from .model.force import viscous_friction as viscous_friction
    from .model.from_sympy import from_sympy as from_sympy
    from .model.inertia import inertia as inertia
    from .model.space import Space as Space
    from .model.symmetry import euclidean as euclidean
    from .model.symmetry import rotations as rotations
    from .model.symmetry import spin as spin
    from .model.symmetry import translations as translations
    from .model.symmetry import turns as turns
    from .model.system import System as System
    from .numerics.policy import Baumgarte as Baumgarte
    from .numerics.policy import Drift as Drift
    from .numerics.policy import Projection as Projection
    from .numerics.run.simulate import simulate as simulate
    from .numerics.sensitivities.sensitivities import sensitivities as sensitivities
    from .numerics.steady import steady as steady
    from .numerics.sweep import samples as samples
    from .numerics.sweep import stored as stored
    from .numerics.sweep import sweep as sweep
    from .numerics.sweep import table as table
    from .numerics.two_point import Extremal as Extremal
    from .numerics.two_point import Extremals as Extremals
    from .numerics.two_point import two_point as two_point
    from .principles.almost_poisson import almost_poisson as almost_poisson
    from .principles.chaplygin import chaplygin as chaplygin
    from .principles.coincide import Coincidence as Coincidence
    from .principles.coincide import coincide as coincide
    from .principles.free import free as free
    from .principles.gauss import gauss as gauss
    from .principles.gibbs_appell import gibbs_appell as gibbs_appell
    from .principles.hamel import hamel as hamel
    from .principles.imposed import impose as impose
    from .principles.impulsive import loss as loss
    from .principles.impulsive import wall as wall
    from .principles.impulsive import walls as walls
    from .principles.maggi import kane as kane
    from .principles.maggi import maggi as maggi
    from .principles.nonholonomic import nonholonomic as nonholonomic
    from .principles.realised import inertial_penalty as inertial_penalty
    from .principles.realised import viscous_penalty as viscous_penalty
    from .principles.symplectic import symplectic as symplectic
    from .principles.vakonomic import vakonomic as vakonomic
    from .principles.voronec import voronec as voronec
    from .reconstruction.gauge import gauge_momenta as gauge_momenta
    from .reconstruction.holonomy import holonomy as holonomy
    from .reconstruction.reconstruct import reconstruct as reconstruct
    from .reconstruction.reconstruct import reduced_start as reduced_start
    from .record import Record as Record
    from .show.draw import draw as draw
    from .study import read_file as read  # noqa: F401
    from .study import write_file as write  # noqa: F401
    from .study.study import Study as Study
    from .trajectory import Trajectory as Trajectory
    from .trajectory.storage import load as load

__version__ = "0.1.0"

_ROOMS = {
    "apps.cite": ("cite",),
    "apps.compare": ("compare", "limit"),
    "apps.fit": ("fit",),
    "apps.rank": ("plan", "rank"),
    "apps.recorded": ("recorded",),
    "apps.report": ("report",),
    "comparison": ("Comparison", "Limit"),
    "equations": ("Equations", "Start"),
    "errors": ("DalembertError", "DalembertWarning"),
    "event": ("Event",),
    "experiment.deviations": ("Deviations", "deviations"),
    "experiment.fit.camera": ("camera",),
    "experiment.measures": (
        "Circle",
        "Crossings",
        "Oscillation",
        "amplitudes",
        "crossings",
        "dominant_frequency",
        "exit_time",
        "fitted_circle",
        "growth_rate",
        "period",
    ),
    "findings.fit": ("Fit", "Profile"),
    "findings.plan": ("Plan",),
    "findings.ranking": ("Ranking",),
    "geometry.distributions": ("distributions",),
    "geometry.examination": ("Examination",),
    "geometry.examine": ("examine",),
    "geometry.noether": ("conserved", "noether"),
    "geometry.phase": ("phase_space",),
    "geometry.quotient": ("quotient",),
    "geometry.reduce": ("Reduction", "reduce"),
    "geometry.restrict": ("restrict",),
    "geometry.splitting": ("splitting",),
    "model.factors": ("SE2", "SE3", "angle", "coordinates", "direction", "line", "plane", "rotation"),
    "study.study": ("Study",),
    "model.from_sympy": ("from_sympy",),
    "model.force": (
        "Force",
        "applied_force",
        "pivoting_friction",
        "rayleigh",
        "rolling_friction",
        "rotational_friction",
        "viscous_friction",
    ),
    "model.inertia": ("inertia",),
    "model.space": ("Space",),
    "model.symmetry": ("euclidean", "rotations", "spin", "translations", "turns"),
    "model.system": ("System",),
    "reconstruction.gauge": ("gauge_momenta",),
    "reconstruction.holonomy": ("holonomy",),
    "numerics.policy": ("Baumgarte", "Drift", "Projection"),
    "reconstruction.reconstruct": ("reconstruct", "reduced_start"),
    "numerics.sensitivities.sensitivities": ("sensitivities",),
    "numerics.run.simulate": ("simulate",),
    "numerics.steady": ("steady",),
    "numerics.sweep": ("samples", "stored", "sweep", "table"),
    "numerics.two_point": ("Extremal", "Extremals", "two_point"),
    "principles.almost_poisson": ("almost_poisson",),
    "principles.chaplygin": ("chaplygin",),
    "principles.coincide": ("Coincidence", "coincide"),
    "principles.free": ("free",),
    "principles.gauss": ("gauss",),
    "principles.gibbs_appell": ("gibbs_appell",),
    "principles.hamel": ("hamel",),
    "principles.imposed": ("impose",),
    "principles.impulsive": ("loss", "wall", "walls"),
    "principles.maggi": ("kane", "maggi"),
    "principles.nonholonomic": ("nonholonomic",),
    "principles.realised": ("inertial_penalty", "viscous_penalty"),
    "principles.symplectic": ("symplectic",),
    "principles.vakonomic": ("vakonomic",),
    "principles.voronec": ("voronec",),
    "record": ("Record",),
    "show.draw": ("draw",),
    "trajectory": ("Trajectory",),
    "trajectory.storage": ("load",),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}
_OTHERWISE = {"read": ("study", "read_file"), "write": ("study", "write_file")}  # called otherwise at home

__all__ = sorted([*_HOME, *_OTHERWISE])  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    room, own = _OTHERWISE.get(name) or (_HOME.get(name), name)
    if room is None:
        raise AttributeError(f"module 'dalembert' has no attribute {name!r}")
    value = getattr(import_module(f".{room}", __name__), own)
    globals()[name] = value
    return value


def _html(noun: Any) -> str:
    """How nouns are drawn in a notebook; loaded with the first that is shown."""
    page: str = import_module(".apps.notebook", __name__).html(noun)
    return page


display.drawn_by(_html)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
