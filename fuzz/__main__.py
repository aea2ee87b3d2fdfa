"""``python -m fuzz WHAT [options]``: WHAT is a module of this folder with a ``main(arguments)``."""

from __future__ import annotations

import importlib
import importlib.util
import sys

WHAT = {
    "texts": "the expression reader",
    "files": "the file reader",
    "arguments": "the doors of public functions",
    "pages": "motions of the pages in node, over the whole gallery",
    "gallery": "the page and the film of every system of the gallery",
    "plausible": "plausible mistakes over motions that are known",
    "faults": "commands killed or stopped at random instants, then resumed",
    "kills": "the same work killed by SIGKILL again and again until it ends",
    "machine": "full and read-only disks, no home, strangers, many at once",
    "clocks": "clocks that jump back and forth while commands run",
    "lives": "memory over many systems, long motions and many members",
    "soak": "every kind of work again and again for a day",
    "motions": "motions of all forms of the gallery's systems",
    "systems": "random systems on which all routes must agree",
    "linkages": "random linkages with dependent rows, against all singular values",
    "combinations": "pairs of features through pairs of doors, against a route without the library",
    "verdicts": "verdicts on systems whose truth was planted",
    "stored": "the readers of stored paths and sweeps",
}


def main(arguments: list[str]) -> int:
    """Run one fuzzer; the exit code is 1 if it found something, 2 if there is no such fuzzer."""
    if not arguments or arguments[0] not in WHAT:
        print("usage: python -m fuzz WHAT [--count N] [--seed N]")
        print("\n".join(f"  {name}  {what}" for name, what in WHAT.items()))
        return 2
    name = f"fuzz.{arguments[0]}"
    if importlib.util.find_spec(name) is None:
        print(f"fuzz: {name} is missing from this copy")
        return 2
    return int(importlib.import_module(name).main(arguments[1:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
