"""Plausible mistakes over systems whose motion is known: right numbers, a doubt in words or a refusal, never silence.

A case is a known motion with one slip: other units, a parameter or a tolerance over many decades, a fixed step, a late
start; or a question that has no right answer: a length in kilograms, degrees for radians, constraints that contradict
each other, a Lagrangian that determines nothing. What comes back is right (the columns agree with the closed form to
1e-6 of their size, or to 1000 rtol if that is more), doubted (a W code, or the audit is not ok) or refused (an E code).
All else is found: silently wrong numbers, foreign exceptions, and what takes more than 30 s of CPU.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import dalembert as da
from dalembert.errors import DalembertError
from dalembert.trajectory import Trajectory

from .known_motions import MOTIONS, MOVES, ROD, Known, Numbers, log_uniform

SLOW, BOUND = 30.0, 1e-6
FIXED = ("dla", "discrete_gradient", "symmetric_projection")


@dataclass(frozen=True)
class Case:
    """A known motion as it is asked for."""

    motion: Known
    parameters: Numbers
    start: Numbers
    span: float
    t0: float = 0.0
    options: dict[str, Any] = field(default_factory=dict)
    slip: str = ""

    def run(self) -> Trajectory:
        """The path that the library gives."""
        e, start = self.motion.equations(), {**self.start, "t": self.t0}
        options = {"parameters": self.parameters, "seconds": 10, **self.options}
        return da.simulate(e, start, until=self.t0 + self.span, **options)

    def error(self, path: Trajectory) -> float:
        """The largest difference from the closed form, over the size of the column."""
        truth = [self.motion.truth(self.parameters, self.start, self.t0, float(t) - self.t0) for t in path.t]
        worst = 0.0
        for name in truth[0]:
            size = max(abs(row[name]) for row in truth) or 1.0
            found = abs(path[name]) if name == "r" else path[name]
            off = max(abs(float(value) - row[name]) for value, row in zip(found, truth, strict=True))
            worst = max(worst, off / size)
        return worst


def drawn(rng: random.Random) -> Case:
    """A case without a slip."""
    motion = rng.choice(MOTIONS)
    parameters, start, scale = motion.draw(rng)
    return Case(motion, parameters, start, scale * log_uniform(rng, 0.3, 20))


def nothing(case: Case, rng: random.Random) -> Case:
    """No slip at all: the numbers have to be right."""
    return case


def units(case: Case, rng: random.Random) -> Case:
    """The same motion told in other units."""
    exponents = [rng.randint(-12, 12) for _ in range(3)]

    def told(name: str, value: float) -> float:
        return value * 10.0 ** sum(n * p for n, p in zip(exponents, case.motion.powers[name], strict=True))

    parameters, start = ({n: told(n, v) for n, v in part.items()} for part in (case.parameters, case.start))
    return replace(case, parameters=parameters, start=start, span=case.span * 10.0 ** exponents[2])


def decades(case: Case, rng: random.Random) -> Case:
    """A number over many decades; what the others then mean is another motion, known all the same."""
    name = rng.choice([*case.parameters, *case.start])
    if case.motion.name in ("rod", "orbit", "skate") and name != "m":
        return case  # their numbers belong together
    far = 10.0 ** rng.choice((rng.uniform(-12, 12), rng.uniform(-170, 170)))
    parts = ({n: v * far if n == name else v for n, v in part.items()} for part in (case.parameters, case.start))
    parameters, start = parts
    return replace(case, parameters=parameters, start=start)


def tolerance(case: Case, rng: random.Random) -> Case:
    """Tolerances from absurd to absurd."""
    options: dict[str, Any] = {"rtol": 10.0 ** rng.uniform(-17, 0)}
    if rng.random() < 0.5:
        options = {"rtol": 10.0 ** rng.uniform(-13, -6), "atol": rng.choice((0.0, 10.0 ** rng.uniform(-20, 4)))}
    return replace(case, options=options)


def step(case: Case, rng: random.Random) -> Case:
    """Fixed steps, longer than a period or than the run, or not dividing it."""
    return replace(case, options={"method": rng.choice(FIXED), "step": case.span * 10.0 ** rng.uniform(-3.5, 1)})


def epoch(case: Case, rng: random.Random) -> Case:
    """A start long after t = 0."""
    return replace(case, t0=10.0 ** rng.uniform(0, 16))


def method(case: Case, rng: random.Random) -> Case:
    """Another method, with samples."""
    samples = [case.t0 + case.span * i / 7 for i in range(8)]
    return replace(case, options={"method": rng.choice(("radau", "taylor")), "samples": samples})


SLIPS = (nothing, units, decades, tolerance, step, epoch, method)


# --- questions without a right answer --------------------------------------------------------------------------------


def mistaken_unit(rng: random.Random) -> Trajectory:
    """A unit where nothing says which units the numbers are in, or one of another kind."""
    case = replace(drawn(rng), motion=MOTIONS[0])
    parameters, start, _ = case.motion.draw(rng)
    unit = rng.choice(("cm", "mm", "km", "kg", "g", "m", "kg*m", "m/s"))
    part = rng.choice((parameters, start))
    name = rng.choice(list(part))
    part[name] = f"{abs(part[name]):.6g} {unit}"  # type: ignore[assignment]
    return replace(case, parameters=parameters, start=start, span=1.0).run()


def degrees(rng: random.Random) -> Trajectory:
    """Degrees for radians."""
    system = da.System(da.coordinates("a"), "va^2/2 + 9.81*cos(a)")
    return da.simulate(da.free(system), {"a": rng.choice((30, 45, 60, 90, 180, -90)), "va": 0}, until=1)


def no_body(rng: random.Random) -> Trajectory:
    """Moments of inertia that no body has."""
    moments = [1.0, log_uniform(rng, 0.1, 1), rng.uniform(2.1, 50)]
    rng.shuffle(moments)
    e = da.free(da.System(da.rotation("R"), "(A*w1^2 + B*w2^2 + C*w3^2)/2", parameters=dict.fromkeys("ABC")))
    start = {"R": "identity", "w1": 1, "w2": 1, "w3": 1}
    return da.simulate(e, start, until=1, parameters=dict(zip("ABC", moments, strict=True)))


def contradiction(rng: random.Random) -> Trajectory:
    """Two constraints that contradict each other: at the start, later, or by little."""
    little = 10.0 ** rng.uniform(-7, 0)
    other = rng.choice(("x - {}", "x - {}*t", "x - {}*t^2", "vx - {}", "vx - {}*t", "2*x - {}*sin(t)")).format(little)
    system = da.System(da.coordinates("x y"), MOVES, {"one": "x", "other": other}, parameters={"m": 1.0})
    return da.simulate(da.nonholonomic(system), {"x": 0, "y": 0, "vx": 0, "vy": 1}, until=3)


def undetermined(rng: random.Random) -> Trajectory:
    """Lagrangians that determine nothing, or no longer at some time."""
    L = rng.choice(
        ("sqrt(vx^2 + vy^2)", "(1 + x^2)*sqrt(vx^2 + vy^2)", "x*vy - y*vx - x^2", "vx^2/2 - y^2", "(vx + vy)^2/2 - x",
         "(vx^2 - vy^2)/2", "((1 - t)*vx^2 + vy^2)/2", "vx^2/2 + vy^2/2 + exp(3*x)",
         "vx^4/4 + vy^2/2 - x", "(vx^2 + vy^2)/2 - sqrt(1 - x)", "(vx^2 + vy^2)/2 - floor(3*x)")
    )  # fmt: skip
    start = {"x": 0.5, "y": 0.1, "vx": 1.0, "vy": 0.3}
    return da.simulate(da.free(da.System(da.coordinates("x y"), L)), start, until=20, seconds=10)


def wrong_coefficient(rng: random.Random) -> Trajectory:
    """Restitution in per cent, friction as an angle, a mass of 0 or less."""
    q = da.coordinates("x y")
    friction = da.forces.rolling_friction([q["vx"], q["vy"]], rng.uniform(10, 45), 9.81)
    which = rng.choice(
        ({"walls": {"floor": {"guard": "y", "restitution": rng.uniform(2, 99)}}}, {"forces": friction}, {"mass": 0.0})
    )
    system = da.System(q, MOVES, parameters={"m": which.pop("mass", 1.0)}, **which)
    return da.simulate(da.free(system), {"x": 0, "y": 1, "vx": 1, "vy": -1}, until=2)


def beyond(rng: random.Random) -> Trajectory:
    """Samples past the end, times that are none."""
    case = drawn(rng)
    bad: dict[str, Any] = rng.choice(
        ({"samples": [case.span * 2]}, {"samples": [0, -1.0]}, {"max_step": -1.0}, {"rtol": math.nan})
    )
    return replace(case, options=bad).run()


def split_rod(rng: random.Random) -> Trajectory:
    """A rod given twice, of lengths that differ by little."""
    other = {"again": f"3*x^2 + 3*y^2 - {3 + 10.0 ** rng.uniform(-7, 0)!r}"}
    system = da.System(da.coordinates("x y z"), MOVES + " + m*vz^2/2", {**ROD, **other}, parameters={"m": 1, "l": 1})
    return da.simulate(da.nonholonomic(system), {"x": 1, "y": 0, "z": 0, "vx": 0, "vy": 1, "vz": 1}, until=3)


NOTICED = (
    mistaken_unit, degrees, no_body, contradiction, undetermined, wrong_coefficient, beyond, split_rod,
)  # fmt: skip


# --- verdicts --------------------------------------------------------------------------------------------------------


def doubts(path: Trajectory) -> list[str]:
    """The codes with which a path is doubted."""
    codes = [note.partition(" ")[0] for note in path.audit.notes if note.startswith("W")]
    return codes if path.ok else [*codes, "not ok"]


def judged(ask: Callable[[], Trajectory], case: Case | None) -> str:
    """Right, doubted, refused or SILENT, in words; what is foreign is raised."""
    try:
        path = ask()
    except DalembertError as error:
        return f"refused {error.code}"
    found = doubts(path)
    if found:
        return f"doubted {found[0]}"
    if case is None:
        return "SILENT where something had to be said"
    off = case.error(path)
    asked = case.options.get("rtol", 0.0)
    bound = max(BOUND, 1000 * asked if isinstance(asked, float) else 0.0)
    return "right" if off <= bound else f"SILENT {off:.1e} off, bound {bound:.1e}"


def one(rng: random.Random) -> tuple[str, str, str]:
    """A case, judged: its kind, what it is, its verdict."""
    if rng.random() < 0.3:
        question = rng.choice(NOTICED)
        return question.__name__, "", judged(lambda: question(rng), None)
    slip = rng.choice(SLIPS)
    case = slip(drawn(rng), rng)
    what = f"{case.motion.name} {case.parameters} {case.start} t0={case.t0!r} span={case.span!r} {case.options}"
    verdict = judged(case.run, case)
    at_pole = case.motion.name == "polar"
    if slip is nothing and verdict != "right" and not at_pole:
        verdict = f"FALSE ALARM: {verdict}"
    return slip.__name__, what, verdict


def main(arguments: list[str]) -> int:
    """Make plausible mistakes; 1 if something was found."""
    parser = argparse.ArgumentParser(prog="python -m fuzz plausible", description=__doc__)
    parser.add_argument("--count", type=int, default=10_000, help="how many cases")
    parser.add_argument("--seed", type=int, default=0, help="of the random numbers")
    given = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    verdicts, found, began = Counter[str](), 0, time.perf_counter()
    for n in range(given.count):
        start = time.process_time()
        try:
            kind, what, verdict = one(random.Random(f"{given.seed}:{n}"))
        except Exception:
            kind, what, verdict = "", "", "FOREIGN\n" + traceback.format_exc(limit=-4)
        spent = time.process_time() - start
        if spent > SLOW:
            verdict = f"SLOW {spent:.0f} s, {verdict}"
        if verdict.startswith(("SILENT", "FALSE", "FOREIGN", "SLOW")):
            found += 1
            print(f"FOUND case {n}: {kind}: {what}: {verdict}", flush=True)
        verdicts[verdict.partition(" ")[0] + " " + kind] += 1
        if (n + 1) % 1000 == 0:
            print(f"{n + 1} cases, {found} found", flush=True)
    print(f"{given.count} cases in {time.perf_counter() - began:.0f} s, seed {given.seed}: {found} found")
    print(", ".join(f"{verdict} {count}" for verdict, count in sorted(verdicts.items())))
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
