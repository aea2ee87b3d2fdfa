"""Where numbers are from: inputs, versions, machine, a hash of the inputs, and what to type to get them again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from ...spelling import typed
from ...trajectory import Trajectory
from ..html.markup import Html, folded, join, number, pairs, tag, text

INPUTS = ("title", "principle", "parameters", "start", "t0", "until", "rtol", "atol", "method", "step", "order",
          "stabilisation")  # fmt: skip
SHOWN = ("principle", "method", "order", "step", "rtol", "atol", "stabilisation", "t0", "until", "max_step", "seed")


def digest(provenance: Mapping[str, Any]) -> str:
    """SHA-256 of the inputs of a run as JSON with sorted keys: what was computed, not where or by which version."""
    inputs = {key: provenance[key] for key in INPUTS if key in provenance}
    return hashlib.sha256(json.dumps(inputs, sort_keys=True, default=str).encode()).hexdigest()


def fragment(path: Trajectory, command: str = "") -> Html:
    """The provenance of one run."""
    p = path.provenance
    if not p:
        return tag("p", "The path carries no provenance.")
    rows: list[tuple[str, Any]] = [(key, _shown(p[key])) for key in SHOWN if p.get(key) is not None]
    versions = p.get("versions", {})
    rows.append(("versions", ", ".join(f"{name} {v}" for name, v in versions.items())))
    rows += [(key, str(p[key])) for key in ("python", "platform") if p.get(key)]
    rows.append(("hash of the inputs", tag("code", f"sha256:{digest(p)}", class_="tex")))
    return join([pairs(rows), again(path, command)])


def again(path: Trajectory, command: str = "") -> Html:
    """What to type to get the same numbers."""
    typed = [tag("p", "The command that made this page:"), tag("pre", command)] if command else []
    code = script(path)
    if not code:
        return join(typed)
    events = " and events=[...] as they were" if path.marks else ""
    said = f"In Python, with the same system{events}:"
    return join([*typed, folded(said, tag("pre", code), open_=not command)])


def script(path: Trajectory) -> str:
    """The call of `simulate` with all inputs to the last bit; "" where the path does not know them."""
    p = path.provenance
    if not {"principle", "start", "until"} <= set(p) or not str(p["principle"]).isidentifier():
        return ""
    start = {**p["start"], **({"t": p["t0"]} if p.get("t0") else {})}
    options = {key: p[key] for key in ("rtol", "atol", "method", "step", "order") if p.get(key) is not None}
    if p.get("method") in ("dop853", "taylor"):  # which have none; old files name one
        options.pop("order", None)
    lines = ["import dalembert as da", "", "path = da.simulate(", f"    {typed(p['principle'])}(system),"]
    lines += [f"    {_literal(start)},", f"    until={_literal(p['until'])},"]
    lines += [f"    parameters={_literal(p.get('parameters', {}))},"]
    lines += [f"    {key}={_literal(value)}," for key, value in options.items()]
    stabilisation = str(p.get("stabilisation", ""))
    lines += [f"    stabilisation=da.methods.{stabilisation},"] if stabilisation else []
    return "\n".join([*lines, ")"])


def _literal(value: Any) -> str:
    """A value as Python writes it, numbers to the last bit."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{str(k)!r}: {_literal(v)}" for k, v in value.items()) + "}"
    return repr(float(value)) if hasattr(value, "dtype") else repr(value)


def _shown(value: Any) -> Html:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number(value)
    return text(json.dumps(value) if isinstance(value, Mapping | list | tuple) else value)
