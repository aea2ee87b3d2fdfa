"""Broken laws against the claims that reach them: of a paper, those groups that call the function a law stands in."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Sequence
from typing import Any

from .claimed import MARK
from .copy import changed, work
from .law import SOURCE, Law

CPU = 400  # seconds for the claims of a paper
_ASIDE = "import builtins as _b; _b.__dict__.setdefault('reached', set()).add({name!r})"


def groups(text: str) -> list[dict[str, Any]]:
    """The groups that a process printed."""
    return [json.loads(line.removeprefix(MARK)) for line in text.splitlines() if line.startswith(MARK)]


def worked(paper: str, texts: dict[str, str], only: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The groups of a paper, or some of them, in a copy with these texts."""
    with changed(texts) as folder:
        _, said = work(folder, ["mutations.claimed", paper, *only], CPU)
    return groups(said)


def right(groups: Sequence[dict[str, Any]]) -> list[str]:
    """The claims of a paper that hold, as `group: where: statement`."""
    return [f"{g['group']}: {c[0]}: {c[1]}" for g in groups if "group" in g for c in g["claims"] if c[2]]


def red(sound: Sequence[dict[str, Any]], broken: Sequence[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Claims of a paper that are right in one and in the other not so, and those that it does not come to.

    Both as `group: where: statement`. What is not come to is noticed, but shows nothing of the claim.
    """
    found = {g["group"]: g["claims"] for g in broken if "group" in g}
    turned: list[str] = []
    gone: list[str] = []
    for g in (g for g in sound if "group" in g):
        now = [tuple(claim) for claim in found.get(g["group"], ())]
        for where, statement, _ in (claim for claim in g["claims"] if claim[2]):
            name = f"{g['group']}: {where}: {statement}"
            if (where, statement, True) in now:
                now.remove((where, statement, True))
            elif (where, statement, False) in now:
                now.remove((where, statement, False))
                turned.append(name)
            else:
                gone.append(name)
    return turned, gone


# --- which groups reach a law ----------------------------------------------------------------------------------------


def reached(paper: str, laws: Sequence[Law]) -> dict[str, list[str]]:
    """For each law the groups of a paper that call its function; all of them where no call shows it."""
    texts: dict[str, str] = {}
    silent = {law.name for law in laws if not _told(law, texts)}
    with changed(texts) as folder:
        _, said = work(folder, ["mutations.claimed", "--reached", paper], 3 * CPU)
    found = {g["group"]: g["reached"] for g in groups(said) if "group" in g}
    return {
        law.name: [name for name, come in found.items() if come is None or law.name in silent or law.name in come]
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


def tried(
    laws: Sequence[Law], papers: Sequence[str], known: Sequence[dict[str, Any]], first: bool = False
) -> Iterator[dict[str, Any]]:
    """What is found, row by row: of each paper the sound claims and the laws it reaches, then each law and paper.

    With `first` a claim is left alone once a law has turned it red, and the laws that the fewest groups come by are
    broken first: they are nearest to what a claim says.
    """
    done = {(row["kind"], row["paper"], row.get("law")): row for row in known if first or not row.get("first")}
    for paper in papers:
        sound = done.get(("sound", paper, None))
        if sound is None:
            sound = {"kind": "sound", "paper": paper, "groups": worked(paper, {})}
            yield sound
        reach = done.get(("reach", paper, None))
        if reach is None:
            reach = {"kind": "reach", "paper": paper, "laws": reached(paper, laws)}
            yield reach
        before = [row["red"] for row in known if row["kind"] == "claims" and row["paper"] == paper]
        green = set(right(sound["groups"])).difference(*before)
        near = sorted(laws, key=lambda law: len(reach["laws"].get(law.name, []))) if first else laws
        for law in near:
            asked = {claim.partition(": ")[0] for claim in green}
            groups_of = [g for g in reach["laws"].get(law.name, []) if not first or g in asked]
            if groups_of and ("claims", paper, law.name) not in done:
                row = _broken(law, paper, sound["groups"], groups_of)
                green = green.difference(row["red"])
                yield row | {"first": first}


def _broken(law: Law, paper: str, sound: Sequence[dict[str, Any]], groups_of: Sequence[str]) -> dict[str, Any]:
    """What becomes of some groups of a paper when a law is broken."""
    broken = worked(paper, {law.file: law.text()}, groups_of)
    turned, gone = red([g for g in sound if g.get("group") in groups_of], broken)
    ended = not any(row.get("end") for row in broken)
    return {"kind": "claims", "paper": paper, "law": law.name, "red": turned, "gone": gone, "ended": ended}
