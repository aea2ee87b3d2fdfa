"""What the figures were measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version

import psutil

from . import yardsticks

PACKAGES = ("dalembert", "numpy", "scipy", "sympy", "llvmlite", "xarray", "mpmath")
PACKAGES += ("casadi", "heyoka", "jax", "jaxlib", "diffrax", "mujoco")


def description() -> dict[str, str]:
    """Processor, memory, system, compiler and versions, in words."""
    cores = f"{psutil.cpu_count(logical=False) or '?'} cores, {psutil.cpu_count()} threads"
    found = {"processor": f"{_processor()}, {cores}", "vectors": _vectors()}
    found["memory"] = f"{psutil.virtual_memory().total / 2**30:.0f} GiB"
    found["load"] = f"{psutil.getloadavg()[0]:.1f} in the minute before the run"
    found["system"] = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    found["compiler"] = yardsticks.version() if yardsticks.compiler() else "none"
    found["packages"] = ", ".join(f"{p} {v}" for p in PACKAGES if (v := _version(p)))
    return found


def _processor() -> str:
    return _cpuinfo("model name") or platform.processor() or "unknown"


def _vectors() -> str:
    flags = _cpuinfo("flags").split()
    return next((kind for kind in ("avx512f", "avx2", "avx") if kind in flags), "unknown")


def _cpuinfo(key: str) -> str:
    """The first entry of this name in /proc/cpuinfo, where there is one."""
    if not os.path.exists("/proc/cpuinfo"):
        return ""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.partition(":")[2].strip() for line in file if line.startswith(key)), "")


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None
