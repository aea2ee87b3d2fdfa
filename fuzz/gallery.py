"""The page and the film of every system of the gallery and its variants: does each build, and how large is the page?

Films show both principles from one start where both move, two seconds of them. A page of more than 150 kB, compressed,
is too large.
"""

from __future__ import annotations

import argparse
import gzip
import re
import time
from pathlib import Path

import dalembert as da
from dalembert.errors import DalembertError

from .pages import Case, gallery

LARGEST = 150_000  # bytes of a page, compressed
SECONDS, FPS, SAMPLES = 2.0, 10, 2000


def build(case: Case, folder: Path) -> tuple[bool, str]:
    """Is the page small enough, and what is said of page and film?"""
    name = re.sub(r"\W+", "_", case.label).strip("_")
    begun = time.process_time()
    page = da.explore(case.system, folder / f"{name}.html", start=case.start, until=case.span)
    shown, begun = time.process_time() - begun, time.process_time()
    film(case, folder / f"{name}.gif")
    filmed = time.process_time() - begun
    size = len(gzip.compress(page.read_bytes(), 9))
    said = f"page {size / 1000:6.1f} kB in {shown:5.1f} s, film in {filmed:5.1f} s"
    return size <= LARGEST, said if size <= LARGEST else f"{said}  TOO LARGE"


def film(case: Case, file: Path) -> None:
    """Of both principles; of the first alone where the other has no motion from there."""
    principles = ["nonholonomic", "vakonomic"] if case.system.constraints else ["free"]
    lams = {s.name: 0.0 for s in da.vakonomic(case.system).states_of_multipliers} if len(principles) > 1 else {}
    try:
        shown = da.compare(case.system, principles, start={**case.start, **lams}, until=case.span)
    except DalembertError:
        equations = da.nonholonomic(case.system)
        shown = da.simulate(equations, equations.start(**case.start), until=case.span, max_steps=SAMPLES * 100)
    da.film(shown, file, seconds=SECONDS, fps=FPS)


def main(arguments: list[str]) -> int:
    """``python -m fuzz gallery --out FOLDER``: 1 if one of them does not build or is too large."""
    parser = argparse.ArgumentParser(prog="python -m fuzz gallery", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("gallery"), help="the folder for pages and films")
    parser.add_argument("--only", default="", help="systems with this in their names alone")
    given = parser.parse_args(arguments)
    given.out.mkdir(parents=True, exist_ok=True)
    tried = wrong = 0
    for case in gallery():
        if given.only not in case.label:
            continue
        try:
            good, said = build(case, given.out)
        except DalembertError as error:
            good, said = False, str(error)
        tried, wrong = tried + 1, wrong + (not good)
        print(f"{case.label:44} {said}", flush=True)
    print(f"{tried} systems and variants, {wrong} found")
    return int(wrong > 0)
