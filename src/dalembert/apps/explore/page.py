"""The page as one file: the model, the programs, the style, and a content policy that allows these alone."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections import Counter
from collections.abc import Iterable
from importlib.resources import files

from ...calculus.graph import Graph
from ...numerics.methods.explicit_runge_kutta.tableau import ALL_STAGES, E3, E5, STAGES, A, C, D
from ...scene import poses
from .page_functions import kernels
from .page_model import events_of, model
from .scenario import Scenario

_SCRIPTS = [
    "dom",
    "camera",
    "shapes",
    "view",
    "flat",
    "plot",
    "sliders",
    "save",
    "audit",
    "solver",
    "picture",
    "branch",
    "page",
]


def page(scene: Scenario) -> str:
    """The whole text. Nothing in it is asked of the network, and the policy forbids that anything is."""
    data = model(scene, poses(scene.system, Graph()))
    engine = "\n".join(['"use strict";', motion_source(), _part("record.js"), _kernels(scene), ""])
    parts = "\n".join(_part(f"{name}.js") for name in _SCRIPTS)
    script = f'"use strict";\n(() => {{\n{parts}}})();\n'
    return whole(str(data["title"]), _part("style.css"), json.dumps(data, allow_nan=False), engine, script)


def _kernels(scene: Scenario) -> str:
    """The functions of all principles."""
    entry = scene.entries[0]
    programs = kernels(
        scene.system,
        [each.name for each in scene.formed],
        start=scene.formed[0].starts[entry.name].state if entry.guess or entry.hold else entry.start,
        t=entry.t,
        until=entry.until,
        parameters=entry.parameters,
        events=events_of(scene),
        project=entry.project,
    )
    return with_named_numbers(f"const KERNELS = {programs};")


_NUMBER = re.compile(r"(?<![\w.$])\d[\d.]{7,}(?:e[+-]?\d+)?(?![\w.$])")


def with_named_numbers(program: str) -> str:
    """A program of JavaScript in which long numbers that recur have names, ``$0``, ``$1``: it is a third shorter."""
    counts = Counter(_NUMBER.findall(program))
    names = {number: f"${n}" for n, number in enumerate(number for number, count in counts.items() if count > 2)}
    if not names:
        return program
    told = ",\n".join(f"{name} = {number}" for number, name in names.items())
    return f"const {told};\n" + _NUMBER.sub(lambda found: names.get(found[0], found[0]), program)


def whole(title: str, style: str, data: str, engine: str, script: str) -> str:
    """The page of its parts; what is executed is named by its sum, so that nothing else can be."""
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_checksum(engine)} {_checksum(script)}",
            f"style-src {_checksum(style)}",
            "img-src data: blob:",
            "worker-src blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    # JSON in which nothing ends its element, whatever names and titles hold
    inert = data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{html.escape(title)}</title>",
            f"<style>{style}</style></head>",
            f'<body><div id="explorer">{_part("frame.html")}</div>',
            "<noscript>This page integrates the motion itself: it needs JavaScript.</noscript>",
            f'<script type="application/json" id="model">{inert}</script>',
            f'<script id="engine">{engine}</script>',
            f"<script>{script}</script>",
            "</body></html>",
            "",
        ]
    )


def _checksum(text: str) -> str:
    """How a policy names a text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _part(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")


# --- the integrator --------------------------------------------------------------------------------------------------

_KEEP = "    const d = y1[i] - y[i], both = h * (k0[i] + k12[i]);"

_SOURCES = ("start.js", "run.js", "events.js", "contacts.js", "motion.js")


def motion_source() -> str:
    """Plain JavaScript without modules, for a page, a worker or node: `solveMotion` and what it needs."""
    folder = files(__package__).joinpath("motion")
    return "\n".join([step(), *(folder.joinpath(name).read_text(encoding="utf-8") for name in _SOURCES)])


def step() -> str:
    """The three functions."""
    return "\n".join([_step(), _error(), _dense()])


def _step() -> str:
    lines = [line for s in range(1, STAGES) for line in (_moved(s), _evaluated(s))]
    return _function("dop853Step", "rhs, t, h, y, p, k, z, n", STAGES, [*lines, _moved(STAGES)])


def _error() -> str:
    """err = |h| |e5|^2 / sqrt(n (|e5|^2 + |e3|^2 / 100))  [hairer1993, II.10]"""
    lines = [
        "  let e5 = 0.0, e3 = 0.0;",
        "  for (let i = 0; i < n; i++) {",
        "    const w = 1.0 / (atol + rtol * Math.max(Math.abs(y[i]), Math.abs(z[i])));",
        f"    const a = ({_weighted(E5)}) * w, b = ({_weighted(E3)}) * w;",
        "    e5 += a * a;",
        "    e3 += b * b;",
        "  }",
        "  return (Math.abs(h) * e5) / Math.sqrt(Math.max((e5 + 0.01 * e3) * n, 1e-300));",
    ]
    return _function("dop853Error", "h, y, z, k, rtol, atol, n", STAGES, lines)


def _dense() -> str:
    lines = [line for s in range(STAGES + 1, ALL_STAGES) for line in (_moved(s), _evaluated(s))]
    rows = ["d", "h * k0[i] - d", "d + d - both", *(f"h * ({_weighted(row)})" for row in D)]
    lines += ["  for (let i = 0; i < n; i++) {", _KEEP]
    lines += [f"    F[at + {m} * n + i] = {row};" for m, row in enumerate(rows)]
    return _function("dop853Dense", "rhs, t, h, y, y1, p, k, z, F, at, n", ALL_STAGES, [*lines, "  }"])


def _function(name: str, arguments: str, stages: int, lines: Iterable[str]) -> str:
    known = ", ".join(f"k{s} = k[{s}]" for s in range(stages))
    return "\n".join([f"function {name}({arguments}) {{", f"  const {known};", *lines, "}"])


def _moved(s: int) -> str:
    # y + h sum_j a_sj k_j
    return f"  for (let i = 0; i < n; i++) z[i] = y[i] + h * ({_weighted(A[s])});"


def _evaluated(s: int) -> str:
    return f"  rhs(t + {float(C[s])!r} * h, z, p, k{s});"


def _weighted(weights: Iterable[float]) -> str:
    return " + ".join(f"{float(w)!r} * k{j}[i]" for j, w in enumerate(weights) if w).replace("+ -", "- ")
