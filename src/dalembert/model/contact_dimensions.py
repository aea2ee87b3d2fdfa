"""Is a gap a distance, and a slip a velocity, where friction acts? Then mu N is a force.

Let the body be moved by the Cartesian coordinates of one frame, x, y and z, which have one and the same mass. Along
them the rate of the gap is n.v and the slips are t_i.v, with unit vectors n and t_i across each other; all of them may
be longer by one factor, as that of the force is its reciprocal:

    [n, t_1, ...] = s Q ,    Q^T Q = 1

The gap R^2 - x^2 - y^2 has |n| = 2 R beside |t| = 1. A body that is guided in a plane may touch what is inclined to it:
then |n| < 1 = |t|, unless dimensions say that the gap is no length.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import sympy as sp

from ..calculus.frame import TIME
from ..calculus.from_sympy import read
from ..calculus.graph import Graph, evaluate, gradient
from ..calculus.line_width import cut
from ..errors import InvalidValue
from .contact import Contact
from .dimensions import fits_lengths
from .guard_regularity import onto

if TYPE_CHECKING:
    from .system import System

_STARTS, _FOUND = 12, 3  # from which a place on the surface is looked for, and how many are enough
_WRITTEN = 1e-3  # relative: as exactly as one writes a direction in decimals
_ALIKE = 1e-9  # relative: masses that are the same expression


def check_distances(system: System) -> None:
    """E137: a gap whose gradient is longer or shorter than its slip, or a slip across the surface.

    What follows of bodies is right.
    """
    for contact in system.contacts:
        if contact.slip and contact.rubs and not contact.between:
            for frame in _frames(system):
                if contact.gap.free_symbols & {*frame}:
                    _check(system, contact, frame)


def _frames(system: System) -> list[list[sp.Symbol]]:
    """Coordinates that are called x, y and z, with one ending, and whose rates are velocities."""
    own = [q for q, rate in system.space.rates.items() if rate in system.space.velocities and q.name[0] in "xyzXYZ"]
    own.sort(key=lambda q: (q.name[1:], q.name[0].isupper(), q.name))
    frames = (list(each) for _, each in groupby(own, lambda q: (q.name[1:], q.name[0].isupper())))
    return [frame for frame in frames if len(frame) > 1]


def _check(system: System, contact: Contact, frame: list[sp.Symbol]) -> None:
    rows = _rows(system, contact, frame)
    fits = partial(fits_lengths, system, contact, [q.name for q in frame])
    if not rows or any(_is_orthogonal(row, fits) for row in rows) or not _one_mass(system, frame):
        return
    n, *slips = (float(size) for size in np.linalg.norm(rows[0], axis=1))
    subject = "contacts", contact.name, "gap"
    if abs(n - 1) > _WRITTEN and not all(abs(n - t) <= _WRITTEN * n for t in slips):
        long = ", ".join(f"{t:.4g}" for t in slips)
        fact = f"the gap {cut(str(contact.gap), 80)} of {contact.name} is no distance: its gradient is {n:.4g} long, "
        fact += f"its slip {long}"
        raise InvalidValue("E137", fact, f'write the distance: gap="{contact.distance(frame)}"', subject=subject)
    subject = *subject[:2], "slip"
    said = cut(", ".join(map(str, contact.slip)), 80)
    if any(abs(t - n) > _WRITTEN * n for t in slips):
        fact = f"the slip {said} of {contact.name} is no velocity: {max(slips):.4g} long, the gap {n:.4g}"
        better = ", ".join(f'"{e}"' for e in contact.velocities(frame, system.space))
        raise InvalidValue("E137", fact, f"write a velocity: slip=[{better}]", subject=subject)
    fact = f"the slip {said} of {contact.name} is not along the surface, or its components are not across each other"
    raise InvalidValue(
        "E137", fact, "take out of each what is along the normal, the gradient of the gap", subject=subject
    )


def _rows(system: System, contact: Contact, frame: list[sp.Symbol]) -> list[np.ndarray]:
    """n and the slips along the frame (1 + k, 2 or 3), at places on the surface."""
    rates = [system.space.rates[q] for q in frame]
    graph, rng, names = Graph(), np.random.default_rng(48), [q.name for q in frame]
    nodes = [f := read(contact.gap, graph), *gradient(f, [graph.symbol(name) for name in names])]
    for s in contact.slip:
        nodes += gradient(read(s, graph), [graph.symbol(str(u)) for u in rates])
    others = {s.name for e in (contact.gap, *contact.slip) for s in e.free_symbols} - {s.name for s in system.space}
    known = {name: value for name, value in system.parameters.items() if value is not None and name in others}
    found: list[np.ndarray] = []
    for _ in range(_STARTS):
        values = {**system.space.sample(rng, sorted({*others, TIME.name})), **known}
        if onto(nodes, names, values):
            with np.errstate(all="ignore"):
                row = np.array(evaluate(nodes[1:], values), float).reshape(-1, len(frame))
            found += [row] if np.isfinite(row).all() else []
        if len(found) == _FOUND:
            break
    return found


def _is_orthogonal(rows: np.ndarray, fits: Callable[[], bool]) -> bool:
    """Are these rows of s Q, the last column left out where they are of a plane?"""
    k, d = len(rows) - 1, rows.shape[1]
    if k == 2 and d == 2:
        rows = rows.T
    elif not np.linalg.norm(rows, axis=1).all():
        return True  # what slips here is moved by others
    square = rows @ rows.T
    size = np.sqrt(np.diag(square))
    apart = square / np.outer(size, size) - np.eye(len(rows))
    if np.abs(apart).max() > _WRITTEN:
        return False
    inclined = k == 1 and d == 2 and size[0] < 1 and abs(size[1] - 1) <= _WRITTEN
    return bool(np.ptp(size) <= _WRITTEN * size.max() or (inclined and fits()))


def _one_mass(system: System, frame: list[sp.Symbol]) -> bool:
    """Is the kinetic energy along the frame m (x'^2 + y'^2)/2, with one m at all places?"""
    algebra, u = system.algebra, [system.space.rates[q] for q in frame]
    names = [algebra.read(each) for each in u]
    M = [row for p in gradient(algebra.read(system.lagrangian), names) for row in gradient(p, names)]
    rng, held = np.random.default_rng(49), sorted({*system.symbols})
    parameters = {name: float(rng.uniform(0.5, 1.5)) for name in (*held, *system.inputs)}
    states = [{**system.space.sample(rng, [TIME.name]), **parameters} for _ in range(2)]
    with np.errstate(all="ignore"):
        found = [np.array(evaluate(M, state), float).reshape(len(u), -1) for state in states]
    m = found[0][0, 0]
    return bool(m > 0 and all(np.abs(each - m * np.eye(len(u))).max() <= _ALIKE * m for each in found))
