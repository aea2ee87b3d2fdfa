"""What to cite, and why each entry is there: `cite(x)` for a system, its equations, a run, a comparison, a study.

First the bibliography itself, then the reasons for which its entries are cited, then who rests on what.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, singledispatch
from pathlib import Path
from textwrap import wrap
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..argument_checks import one_of, public
from ..comparison import Comparison, Limit
from ..errors import Note, WrongType, kind_of
from ..findings.fit import Fit
from ..findings.plan import Plan
from ..findings.ranking import Ranking
from ..principles.principle_table import PRINCIPLES
from ..trajectory import Trajectory
from . import gallery

if TYPE_CHECKING:
    from ..model.system import System


# --- the bibliography ------------------------------------------------------------------------------------------------
# A test holds the file to one form, one field a line; other BibTeX is not read.

FILE = Path(__file__).resolve().parents[1] / "references.bib"
_ACCENTS = {
    "'": "\u0301",
    "`": "\u0300",
    "^": "\u0302",
    '"': "\u0308",
    "~": "\u0303",
    "v": "\u030c",
    "c": "\u0327",
    "u": "\u0306",
}
_FIELD = re.compile(r"^\s+([a-z]+)\s*=\s*\{(.*)\},?$", re.MULTILINE)
_PLACES = ("journal", "booktitle", "publisher", "note")


@dataclass(frozen=True)
class Reference:
    """One entry: its key, its fields as they stand in the file, and the entry itself."""

    key: str
    fields: Mapping[str, str]
    bibtex: str

    @property
    def authors(self) -> str:
        """Family names: ``Lewis and Murray``, ``Harris et al.``"""
        names = [_family(name) for name in self.fields.get("author", self.fields.get("editor", "")).split(" and ")]
        if len(names) > 3 or "others" in names:
            return f"{names[0]} et al."
        return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

    @property
    def year(self) -> str:
        """The year."""
        return self.fields.get("year", "")

    @property
    def title(self) -> str:
        """The title in plain letters."""
        return plain(self.fields.get("title", self.key))

    @property
    def line(self) -> str:
        """Authors, year, title and where it appeared, for people."""
        where = next((plain(self.fields[k]) for k in _PLACES if k in self.fields), "")
        volume = self.fields.get("volume", "") if "journal" in self.fields else ""
        pages = plain(self.fields.get("pages", ""))
        place = " ".join(filter(None, [where, volume])) + (f", {pages}" if pages else "")
        return f"{self.authors} ({self.year}). {self.title}.{f' {place}.' if place.strip() else ''}"


@cache
def references() -> Mapping[str, Reference]:
    """All entries by key, in the file's order."""
    entries = re.split(r"^(?=@)", FILE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    return {r.key: r for r in map(_read, entries)}


def _read(entry: str) -> Reference:
    key = re.match(r"@[a-z]+\{([^,\s]+),", entry)
    return Reference(key.group(1) if key else "", dict(_FIELD.findall(entry)), entry.strip())


_LETTERS = {"--": "\u2013", "\\aa": "\u00e5", "\\o": "\u00f8", "~": " "}


def _family(name: str) -> str:
    return plain(name.partition(",")[0])


def plain(text: str) -> str:
    r"""TeX's letters as letters: ``{\"U}ber`` becomes Über, braces and dollars go, -- is a dash."""
    for accent, mark in _ACCENTS.items():
        letter = r"(?:\{\\?(\w)\}|\s+(\w)|\\(\w))" if accent.isalpha() else r"\{?\\?(\w)\}?"
        spelt = rf"\\{re.escape(accent)}{letter}"
        text = re.sub(spelt, lambda m, mark=mark: next(filter(None, m.groups())) + mark, text)  # type: ignore[misc]
    text = re.sub(r"[{}$]|\\(?=[&%_])", "", text)
    for spelt, letter in _LETTERS.items():
        text = text.replace(spelt, letter)
    return unicodedata.normalize("NFC", text)


# --- reasons ---------------------------------------------------------------------------------------------------------
# Those of principles stand in their rows (`principles.listed`). The same keys stand at the lines that use them.

Reason = tuple[str, str, str]  # (group, key, why)
MODEL, METHOD, SOFTWARE, DATA = GROUPS = ("model", "method", "software", "data")

CHETAEV = ("chetaev1932", "the principle: Chetaev's rule, for constraints nonlinear in the velocities")

RECONSTRUCTED = ("bloch1996", "the motion was led back from its reduction by symmetry")

STABILISED = {
    "Projection": ("hairer2006", "projection to the constraints after every step (IV.4)"),
    "Baumgarte": ("baumgarte1972", "Baumgarte's stabilisation of the constraints"),
}
PACKAGES = {
    "numpy": ("harris2020", "NumPy: arrays"),
    "scipy": ("virtanen2020", "SciPy: linear algebra and special functions"),
    "sympy": ("meurer2017", "SymPy: the expressions the equations are written in"),
    "llvmlite": ("lattner2004", "LLVM: compiled evaluation"),
}


def of_principle(name: str, nonlinear: bool = False) -> Iterator[Reason]:
    """Why sources are there for a principle or a form of its equations."""
    row = PRINCIPLES.get("nonholonomic" if name == "reconstructed" else name)
    if row is not None:
        yield from ((MODEL, *source) for source in PRINCIPLES[row.principle].sources)
        if nonlinear and row.principle == "nonholonomic":
            yield MODEL, *CHETAEV
    if row is not None and row.principle != name:
        yield from ((METHOD, *source) for source in ((RECONSTRUCTED,) if name == "reconstructed" else row.sources))
    if name.startswith(("viscous", "inertial")):
        yield MODEL, "kozlov1992", "the principle: constraints realised by strong forces"


def _of_method(provenance: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """The sources of a run's method: those that travel with the path; for an older path, those of the method."""
    if "method_sources" in provenance:
        return [(str(key), str(why)) for key, why in provenance["method_sources"]]
    from ..numerics.methods import METHODS  # loads SymPy

    kind = METHODS.get(str(provenance.get("method", "")))
    return () if kind is None else kind.reasons(provenance.get("order"))


def of_run(provenance: Mapping[str, object]) -> Iterator[Reason]:
    """Why sources are there for a run: the integrator, its composition, what keeps the constraints."""
    yield from ((METHOD, *pair) for pair in _of_method(provenance))
    policy = str(provenance.get("stabilisation", "")).partition("(")[0]
    if policy in STABILISED and not provenance.get("step"):  # methods of fixed steps keep the constraints themselves
        yield METHOD, *STABILISED[policy]


def of_software(*packages: str) -> Iterator[Reason]:
    """Why packages are there."""
    yield from ((SOFTWARE, *PACKAGES[name]) for name in packages)


# --- what to cite ---

WIDTH, LINES, KEYS = 80, 25, 13
_KEY = re.compile(r"[a-z_]+[0-9]{4}[a-z]?")
OURSELVES = "dalembert"


@dataclass(frozen=True)
class Citation:
    """One source.

    Attributes:
        group: ``"model"``, ``"method"``, ``"software"`` or ``"data"``.
        key: of the bibliography; "" for a source given as free text.
        text: the source for people.
        why: what it is there for; never empty.
        bibtex: its entry; "" for free text.
    """

    group: str
    key: str
    text: str
    why: tuple[str, ...]
    bibtex: str = ""


@dataclass(frozen=True)
class Citations:
    """What something rests on, in groups, each source once in a group."""

    entries: tuple[Citation, ...]

    def __iter__(self) -> Iterator[Citation]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    @property
    def keys(self) -> tuple[str, ...]:
        """Keys of the bibliography, each once."""
        return tuple(dict.fromkeys(e.key for e in self.entries if e.key))

    def group(self, name: str) -> tuple[Citation, ...]:
        """The entries of a group."""
        return tuple(e for e in self.entries if e.group == one_of(GROUPS, name, "citations", "group", "E307"))

    def bibtex(self) -> str:
        """The entries for a .bib file, each once; free text as comments."""
        texts = [f"% {' '.join(e.text.split())}" for e in self.entries if not e.key]
        return "\n\n".join([*dict.fromkeys(texts), *dict.fromkeys(e.bibtex for e in self.entries if e.key)]) + "\n"

    def __str__(self) -> str:
        lines = []
        for name in GROUPS:
            found = self.group(name)
            lines += [name, *(line for entry in found for line in _lines(entry))] if found else []
        if len(lines) > LINES:
            groups = [(name, self.group(name)) for name in GROUPS if self.group(name)]
            lines = [row for name, found in groups for row in (name, *(r for entry in found for r in _short(entry)))]
        if len(lines) > LINES:
            lines = [*lines[: LINES - 1], f"and {len(lines) - LINES + 1} more lines, all in .bibtex()"]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from ..show.html import wrapped

        return wrapped(fragment(self))


def fragment(citations: Citations) -> Any:
    """The citations as a piece of HTML: a table, and the BibTeX to copy."""
    from ..show.html.markup import folded, join, listed, table, tag

    rows = [(e.group, join([e.text, tag("code", f" [{e.key}]") if e.key else ""]), listed(e.why)) for e in citations]
    return join(
        [table(("for the", "source", "why it is there"), rows), folded("BibTeX", tag("pre", citations.bibtex()))]
    )


def _lines(entry: Citation) -> list[str]:
    """The source, and below it what it is there for."""
    indent = " " * (KEYS + 3)
    head = wrap(
        f"  {entry.key:<{KEYS}} {entry.text}" if entry.key else f"  {entry.text}",
        WIDTH,
        subsequent_indent=indent,
    )
    return [*head, *(line for why in entry.why for line in wrap(f"{indent}{why}", WIDTH, subsequent_indent=indent))]


def _short(entry: Citation) -> list[str]:
    """The key alone, and what it is there for."""
    indent = " " * (KEYS + 3)
    head = f"  {entry.key:<{KEYS}} " if entry.key else f"  {' '.join(entry.text.split())}: "
    return wrap(f"{head}{'; '.join(entry.why)}", WIDTH, subsequent_indent=indent)


@public
def cite(thing: object = None) -> Citations:
    """The sources that something rests on, each with the reasons why it is there, and the software itself.

    Args:
        thing: a `System`, `Equations`, `Trajectory`, `Comparison`, `Limit`, `Reduction`, `Study`, `Fit`, `Ranking`,
            `Plan`, `Extremals`, the Dataset of a sweep, a system of the gallery by its name or module, or a list of
            these; None for the library alone.

    Raises:
        WrongType: E307, nothing is known about the sources of this.
        UnknownName: E308, the gallery has no system of this name.
    """
    found = [] if thing is None else list(reasons(thing))
    return gathered([*found, (SOFTWARE, OURSELVES, "the equations, the integration and the comparison")])


def gathered(found: Iterable[Reason]) -> Citations:
    """Reasons by source, in the order of the groups."""
    known: dict[tuple[str, str], list[str]] = {}
    for group, key, why in found:
        whys = known.setdefault((group, key), [])
        if why not in whys:
            whys.append(why)
    entries = [_entry(group, key, tuple(whys)) for (group, key), whys in known.items()]
    return Citations(tuple(sorted(entries, key=lambda e: GROUPS.index(e.group))))


def _entry(group: str, key: str, why: tuple[str, ...]) -> Citation:
    if key == OURSELVES:
        own = ourselves()
        return Citation(group, key, own.line, why, own.bibtex)
    if key in references():
        found = references()[key]
        return Citation(group, key, found.line, why, found.bibtex)
    return Citation(group, "", key, why)


def ourselves() -> Reference:
    """This library, as CITATION.cff has it."""
    from .. import __version__

    title = "dalembert: equations of motion under several principles"
    fields = {"author": "{The dalembert developers}", "title": title, "year": f"version {__version__}"}
    entry = f"@software{{dalembert,\n  author  = {{{{The dalembert developers}}}},\n  title   = {{{title}}},\n"
    return Reference(OURSELVES, fields, f"{entry}  version = {{{__version__}}}\n}}")


# --- who rests on what -----------------------------------------------------------------------------------------------


@singledispatch
def reasons(thing: object) -> Iterator[Reason]:
    """(group, key or free text, why) of everything that something rests on."""
    if str(type(thing).__module__).startswith("xarray."):
        return _of_sweep(thing)
    if isinstance(thing, list | tuple | set):
        return (reason for each in thing for reason in reasons(each))
    return _registered(thing)


def _registered(thing: object) -> Iterator[Reason]:
    """Nouns whose rooms need SymPy: a stored path is cited without it."""
    from ..equations import Equations
    from ..geometry.reduction import Reduction
    from ..model.system import System
    from ..study.study import Study

    if isinstance(thing, System):
        return of_system(thing)
    if isinstance(thing, Equations):
        return _of_equations(thing)
    if isinstance(thing, Reduction):
        return _of_reduction(thing)
    if isinstance(thing, Study):
        return _of_study(thing)
    from ..numerics.two_point import Extremals  # with SciPy's linear algebra: asked last

    if isinstance(thing, Extremals):
        return _of_extremals(thing)
    raise WrongType("E307", f"no sources are known of {kind_of(thing)}", "da.cite(system), da.cite(path), ...")


@reasons.register
def _of_name(name: str) -> Iterator[Reason]:
    return _of_module(gallery.module(name))


@reasons.register
def _of_module(module: ModuleType) -> Iterator[Reason]:
    """A file of the gallery; its system says what it cites."""
    if not hasattr(module, "SOURCE"):
        raise WrongType("E307", f"the module {module.__name__} is no system of the gallery", 'da.cite("penny")')
    yield MODEL, module.SOURCE, "the system"
    yield from of_system(module.system())


@reasons.register
def _of_path(path: Trajectory) -> Iterator[Reason]:
    p = path.provenance
    yield from _of_given(p.get("cite", ()), p.get("sources", {}))
    yield from of_principle(str(p.get("principle", "")), bool(p.get("nonlinear")))
    yield from of_run(p)
    yield from of_software("numpy", "sympy", "llvmlite")


def of_system(system: System) -> Iterator[Reason]:
    """What the author of a system cites, and where the values of parameters are from."""
    yield from _of_given(system.cite, system.sources)
    if system.walls:
        yield METHOD, "ibort2001", "impacts at walls, with the constraints kept"


def _of_given(cited: Iterable[str], sources: Mapping[str, str]) -> Iterator[Reason]:
    for source in cited:
        yield MODEL, source, "the system"
    for name, source in sources.items():
        key = source.strip("[]").split(" ")[0].strip(",;")
        rest = source.strip("[]")[len(key) :].strip(" ,;")
        if key in references():
            yield DATA, key, f"the value of {name}{f' ({rest})' if rest else ''}"
        else:
            yield DATA, source, f"the value of {name}"


def strange(system: System) -> list[Note]:
    """W154: what looks like a key of the bibliography and is none, as ``lewis1996``; free text looks otherwise."""
    given = [*system.cite, *(source.strip("[]").split(" ")[0].strip(",;") for source in system.sources.values())]
    keys = {each: None for each in given if _KEY.fullmatch(each) and each not in {*references(), OURSELVES}}
    told = [(key, next(iter(get_close_matches(key, references(), 1, 0.8)), "")) for key in keys]
    return [
        Note(
            "W154",
            f"{key} is no key of the bibliography, and is cited as it stands{f': is it {near}?' if near else ''}",
        )
        for key, near in told
    ]


def _of_equations(equations: Any) -> Iterator[Reason]:
    yield from of_system(equations.system)
    yield from of_principle(equations.principle, any(c.kind == "nonlinear" for c in equations.constraints))
    yield from of_software("sympy")


@reasons.register
def _of_comparison(comparison: Comparison) -> Iterator[Reason]:
    return (reason for path in comparison.paths for reason in reasons(path))


@reasons.register
def _of_limit(limit: Limit) -> Iterator[Reason]:
    yield MODEL, "kozlov1992", f"the limit of strong forces ({limit.penalty})"
    for path in (limit.reference, *limit.paths):
        yield from reasons(path)


@reasons.register
def _of_fit(fit: Fit) -> Iterator[Reason]:
    if fit.record.source:
        yield DATA, fit.record.source, "what was measured"
    yield from reasons(fit.path)
    yield METHOD, "branch1999", "the search: least squares within bounds, by trust regions"
    yield METHOD, "akaike1974", "the information criterion AIC"
    yield METHOD, "schwarz1978", "the information criterion BIC"
    yield from of_software("scipy")


@reasons.register
def _of_ranking(ranking: Ranking) -> Iterator[Reason]:
    yield METHOD, "burnham2002", "weights of models from AIC"
    for candidate in ranking.candidates:
        if candidate.fit is not None:
            yield from reasons(candidate.fit)


@reasons.register
def _of_plan(plan: Plan) -> Iterator[Reason]:
    yield METHOD, "atkinson1975", "designs that separate two models"
    for principle in plan.between:
        yield from of_principle(principle.partition(",")[0])
    yield from of_software("numpy", "scipy", "sympy", "llvmlite")


def _of_extremals(found: Any) -> Iterator[Reason]:
    for extremal in found:
        yield from reasons(extremal.path)
    yield METHOD, "gelfand1963", "conjugate points, natural boundary conditions"
    yield METHOD, "kierzenka2001", "the collocation that checks the curves"
    yield from of_software("scipy")


def _of_reduction(reduction: Any) -> Iterator[Reason]:
    yield from of_system(reduction.given)
    yield METHOD, "bloch1996", "reduction by symmetry, the nonholonomic momentum equation"
    yield METHOD, "koiller1992", "reduction of systems whose constraints are a connection"


def _of_study(study: Any) -> Iterator[Reason]:
    yield from ((MODEL, source, "the system") for source in study.cite)
    yield from of_system(study.system)
    named = [spec.principle for spec in (*study.runs, *study.sweeps, *study.families)]
    nonlinear = any(c.kind == "nonlinear" for c in study.system.constraints)
    for name in dict.fromkeys([*named, *(p for spec in (*study.compares, *study.fits) for p in spec.principles)]):
        yield from of_principle(name, nonlinear)
    for spec in (*study.runs, *study.compares, *study.sweeps, *study.fits):
        policy = f"{spec.options.get('stabilisation', 'projection')}".capitalize()
        yield from of_run({"method": "dop853", **spec.options, "stabilisation": policy})
    yield from of_software("numpy", "sympy", "llvmlite")


def _of_sweep(found: Any) -> Iterator[Reason]:
    from ..show.report.sweep import read

    about = found.attrs
    yield from _of_given(json.loads(about.get("cite", "[]")), {})
    yield from of_principle(str(about.get("principle", "")))
    yield from of_run(read(about, "options"))
    yield from of_software("numpy", "sympy", "llvmlite")
