"""The option ``--columns`` of commands that print numbers of motions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from ..model.space import Space

_KEY = "dalembert.columns"  # of the context's notes
_Function = TypeVar("_Function", bound=Callable[..., object])


def option(command: _Function) -> _Function:
    """The command with the option; `asked` has its names."""
    text = 'What is shown, "x y energy".'
    return click.option("--columns", default="", expose_value=False, callback=_keep, help=text)(command)


def _keep(context: click.Context, option: click.Parameter, given: str) -> None:
    context.meta[_KEY] = given.replace(",", " ").split()


def asked(space: Space) -> list[str]:
    """The names that were given to the command at work; ``dot(x)`` is the velocity that is the rate of x."""
    found: list[str] = click.get_current_context().meta.get(_KEY, [])
    return [space.spelled(name) for name in found]
