"""Claims that no broken law turned red against slips in what they are given: the formulas in the paper's own files.

A sign, a factor, a number, an index or a term of a formula is another; what decides (a comparison, a bound, what is
expected, the difference that is to vanish) stays as it is. A claim that no such slip turns red either cannot fail.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .against_claims import CPU, Row, right, seen
from .copy import changed, compiled, replaced
from .law import SOURCE
from .nursery import Nursery
from .slips import Slip, of

MOST = 60  # slips that are tried with a group
_ASIDE = "import builtins as _b; _b.__dict__.setdefault('reached', set()).add({name!r})"
_CLAIMS = ("identity", "small", "said", "pair", "misprint", "printed", "Claim", "holds", "same", "_same")
_SIZES = ("abs", "hypot", "norm", "max", "allclose", "isclose", "simplify", "expand", "append")


@dataclass(frozen=True)
class Site:
    """A slip in the function of a file (below ``src/dalembert``), or outside all, ``""``; and its line."""

    slip: Slip
    function: str
    line: int

    @property
    def told(self) -> str:
        """What a reader is told: file, function, what stands there and what would."""
        text = (SOURCE / self.slip.file).read_text(encoding="utf-8")
        here = " ".join(text[self.slip.begin : self.slip.end].split())
        where = f"{Path(self.slip.file).name}{f', {self.function}' if self.function else ''}"
        line = " ".join(text.splitlines()[self.line - 1].split())
        return f"{where}: {here[:60]} -> {' '.join(self.slip.text.split())[:60]} in {line[:80]}"


def tried(papers: Sequence[str], known: Sequence[Row], most: int = MOST) -> Iterator[Row]:
    """What is found, row by row: a slip, and the claims of a group that it turned red."""
    compiled()
    with changed({}) as folder, Nursery(folder) as nursery:
        for paper in papers:
            here = [row for row in known if row["paper"] == paper]
            sound = next((row for row in here if row["kind"] == "sound"), None)
            if sound is None:
                sound = {"kind": "sound", "paper": paper, "groups": nursery.work(paper, CPU)}
                yield sound
            red = {c for row in here if row["kind"] in ("claims", "inputs") for c in row["red"]}
            green = set(right(sound["groups"])) - red
            come = _come(nursery, paper)
            done = {(row["group"], row["slip"]) for row in here if row["kind"] == "inputs"}
            for g in (g for g in sound["groups"] if "group" in g):
                yield from _group(nursery, paper, g, green, come.get(g["group"]) or {}, done, most)


def _group(
    nursery: Nursery, paper: str, g: Row, green: set[str], come: dict[str, int], done: set[Any], most: int
) -> Iterator[Row]:
    """Slips one after the other until each claim of a group has turned red, or there are no more."""
    left = [c for c in g["claims"] if c[2] and f"{g['group']}: {c[0]}: {c[1]}" in green]
    for site in nearest(_sites(paper), g["group"], [c[1] for c in left], come)[:most] if left else ():
        if (g["group"], site.told) in done:
            continue
        texts = {site.slip.file: site.slip.applied()}
        turned, gone, _ = seen(nursery, texts, paper, [{**g, "claims": left}])
        left = [c for c in left if f"{g['group']}: {c[0]}: {c[1]}" not in turned]
        yield {"kind": "inputs", "paper": paper, "group": g["group"], "slip": site.told, "red": turned, "gone": gone}
        if not left:
            return


# --- which slips -----------------------------------------------------------------------------------------------------


def nearest(sites: Sequence[Site], group: str, statements: Sequence[str], come: dict[str, int]) -> list[Site]:
    """Slips that a group comes by, the nearest to some of its claims first.

    First those in the lines that make these claims, then those of its function, of its file, of what few lines hold.
    """
    file, _, function = group.rpartition(".")
    lines = {line for path in {s.slip.file for s in sites} for line in _lines(path, file, function, statements)}

    def far(site: Site) -> tuple[int, int]:
        own = Path(site.slip.file).stem == file or Path(site.slip.file).parent.name == file
        if own and site.function == function:
            return (0 if site.line in lines else 1), site.line
        return (2 if own else 3 if site.function else 4), site.line

    return sorted((s for s in sites if not s.function or f"{s.slip.file}::{s.function}" in come), key=far)


def _lines(path: str, file: str, function: str, statements: Sequence[str]) -> Iterator[int]:
    """The lines of a group's function that make claims with these statements."""
    if Path(path).stem != file:
        return
    for node in ast.walk(ast.parse((SOURCE / path).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            for each in (n for n in ast.walk(node) if isinstance(n, ast.Expr)):
                words = {n.value for n in ast.walk(each) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
                if any(word and word in statement for word in words for statement in statements):
                    yield from range(each.lineno, (each.end_lineno or 0) + 1)


def _files(paper: str) -> list[str]:
    """The files of a paper, below ``src/dalembert``: its own, those beside it that make claims, and its systems."""
    place = SOURCE / "papers" / paper.replace("-", "_")
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    names = {name for file in files for name in _taken(file)}
    beside = [] if place.is_dir() else [f for f in sorted(place.parent.glob("*.py")) if f.stem in names and _claims(f)]
    systems = [file for file in sorted((SOURCE / "systems").glob("*.py")) if file.stem in names]
    return [file.relative_to(SOURCE).as_posix() for file in (*files, *beside, *systems)]


def _taken(file: Path) -> Iterator[str]:
    """The names of files that a file imports, or imports from."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield from ((node.module or "").rpartition(".")[2], *(each.name for each in node.names))


def _claims(file: Path) -> bool:
    """Does a file make claims?"""
    return re.search(r"^from \.claim import .*(identity|said|small)", file.read_text("utf-8"), re.MULTILINE) is not None


def _sites(paper: str) -> list[Site]:
    """All slips in the files of a paper."""
    found = []
    for file in _files(paper):
        text = (SOURCE / file).read_text(encoding="utf-8")
        functions = [n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef | ast.ClassDef)]
        for line, slip in of(file, text, given):
            inside = (f.name for f in functions if f.lineno <= line <= (f.end_lineno or 0))
            found.append(Site(slip, next(inside, ""), line))
    return found


def given(tree: ast.Module) -> Iterator[ast.AST]:
    """The nodes of a file that are formulas: not what decides, nor words about it."""
    decides: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            # a bound decides, a printed value that is to be equal is given
            bounds = [] if isinstance(node.ops[0], ast.Eq) else [node.left, *node.comparators]
            decides |= {id(node), *(id(each) for each in bounds if isinstance(each, ast.Constant))}
        elif isinstance(node, ast.Call) and _called(node) in _CLAIMS:
            said = [*node.keywords, *(node.args[3:] if _called(node) == "small" else ())]
            decides |= {id(inner) for each in said for inner in ast.walk(each)}
        elif isinstance(node, ast.JoinedStr):
            decides |= {id(inner) for inner in ast.walk(node)}
        # the difference that is to vanish: a whole value, entry or argument, or what a size is taken of
        decides |= {id(each) for each in _values(node) if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Sub)}
    return (node for node in ast.walk(tree) if id(node) not in decides)


def _values(node: ast.AST) -> list[ast.expr]:
    """What a node makes of whole expressions."""
    if isinstance(node, ast.Assign | ast.Return) and node.value:
        return [node.value]
    if isinstance(node, ast.List | ast.Tuple):
        return node.elts
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        return [node.elt]
    return node.args if isinstance(node, ast.Call) and _called(node) in (*_CLAIMS, *_SIZES) else []


def _called(node: ast.Call) -> str:
    function = node.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _come(nursery: Nursery, paper: str) -> dict[str, dict[str, int]]:
    """By group: the functions of the paper's files that it calls."""
    texts = {}
    for file in _files(paper):
        tree = ast.parse((SOURCE / file).read_text(encoding="utf-8"))
        for outer in (n for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)):
            for node in (n for n in ast.walk(outer) if isinstance(n, ast.FunctionDef)):
                node.body[:0] = ast.parse(_ASIDE.format(name=f"{file}::{outer.name}")).body
        texts[file] = ast.unparse(ast.fix_missing_locations(tree))
    with replaced(nursery.folder, texts):
        return {g["group"]: g["reached"] for g in nursery.work(paper, 3 * CPU, reach=True) if "group" in g}
