"""What is wrong with the words of a command before it has begun: click finds it, and it is said as all else is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import click

from ..errors import DalembertError, InvalidValue, UnknownName, as_given, did_you_mean
from ..errors.surfaces import COMMAND


class Refused(click.UsageError):
    """One of our errors on its way through click."""

    def __init__(self, error: DalembertError, ctx: click.Context | None) -> None:
        super().__init__(error.fact, ctx)
        self.error = error.on(COMMAND)


_ENTRIES = {"--run", "--compare", "--sweep", "--fit", "--family", "--branch"}  # whose names commands take


@contextmanager
def as_typed() -> Iterator[None]:
    """What the body refuses is told in the words of the command line."""
    try:
        yield
    except DalembertError as error:
        raise error.on(COMMAND) from None


class _Time(click.ParamType):
    """Seconds, or a time with its unit: "2 min"."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The time in seconds; whether one can end then is asked where the motion is known."""
        try:
            return float(str(value))
        except ValueError:
            pass
        from ..calculus.dimension import SECOND
        from ..calculus.quantity import quantity

        try:
            return quantity(str(value), "--until", SECOND).value
        except DalembertError as error:
            raise Refused(error, ctx) from None


TIME = _Time()


def refused(error: click.UsageError) -> DalembertError:
    """E307: what click refuses, in our form."""
    if isinstance(error, Refused):
        return error.error
    path = error.ctx.command_path if error.ctx else "dalembert"
    return InvalidValue("E307", error.format_message().rstrip("."), f"{path} --help")


def unread(
    error: click.UsageError, ctx: click.Context, given: Mapping[str, object], more: Sequence[str]
) -> click.UsageError:
    """E307: words of a command that are missing, too many, or none of those that may stand there.

    Args:
        error: what click says of it.
        ctx: the command.
        given: what was read for each parameter, and
        more: the words that are left.
    """
    if isinstance(error, Refused):
        return error
    path, usage = ctx.command_path, " ".join(ctx.command.get_usage(ctx).partition(": ")[2].split())
    if isinstance(error, click.NoSuchOption):
        return Refused(UnknownName("E307", f"{path} has no option {error.option_name}", _near(error, ctx)), ctx)
    if isinstance(error, click.BadOptionUsage):
        flag = any(p.opts and error.option_name in p.opts and getattr(p, "is_flag", False) for p in ctx.command.params)
        told = "takes no value" if flag else "needs a value"
        return Refused(InvalidValue("E307", f"{error.option_name} {told}", f"{path} --help"), ctx)
    if isinstance(error, click.BadParameter) and error.param is not None:
        return Refused(_bad(error, error.param, ctx, given.get(str(error.param.name)), usage), ctx)
    if more:
        return Refused(InvalidValue("E307", f"{' '.join(more)} is more than {path} takes", usage), ctx)
    return error


def _near(error: click.NoSuchOption, ctx: click.Context) -> str:
    """An option that looks alike; for the kind of an entry that this command does not take, how its own are named."""
    own = [name for param in ctx.command.params if param.name == "names" for name in param.opts]
    if own and error.option_name in _ENTRIES:
        return f"{ctx.command_path} takes {own[0]} NAME"
    known = [name for param in ctx.command.params if not getattr(param, "hidden", False) for name in param.opts]
    return did_you_mean(error.option_name, [*(name for name in known if name.startswith("--")), "--help"])


def _bad(
    error: click.BadParameter, param: click.Parameter, ctx: click.Context, value: object, usage: str
) -> DalembertError:
    """One word that is missing, or not of its kind."""
    what = param.human_readable_name if isinstance(param, click.Argument) else max(param.opts, key=len)
    told, kind = f"{what} = {as_given(value)}", param.type
    if isinstance(error, click.MissingParameter):
        return InvalidValue("E307", f"{ctx.command_path} needs {what}", usage)
    if isinstance(kind, click.Choice):
        return UnknownName("E307", f"{told} is not known", did_you_mean(str(value), kind.choices))
    if kind is click.INT:
        return InvalidValue("E307", f"{told} is no whole number", f"{what} 8")
    if kind is click.FLOAT:
        return InvalidValue("E307", f"{told} is no number", f"{what} 2.5")
    if isinstance(kind, click.Path) and value:
        found, wanted = ("folder", "file") if Path(str(value)).is_dir() else ("file", "folder")
        return InvalidValue("E307", f"{value} is a {found}, and {what} is a {wanted}", f"give the name of a {wanted}")
    return InvalidValue("E307", f"{what}: {error.message.rstrip('.')}", f"{ctx.command_path} --help")
