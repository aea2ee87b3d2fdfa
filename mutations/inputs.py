"""Claims that no broken law turned red against slips in what they are given: the formulas in the paper's own files.

A sign, a factor, a number, an index or a term of a formula is another; what decides (a comparison, a bound, what is
expected, the difference that is to vanish) stays as it is. A claim that no such slip turns red either cannot fail.
"""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .against_claims import CPU, Rest, Row, before, left, right, seen
from .copy import changed, compiled
from .flow import Flow, Line
from .law import PAPERS, SOURCE
from .nursery import Nursery
from .slips import Slip, of

MOST = 20  # slips that are tried for a claim
_CLAIMS = ("identity", "small", "said", "pair", "misprint", "printed", "Claim", "holds", "same", "_same")
_NUMBER = 2  # a slip in a number is tried as late as one that so many more names lead to
_BOUND = 1e-3  # numbers below are bounds, or steps of differences
_SIZES = ("abs", "hypot", "norm", "max", "allclose", "isclose", "simplify", "expand", "append")


@dataclass(frozen=True)
class Site:
    """A slip in the function of a file (its path from ``src/dalembert``), or outside all, ``""``; and its line."""

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


def tried(papers: Sequence[str], known: Sequence[Row], most: int = MOST, rest: Rest | None = None) -> Iterator[Row]:
    """What is found, row by row: a slip, and the claims of a group that it turned red.

    With `rest` by paper the groups that are worked through, all if there are none, and the claims that are left alone.
    """
    compiled()
    with changed({}) as folder, Nursery(folder, kept=True) as nursery:
        for paper in papers:
            here = [row for row in known if row["paper"] == paper]
            only, alone = left(rest, paper)
            sound = before(here, paper, only)
            if sound is None:
                sound = {"kind": "some" if only else "sound", "paper": paper, "groups": nursery.work(paper, CPU, only)}
                yield sound
            red = {c for row in here if row["kind"] in ("claims", "inputs") for c in row["red"]}
            green = set(right(sound["groups"])) - red - alone
            done = {(row["group"], row["slip"]) for row in here if row["kind"] == "inputs"}
            for g in (g for g in sound["groups"] if "group" in g and g["group"] in (only or {g["group"]})):
                yield from _group(nursery, paper, g, green, done, most)


def _group(nursery: Nursery, paper: str, g: Row, green: set[str], done: set[Any], most: int) -> Iterator[Row]:
    """Slips, in turn those nearest to each claim of a group, until it has turned red or there are no more for it."""
    left = [c for c in g["claims"] if c[2] and f"{g['group']}: {c[0]}: {c[1]}" in green]
    sites = _sites(paper) if left else []
    flow = Flow({s.slip.file: (SOURCE / s.slip.file).read_text(encoding="utf-8") for s in sites})
    near = {c[1]: nearest(sites, flow.from_claim(c[1], g["group"]))[:most] for c in left}
    tried = {slip for group, slip in done if group == g["group"]}
    for place in range(most):
        for claim in tuple(left):
            site = next(iter(near[claim[1]][place : place + 1]), None)
            if site is None or claim not in left or site.told in tried:
                continue
            tried.add(site.told)
            texts = {site.slip.file: site.slip.applied()}
            turned, gone, _ = seen(nursery, texts, paper, [{**g, "claims": left}])
            left = [c for c in left if f"{g['group']}: {c[0]}: {c[1]}" not in turned]
            row = {"kind": "inputs", "paper": paper, "group": g["group"], "slip": site.told}
            yield row | {"red": turned, "gone": gone}


# --- which slips -----------------------------------------------------------------------------------------------------


def nearest(sites: Sequence[Site], far: Mapping[Line, int]) -> list[Site]:
    """Those slips from which names lead to what makes a claim, the fewest first, lines as far in turn."""
    found, before = [], Counter[Line]()
    for site in (s for s in sites if (s.slip.file, s.line) in far):
        line = site.slip.file, site.line
        # a number mostly is one of a system whose laws hold for all
        found.append((far[line] + _NUMBER * site.slip.text[:1].isdigit(), before[line], site))
        before[line] += 1
    return [site for *_, site in sorted(found, key=lambda each: each[:2])]


def _files(paper: str) -> list[str]:
    """The files of a paper, from ``src/dalembert``: its own, those beside it that make claims, and its systems."""
    place = PAPERS / paper.replace("-", "_")
    files = sorted(place.rglob("*.py")) if place.is_dir() else [place.with_suffix(".py")]
    names = {name for file in files for name in _taken(file)}
    beside = [f for f in sorted(PAPERS.glob("*.py")) if f.stem in names and _claims(f) and f not in files]
    systems = [file for file in sorted((SOURCE / "systems").glob("*.py")) if file.stem in names]
    return [Path(os.path.relpath(file, SOURCE)).as_posix() for file in (*files, *beside, *systems)]


def _taken(file: Path) -> Iterator[str]:
    """The names of files of ours that a file imports, or imports from."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.level or str(node.module).startswith("dalembert")):
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
            words = [each for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)]
            said = [*node.keywords, *words, *(node.args[3:] if _called(node) == "small" else ())]
            decides |= {id(inner) for each in said for inner in ast.walk(each)}
        elif isinstance(node, ast.JoinedStr):
            decides |= {id(inner) for inner in ast.walk(node)}
        elif isinstance(node, ast.Constant) and isinstance(node.value, float) and 0 < node.value < _BOUND:
            decides.add(id(node))
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
