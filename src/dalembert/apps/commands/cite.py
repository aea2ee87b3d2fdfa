"""``dalembert cite [WHAT]``."""

from __future__ import annotations

import click

from ..terminal import Command, Reply


@click.command(cls=Command, epilog="Examples:\n\n  dalembert cite ball.toml\n\n  dalembert cite penny --bibtex")
@click.argument("what", required=False)
@click.option("--bibtex", is_flag=True, help="The entries alone, for a .bib file.")
def command(what: str | None, bibtex: bool) -> Reply:
    """Say what to cite, and why each entry is there.

    WHAT is a system file, a stored run (.npz) or a system of the gallery; without it, the library.
    """
    from ..citations import cite
    from ..stored_results import thing_named

    citations = cite(thing_named(what) if what else None)
    return Reply(citations.bibtex() if bibtex else str(citations), {"what": what, "bibtex": citations.bibtex()})
