"""What a process that works through the claims of a paper does; each group that it has done is a line of JSON.

It tells of each group which of its claims hold, or with `reached` which laws it comes by, all on its own: nothing that
another group has computed is there then.
"""

from __future__ import annotations

import builtins
import json
import multiprocessing
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

MARK = "claims: "  # what stands before a line that is meant; others may print too
Tell = Callable[[str, Any, Sequence[Sequence[str]] | None], dict[str, Any]]


def group(paper: str, each: Any, wanted: Sequence[Sequence[str]] | None = None) -> dict[str, Any]:
    """A group of claims: what came out, and what ended it early; with `wanted` up to the last of these."""
    began, claims, error = time.process_time(), [], ""
    left = Counter((where, statement) for where, statement in wanted or ())
    try:
        for claim in each():
            claims.append([claim.where, claim.statement, bool(claim.is_right)])
            left -= Counter({(claim.where, claim.statement): 1})
            if wanted is not None and not left:
                break
    except Exception as found:
        error = f"{type(found).__name__}: {found}"[:200]
    return {"paper": paper, "group": name(each), "claims": claims, "error": error, "cpu": time.process_time() - began}


def reached(paper: str, each: Any, wanted: Sequence[Sequence[str]] | None = None) -> dict[str, Any]:
    """The laws that a group comes by, in a process of its own that begins where this one is.

    With each law how many claims were made before.
    """
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_tell, args=(each, theirs))
    child.start()
    theirs.close()
    try:
        found = ours.recv()
    except EOFError:
        found = None
    child.join()
    return {"paper": paper, "group": name(each), "reached": found}


def _tell(each: Any, pipe: Any) -> None:
    """Send what a group comes by: functions that hold laws add their names to `builtins.reached`."""
    come: set[str] = set()
    builtins.__dict__["reached"] = come
    first: dict[str, int] = {}
    claims = iter(each())
    for count in range(10**6):
        try:
            next(claims)
        except Exception:
            break
        finally:
            first |= dict.fromkeys(come.difference(first), count)
    pipe.send(first)


def name(each: Any) -> str:
    """``file.function`` of a group."""
    return f"{each.__module__.rpartition('.')[2]}.{each.__name__}"


def asked(paper: str, claims: Mapping[str, Sequence[Sequence[str]] | None] | None, tell: Tell | None = None) -> None:
    """All groups of a paper, or those asked for, in order; each up to the last of its claims asked for, or whole."""
    from dalembert_papers.shelf import papers

    chapters = import_module(f"dalembert_papers.{papers()[paper].module}").PAPER.chapters
    for each in (each for chapter in chapters for each in chapter.groups):
        if claims is None or name(each) in claims:
            wanted = None if claims is None else claims[name(each)]
            print(MARK + json.dumps((tell or group)(paper, each, wanted)), flush=True)
    print(MARK + json.dumps({"paper": paper, "end": True}), flush=True)
