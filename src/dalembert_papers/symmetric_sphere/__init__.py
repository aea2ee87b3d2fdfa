"""A sphere with an axis of symmetry: reduction to S^2, equations with curvature, bounces off rough walls."""

from __future__ import annotations

from rich.console import Console

from dalembert import System, reduce

from ..claim import Kind
from ..printing import print_equations, print_lines, print_table
from ..reproduction import Chapter, Paper
from . import any_system, bundles, dynamics, figures, given, impacts, kinematics, motions


def _equations(console: Console) -> None:
    """The full equations, and how much smaller the reduced system is."""
    print_equations(console, (given.whole(),))
    found = given.over_sphere()
    names = ", ".join(g.name for g in found.generators)
    space = found.system.space
    shape = ", ".join(f"{q.name} = R{i + 1}3" for i, q in enumerate(space.coordinates))
    lines = [
        f"group       {names}",
        f"shape       {shape}: z = R e3 on S^2, without a chart",
        f"rates       {', '.join(f'{q.name}: {rate}' for q, rate in space.rates.items())}",
        f"states      {_states(given.system())} become {_states(reduce(given.system()).system)}",
    ]
    print_lines(console, "Reduced by the library:", lines)
    values = ", ".join(f"{name} = {value:g}" for name, value in given.VALUES.items())
    print_lines(console, "The paper gives no numbers. Runs are made with", [values])


def _states(system: System) -> int:
    return len(system.space.coordinates) + len(system.space.velocities)


def _print_bounces(console: Console) -> None:
    """The bounces of the run between two walls."""
    headings = ("t (s)", "wall", "v0", "v0 after", "w3", "w3 after")
    print_table(console, "Bounces between two rough walls, e = 1 (1/s)", headings, motions.rows())


PAPER = Paper(
    title="Cendra, Lacomba & Reartes, The symmetric rolling sphere",
    source="cendra2001a",
    about="An axisymmetric sphere rolls on a plane; its group SO(2) x R^2 acts from the right. SI units.",
    introduction=_equations,
    chapters=(
        Chapter("Section 2, parts of TQ, left and right actions", bundles.GROUPS),
        Chapter("Section 3, kinematics, connection and curvature", kinematics.GROUPS),
        Chapter("Section 3, the reduced equations", dynamics.GROUPS),
        Chapter("Section 4, rough walls", impacts.GROUPS),
        Chapter("The same by functions that take any system", any_system.GROUPS, kind=Kind.NEW),
        Chapter("Motions", motions.GROUPS, after=_print_bounces),
    ),
    figures=(figures.draw,),
)
