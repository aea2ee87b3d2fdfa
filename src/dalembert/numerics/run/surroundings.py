"""The software and the machine that a run was made with, as its record names them."""

from __future__ import annotations

import platform
import sys
from functools import cache

PACKAGES = ("dalembert", "numpy", "scipy", "sympy", "llvmlite")


def surroundings() -> dict[str, object]:
    """Versions of those packages that are loaded when the run has ended, of Python, and the platform."""
    loaded = {name: sys.modules[name] for name in PACKAGES if name in sys.modules}
    versions = {name: str(module.__version__) for name, module in loaded.items()}
    return {"versions": versions, "python": platform.python_version(), "platform": _platform()}


@cache
def _platform() -> str:
    """System, release, machine and C library; `platform.platform` would start a process for a word it leaves out."""
    words = (platform.system(), platform.release(), platform.machine(), "".join(platform.libc_ver()))
    return "-".join(word for word in words if word)
