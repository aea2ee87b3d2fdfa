"""The file: the model, the programs, the style, and a policy that allows these alone."""

from __future__ import annotations

import base64
import hashlib
import html
import json
from importlib.resources import files

from ...calculus.graph import Graph
from ...scene import poses
from .kernels import kernels
from .model import events_of, model
from .scenario import Scenario
from .source import motion_source

_PARTS = [
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
    parts = "\n".join(_part(f"{name}.js") for name in _PARTS)
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
    return f"const KERNELS = {programs};"


def whole(title: str, style: str, data: str, engine: str, script: str) -> str:
    """The page of its parts; what is executed is named by its sum, so that nothing else can be."""
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_sum(engine)} {_sum(script)}",
            f"style-src {_sum(style)}",
            "img-src data: blob:",
            "worker-src blob:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
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
            f'<script type="application/json" id="model">{_inert(data)}</script>',
            f'<script id="engine">{engine}</script>',
            f"<script>{script}</script>",
            "</body></html>",
            "",
        ]
    )


def _inert(data: str) -> str:
    """JSON in which nothing ends its element, whatever names and titles hold."""
    return data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _sum(text: str) -> str:
    """How a policy names a text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _part(name: str) -> str:
    return files(__package__).joinpath("page", name).read_text(encoding="utf-8")
