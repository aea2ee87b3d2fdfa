"""Generated C of many systems, compiled at once and asked through `ctypes`.

A process keeps every library that it has loaded, and loads none twice under one name, be its file another: a name is
never given again. (The system of the earlier file would answer, and write its own number of values.)
"""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from itertools import count
from pathlib import Path

import numpy as np

from .routes import Case, Found, c_source

COMPILER = shutil.which("cc")
NUMBERS = count()
FLAGS = ["-std=c99", "-O0", "-w", "-ffp-contract=off", "-shared", "-fPIC"]


def ask(cases: list[tuple[int, Case]], texts: list[str], folder: Path) -> list[Found]:
    """What the programs of these cases compute."""
    source = folder / f"batch{next(NUMBERS)}.c"
    library = source.with_suffix(".so")
    source.write_text("".join(c_source(text, n) for (n, _), text in zip(cases, texts, strict=True)), encoding="utf-8")
    subprocess.run([str(COMPILER), *FLAGS, "-o", str(library), str(source), "-lm"], check=True)
    loaded = ctypes.CDLL(str(library))
    found = [_one(loaded[f"ask_{n}"], case) for n, case in cases]
    source.unlink()
    library.unlink()
    return found


def _one(function: ctypes._NamedFuncPointer, case: Case) -> Found:
    states, m = len(case.equations.states), len(case.recipe.constraints)
    function.restype, rows = None, []
    for t, y, p in case.rows:
        out = np.zeros(states + m + 1)
        pointers = [np.array([*v, 0.0]).ctypes.data_as(ctypes.c_void_p) for v in (y, p)]
        function(ctypes.c_double(t), *pointers, out.ctypes.data_as(ctypes.c_void_p))
        rows.append(out)
    table = np.array(rows)
    return case.split(table[:, :states], table[:, states : states + m])
