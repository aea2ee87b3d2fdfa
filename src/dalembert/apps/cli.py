"""The command ``dalembert``."""

from __future__ import annotations

import gc
from importlib import import_module

import click

from .. import __version__
from .commands import COMMANDS
from .terminal import Commands

_GARBAGE = 300_000  # objects more than there were, at which garbage is looked for; all modules together make fewer
_FIRST = """\b
Begin with these three:
  dalembert new ball --from ball_on_turntable   a commented file, ball.toml
  dalembert explore ball.toml                   a page with sliders
  dalembert run ball.toml                       the motion in numbers, audited
"""


def load(name: str) -> click.Command:
    """The command of this name, from the file of this name."""
    found: click.Command = import_module(f".commands.{name}", __package__).command
    return found


@click.group(
    cls=Commands,
    table=COMMANDS,
    load=load,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    epilog=_FIRST,
)
@click.version_option(__version__, prog_name="dalembert")
def main() -> None:
    """Constrained mechanics: one system, its equations under every principle, its motion.

    A system is described in a text file. "dalembert COMMAND --help" tells what a command does, with an example.

    Exit codes: 0 all is well, 1 the model is wrong, 2 the command is wrong, 3 the run failed, 4 interrupted, can be
    resumed.
    """
    # the process is the command's own: a sixth of its start went into looking for garbage among modules
    gc.set_threshold(_GARBAGE)
