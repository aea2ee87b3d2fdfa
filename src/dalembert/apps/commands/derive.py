"""``dalembert derive FILE``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ...errors import InvalidValue
from .. import terminal
from ..options import SystemFile
from ..terminal import ARGUMENTS, Command, Reply, talk

if TYPE_CHECKING:
    from ...equations import Equations, Lean, Start
    from ...study import Study
    from ...study.study import RunSpec

_PRINCIPLE = "A principle, or several parted by commas. By default those that the file's runs name."

_WORDS = ("text", "latex", "html", "python", "c", "javascript", "script", "fmu")
_BROKEN = ("text", "latex")
_ENDS = {
    "text": (".txt", ".md"),
    "latex": (".tex", ".latex"),
    "html": (".html",),
    "python": (".py",),
    "script": (".py", ".ipy"),
    "c": (".c", ".h", ".cc", ".cpp"),
    "javascript": (".js", ".mjs", ".cjs"),
    "fmu": (".fmu",),
}
_PROGRAMS = ("python", "c", "javascript", "script", "fmu")


@click.command(
    cls=Command, foreign=True, writes=True, epilog="Example: dalembert derive ball.toml --principle vakonomic --latex"
)
@click.argument("file", type=SystemFile())
@click.argument("changes", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--principle", "wanted", multiple=True, help=_PRINCIPLE)
@click.option("--text", "form", flag_value="text", default=True, help="Plain text (the default).")
@click.option("--latex", "form", flag_value="latex", help="LaTeX.")
@click.option("--html", "form", flag_value="html", help="A page with typeset formulas.")
@click.option("--python", "form", flag_value="python", help="A Python program that stands alone.")
@click.option("--c", "form", flag_value="c", help="A C99 program that stands alone.")
@click.option("--javascript", "form", flag_value="javascript", help="A JavaScript program that stands alone.")
@click.option("--script", "form", flag_value="script", help="A Python script that uses this library.")
@click.option("--fmu", "form", flag_value="fmu", help="A Functional Mock-up Unit, for other tools; with --out.")
@click.option("--to", type=click.Choice(_WORDS), help="The same by name.")
@click.option("--lean", is_flag=True, help="In speeds that the constraints leave free, with the fewest operations.")
@click.option(
    "--width", type=click.IntRange(min=20), default=None, help="Break rows of text and LaTeX to so many letters."
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), default=None, help="Write to this file.")
def command(
    file: str,
    changes: tuple[str, ...],
    wanted: tuple[str, ...],
    form: str,
    to: str | None,
    lean: bool,
    width: int | None,
    out: Path | None,
) -> Reply:
    """Derive the equations of motion: typeset, or as code.

    NAME=VALUE replaces a parameter, an input or a start value in the run that a program begins as.
    On a terminal long rows of plain text are broken to its width; --out FILE and pipes get them whole, without --width.
    """
    from ...output_file import write
    from .. import gallery, options, runs

    form = _asked(form, to)
    if lean and form not in (*_LEAN, "fmu"):
        raise InvalidValue("E307", f"--{form} has no lean form", f"--lean with --{', --'.join(_LEAN)}, --fmu")
    if width is not None and form not in _BROKEN:
        raise InvalidValue("E307", f"--{form} has no width", f"--width with --{', --'.join(_BROKEN)}")
    study = gallery.load_study(file)
    names = _listed(wanted) or runs.named_in(study) or _without_constraints(study)
    if not names:
        raise InvalidValue("E308", f"{file} names no principle", "dalembert derive FILE --principle nonholonomic")
    if form in _PROGRAMS and len(names) > 1:
        raise InvalidValue("E308", f"one program is one principle, not {', '.join(names)}", f"--principle {names[0]}")
    study = _changed(study, changes, form, names[0])
    if form == "fmu":
        return _unit(file, study, names[0], lean, out)
    _ready(out, form)
    every = {name: runs.equations(study, name) for name in names}
    if lean and not wanted:
        # those of the file's principles that have a lean form, if any has; it is said which are left out
        found = {name: equations for name, equations in every.items() if _has_lean(equations)}
        if found and len(found) < len(every):
            talk(f"{', '.join(name for name in every if name not in found)}: no lean form, left out")
        every = found or every
    sheets = {name: _sheet(form, lean, study, equations) for name, equations in every.items()}
    text = _page(study, sheets) if form == "html" else "\n\n".join(sheets.values())
    data = {"file": file, "form": form, "equations": sheets}
    if out is None:
        return Reply(text, data)
    write(out, text + "\n", options.maker(f"--{form}"), form)
    talk(f"written {out}")
    return Reply("", {**data, "out": str(out)})


def _ready(out: Path | None, form: str) -> None:
    """The file can be written (E530), and does not end as one of another form does (E307)."""
    from ...output_file import as_form, as_page
    from .. import options

    if out is None:
        return
    if form == "html":
        as_page(out)
    else:
        other = next((each for each, ends in _ENDS.items() if out.suffix.lower() == ends[0]), form)
        more = f"; or --{other}" if out.suffix.lower() not in _ENDS[form] and other != form else ""
        as_form(out, (*_ENDS[form], ".txt"), f"--{form} writes {_ENDS[form][0]}", more)
    if form != "text":  # a text is replaced by the same text, which is not known yet
        options.ready((out, options.maker(f"--{form}")))


def _listed(wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Each principle once: the option may be given several times, and hold several names."""
    return tuple(dict.fromkeys(name for each in wanted for name in each.replace(",", " ").split()))


def _without_constraints(study: Study) -> tuple[str, ...]:
    """The one form that all principles have where nothing is constrained; it is said which."""
    if study.system.constraints:
        return ()
    talk("nothing is constrained, so all principles have the same motions: these are the free ones")
    return ("free",)


def _changed(study: Study, changes: tuple[str, ...], form: str, principle: str) -> Study:
    """The study with values of the command line in its runs (E307, E308 where nothing has such values)."""
    from .. import assignments, runs

    given = assignments.assignments(changes, study)
    if given and form not in _PROGRAMS:
        fact = f"{', '.join(given)}: equations as --{form} are for all values"
        raise InvalidValue("E307", fact, f"NAME=VALUE with --{', --'.join(_PROGRAMS)}")
    if given and not any(run.principle == principle for run in study.runs):
        fact = f"no run of {study.name} is {principle}, in which {next(iter(given))} could be replaced"
        raise InvalidValue("E308", fact, "--principle of a run, or add a run to the file")
    driven = [name for name in given if name in study.system.inputs]
    if driven and form == "fmu":
        fact = f"{driven[0]} is an input of the FMU, which another tool gives"
        raise InvalidValue("E307", fact, f"leave {driven[0]} out")
    return runs.changed_throughout(study, given).freed(given)


def _unit(file: str, study: Study, principle: str, lean: bool, out: Path | None) -> Reply:
    """The Functional Mock-up Unit that begins as the first run under a principle (E307, E308 without place or run)."""
    from ...equations.code import doubted, fmu
    from .. import options, runs

    if out is None:
        raise InvalidValue("E307", "an FMU is no text that could be shown", "--fmu --out FILE.fmu")
    place = fmu.checked(out, options.maker("--fmu"))
    equations = runs.equations(study, principle)
    start, run = _start(study, equations), _run(study, equations)
    if start is None or run is None:
        fact = f"no run of {file} is {principle}, and an FMU begins as one"
        raise InvalidValue("E308", fact, "--principle of a run, or add a run to the file")
    options.ready((place, options.maker("--fmu")))
    listing = fmu.in_free_speeds(_lean(equations), start) if lean else fmu.as_written(equations, start)
    _events_unwatched(run)
    fmu.write(doubted(listing).to(run.until), place, options.maker("--fmu"))
    talk(f"written {out}")
    return Reply("", {"file": file, "form": "fmu", "out": str(out)})


def _asked(form: str, to: str | None) -> str:
    """The form that is asked for (E307 if they are several)."""
    given = click.get_current_context().meta[ARGUMENTS]
    asked = dict.fromkeys([each for each in _WORDS if f"--{each}" in given] + ([to] if to else []))
    if len(asked) > 1:
        raise InvalidValue("E307", f"several forms are asked for: {', '.join(asked)}", f"--{next(iter(asked))} alone")
    return to or form


def _sheet(form: str, lean: bool, study: Study, equations: Equations) -> str:
    """The equations in one form; E160 where they have no lean form and this is asked for."""
    if not lean:
        return _FORMS[form](study, equations)
    return _LEAN[form](study, equations)


def _lean(equations: Equations) -> Lean:
    """The lean form (E160 where there is none)."""
    try:
        return equations.lean
    except InvalidValue as error:
        raise InvalidValue(error.code, error.fact, "leave out --lean") from None


def _has_lean(equations: Equations) -> bool:
    try:
        _lean(equations)
    except InvalidValue:
        return False
    return True


def _columns() -> int | None:
    """Long rows are broken where asked, and on a terminal; a file or another program gets them whole."""
    whole = click.get_current_context().params["out"] is not None or not sys.stdout.isatty()
    return _asked_width() or (None if whole else terminal.width())


def _asked_width() -> int | None:
    found = click.get_current_context().params["width"]
    return None if found is None else int(found)


def _start(study: Study, equations: Equations) -> Start | None:
    """The start and the parameters of the first run under this principle, if there is one."""
    from .. import runs

    spec = _run(study, equations)
    return None if spec is None else runs.start(study, spec, spec.principle)


def _run(study: Study, equations: Equations) -> RunSpec | None:
    """The first run under this principle, if there is one."""
    return next((spec for spec in study.runs if spec.principle == equations.principle), None)


def _events_unwatched(run: RunSpec | None) -> None:
    """W803 where the run has events: a program does not watch them."""
    from ...equations.code import unwatched

    if run is not None and run.events:
        unwatched("events", (event.name for event in run.events))


def _driven(study: Study, equations: Equations) -> tuple[Equations, dict[str, Any]]:
    """Equations for a program, where it begins and to which time it runs: with inputs of the run as it gives them.

    Raises:
        InvalidValue: E186, an input is a table or a column, which no program holds.
    """
    from ...numerics.inputs.run_inputs import unbroken
    from .. import runs, study_inputs

    spec, start = _run(study, equations), _start(study, equations)
    until = None if spec is None else spec.until
    if spec is None or not study.system.inputs:
        return equations, {"start": start, "until": until}
    with runs.placed(study, spec):
        try:
            found = unbroken(equations, start, study_inputs.drives(study, spec), spec.parameters, "a program")
        except InvalidValue as error:
            plant = " ".join(f"{name}=0" for name in study.system.inputs)
            more = f"\nto push it from outside: {plant} behind the file, and they are its last parameters"
            raise error.also(*([more] if error.code == "E186" else [])) from None
    return found.equations, {"start": found.start, "parameters": found.parameters, "until": until}


def _program(form: str, study: Study, equations: Equations, lean: bool = False) -> str:
    """The program in one language, of the equations or of their lean form."""
    _events_unwatched(_run(study, equations))
    equations, begun = _driven(study, equations)
    shown = _lean(equations) if lean else equations
    if form == "c":
        return shown.to_c(**begun, main=True)
    return shown.to_python(**begun) if form == "python" else shown.to_javascript(**begun)


def _html(study: object, equations: object) -> str:
    from ..notebook import html

    return html(equations)


def _page(study: Study, sheets: dict[str, str]) -> str:
    """The fragments as one page."""
    from ...show.html.markup import Html, tag
    from ...show.report.page_parts import Section, page
    from ..notebook import html

    sections = [Section("The system", Html(html(study.system)))]
    sections += [Section(f"Equations of motion: {name}", Html(sheet)) for name, sheet in sheets.items()]
    return page(study.title or "System", tag("p", "Equations of motion."), sections)


def _script(study: Study, equations: Equations) -> str:
    from ..python_script import script

    return script(study, equations.principle)


_LEAN: dict[str, Callable[[Study, Equations], str]] = {
    "text": lambda _, equations: _lean(equations).text(_columns()),
    "latex": lambda _, equations: _lean(equations).latex(_asked_width()),
    "python": partial(_program, "python", lean=True),
    "c": partial(_program, "c", lean=True),
    "javascript": partial(_program, "javascript", lean=True),
}
_FORMS: dict[str, Callable[[Any, Any], str]] = {
    "text": lambda study, equations: str(equations.text(_columns())),
    "latex": lambda study, equations: str(equations.latex(_asked_width())),
    "html": _html,
    "python": partial(_program, "python"),
    "c": partial(_program, "c"),
    "javascript": partial(_program, "javascript"),
    "script": _script,
}
