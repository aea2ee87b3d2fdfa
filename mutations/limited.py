"""``python -m mutations.limited SECONDS MODULE [ARGUMENT]...``: run a module within so much CPU, and memory.

A broken law may send a search astray: what it takes then is bounded, and ends as a claim that is not come to.
"""

from __future__ import annotations

import runpy
import sys

MEMORY = 3 * 2**30  # bytes


def bound(seconds: int) -> None:
    """Bound the CPU and the memory of this process, where the system can."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    limit, module, *rest = sys.argv[1:]
    bound(int(limit))
    sys.argv = [module, *rest]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
