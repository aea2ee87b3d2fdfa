"""Broken laws against their tests."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from typing import Any

from .copy import changed, work
from .law import Law

CPU = 600  # seconds for the tests of a law
_FAILED = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)


def noticed(texts: dict[str, str], tests: Sequence[str], cpu: int = CPU) -> tuple[str, str]:
    """The first test that fails in a copy with these texts, and how the run ended: red, green, or late."""
    arguments = ["pytest", "-x", "-q", "-n0", "-p", "no:cacheprovider", *(f"tests/{name}" for name in tests)]
    with changed(texts) as folder:
        code, said = work(folder, arguments, cpu)
    failed = _FAILED.findall(said)
    if failed:
        return failed[0], "red"
    return ("", "green") if code == 0 else (said.strip().splitlines()[-1][:200] if said.strip() else "", "late")


def tried(
    laws: Sequence[Law], sample: int | None, seed: int, known: Sequence[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """What is found, law by law; `sample` of them, or all."""
    done = {row["law"] for row in known if row["kind"] == "tests"}
    chosen = list(laws) if sample is None else random.Random(seed).sample(list(laws), min(sample, len(laws)))
    for law in chosen:
        if law.name not in done:
            test, how = noticed({law.file: law.text()}, law.tests)
            yield {"kind": "tests", "law": law.name, "test": test, "how": how}
