"""The picture of the house, drawn from the floor plan in CONTRIBUTING.md: ``python docs/figures/house.py``.

A room stands one floor above the highest room it imports. Who imports whom is the table itself, and a test.
"""

import re
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLAN = HERE.parents[1] / "CONTRIBUTING.md"
WORDS = {
    "calculus": "expressions as a graph",
    "event": "where something happens",
    "trajectory": "what happened",
    "record": "what was seen",
    "recording": "tables made records",
    "input_file": "opened with care",
    "question": "asked of a record",
    "comparison": "two motions, a verdict",
    "findings": "what fits found",
    "model": "space, constraints, forces, system",
    "equations": "what follows from a principle",
    "geometry": "constraints, symmetry",
    "scene": "bodies, and where they are",
    "machines": "joints and robot files",
    "numerics": "methods, runs",
    "systems": "the gallery, a file a system",
    "principles": "one assumption, one file",
    "proof": "intervals, certificates",
    "reconstruction": "from reduced to full motion",
    "experiment": "fit, rank, compare",
    "show": "figures, formulas, pages",
    "study": "system files, read and written",
    "papers": "reproductions, claim by claim",
    "apps": "the command line and its pages",
}
WIDTH, TALL, GAP, EDGE = 960, 58, 12, 16
STYLE = """<style>
text { font-family: system-ui, sans-serif; fill: #1b2733 }
.name { font-size: 15px; font-weight: 600 }
.words { font-size: 11.5px; fill: #4a5a68 }
.floor { font-size: 11px; fill: #4a5a68 }
rect { fill: #f2f6fa; stroke: #9fb3c4; stroke-width: 1 }
.noun { fill: #fff4e6; stroke: #d9a15b }
@media (prefers-color-scheme: dark) {
text { fill: #e8eef3 }
.words, .floor { fill: #b4c2ce }
rect { fill: #1d2833; stroke: #56697a }
.noun { fill: #33291c; stroke: #96703c }
}
</style>"""
NOUNS = {"equations", "event", "trajectory", "record", "comparison", "findings", "question"}


def plan(text):
    """{room: rooms it may import} of the table below "Floor plan"; None for a room that may import anything."""
    table = text.split("## Floor plan")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ([a-z_, ]+) \| (.*) \|$", table, flags=re.MULTILINE)
    may = {room: allowed for rooms, allowed in rows for room in rooms.split(", ") if room != "room"}
    return {
        room: None if allowed.startswith("anything") else set(allowed.split(", ")) & set(may)
        for room, allowed in may.items()
    }


def floors(may):
    """Rooms floor by floor from the ground; those that may import anything stand on top."""
    top = [room for room, allowed in may.items() if allowed is None]

    def height(room):
        return 1 + max((height(other) for other in may[room]), default=-1)

    heights = {room: height(room) for room in may if room not in top}
    found = [[room for room in may if heights.get(room) == floor] for floor in range(max(heights.values()) + 1)]
    return [*found, *([room] for room in top)]


def box(room, x, y, wide):
    """A room: its name and what is in it."""
    middle, kind = x + wide / 2, "noun" if room in NOUNS else "room"
    return (
        f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{wide:g}" height="{TALL}" rx="6"/>'
        f'<text class="name" text-anchor="middle" x="{middle:g}" y="{y + 24:g}">{room}</text>'
        f'<text class="words" text-anchor="middle" x="{middle:g}" y="{y + 43:g}">{WORDS[room]}</text>'
    )


def picture(may):
    """The SVG text."""
    rows = floors(may)[::-1]
    high = 2 * EDGE + len(rows) * (TALL + GAP) - GAP
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high}" role="img">', STYLE]
    parts.append("<title>The rooms of the library: each imports only rooms on the floors below it</title>")
    for row, rooms in enumerate(rows):
        y = EDGE + row * (TALL + GAP)
        parts.append(f'<text class="floor" x="{EDGE}" y="{y + 34:g}">{len(rows) - 1 - row}</text>')
        left, most = EDGE + 24, max(4, len(rooms))
        wide = (WIDTH - left - EDGE - GAP * (most - 1)) / most
        left += (most - len(rooms)) * (wide + GAP) / 2
        parts += [box(room, left + i * (wide + GAP), y, wide) for i, room in enumerate(rooms)]
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    (HERE / "house.svg").write_text(picture(plan(PLAN.read_text(encoding="utf-8"))), encoding="utf-8")
