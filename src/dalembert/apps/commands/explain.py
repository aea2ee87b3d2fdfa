"""``dalembert explain CODE``."""

from __future__ import annotations

import click

from ..terminal import Command, Reply


@click.command(cls=Command, epilog="Example: dalembert explain E234")
@click.argument("code", required=False)
def command(code: str | None) -> Reply:
    """Explain an error, a warning or a note by its code; without one, list them all."""
    from ..explain import entries, explain

    if code is None:
        every = entries()
        lines = [f"{each.code}  {each.title}" for each in every]
        return Reply("\n".join(lines), {"codes": {each.code: each.title for each in every}})
    entry = explain(code)
    return Reply(str(entry), entry.as_data())
