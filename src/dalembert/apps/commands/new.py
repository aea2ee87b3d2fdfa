"""``dalembert new NAME``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from ..options import complete_gallery
from ..terminal import Command, Reply

_FROM = "A system of the gallery, or the file of a robot, URDF or MJCF, beside NAME."
_BASE = "How a robot's base moves."
_ROLLS = "Links or joints of a robot that roll, or a pattern; may be given again."
_ROBOTS = (".urdf", ".xml", ".mjcf")


def robot_text(origin: str, title: str, base: str, rolls: Sequence[str]) -> str:
    """A system file of a robot whose own file lies beside it, with a run from rest."""
    from ...principles.nonholonomic import nonholonomic
    from ...study import read_source

    quoted = json.dumps  # the basic strings of TOML are those of JSON

    head = [
        "schema = 1",
        f"title = {quoted(title)}",
        "",
        "# bodies and joints stand in the robot's own file",
        "[machine]",
        f"file = {quoted(origin)}",
        f"base = {quoted(base)}  # or fixed, planar, free",
        f"rolls = [{', '.join(map(quoted, rolls))}]  # links or joints, or a pattern",
    ]
    system = read_source("\n".join(head), f"{title}.toml", folder=".").system
    space = nonholonomic(system).space if system.constraints else system.space
    turned = {q.name for a in space.attitudes.values() for q in a.coordinates}
    start = {q.name: "0" for q in space.coordinates if q.name not in turned}
    start |= dict.fromkeys(space.attitudes, '"identity"') | {u.name: "0" for u in space.velocities}
    principle = "nonholonomic" if system.constraints else "free"
    run = ["", "[[run]]", f'principle = "{principle}"', 'until = "5 s"', "[run.start]"]
    run += [f"{name} = {value}" for name, value in start.items()]
    if system.inputs:
        run += ["[run.inputs]", *(f"{name} = 0" for name in system.inputs)]
    return "\n".join([*head, *run, ""])


@click.command(cls=Command, epilog="Example: dalembert new ball --from ball_on_turntable")
@click.argument("name", default="system")
@click.option(
    "--from", "origin", default="chaplygin_sleigh", show_default=True, shell_complete=complete_gallery, help=_FROM
)
@click.option("--base", type=click.Choice(["fixed", "planar", "free"]), default="fixed", show_default=True, help=_BASE)
@click.option("--rolls", multiple=True, help=_ROLLS)
@click.option("--variant", default=None, help="Which of the systems of that file.")
@click.option("--force", is_flag=True, help="Replace a file of this name.")
def command(name: str, origin: str, base: str, rolls: tuple[str, ...], variant: str | None, force: bool) -> Reply:
    """Write a commented system file NAME.toml to start from.

    It is a system of the gallery with its starts as runs, or a robot with a run from rest; change what you like.
    """
    from ...errors import InvalidValue, Unwritable, as_given
    from ...output_file import Maker, write
    from ...study import write_source
    from .. import gallery
    from ..base_si_units import in_base_units

    if not name.removesuffix(".toml").strip("./\\ "):
        raise InvalidValue("E501", f"{as_given(name)} is not the name of a file", "dalembert new ball")
    file = Path(name if name.endswith(".toml") else f"{name}.toml")
    if file.exists() and not force:
        raise Unwritable("E530", f"{file} is there already", f"dalembert new OTHER --from {origin}, or --force")
    robot = origin.lower().endswith(_ROBOTS)
    text = robot_text(origin, file.stem, base, rolls) if robot else write_source(in_base_units(origin, variant))
    write(file, text, Maker("new", replaces=force), "system")
    after = f"dalembert check {file}"
    about = f"a robot, of {origin}" if robot else gallery.about(origin)
    return Reply(f"written {file}: {about}\nnext: {after}", {"file": str(file), "from": origin, "next": after})
