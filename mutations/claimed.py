"""``python -m mutations.claimed PAPER``: work through a paper's claims and print each group as a line of JSON."""

from __future__ import annotations

import json
import sys
import time
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
    name = f"{each.__module__.rpartition('.')[2]}.{each.__name__}"
    return {"paper": paper, "group": name, "claims": claims, "error": error, "cpu": time.process_time() - began}


def main(paper: str) -> None:
    """All groups of a paper."""
    from dalembert.papers.shelf import papers

    chapters = import_module(f"dalembert.papers.{papers()[paper].module}").PAPER.chapters
    for chapter in chapters:
        for each in chapter.groups:
            print(MARK + json.dumps(group(paper, each)), flush=True)
    print(MARK + json.dumps({"paper": paper, "end": True}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
