"""``dalembert verify FILE``."""

from __future__ import annotations

from pathlib import Path

import click

from ..process import MODEL, OK
from ..terminal import Command, Reply


@click.command(cls=Command, epilog="Example: dalembert verify disc.proof")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def command(file: Path) -> Reply:
    """Check the certificate of a motion that `da.prove` saved.

    It is checked from the beginning, by a program that uses nothing else of the library. Exit code 0 and a sentence
    say what is proved; 1, what fails and where.
    """
    from ..proofs import verified

    holds, told = verified(file.read_text(encoding="utf-8", errors="replace"))
    return Reply(f"{file}: {told}", {"file": str(file), "proved": holds, "told": told}, OK if holds else MODEL)
