"""How commands answer: results to stdout as text or JSON, talk and errors to stderr, exit codes that mean something.

`Commands` is the group, `Command` one command, `Reply` what it returns. Words that click refuses become errors of the
library; `waiting` shows a line on the terminal while nothing else is written.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import shlex
import shutil
import sys
import textwrap
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from traceback import walk_tb
from typing import IO, Any, TextIO
from unicodedata import category

import click

from ..errors import (
    DalembertError,
    DalembertWarning,
    InvalidValue,
    Problems,
    UnknownName,
    as_given,
    did_you_mean,
    interfaces,
    kind_of,
)
from ..errors.interfaces import COMMAND
from . import process
from .process import INTERRUPTED, MODEL, OK, RUN, WRONG_COMMAND, as_interrupts

WIDTH = 80
ROWS = 12  # of a table that somebody looks at
_OF_FILES = ("E506", "E507", "E508", "E509", "E510")  # what a file holds; the other E50x are about which file
_FULL = (errno.ENOSPC, errno.EDQUOT)
ARGUMENTS, AS_JSON, FORCE = "dalembert.arguments", "dalembert.json", "dalembert.force"  # keys of the context's notes


@dataclass(frozen=True)
class Reply:
    """What a command has to say.

    Attributes:
        text: for people.
        data: the same for programs, as JSON.
        code: exit code.
    """

    text: str
    data: Mapping[str, Any] = field(default_factory=dict)
    code: int = OK


class Commands(click.Group):
    """The group of all commands; each is loaded when it is used, so that ``--help`` is fast."""

    def __init__(self, *args: Any, table: Mapping[str, str], load: Callable[[str], click.Command], **more: Any) -> None:
        super().__init__(*args, **more)
        self.table, self.load = table, load

    def main(self, args: Sequence[str] | None = None, *names: Any, **more: Any) -> Any:
        """As usual; a command that click refuses is answered in JSON too, where that is asked for."""
        given = list(sys.argv[1:] if args is None else args)
        unread_settings()
        with as_interrupts():
            return self._answered(given, *names, **more)

    def _answered(self, given: list[str], *names: Any, **more: Any) -> object:
        try:
            sys.exit(super().main(given, *names, **{**more, "standalone_mode": False}) or OK)
        except click.Abort:  # while a command is loaded
            sys.exit(_interrupted())
        except click.UsageError as error:
            if isinstance(error, click.exceptions.NoArgsIsHelpError):
                error.show()
                sys.exit(error.exit_code)
            name = (error.ctx.info_name if error.ctx else None) or ""
            sys.exit(_say(_refusal(usage_refused(error).on(interfaces.COMMAND)), "--json" in given, name))
        except OSError as error:  # help that could not be written
            sys.exit(_unsaid(sys.stdout, error))

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All names, in the order in which one needs them."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, loaded."""
        return self.load(cmd_name) if cmd_name in self.table else None

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """As usual, with a proposal where the name is misspelt, or is a word of what a command does."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            held = [name for name, line in self.table.items() if args[0].lower() in re.findall(r"\w+", line.lower())]
            proposal = f"see {' or '.join(held)}" if held else did_you_mean(args[0], self.table)
            fact = f"there is no command {as_given(args[0])}: {proposal}"
            raise click.UsageError(fact, error.ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The table, without loading any of them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> click.Context:
        """Remember the arguments: a child process is given the same."""
        given = list(args)
        ctx = super().make_context(info_name, args, parent, **extra)
        ctx.meta[ARGUMENTS] = given
        return ctx


class _Limit(click.ParamType):
    """A positive number; NaN and infinity would switch the limit off without a word."""

    name = "float"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; anything else is refused."""
        try:
            number = float(str(value))
        except ValueError:
            number = math.nan
        if not 0 < number < math.inf:
            self.fail(f"{value} is no limit: give a positive number, or --trust for no limits", param, ctx)
        return number


LIMIT = _Limit()


class Command(click.Command):
    """A command whose callback returns a `Reply`; it has ``--json`` and ``--debug``, and answers every error.

    Args:
        foreign: does it work on a file that somebody else may have written? Then it works in a child process with
            limits of time and memory, unless ``--trust`` says that there is no need.
        writes: does it write files? Then it has ``--force``.
    """

    def __init__(self, *args: Any, foreign: bool = False, writes: bool = False, **more: Any) -> None:
        super().__init__(*args, **more)
        self.foreign, self.writes = foreign, writes
        if writes:
            self.params.append(click.Option(["--force"], is_flag=True, help=_FORCE))
        self.params += [
            click.Option(["--json", "as_json"], is_flag=True, help="Answer as JSON."),
            click.Option(["--debug"], is_flag=True, hidden=True, help="Show where in the code an error was raised."),
        ]
        if foreign:
            self.params += [
                click.Option(["--seconds"], type=LIMIT, default=60.0, show_default=True, help=_SECONDS),
                click.Option(["--gibibytes"], type=LIMIT, default=2.0, show_default=True, help=_GIBIBYTES),
                click.Option(["--trust"], is_flag=True, help="Work in this process, without these two limits."),
            ]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; a path of no letters, which would be this folder, is refused."""
        given: Mapping[str, Any] = {}
        more: list[str] = []
        try:
            if not ctx.resilient_parsing:
                given, more, _ = self.make_parser(ctx).parse_args(args=list(args))
            for param in self.params:
                if isinstance(param.type, click.Path) and given.get(str(param.name)) == "":
                    raise click.BadParameter("the path is empty: give a name, or leave it out", ctx, param)
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            raise words_refused(error, ctx, given, more) from None

    def invoke(self, ctx: click.Context) -> None:
        """Work, answer, exit."""
        as_json, debug = ctx.params.pop("as_json"), ctx.params.pop("debug")
        ctx.meta[AS_JSON] = as_json
        limits = (ctx.params.pop("seconds"), ctx.params.pop("gibibytes")) if self.foreign else ()
        confine = self.foreign and not ctx.params.pop("trust") and not process.in_child()
        ctx.meta[FORCE] = self.writes and ctx.params.pop("force")
        warnings.showwarning = _show_warning
        try:
            if confine:
                ctx.exit(process.run_confined(ctx.meta[ARGUMENTS], *limits))
            with waiting(f"dalembert {ctx.info_name}: working", _seen(), not on_terminal()):
                reply = super().invoke(ctx)
        except click.exceptions.Exit:
            raise
        except DalembertError as error:
            if debug:
                raise
            unsaid = self.foreign and error.surface == interfaces.PYTHON
            reply = _refusal(error.on(interfaces.FILE) if unsaid else error)
        except KeyboardInterrupt:
            ctx.exit(_interrupted())
        except BrokenPipeError:
            _close_quietly(sys.stdout)
            ctx.exit(OK)
        except OSError as error:
            if debug:
                raise
            reply = _refusal(_of_system(error))
            reply = replace(reply, code=RUN if error.errno in _FULL else WRONG_COMMAND)
        except Exception as error:
            if debug:
                raise
            reply = _refusal(_of_ours(error))
        ctx.exit(_say(reply, as_json, ctx.info_name or ""))


_SECONDS = "CPU time allowed for reading the file and deriving its equations."
_GIBIBYTES = "Memory allowed for that."
_FORCE = "Replace files that something else wrote."


def _interrupted() -> int:
    click.echo("dalembert: interrupted; nothing is half-written, run the command again", err=True)
    return INTERRUPTED


def _say(reply: Reply, as_json: bool, name: str) -> int:
    """Print the answer; return the exit code."""
    if as_json:
        data = {"command": name, "ok": reply.code == OK, "exit": reply.code, **plain(reply.data)}
        failed = _print(json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False), err=False)
    else:
        failed = (reply.text and _print(reply.text, err="problems" in reply.data)) or _print("", err=False)
    return failed or reply.code


def _print(text: str, err: bool) -> int:
    """Text to a stream that may know no Greek, or may be closed or full; an exit code if it was not written."""
    stream = sys.stderr if err else sys.stdout
    if stream is None:  # nobody listens
        return OK
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        click.echo(harmless(text).encode(encoding, "backslashreplace").decode(encoding), err=err, nl=bool(text))
        stream.flush()
    except BrokenPipeError:
        _close_quietly(stream)
    except OSError as error:
        return _unsaid(stream, error)
    return OK


def harmless(text: str) -> str:
    """Text in which nothing speaks to a terminal: what does not show stands as an escape, which JSON knows too.

    Ends of lines, tabs and blanks of all widths stay.
    """
    if text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" or category(c) == "Zs" else _escaped(c) for c in text)


def _escaped(c: str) -> str:
    units = c.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def _unsaid(stream: TextIO, error: OSError) -> int:
    """Say on the other stream, if that can be, that the answer could not be written; the exit code for it."""
    _close_quietly(stream)
    if stream is sys.stdout:
        _print(f"E530 the answer cannot be written: {error.strerror or error}\n  do: make room, or ask again", err=True)
    return RUN


def _close_quietly(stream: TextIO) -> None:
    """A reader that went away is no error: keep the interpreter from complaining on its way out."""
    with open(os.devnull, "w") as nowhere, suppress(OSError, ValueError):
        os.dup2(nowhere.fileno(), stream.fileno())


def _show_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    if isinstance(message, DalembertWarning):
        _print(folded(message.on(interfaces.FILE)), err=True)


# --- errors ----------------------------------------------------------------------------------------------------------


def _refusal(error: DalembertError) -> Reply:
    """An error, or all problems of a file, as an answer."""
    problems = error.problems if isinstance(error, Problems) else (error,)
    return Reply(folded(str(error)), {"problems": [as_data(each) for each in problems]}, exit_code(error))


def as_data(error: DalembertError) -> dict[str, object]:
    """An error for programs."""
    place = error.where  # lines and columns count from 1
    file = {"file": place.file, "line": place.line, "column": place.column, "text": place.text} if place else None
    where = {"where": file} if file else {}
    return {"code": error.code, **where, "fact": error.fact, "detail": error.detail, "remedy": error.remedy}


def exit_code(error: DalembertError) -> int:
    """1 the model is wrong, 2 the command is wrong, 3 the run failed."""
    code = error.code
    if error.surface == interfaces.COMMAND and error.where is None:
        return WRONG_COMMAND
    if isinstance(error, Problems) or error.where or code in _OF_FILES or code[:2] in ("E1", "E2", "E7"):
        return MODEL
    return RUN if code.startswith("E4") else WRONG_COMMAND


def _of_system(error: OSError) -> DalembertError:
    """What the operating system refuses, in our form."""
    name = f"{error.filename}: " if error.filename else ""
    return DalembertError("E530", f"{name}{error.strerror or error}", "give another place with --out, or free this one")


def folded(text: str, width: int = WIDTH) -> str:
    """Lines that are too long broken between words, indented below themselves; quoted source lines stay whole."""
    lines, out = text.splitlines(), []
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        quoted = _is_caret(line) or _is_caret(below)
        out += [line] if quoted or len(line) <= width else _wrapped(line, width)
    return "\n".join(out)


def _is_caret(line: str) -> bool:
    return bool(line.strip()) and not line.strip().strip("^")


def _wrapped(line: str, width: int) -> list[str]:
    indent = len(line) - len(line.lstrip())
    hang = indent + (4 if line[indent : indent + 4] in ("do: ", "    ") else 2)
    return textwrap.wrap(
        line, width, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False, drop_whitespace=True
    )


def _of_ours(error: Exception) -> DalembertError:
    """An error that should not have come this far, or of a package that this machine's settings keep from loading."""
    # the package of others that was being imported when the error was raised
    frames = [frame for frame, _ in walk_tb(error.__traceback__) if frame.f_code.co_name == "<module>"]
    packages = [frame.f_globals.get("__name__", "").split(".")[0] for frame in frames]
    package = next((name for name in packages if name not in ("__main__", "runpy", __name__.split(".")[0])), "")
    variable = next((word for word in re.findall("[A-Z][A-Z_]+", str(error)) if word in os.environ), "")
    if package and variable:
        fact = f"{package} does not load: {kind_of(error)}: {error}"
        return DalembertError(
            "E801", fact, f"env -u {variable} dalembert ..., or give {variable} a value that it knows"
        )
    fact = f"a fault of dalembert itself: {kind_of(error)}: {error}"
    return DalembertError("E499", fact, "the same command with --debug shows where: please report it with that text")


# --- for commands ----------------------------------------------------------------------------------------------------


def plain(value: Any) -> Any:
    """A value as JSON knows it; what is not finite becomes null."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, Sequence) or type(value).__module__ == "numpy":
        item = value.tolist() if type(value).__module__ == "numpy" else list(value)
        return [plain(each) for each in item] if isinstance(item, list) else plain(item)
    return str(value)


def typed(*more: str) -> str:
    """The command as it was typed, with more words."""
    given = [word for word in click.get_current_context().meta[ARGUMENTS] if word not in more]
    return "dalembert " + shlex.join([*given, *more])


def talk(text: str) -> None:
    """One line to stderr: what goes on."""
    _print(text, err=True)


def on_terminal() -> bool:
    """Is there somebody to see progress? Not in a pipe, and not where NO_COLOR or TERM=dumb asks for plain text."""
    return _seen() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def _seen() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()  # there is none where the caller closed it


def lines_of_table() -> int | None:
    """Rows of a table that somebody looks at; None, which is all, in a pipe or a file."""
    return ROWS if sys.stdout is not None and sys.stdout.isatty() else None


def width() -> int:
    """Columns of the terminal, `WIDTH` elsewhere."""
    return shutil.get_terminal_size((WIDTH, 24)).columns if sys.stdout.isatty() else WIDTH


# --- words of a command that click refuses ---------------------------------------------------------------------------


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
        from ..calculus.quantity import SECOND, quantity

        try:
            return quantity(str(value), "--until", SECOND).value
        except DalembertError as error:
            raise Refused(error, ctx) from None


TIME = _Time()


def usage_refused(error: click.UsageError) -> DalembertError:
    """E307: what click refuses, in our form."""
    if isinstance(error, Refused):
        return error.error
    path = error.ctx.command_path if error.ctx else "dalembert"
    return InvalidValue("E307", error.format_message().rstrip("."), f"{path} --help")


def words_refused(
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
        return Refused(UnknownName("E307", f"{path} has no option {error.option_name}", _option_alike(error, ctx)), ctx)
    if isinstance(error, click.BadOptionUsage):
        flag = any(p.opts and error.option_name in p.opts and getattr(p, "is_flag", False) for p in ctx.command.params)
        told = "takes no value" if flag else "needs a value"
        return Refused(InvalidValue("E307", f"{error.option_name} {told}", f"{path} --help"), ctx)
    if isinstance(error, click.BadParameter) and error.param is not None:
        return Refused(_bad_word(error, error.param, ctx, given.get(str(error.param.name)), usage), ctx)
    if more:
        return Refused(InvalidValue("E307", f"{' '.join(more)} is more than {path} takes", usage), ctx)
    return error


def _option_alike(error: click.NoSuchOption, ctx: click.Context) -> str:
    """An option that looks alike; for the kind of an entry that this command does not take, how its own are named."""
    own = [name for param in ctx.command.params if param.name == "names" for name in param.opts]
    if own and error.option_name in _ENTRIES:
        return f"{ctx.command_path} takes {own[0]} NAME"
    known = [name for param in ctx.command.params if not getattr(param, "hidden", False) for name in param.opts]
    return did_you_mean(error.option_name, [*(name for name in known if name.startswith("--")), "--help"])


def _bad_word(
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


# --- a line while there is silence -----------------------------------------------------------------------------------
# A line on the terminal while nothing else is said: what is being worked on, and for how long.
# It comes when the terminal has been silent for a moment and goes before anything else is written. Where plain text is
# asked for, it is written once and stays; in a pipe there is none.

SILENT = 0.3  # seconds after which it comes, and until it is counted on
_ERASED = "\r\x1b[K"


class Waiting:
    """The line, and the streams that it keeps out of the way of.

    Args:
        terminal: where it is written.
        words: what is being done.
        plain: is it written once, without the signs that erase it?
    """

    def __init__(self, terminal: IO[str], words: str, plain: bool = False) -> None:
        self._terminal, self._words, self._plain = terminal, words, plain
        self._begun = self._heard = time.monotonic()
        self._shown, self._done, self._lock = False, threading.Event(), threading.Lock()

    def keep(self) -> None:
        """Show the line in silence, until it is over."""
        while not self._done.wait(SILENT):
            with self._lock:
                now = time.monotonic()
                if now - self._heard >= SILENT and not self._done.is_set():
                    told = f"{_ERASED}{self._words}, {now - self._begun:.0f} s"
                    self._terminal.write(f"{self._words}\n" if self._plain else told)
                    self._terminal.flush()
                    self._shown = not self._plain
                    if self._plain:
                        return

    def aside(self) -> None:
        """Something else is written: the line goes."""
        with self._lock:
            self._heard = time.monotonic()
            if self._shown:
                self._terminal.write(_ERASED)
                self._terminal.flush()
                self._shown = False

    def over(self) -> None:
        """No line any more."""
        self._done.set()
        self.aside()


class _Stream:
    """A stream before whose words the line goes."""

    def __init__(self, stream: IO[str], waiting: Waiting) -> None:
        self._stream, self._waiting = stream, waiting

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """As of the stream."""
        self._waiting.aside()
        return self._stream.write(text)


@contextmanager
def waiting(words: str, wanted: bool, plain: bool = False) -> Iterator[None]:
    """The line while something is worked on, if it is wanted; plain, without the signs of a terminal."""
    if not wanted:
        yield
        return
    out, err = sys.stdout, sys.stderr
    line = Waiting(err, words, plain)
    thread = threading.Thread(target=line.keep, daemon=True)
    sys.stdout, sys.stderr = _Stream(out, line) if out else out, _Stream(err, line)
    thread.start()
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err
        line.over()
        thread.join()


# --- settings of the current folder ----------------------------------------------------------------------------------
# Settings that other libraries would read from the current folder are not read by commands: such files are foreign.
# Matplotlib looks for ``matplotlibrc`` once, when it is imported.


def unread_settings() -> None:
    """Said when a command begins: import elsewhere what would read settings from here."""
    if Path("matplotlibrc").exists() and find_spec("matplotlib"):
        _import_elsewhere("matplotlib")


def _import_elsewhere(name: str) -> None:
    here = Path.cwd()
    os.chdir(Path(__file__).parent)  # where no settings lie
    try:
        import_module(name)
    finally:
        os.chdir(here)
