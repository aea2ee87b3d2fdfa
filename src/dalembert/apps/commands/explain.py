"""``dalembert explain CODE``."""

from __future__ import annotations

import click

from ..terminal import Command, Reply


@click.command(cls=Command, epilog="Example: dalembert explain E234")
@click.argument("asked", nargs=-1, metavar="[CODE or WORDS]")
def command(asked: tuple[str, ...]) -> Reply:
    """Explain an error, a warning or a note by its code; list those that speak of words; without either, list all."""
    from ..explain import about, entries, explain

    words = " ".join(asked)
    found = about(words) if asked and words.replace(" ", "").isalpha() else ()
    if found or not asked:
        every = found or entries()
        lines = [f"{each.code}  {each.title}" for each in every]
        lines += ["", f"next  dalembert explain {every[0].code}"] if found else []
        return Reply("\n".join(lines), {"codes": {each.code: each.title for each in every}})
    entry = explain(words)
    return Reply(str(entry), entry.as_data())
