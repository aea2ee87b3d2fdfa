"""Proofs of the gallery: ``python -m benchmarks.proofs [SYSTEM ...]`` prints a table, a row as each is done.

The first run of every system, its walls watched, for 10 units of time and 12 digits in at most 4000 steps: what is
proved, how wide it is at the worst, the CPU seconds of the proof and of checking its certificate, and the certificate's
size. Where nothing or less is proved the row says why.
"""

import json
import sys
import time
import warnings

import dalembert as da
from dalembert.apps import gallery, runs
from dalembert.errors import DalembertError
from dalembert.proof.certificate import check

SPAN, DIGITS, STEPS = 10, 12, 4000
HEAD = ("system", "states", "operations", "proved to", "steps", "widest", "CPU s", "check s", "MB")


def row(name: str) -> tuple[str, ...]:
    """What is proved of a system's first run."""
    study = gallery.study(name)
    spec = study.runs[0]
    try:
        field = next(iter(runs.prepare(study, spec).values())).field
        begun = time.process_time()
        end = field.start.t + SPAN
        proof = da.prove(field.equations, field.start, until=end, digits=DIGITS, steps=STEPS)
    except DalembertError as error:
        return (name, str(error).splitlines()[0])
    proved = time.process_time()
    text = json.dumps(proof.certificate)
    check(json.loads(text))
    checked = time.process_time()
    data = proof.certificate
    widest = max(w for step in data["steps"] for w in step["within"])
    counts = len(data["states"]), len(data["lines"]), f"{float(proof.until - proof.start):.4g}", len(data["steps"])
    times = f"{proved - begun:.1f}", f"{checked - proved:.1f}", f"{len(text) / 1e6:.1f}"
    return (name, *map(str, counts), f"{widest:.0e}", *times)


def main(names: list[str]) -> None:
    """The table of these systems, or of all."""
    warnings.simplefilter("ignore")
    print(f"| {' | '.join(HEAD)} |\n|{'---|' * len(HEAD)}")
    for name in names or gallery.names():
        print(f"| {' | '.join(row(name))} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
