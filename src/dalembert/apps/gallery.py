"""The gallery as seen from the command line: names, one line each, source, and each system as a study."""

from __future__ import annotations

import ast
import math
import pkgutil
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import systems
from ..errors import MissingFile, UnknownName, as_given, closest, did_you_mean

if TYPE_CHECKING:
    import sympy as sp

    from ..model.system import System
    from ..study.study import Study


_NO_SYSTEMS = ("closed", "facts")
FEW = 4  # systems that are named where one was meant
_SAME = 1e-9  # of a value: it is the one that follows
RUN, COMPARE = 10.0, 1.0  # time units of a run, and of a comparison where the system states no span of its own


def names() -> list[str]:
    """All systems of the gallery; nothing is imported."""
    return sorted(m.name for m in pkgutil.iter_modules(systems.__path__) if m.name not in _NO_SYSTEMS)


def module(name: str) -> ModuleType:
    """The file of a system.

    Raises:
        UnknownName: E308, the gallery has no such system.
    """
    return import_module(f"{systems.__name__}.{_file(name)}")


def _file(name: str) -> str:
    """The name of the file of a system."""
    plain = _plain(name)
    if plain not in names():
        raise UnknownName("E308", f"the gallery has no system {as_given(name)}", _for_file(name) or near(plain))
    return plain


def _for_file(name: str) -> str:
    """What to type for a file of one's own, which is none of the gallery's systems; "" where it is no file."""
    kind = Path(name).suffix
    if kind == ".toml":
        return f"a system file is taken as it is: dalembert check {name}"
    return f"a record is fitted to a system: dalembert fit FILE.toml {name}" if kind in (".csv", ".txt", ".tsv") else ""


def load_study(file: str, systems: bool = False) -> Study:
    """The study of a file; with `systems` also that of a system of the gallery, where there is no such file.

    Raises:
        DalembertError: E501, there is no such file; where the gallery has a system of this name, or `systems` are taken
            and it has none, what to type instead; what is wrong in the file.
    """
    from ..study import read

    there, plain = Path(file).exists(), Path(file).name == file and not Path(file).suffix
    if not there and known(file):
        if systems:
            return study(file)
        fact = f"there is no file {file}; a system of the gallery is called so"
        raise MissingFile("E501", fact, f"dalembert new NAME --from {_plain(file)}, which writes NAME.toml")
    if not there and plain and systems:
        raise MissingFile("E501", f"there is no file {file}, and the gallery has no such system", near(file))
    return read(file)


def near(name: str) -> str:
    """The systems that are probably meant: by their names, or by the words in their first lines."""
    plain = _plain(name)
    if closest(plain, names()):
        return did_you_mean(plain, names())
    held = {n: sum(word in f"{n} {about(n)}".lower() for word in plain.split("_") if word) for n in names()}
    most = max(held.values())
    found = [n for n in held if most and held[n] == most]
    return f"did you mean {' or '.join(found)}?" if 0 < len(found) <= FEW else "dalembert gallery lists them"


def about(name: str) -> str:
    """The first line of what its file says."""
    return listed(name).said.splitlines()[0].rsplit(" [", 1)[0].rstrip(".")


class Listed(NamedTuple):
    """What stands in the list of the gallery: what a file says of itself, its source, the names of its variants."""

    said: str
    source: str
    variants: tuple[str, ...]


@cache
def listed(name: str) -> Listed:
    """A system as it is listed: its file is read and not run, for the list would run all of them.

    Raises:
        UnknownName: E308, the gallery has no such system.
    """
    tree = ast.parse(pkgutil.get_data(systems.__name__, f"{_file(name)}.py") or "")
    values = {
        n.targets[0].id: n.value for n in tree.body if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)
    }
    source, variants = (values.get(each) for each in ("SOURCE", "VARIANTS"))
    names = (
        [key.value for key in variants.keys if isinstance(key, ast.Constant)] if isinstance(variants, ast.Dict) else []
    )
    said = (ast.get_docstring(tree, clean=False) or "").strip()
    return Listed(said, str(source.value) if isinstance(source, ast.Constant) else "", tuple(map(str, names)))


def told(name: str) -> str:
    """All that its file says, each paragraph on one line; indented lines are formulas, which stay as they are."""
    found: list[str] = []
    for line in listed(name).said.splitlines():
        prose = bool(line.strip()) and not line.startswith(" ")
        if prose and found and found[-1].strip() and not found[-1].startswith(" "):
            found[-1] += f" {line}"
        else:
            found.append(line)
    return "\n".join(found)


def variants(name: str) -> Mapping[str, Any]:
    """Further systems of the same file."""
    found: Mapping[str, Any] = getattr(module(name), "VARIANTS", {})
    return found


def study(name: str, variant: str | None = None) -> Any:
    """A system with its starts as runs, and one comparison.

    Raises:
        UnknownName: E308, there is no such system or variant.
    """
    from ..study.study import CompareSpec, RunSpec, Study

    file = module(name)
    known = variants(name)
    if variant is not None and variant not in known:
        raise UnknownName("E308", f"{name} has no variant {as_given(variant)}", did_you_mean(variant, known))
    system = file.system(**known[variant].options) if variant else file.system()
    starts = known[variant].starts if variant else file.STARTS
    span = float(getattr(file, "SPAN", COMPARE))
    runs = [
        RunSpec(
            label,
            "nonholonomic" if system.constraints else "free",
            start,
            until=span if system.contacts else RUN,
        )
        for label, start in starts.items()
    ]
    compares = []
    # vakonomic motions refuse contacts
    if system.constraints and not system.contacts:
        lam = {c.multiplier.name: 0.0 for c in system.constraints}
        compares = [
            CompareSpec(f"principles, {label}", ("nonholonomic", "vakonomic"), {**start, **lam}, until=span)
            for label, start in list(starts.items())[:1]
        ]
    cite = system.cite or (file.SOURCE,)
    return Study(system.title, system, cite, tuple(runs), tuple(compares), _sweeps(system, runs[0]), name=name)


def following(name: str, study: Study, given: Collection[str] = ()) -> Study:
    """The study in which what follows from other parameters by the gallery's own formulas is given by these.

    Those that are `given` keep values of their own.
    """
    formulas = {n: e for n, e in formulas_of(name, study.system).items() if n not in given}
    parameters = {**study.system.stated, **formulas}
    return replace(study, system=study.system.changed(parameters=parameters)) if formulas else study


def formulas_of(name: str, system: System) -> dict[str, sp.Expr]:
    """Parameters of a system that have the values which the formulas of its file give them, and these formulas."""
    from ..model.parameters import values_of

    stated = {n: f for n, f in getattr(module(name), "FOLLOWS", {}).items() if system.parameters.get(n) is not None}
    if not stated:
        return {}
    defined = system.changed(parameters={**system.parameters, **stated}).defined
    known = {n: v for n, v in system.parameters.items() if v is not None}
    found = values_of(defined, known)
    return {n: e for n, e in defined.items() if n in known and math.isclose(found[n], known[n], rel_tol=_SAME)}


def _sweeps(system: System, run: Any) -> tuple[Any, ...]:
    """One sweep over the first parameter that has a value, from 0.8 to 1.2 times this."""
    from ..study.study import SweepSpec

    axis = next(((k, v) for k, v in system.parameters.items() if v), None)
    if axis is None:
        return ()
    name, value = axis
    values = tuple(round(share * value, 12) for share in (0.8, 0.9, 1.0, 1.1, 1.2))
    return (SweepSpec(f"{name} varied", run.principle, run.start, until=run.until, parameters={name: values}),)


def known(name: str) -> bool:
    """Has the gallery a system of this name?"""
    return _plain(name) in names()


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")
