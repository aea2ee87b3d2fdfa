"""What the shell proposes while one types: files, names of the gallery, codes."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem


def of_gallery(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Systems of the gallery."""
    from .shelf import names

    return [CompletionItem(name) for name in names() if name.startswith(incomplete)]


def of_principles(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Principles, also after a comma."""
    from ..principles.listed import PRINCIPLES

    before, comma, last = incomplete.rpartition(",")
    return [CompletionItem(f"{before}{comma}{name}") for name in PRINCIPLES if name.startswith(last)]


def of_fits(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of the ``[[fit]]`` tables of the file that stands before."""
    return _entries(ctx, "fit", incomplete)


def of_families(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Names of the ``[[family]]`` tables of the file that stands before."""
    return _entries(ctx, "family", incomplete)


def _entries(ctx: click.Context, kind: str, incomplete: str) -> list[CompletionItem]:
    """Names of the tables of a kind of the file that stands before."""
    from ..errors import DalembertError
    from ..study.opening import text_of
    from ..study.parse import parsed

    file = ctx.params.get("file") or next(iter(ctx.args), "")  # click keeps words after an open option as they are
    try:
        entries = parsed(*text_of(file))[0].get(kind, [])
    except DalembertError:
        return []
    names = [each.get("name") for each in entries if isinstance(each, dict)] if isinstance(entries, list) else []
    return [CompletionItem(name) for name in names if isinstance(name, str) and name.startswith(incomplete)]


class SystemFile(click.Path):
    """A system file; the shell proposes files that end in .toml."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """All files: the shell filters by what is typed."""
        return [CompletionItem(incomplete, type="file")]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As it was typed: reading it says what is wrong with it."""
        return value
