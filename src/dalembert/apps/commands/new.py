"""``dalembert new NAME``."""

from __future__ import annotations

from pathlib import Path

import click

from ..options import complete_gallery
from ..terminal import Command, Reply

_FROM = "A system of the gallery."


@click.command(cls=Command, epilog="Example: dalembert new ball --from ball_on_turntable")
@click.argument("name", default="system")
@click.option(
    "--from", "origin", default="chaplygin_sleigh", show_default=True, shell_complete=complete_gallery, help=_FROM
)
@click.option("--variant", default=None, help="Which of the systems of that file.")
@click.option("--force", is_flag=True, help="Replace a file of this name.")
def command(name: str, origin: str, variant: str | None, force: bool) -> Reply:
    """Write a commented system file NAME.toml to start from.

    It is a system of the gallery with its starts as runs; change what you like.
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
    text = write_source(in_base_units(origin, variant))
    write(file, text, Maker("new", replaces=force), "system")
    after = f"dalembert check {file}"
    return Reply(
        f"written {file}: {gallery.about(origin)}\nnext: {after}", {"file": str(file), "from": origin, "next": after}
    )
