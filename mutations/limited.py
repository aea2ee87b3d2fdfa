"""``python -m mutations.limited SECONDS MODULE [ARGUMENT]...``: run a module, stopped after so many seconds of CPU."""

from __future__ import annotations

import runpy
import sys

if __name__ == "__main__":
    seconds, module, *rest = sys.argv[1:]
    try:
        import resource
    except ImportError:  # no limit on this system
        pass
    else:
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds) + 5))
    sys.argv = [module, *rest]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
