"""``dalembert doctor``: is this installation in order? Versions, extras, threads, folders, and a known run."""

from __future__ import annotations

import math
import os
import platform
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import NamedTuple

import click

from ..process import OK, RUN
from ..terminal import Command, Reply


@click.command(cls=Command, epilog="Example: dalembert doctor > report.txt")
def command() -> Reply:
    """Check this installation: versions, threads, folders, and a run whose result is known.

    The report can be pasted where one asks for help.
    """
    checks = examined()
    lines = [f"{'ok  ' if check.good else 'FAIL'}  {check.what:<14} {check.found}" for check in checks]
    lines += [f"      do: {check.remedy}" for check in checks if not check.good]
    data = {"checks": [{"what": c.what, "ok": c.good, "found": c.found, "remedy": c.remedy} for c in checks]}
    return Reply("\n".join(lines), data, OK if all(check.good for check in checks if check.needed) else RUN)


# --- checks ----------------------------------------------------------------------------------------------------------

CORE = ("dalembert", "numpy", "scipy", "sympy", "llvmlite", "click", "rich", "lark", "pydantic", "pint")
EXTRAS = {
    "plot": ("matplotlib",),
    "report": ("matplotlib", "latex2mathml"),
    "sweep": ("xarray", "zarr", "distributed", "dask"),
    "verify": ("mpmath",),
    "steer": ("casadi",),
    "jax": ("jax",),
    "robot": ("mujoco", "trimesh"),
}


class Check(NamedTuple):
    """One finding: what was looked at, whether it is good, what was found, what to do; is it `needed` at all?"""

    what: str
    good: bool
    found: str
    remedy: str = ""
    needed: bool = True


def examined() -> list[Check]:
    """All checks, the cheap ones first."""
    found = f"{platform.python_version()} on {platform.platform()}, {sys.executable}"
    python = Check("python", sys.version_info >= (3, 11), found, "install Python 3.11 or newer")
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    threads = Check("threads", True, f"{cores} cores, encoding {sys.stdout.encoding}")
    return [
        python,
        *map(_package, CORE),
        *(_extra(*each) for each in EXTRAS.items()),
        threads,
        _cache(),
        _known_run(),
    ]


def _package(name: str) -> Check:
    try:
        return Check(name, True, version(name))
    except PackageNotFoundError:
        return Check(name, False, "not installed", "pip install --upgrade dalembert")


def _extra(name: str, packages: tuple[str, ...]) -> Check:
    missing = [package for package in packages if find_spec(package) is None]
    found = f"missing {', '.join(missing)}: pip install 'dalembert[{name}]'" if missing else "installed"
    return Check(f"extra {name}", True, found, needed=False)


def _cache() -> Check:
    from ...numerics.machine.object_cache import VARIABLE, folder

    place, remedy = folder(), f"name a folder of your own: {VARIABLE}=~/.dalembert"
    if place is None:
        off = os.environ.get(VARIABLE) == ""
        found = f"turned off by {VARIABLE}" if off else "no folder that is writable, and by nobody else"
        return Check("cache", off, f"{found}: every program compiles anew", remedy, needed=False)
    try:
        with tempfile.TemporaryFile(dir=place):
            return Check("cache", True, str(place))
    except OSError as error:
        return Check("cache", False, f"{place}: {error.strerror}", remedy, needed=False)


def _known_run() -> Check:
    """The ball on a turning table runs on a circle with angular velocity (2/7) Omega: derived, compiled, compared."""
    import numpy as np

    from ...numerics.run.simulate import simulate
    from ...principles.nonholonomic import nonholonomic
    from ...systems import ball_on_turntable as table

    began = time.perf_counter()
    system = table.system()
    equations = nonholonomic(system)
    path = simulate(equations, equations.start(**table.STARTS["experiment"]), until=10.0)
    first = [path[name][0] for name in table.EXACT]
    exact = table.exact(path.t, first, {k: v for k, v in system.parameters.items() if v is not None})
    off = float(np.abs(path["x"] - exact[0]).max())
    seconds = time.perf_counter() - began
    found = f"off by {off:.1e} cm after {path.t[-1]:g} s, in {seconds:.1f} s"
    return Check(
        "self-test", path.ok and off < 1e-8 and math.isfinite(off), found, "report this, with all of the above"
    )
