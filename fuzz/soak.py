"""A day in one process: the same round of work again and again, for hours.

A round makes every kind of thing once: systems that were never seen, motions of the gallery, contacts, derivatives, a
periodic motion, plants, a sweep with a store, a fit, figures, pages, files that are read, things that are refused. Each
round must give the numbers of the first to the bit and leave behind no open file, thread, child or temporary file;
memory may not grow by more than its bound for a round. What is held is told every five minutes.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import random
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import psutil

import dalembert as da
from dalembert.errors import DalembertError

from .lives import move_new_system, resident
from .pages import Case, gallery

GROWN = 100.0  # kB a round may leave
WARM = 5  # rounds in which what is kept is opened, which are not counted
SETTLED, FEWEST = 40, 20  # rounds in which caches and the heap fill; fewer after them tell nothing of memory
TOLD = 300.0  # seconds between two lines
POOL, MOST = "asyncio_", min(32, (os.cpu_count() or 1) + 4)  # of Zarr's event loop: workers come as needed, and stay

Work = Callable[[Path], bytes]  # in a folder of its own; what must be the same in every round

BALL = da.coordinates("x y", velocities="vx vy")
SLIDE = da.System(
    BALL,
    "m/2*(vx^2+vy^2) - m*9.81*y",
    contacts={"floor": da.contact(gap="y", slip=["vx"], mu=0.3, restitution=0.5)},
    parameters={"m": 2.0},
)
SWUNG = {"phi": 1.0, "vphi": 0.0}
SWING = da.System(da.coordinates("phi"), "dot(phi)^2/2 + k*cos(phi)", parameters={"k": 9.81})
CART = da.System(da.coordinates("s"), "m*dot(s)^2/2", forces={"s": "u"}, inputs="u", parameters={"m": 1.5})


def _motion(case: Case) -> Work:
    def work(_: Path) -> bytes:
        equations = da.nonholonomic(case.system) if case.system.constraints else da.free(case.system)
        return _bits(da.simulate(equations, case.start, until=min(case.span, 2.0)))

    return work


def _bits(path: Any) -> bytes:
    return bytes(path.t.tobytes() + path.values.tobytes())


def _contact(_: Path) -> bytes:
    path = da.simulate(da.nonholonomic(SLIDE), {"x": 0, "y": 0.3, "vx": 1, "vy": 0}, until=2.0)
    return _bits(path) + repr(path.modes).encode()


def _derivatives(_: Path) -> bytes:
    return da.sensitivities(da.free(SWING), SWUNG, until=3.0).values.tobytes()


def _period(_: Path) -> bytes:
    return repr(da.periodic(da.free(SWING), SWUNG, period=2.1).period).encode()


def _plants(_: Path) -> bytes:
    plant = da.plant(da.free(CART), {"s": 0.0, "vs": 0.0}, step=0.01)
    return repr([plant.step({"u": 1.0 - plant.state["s"]})["s"] for _ in range(100)]).encode()


def _sweep(folder: Path) -> bytes:
    starts = {"phi": np.linspace(0.1, 2.0, 200), "vphi": 0.0}
    asked = {"starts": starts, "until": 1.0, "keep": ["phi"], "store": folder / "swings.zarr"}
    made, again = (da.sweep(da.free(SWING), **asked) for _ in range(2))
    both = [np.asarray(each["phi"]).tobytes() for each in (made, again)]
    assert both[0] == both[1], "a stored sweep gives other numbers"
    return both[0]


def _fit(_: Path) -> bytes:
    times = np.linspace(0.0, 3.0, 41)
    path = da.simulate(da.free(SWING), SWUNG, until=3.0, samples=times)
    seen = da.recorded({"t": path.t, "phi": path["phi"]}, uncertainty={"phi": 1e-3}, source="simulated")
    found = da.fit(da.free(SWING), seen, start={"phi": 0.9, "vphi": 0.1}, free="k phi vphi")
    return repr([found[name] for name in ("k", "phi", "vphi")]).encode()


def _pictures(folder: Path) -> bytes:
    import matplotlib.pyplot as plt

    path = da.simulate(da.free(SWING), SWUNG, until=2.0)
    figure = da.draw(path)
    figure.savefig(folder / "path.svg")
    plt.close(figure)  # Matplotlib keeps every figure until it is closed
    da.report(path, folder / "page.html")  # which tells how long the run took
    return da.explore(SWING, folder / "live.html", start=SWUNG, until=2.0).read_bytes()


def _file(folder: Path) -> bytes:
    da.write(SWING, folder / "swing.toml")
    path = da.simulate(da.free(da.read(folder / "swing.toml").system), SWUNG, until=1.0)
    path.save(folder / "path.npz")
    return _bits(da.load(folder / "path.npz"))


def _refused(_: Path) -> bytes:
    said = []
    for start in ({"phi": "one"}, {"phi": 1.0}, {"phi": math.nan, "vphi": 0.0}, {"psi": 1.0}):
        try:
            da.simulate(da.free(SWING), start, until=1.0)
        except DalembertError as refused:
            said.append(refused.code)
    return repr(said).encode()


def works(cases: Iterable[Case]) -> dict[str, Work]:
    """What a round makes; each gives what must be the same in every round."""
    rest = (_contact, _derivatives, _period, _plants, _sweep, _fit, _pictures, _file, _refused)
    return {case.label: _motion(case) for case in cases} | {work.__name__.strip("_"): work for work in rest}


@dataclass(frozen=True)
class Held:
    """What the process holds.

    Attributes:
        memory: in use, kB.
        files: that are open.
        threads: that run, those of the pool of Zarr's event loop counted as one while they are within its bound.
        children: processes.
        left: files in the folder for temporary ones.
    """

    memory: float
    files: int
    threads: int
    children: int
    left: int

    @classmethod
    def now(cls, folder: Path) -> Held:
        """After what can be thrown away was."""
        gc.collect()
        process = psutil.Process()
        files = process.num_fds() if hasattr(process, "num_fds") else len(process.open_files())
        left, children = sum(1 for _ in folder.iterdir()), len(process.children(recursive=True))
        return cls(resident(), files, _threads(), children, left)

    def more_than(self, before: Held, rounds: int) -> list[str]:
        """What grew."""
        grown = (self.memory - before.memory) / max(1, rounds)
        said = [f"memory grows by {grown:.0f} kB a round"] if rounds >= FEWEST and grown > GROWN else []
        kinds = ("files", "threads", "children", "left")
        return said + [f"{getattr(self, k)} {k}, {getattr(before, k)} before" for k in kinds if _grew(self, before, k)]


def _threads() -> int:
    pooled = sum(1 for each in threading.enumerate() if each.name.startswith(POOL))
    return threading.active_count() - pooled + (1 if pooled <= MOST else pooled)


def _grew(now: Held, before: Held, kind: str) -> bool:
    return int(getattr(now, kind)) > int(getattr(before, kind))


def soak(made: Mapping[str, Work], hours: float, seed: int, say: Callable[[str], None]) -> int:
    """Rounds for so many hours, at least `WARM` and one more; how many things went wrong."""
    rng, first, found, before = random.Random(seed), dict[str, bytes](), 0, None
    end, told, number = time.monotonic() + 3600 * hours, time.monotonic() + TOLD, 0
    with tempfile.TemporaryDirectory() as kept:
        tempfile.tempdir = kept  # where the library makes its own
        while number <= WARM or time.monotonic() < end:
            number += 1
            move_new_system(rng)
            for name, work in made.items():
                with tempfile.TemporaryDirectory(dir=Path(kept).parent) as folder:
                    bits = sha256(work(Path(folder))).digest()
                if first.setdefault(name, bits) != bits:
                    found += 1
                    say(f"round {number}: {name} gives OTHER BITS than in the first")
            if number == WARM:
                before = Held.now(Path(kept))
            if before and number == SETTLED:
                before = replace(before, memory=resident())
            if before and number > WARM and (time.monotonic() > told or time.monotonic() >= end):
                now, told = Held.now(Path(kept)), time.monotonic() + TOLD
                grown = now.more_than(before, number - SETTLED)
                found += len(grown)
                say(f"{number:6} rounds, {now.memory / 1024:.0f} MB, {now.files} files, {now.threads} threads")
                say("\n".join(f"    {each}" for each in grown) or "    nothing grew")
    tempfile.tempdir = None
    return found


def main(arguments: list[str]) -> int:
    """Run; 1 if something grew or changed."""
    parser = argparse.ArgumentParser(prog="python -m fuzz soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=24.0, help="how long, 24 if left out")
    parser.add_argument("--seed", type=int, default=0, help="of the systems that come once")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    found = soak(works(gallery()), given.hours, given.seed, lambda text: print(text, flush=True))
    print(f"{found} found")
    return int(found > 0)
