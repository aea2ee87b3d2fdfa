"""Motions of the pages, in node or in Chromium, against `simulate`: the gallery, its variants, both principles.

A motion agrees if each column is within 1e-9 of its largest value. Where the motion itself magnifies rounding, the run
with another tolerance is off as well: as much is allowed, ten times over, and said.
"""

from __future__ import annotations

import argparse
import gzip
import json
import pkgutil
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

import dalembert as da
from dalembert import systems
from dalembert.apps.explore import kernels, motion_source
from dalembert.errors import DalembertError
from dalembert.model.system import System
from dalembert.principles.principle_table import named

from .browser import CHROMIUM, Browser

AGREES, MAGNIFIED, NOTHING, RTOL, OTHER = 1e-9, 10.0, 1e-6, 1e-12, 3e-13
USUAL_SPAN, SAMPLES, REPEATS = 3.0, 61, 15
STEPS = 200_000
ASK = """
const K = KERNELS, name = PRINCIPLE, rules = RULES, motion = solveMotion(name, K, {}, {}, rules);
const found = motion.columns(null, TIMES.filter((t) => t <= motion.end)), spent = [];
for (const column in found) found[column] = Array.from(found[column]);
for (let i = 0; i < REPEATS && spent.reduce((a, v) => a + v, 0) < 3000; i++) {
  const begun = performance.now();
  solveMotion(name, K, {}, {}, { ...rules, rtol: 1e-9 });
  spent.push(performance.now() - begun);
}
const { end, why, audit, events } = motion;
console.log(JSON.stringify({ found, end, why, audit, events, ms: Math.min(...spent) }));
"""


@dataclass(frozen=True)
class Case:
    """One motion of a system."""

    label: str
    system: System
    start: Mapping[str, object]
    span: float


def gallery() -> Iterator[Case]:
    """Every file of the gallery and its variants, from their first starts."""
    for info in pkgutil.iter_modules(systems.__path__):
        module = import_module(f"dalembert.systems.{info.name}")
        if not hasattr(module, "STARTS") or module.FACTS.modes:  # contacts go by fixed steps
            continue
        span = getattr(module, "SPAN", USUAL_SPAN)
        yield Case(info.name, module.system(), next(iter(module.STARTS.values())), span)
        for name, variant in getattr(module, "VARIANTS", {}).items():
            label = f"{info.name}, {name}"
            yield Case(label, module.system(**variant.options), next(iter(variant.starts.values())), span)


Engine = Callable[[Path], object]  # runs a file of JavaScript, which prints JSON; what it printed


def ask(text: str, question: str, values: Mapping[str, object], engine: Engine) -> dict[str, object]:
    """What an engine answers: `question` with KERNELS and other names put in, printing JSON."""
    names = [f"const {name} = {json.dumps(value)};" for name, value in values.items()]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "motion.js"
        file.write_text("\n".join([motion_source(), f"const KERNELS = {text};", *names, question]), encoding="utf-8")
        told = engine(file)
    if not isinstance(told, str):
        raise RuntimeError(str(told))
    found: dict[str, object] = json.loads(told)
    return found


def in_node(file: Path) -> object:
    """What node prints, or the error that it tells."""
    done = subprocess.run(["node", str(file)], capture_output=True, text=True, check=False)
    return RuntimeError(done.stderr[-2000:]) if done.returncode else done.stdout


def in_browser(browser: Browser) -> Engine:
    """What a page prints that runs the file, or the exception that it meets."""

    def engine(file: Path) -> object:
        page = file.with_suffix(".html")
        page.write_text(f'<!doctype html><script src="{file.name}"></script>', encoding="utf-8")
        browser.said.clear()
        browser.open(page.as_uri(), shown="document.readyState === 'complete'")
        [said] = browser.said
        return said[0] if isinstance(said, list) else RuntimeError(said)

    return engine


def apart(one: Mapping[str, np.ndarray], other: Mapping[str, np.ndarray], names: Sequence[str]) -> tuple[float, str]:
    """The largest difference of any column in units of its largest value, and whose it is.

    A column that is nothing but rounding counts in units of a millionth of the largest one.
    """
    sizes = {n: float(np.abs(other[n]).max(initial=0.0)) for n in names}
    floor = NOTHING * max(sizes.values()) or 1.0
    off = {n: float(np.abs(np.subtract(one[n], other[n])).max(initial=0.0)) / max(sizes[n], floor) for n in names}
    worst = max(names, key=lambda n: off[n])
    return off[worst], worst


def compare(case: Case, principle: str, engine: Engine) -> tuple[bool, str]:
    """Does the page's motion agree, and what is said of it."""
    equations = named(principle)(case.system)
    lams = {s.name: 0.05 * (-0.8) ** i for i, s in enumerate(equations.states_of_multipliers)}
    start, times = equations.start(**case.start, **lams), np.linspace(0.0, case.span, SAMPLES)
    runs = [
        da.simulate(equations, start, until=case.span, samples=times, rtol=rtol, max_steps=STEPS)
        for rtol in (RTOL, OTHER)
    ]
    begun = time.process_time()
    text = kernels(case.system, [principle], start={**case.start, **lams}, until=case.span)
    printed = time.process_time() - begun
    values = {"PRINCIPLE": principle, "TIMES": times.tolist(), "REPEATS": REPEATS}
    told = ask(text, ASK, {**values, "RULES": {"until": case.span, "rtol": RTOL, "maxSteps": STEPS}}, engine)
    columns: dict[str, list[float]] = told["found"]  # type: ignore[assignment]
    count = min(len(runs[0].t), len(runs[1].t), *map(len, columns.values()))
    cut = [{n: path[n][:count] for n in path.names} for path in runs]
    off, which = apart({n: np.array(v[:count], float) for n, v in columns.items()}, cut[0], runs[0].names)
    magnified, _ = apart(cut[1], cut[0], runs[0].names)
    same = count == len(runs[0].t) or bool(told["why"])
    good = off <= max(AGREES, MAGNIFIED * magnified) and same and set(columns) >= set(runs[0].names)
    audit: dict[str, object] = told["audit"]  # type: ignore[assignment]
    size = f"{len(text) / 1000:.0f} kB, {len(gzip.compress(text.encode())) / 1000:.0f} packed"
    steps = f"{audit['steps']} steps (simulate {runs[0].audit.steps})"
    said = f"{off:.1e} {which} (another rtol {magnified:.0e}), {steps}, {audit['form']}, {told['ms']:.2f} ms, {size}"
    return good, f"{said}, printed in {printed:.1f} s  {told['why']}"


def main(arguments: list[str]) -> int:
    """Compare all; the exit code is 1 if one does not agree."""
    parser = argparse.ArgumentParser(prog="python -m fuzz pages")
    parser.add_argument("--only", default="", help="part of a system's name")
    parser.add_argument("--browser", action="store_true", help="in Chromium; CHROMIUM names one elsewhere")
    given = parser.parse_args(arguments)
    if (CHROMIUM if given.browser else shutil.which("node")) is None:
        print(f"pages: {'Chromium' if given.browser else 'node'} is missing")
        return 2
    if not given.browser:
        return _compared(given.only, in_node)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, Browser(Path(folder)) as browser:
        return _compared(given.only, in_browser(browser))


def _compared(part: str, engine: Engine) -> int:
    bad = 0
    for case in gallery():
        for principle in ("nonholonomic", "vakonomic") if part in case.label else ():
            try:
                good, said = compare(case, principle, engine)
            except (DalembertError, RuntimeError) as error:
                good, said = False, str(error)
            bad += not good
            print(f"{'agrees' if good else 'DIFFERS':8} {case.label:38} {principle:13} {said}", flush=True)
    print(f"{bad} differ")
    return int(bad > 0)
