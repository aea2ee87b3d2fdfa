"""Broken laws against the claims that reach them: of a paper, those groups that call the function a law stands in."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .copy import changed, compiled, replaced
from .law import SOURCE, Law
from .nursery import Nursery

CPU = 400  # seconds for the claims of a paper
_PATIENCE, _LEAST = 4, 20  # a broken law has so many times the CPU that sound claims take, and so many seconds
_ASIDE = "import builtins as _b; _b.__dict__.setdefault('reached', set()).add({name!r})"


def right(groups: Sequence[dict[str, Any]]) -> list[str]:
    """The claims of a paper that hold, as `group: where: statement`."""
    return [f"{g['group']}: {c[0]}: {c[1]}" for g in groups if "group" in g for c in g["claims"] if c[2]]


def red(sound: Sequence[dict[str, Any]], broken: Sequence[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Claims of a paper that are right in one and in the other not so, and those that it does not come to.

    Both as `group: where: statement`. What is not come to is noticed, but shows nothing of the claim. A statement may
    tell a number that is another now: where none of the claims that are left over with its words holds, it is red.
    """
    found = {g["group"]: g["claims"] for g in broken if "group" in g}
    turned: list[str] = []
    gone: list[str] = []
    for g in (g for g in sound if "group" in g):
        now = [tuple(claim) for claim in found.get(g["group"], ())]
        missed = []
        for where, statement, _ in (claim for claim in g["claims"] if claim[2]):
            name = f"{g['group']}: {where}: {statement}"
            if (where, statement, True) in now:
                now.remove((where, statement, True))
            elif (where, statement, False) in now:
                now.remove((where, statement, False))
                turned.append(name)
            else:
                missed.append((name, _words(where, statement)))
        for name, words in missed:
            same = [holds for where, statement, holds in now if _words(where, statement) == words]
            if not same:
                gone.append(name)
            elif not any(same):
                turned.append(name)
    return turned, gone


def _words(where: str, statement: str) -> tuple[str, str]:
    """A claim but for the numbers that its statement tells."""
    return where, re.sub(r"\d+(\.\d+)?(e[+-]?\d+)?", "#", statement)


# --- which groups reach a law ----------------------------------------------------------------------------------------


def reached(
    nursery: Nursery, paper: str, laws: Sequence[Law], only: Mapping[str, None] | None = None
) -> dict[str, dict[str, int]]:
    """For each law the groups of a paper, all or some, that call its function, and how many claims each makes before.

    All groups where no call shows it.
    """
    texts: dict[str, str] = {}
    silent = {law.name for law in laws if not _told(law, texts)}
    with replaced(nursery.folder, texts):
        found = {g["group"]: g["reached"] for g in nursery.work(paper, 3 * CPU, only, reach=True) if "group" in g}
    return {
        law.name: {
            name: (come or {}).get(law.name, 0)
            for name, come in found.items()
            if come is None or law.name in silent or law.name in come
        }
        for law in laws
    }


def _told(law: Law, texts: dict[str, str]) -> bool:
    """Put a line before the first of the function that holds a law; False where it is in none, or it is compiled."""
    text = (SOURCE / law.file).read_text(encoding="utf-8")
    if "@loop" in text or "machine/loop" in law.file:
        return False
    functions = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.lineno <= law.line <= (node.end_lineno or 0)
    ]
    if not functions:
        return False
    inner = max(functions, key=lambda node: node.lineno)
    now = ast.parse(texts.get(law.file, text))
    for node in ast.walk(now):
        if isinstance(node, ast.FunctionDef) and node.name == inner.name and _same(node, inner):
            node.body.insert(0, ast.parse(_ASIDE.format(name=law.name)).body[0])
            node.body.insert(1, ast.parse(_ASIDE.format(name=law.name)).body[1])
    texts[law.file] = ast.unparse(ast.fix_missing_locations(now))
    return True


def _same(one: ast.FunctionDef, other: ast.FunctionDef) -> bool:
    return ast.dump(one.args) == ast.dump(other.args)


# --- law by law ------------------------------------------------------------------------------------------------------

Row = dict[str, Any]
Rest = Mapping[str, tuple[Sequence[str], frozenset[str]]]


def left(rest: Rest | None, paper: str) -> tuple[dict[str, None] | None, frozenset[str]]:
    """The groups of a paper that are worked through, None for all, and claims that are left alone."""
    groups, alone = (rest or {}).get(paper, ((), frozenset()))
    return dict.fromkeys(groups) or None, alone


def before(known: Sequence[Row], paper: str, only: Mapping[str, None] | None) -> Row | None:
    """The row of a paper's sound claims, of all groups or some."""
    of = (row for row in known if row["paper"] == paper and row["kind"] == ("some" if only else "sound"))
    return next((row for row in of if set(only or ()) <= {g.get("group") for g in row["groups"]}), None)


def tried(
    laws: Sequence[Law], papers: Sequence[str], known: Sequence[Row], first: bool = False, rest: Rest | None = None
) -> Iterator[Row]:
    """What is found, row by row: of each paper the sound claims and the laws it reaches, then each law and paper.

    With `first` a claim is left alone once a law has turned it red, and the laws that the fewest groups come by are
    broken first: they are nearest to what a claim says. With `rest` by paper the groups that are worked through, all
    if there are none, and the claims that are left alone.
    """
    done = {(row["kind"], row["paper"], row.get("law")): row for row in known if first or not row.get("first")}
    compiled()
    with changed({}) as folder, Nursery(folder) as nursery:
        for paper in papers:
            only, alone = left(rest, paper)
            sound = before(known, paper, only)
            if sound is None:
                sound = {"kind": "some" if only else "sound", "paper": paper, "groups": nursery.work(paper, CPU, only)}
                yield sound
            reach = None if only else done.get(("reach", paper, None))
            if reach is None:
                reach = {"kind": "reach of some" if only else "reach", "paper": paper}
                reach["laws"] = reached(nursery, paper, laws, only)
                yield reach
            noticed = [row["red"] for row in known if row["kind"] == "claims" and row["paper"] == paper]
            green = set(right(sound["groups"])).difference(alone, *(noticed if first else ()))
            near = sorted(laws, key=lambda law: len(reach["laws"].get(law.name, {}))) if first else laws
            for law in near:
                asked = concerned(sound["groups"], reach["laws"].get(law.name, {}), green)
                if asked and ("claims", paper, law.name) not in done:
                    row = _broken(nursery, law, paper, asked)
                    green = green.difference(row["red"] if first else ())
                    yield row | {"first": first}


def concerned(sound: Sequence[Row], come: dict[str, int], green: set[str]) -> list[Row]:
    """Of the groups that come by a law the claims that do so and are to be seen: groups as they were worked through."""
    found = []
    for g in (g for g in sound if g.get("group") in come):
        after = g["claims"][come[g["group"]] :]
        left = [c for c in after if c[2] and f"{g['group']}: {c[0]}: {c[1]}" in green]
        if left:
            found.append({**g, "claims": left})
    return found


def _broken(nursery: Nursery, law: Law, paper: str, asked: Sequence[Row]) -> Row:
    """What becomes of some claims of a paper when a law is broken."""
    turned, gone, ended = seen(nursery, {law.file: law.text()}, paper, asked)
    return {"kind": "claims", "paper": paper, "law": law.name, "red": turned, "gone": gone, "ended": ended}


def seen(
    nursery: Nursery, texts: dict[str, str], paper: str, asked: Sequence[Row]
) -> tuple[list[str], list[str], bool]:
    """Which claims turn red when files have other texts, which are not come to, and whether the process ended early."""
    claims = {g["group"]: [(c[0], c[1]) for c in g["claims"]] for g in asked}
    cpu = _LEAST + _PATIENCE * sum(g["cpu"] for g in asked)
    with replaced(nursery.folder, texts):
        broken = nursery.work(paper, cpu, claims)
    turned, gone = red(asked, broken)
    return turned, gone, not any(row.get("end") for row in broken)
