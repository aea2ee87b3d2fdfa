"""``python -m mutations.claimed PAPER [GROUP]...``: work through a paper's claims; each group is a line of JSON.

``python -m mutations.claimed --reached PAPER`` tells for each group which laws it reaches, all on its own: nothing that
another group has computed is there.
"""

from __future__ import annotations

import builtins
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

MARK = "claims: "  # what stands before a line that is meant; others may print too


def group(paper: str, each: Any) -> dict[str, Any]:
    """A group of claims: what came out, and what ended it early."""
    began, claims, error = time.process_time(), [], ""
    try:
        for claim in each():
            claims.append([claim.where, claim.statement, bool(claim.is_right)])
    except Exception as found:
        error = f"{type(found).__name__}: {found}"[:200]
    return {"paper": paper, "group": _name(each), "claims": claims, "error": error, "cpu": time.process_time() - began}


def reached(paper: str, each: Any) -> dict[str, Any]:
    """The laws that a group comes by, in a process of its own that begins where this one is."""
    context = multiprocessing.get_context("fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn")
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_tell, args=(paper, each, theirs))
    child.start()
    theirs.close()
    try:
        found = ours.recv()
    except EOFError:
        found = None
    child.join()
    return {"paper": paper, "group": _name(each), "reached": found}


def _tell(paper: str, each: Any, pipe: Any) -> None:
    builtins.__dict__["reached"] = set()
    group(paper, each)
    pipe.send(sorted(builtins.__dict__["reached"]))


def _name(each: Any) -> str:
    return f"{each.__module__.rpartition('.')[2]}.{each.__name__}"


def main(paper: str, only: Sequence[str] = (), ask: Callable[[str, Any], dict[str, Any]] = group) -> None:
    """All groups of a paper, or some."""
    from dalembert.papers.shelf import papers

    chapters = import_module(f"dalembert.papers.{papers()[paper].module}").PAPER.chapters
    for each in (each for chapter in chapters for each in chapter.groups):
        if not only or _name(each) in only:
            print(MARK + json.dumps(ask(paper, each)), flush=True)
    print(MARK + json.dumps({"paper": paper, "end": True}), flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "--reached":
        main(sys.argv[2], (), reached)
    else:
        main(sys.argv[1], sys.argv[2:])
