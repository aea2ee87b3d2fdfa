"""Constrained mechanics, done whole: one system, its equations of motion under every principle, its motion.

Names are loaded when they are first used, so that importing the package is fast.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .equations import Equations as Equations
    from .equations import Start as Start
    from .errors import DalembertError as DalembertError
    from .errors import DalembertWarning as DalembertWarning
    from .event import Event as Event
    from .experiment.measures import amplitudes as amplitudes
    from .experiment.measures import crossings as crossings
    from .experiment.measures import period as period
    from .geometry.examination import Examination as Examination
    from .geometry.examine import examine as examine
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
    from .model.force import rayleigh as rayleigh
    from .model.force import rolling_friction as rolling_friction
    from .model.force import rotational_friction as rotational_friction
    from .model.force import viscous_friction as viscous_friction
    from .model.space import Space as Space
    from .model.system import System as System
    from .numerics.policy import Baumgarte as Baumgarte
    from .numerics.policy import Drift as Drift
    from .numerics.policy import Projection as Projection
    from .numerics.simulate import simulate as simulate
    from .principles.free import free as free
    from .principles.nonholonomic import nonholonomic as nonholonomic
    from .principles.vakonomic import vakonomic as vakonomic
    from .record import Record as Record
    from .trajectory import Trajectory as Trajectory
    from .trajectory.storage import load as load

__version__ = "0.1.0"

_ROOMS = {
    "equations": ("Equations", "Start"),
    "errors": ("DalembertError", "DalembertWarning"),
    "event": ("Event",),
    "experiment.measures": ("amplitudes", "crossings", "period"),
    "geometry.examination": ("Examination",),
    "geometry.examine": ("examine",),
    "model.factors": ("SE2", "SE3", "angle", "coordinates", "direction", "line", "plane", "rotation"),
    "model.force": (
        "Force",
        "applied_force",
        "rayleigh",
        "rolling_friction",
        "rotational_friction",
        "viscous_friction",
    ),
    "model.space": ("Space",),
    "model.system": ("System",),
    "numerics.policy": ("Baumgarte", "Drift", "Projection"),
    "numerics.simulate": ("simulate",),
    "principles.free": ("free",),
    "principles.nonholonomic": ("nonholonomic",),
    "principles.vakonomic": ("vakonomic",),
    "record": ("Record",),
    "trajectory": ("Trajectory",),
    "trajectory.storage": ("load",),
}
_HOME = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = sorted(_HOME)  # noqa: PLE0605


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'dalembert' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
