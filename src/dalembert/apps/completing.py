"""What the shell proposes while one types: files, names of the gallery, codes."""

from __future__ import annotations

from typing import Any

import click
from click.shell_completion import CompletionItem


def of_gallery(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Systems of the gallery."""
    from .shelf import names

    return [CompletionItem(name) for name in names() if name.startswith(incomplete)]


class SystemFile(click.Path):
    """A system file; the shell proposes files that end in .toml."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """All files: the shell filters by what is typed."""
        return [CompletionItem(incomplete, type="file")]

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As it was typed: reading it says what is wrong with it."""
        return value
