"""Random linkages, with rows that follow from others, against all singular values along their motions.

Points in the plane are held together by rods, two to the ground; lengths are those of a random place, or those of
parallelograms, kites and rhombs, whose branches cross where they are flat. Each is run as it is, and with rows beside
it that are combinations of its own, times functions that may vanish and factors from 1e-9 to 1e6. What is held to be
true: the two motions agree; a run that ends with E404 ends where the smallest singular value of the rods is 0; a run
that passes such a place names it among its branches, and names no other; and nothing else fails.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.trajectory import Trajectory

from .watch import Hang, numbers, parser, within

UNTIL, SECONDS, SAMPLES = 3.0, 120.0, 3000
SINGULAR, CLEAR = 1e-6, 1e-4  # a singular value below the one is 0, above the other it is not
AGREE, NEAR = 1e-6, 1e-3  # of two motions, and of two times
SEEDS = 10_000_000
KINDS = ("any", "any", "parallelogram", "kite", "rhomb", "chain")


@dataclass(frozen=True)
class Linkage:
    """Points by their places (n, 2), rods between two of them or from one to a fixed place, and masses (n,)."""

    places: np.ndarray
    rods: list[tuple[int, int | tuple[float, float]]]
    masses: np.ndarray
    speeds: np.ndarray

    @classmethod
    def of(cls, seed: int) -> Linkage:
        """The linkage of a seed."""
        rng = np.random.default_rng(seed)
        kind, turn = KINDS[seed % len(KINDS)], rng.uniform(0.3, 2.8)
        arm, base = np.array([np.cos(turn), np.sin(turn)]), float(rng.uniform(0.5, 3))
        end = (base, 0.0)
        r = float(rng.uniform(0.5, 2))
        if kind == "parallelogram":
            places = np.array([r * arm, r * arm + end])
        elif kind == "kite":  # two rods as long as the base, two as long as each other
            first = base * arm
            middle, across = (first + end) / 2, np.array([end[1] - first[1], first[0] - end[0]])
            places = np.array([first, middle + rng.uniform(0.3, 1.5) * across])
        elif kind == "rhomb":
            places = np.array([base * arm, base * arm + end])
        else:
            places = rng.normal(size=(int(rng.integers(2, 5 if kind == "chain" else 4)), 2)) * base
        n = len(places)
        rods: list[tuple[int, int | tuple[float, float]]] = [(0, (0.0, 0.0)), *((i, i - 1) for i in range(1, n))]
        if kind != "chain":
            rods.append((n - 1, end))
        return cls(places, rods, rng.uniform(0.5, 2, n), rng.normal(size=(n, 2)))

    def system(self, copies: int, seed: int) -> da.System:
        """The system with so many rows beside its own."""
        n, rng = len(self.places), np.random.default_rng([seed, 1])
        q = da.coordinates(" ".join(f"x{i} y{i}" for i in range(n)))
        kinetic = [f"{float(m)!r}*(dot(x{i})^2 + dot(y{i})^2)/2" for i, m in enumerate(self.masses)]
        weight = [f"{9.81 * float(m)!r}*y{i}" for i, m in enumerate(self.masses)]
        rows = {f"r{k}": self._row(*rod) for k, rod in enumerate(self.rods)}
        own = list(rows.values())
        for k in range(copies):
            parts = [f"({float(c)!r})*({row})" for c, row in zip(rng.normal(size=len(own)), own, strict=True)]
            factor = rng.choice(["1", "(1 + x0^2)", "x0", "(y0 + 0.1)", "sin(x0 - y0)"])
            rows[f"c{k}"] = f"{float(10.0 ** rng.integers(-9, 7))!r}*{factor}*({' + '.join(parts)})"
        return da.System(q, " + ".join(kinetic) + " - (" + " + ".join(weight) + ")", rows)

    def _row(self, i: int, other: int | tuple[float, float]) -> str:
        far = self.places[other] if isinstance(other, int) else np.array(other)
        x, y = (f"x{other}", f"y{other}") if isinstance(other, int) else map(repr, other)
        square = float(((self.places[i] - far) ** 2).sum())
        return f"((x{i} - {x})^2 + (y{i} - {y})^2)/{square!r} - 1"

    def start(self) -> dict[str, float]:
        """A start: its place, and velocities to be projected."""
        found = {}
        for i, (place, speed) in enumerate(zip(self.places.tolist(), self.speeds.tolist(), strict=True)):
            found |= {f"x{i}": place[0], f"y{i}": place[1], f"vx{i}": speed[0], f"vy{i}": speed[1]}
        return found

    def least(self, path: Trajectory, t: np.ndarray) -> np.ndarray:
        """The smallest singular value of the rods' unit vectors at times (N,)."""
        at, n = path.at(t), len(self.places)
        points = np.stack([np.stack([at[f"x{i}"], at[f"y{i}"]], axis=-1) for i in range(n)], axis=1)
        rows = np.zeros((len(t), len(self.rods), n, 2))
        for k, (i, other) in enumerate(self.rods):
            along = points[:, i] - (points[:, other] if isinstance(other, int) else np.array(other))
            along = along / np.linalg.norm(along, axis=-1, keepdims=True)
            rows[:, k, i] = along
            if isinstance(other, int):
                rows[:, k, other] = -along
        return np.asarray(np.linalg.svd(rows.reshape(len(t), len(self.rods), 2 * n), compute_uv=False)[:, -1])

    def singular(self, path: Trajectory) -> list[float]:
        """Times inside the path at which the smallest singular value is 0."""
        t = np.linspace(path.t[0], path.t[-1], SAMPLES)
        s, found = self.least(path, t), []
        for k in np.flatnonzero((s[1:-1] <= s[:-2]) & (s[1:-1] < s[2:])) + 1:
            ends, fine = (t[k - 1], t[k + 1]), {"xatol": 1e-13}
            low = minimize_scalar(
                lambda x: float(self.least(path, np.array([x]))[0]), bounds=ends, method="bounded", options=fine
            )
            if low.fun < SINGULAR:
                found.append(float(low.x))
        return found


def faults(linkage: Linkage, path: Trajectory) -> list[str]:
    """What is wrong with a path by itself."""
    code, passed = path.ending.code, linkage.singular(path)
    named, last = [b.t for b in path.branches], float(linkage.least(path, path.t[-1:])[0])
    found = [f"UNSAID at t = {t:g}" for t in passed if all(abs(t - b) > NEAR for b in named) and t < path.t[-1] - NEAR]
    found += [f"NO BRANCH at t = {b:g}" for b in named if float(linkage.least(path, np.array([b]))[0]) > CLEAR]
    if code == "E404":
        found += [f"FALSE E404 at {last:.1e}"] if last > CLEAR else []
    elif not path.ok:
        found.append(f"FAILED {path.outcome} {path.audit.reasons[:1]}")
    return found


def judged(seed: int) -> tuple[str, list[str]]:
    """How a linkage's motions ended, and what is wrong with them."""
    linkage = Linkage.of(seed)
    copies = 1 + seed % 3
    paths = []
    for many in (0, copies):
        equations = da.nonholonomic(linkage.system(many, seed))
        paths.append(da.simulate(equations, equations.start(linkage.start(), project="kinetic"), until=UNTIL))
    found = [f"{what} ({name})" for name, path in zip(("alone", "with rows"), paths, strict=True)
             for what in faults(linkage, path)]  # fmt: skip
    one, other = paths
    end = min(one.t[-1], other.t[-1])
    if not found:
        times = np.linspace(0, end, 50)
        a, b = one.at(times), other.at(times)
        names = [f"{axis}{i}" for i in range(len(linkage.places)) for axis in "xy"]
        apart = max(float(np.abs(a[name] - b[name]).max()) for name in names)
        found += [f"APART by {apart:.1e}"] if apart > AGREE else []
        found += [f"ENDS {one.outcome} / {other.outcome}"] if abs(one.t[-1] - other.t[-1]) > NEAR else []
    passed = "passed" if one.branches else "regular"
    return one.ending.code or passed, found


def main(arguments: list[str]) -> int:
    """Run; 1 if something was found."""
    options = parser("linkages", __doc__, 5_000)
    options.add_argument("--only", type=int, help="the one linkage of this seed, as it was printed")
    given = options.parse_args(arguments)
    warnings.simplefilter("ignore")
    ends, wrong, began = Counter[str](), 0, time.process_time()
    for seed in [given.only] if given.only is not None else [given.seed * SEEDS + n for n in numbers(given)]:
        try:
            with within(SECONDS):
                end, found = judged(seed)
        except DalembertError as error:
            end, found = error.code, [str(error)]
        except Hang:
            end, found = "HANG", ["HANG"]
        ends[end] += 1
        wrong += bool(found)
        for what in found:
            print(f"--- --only {seed}: {what}", flush=True)
    print(", ".join(f"{end} {n}" for end, n in ends.most_common()))
    print(f"{ends.total()} linkages in {time.process_time() - began:.0f} s: {wrong} found, seed {given.seed}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
