"""The command ``dalembert``."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import click

from .. import __version__
from ..errors import DalembertError

# paper -> (what is reproduced, the module of this folder that does it: its reproduce(folder) returns the exit code)
PAPERS = {
    "lewis-murray": (
        "affine constraints, the ball on a turning table: equations, orbits, Table 1, Figures 5 and 8 to 13",
        "lewis_murray",
    ),
    "appell-hamel": (
        "a wheel with a falling weight, a nonlinear constraint: equations, Figure 2, the vakonomic motion",
        "appell_hamel",
    ),
    "symmetric-sphere": (
        "a sphere with an axis of symmetry: reduction to S^2, equations with curvature, bounces off rough walls",
        "symmetric_sphere",
    ),
    "rolling-disc": (
        "a rolling disc by the geometry of its constraints: reduction, two hidden constants, reconstruction",
        "rolling_disc",
    ),
    "sicm": ("two ways to vary a constrained action: equations (1.231) and (1.240)", "sicm"),
}


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, prog_name="dalembert")
def main() -> None:
    """Constrained mechanics: one system, its equations under every principle, its motion."""


@main.command(epilog="Papers:\n\n" + "\n\n".join(f"  {k}: {summary}" for k, (summary, _) in PAPERS.items()))
@click.argument("paper", type=click.Choice(list(PAPERS)))
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=None, help="Folder for the figures.")
@click.option("--no-figures", is_flag=True, help="Check the claims only; Matplotlib is not needed.")
def reproduce(paper: str, out: Path | None, no_figures: bool) -> None:
    """Reproduce a published paper: derive, run, compare, draw.

    Ends with a table of claims; the exit code is 1 if one that should hold does not, 2 if the command cannot be carried
    out, 4 if it was interrupted.
    """
    _, module = PAPERS[paper]
    folder = None if no_figures else (out or Path("figures") / paper)
    try:
        sys.exit(import_module(f".{module}", __package__).reproduce(folder))
    except (DalembertError, OSError) as error:
        click.echo(f"dalembert: {error}", err=True)
        sys.exit(2)
    except KeyboardInterrupt:
        click.echo("dalembert: interrupted; nothing is half-written, run the command again", err=True)
        sys.exit(4)
