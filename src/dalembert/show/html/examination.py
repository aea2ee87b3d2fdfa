"""What an examination of constraints found. The room of geometry is not known here: attributes are read."""

from __future__ import annotations

from typing import Any

from .markup import Html, join, listed, table, tag


def fragment(examination: Any) -> Html:
    """The verdict, the constraints one by one, and what follows for all together."""
    rows = [
        (r.name, r.kind, str(r.answer) if r.kind in ("linear", "affine") else "", r.integral or "")
        for r in examination.rows
    ]
    head = ("constraint", "kind", "integrable by itself", "its integral")
    parts = [tag("h3", f"{examination.title or 'System'}: {examination.verdict}")]
    if rows:
        parts.append(table(head, rows, f"Rank {examination.rank} of {len(rows)}, {examination.velocities} velocities"))
    return join([*parts, listed(examination.notes), tag("p", f"Decided: {examination.decided}", class_="small")])
