"""A variation of a given curve: do the constraints allow it, is it virtual, and what work is done along it?

For eta in the frame, E[L] = EL(L) - Q along the curve, N^s = dphi^s/du:

    delta phi = d/dt(N eta) - EL(phi) eta = 0        the varied curve keeps the constraints   [sussman2015 (1.185)]
    N eta = 0                                        eta is a virtual velocity                [sussman2015 (1.236)]
    E[L] eta = 0                                     no work is done along it                 [sussman2015 (1.237)]

(1.185) is Definition 2.5's variation, (1.236) that of Definition 2.2 [lewis1995]; they agree where a constraint is
integrable. With held ends dJ = -int E[L] eta dt.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import sympy as sp

from ..calculus.frame import TIME
from ..calculus.graph import Graph, evaluate
from ..calculus.read import read
from ..calculus.symbols import by_name
from ..errors import InvalidValue, WrongType
from ..given import noun
from ..model.expression import Reader
from ..model.names import key_name
from ..model.system import System
from .curve_rows import Rows
from .sampled import Sampled

HOLDS = 1e-5  # over the size of the terms, as for a curve
OFF = 1e-9  # of a displacement: what no velocity of the space makes


@noun
@dataclass(frozen=True)
class Varied:
    """What a variation of a curve does.

    Attributes:
        t: times (T,) at which it was looked at.
        eta: ``{velocity: (T,)}``, the variation as virtual velocities.
        consistent: ``{constraint: largest |delta phi| over the size of its terms}``, 0 if the varied curve keeps it.
        virtual: ``{constraint: largest |N eta| over the size of its terms}``, 0 for virtual velocities.
        work: largest |E[L] eta| over the size of its terms.
        action: -int E[L] eta dt, the rate of the action if the ends are held.
        ends: largest |eta| at the first and last time looked at, over the largest of all: 0 if the ends are held.
    """

    t: np.ndarray
    eta: Mapping[str, np.ndarray]
    consistent: Mapping[str, float]
    virtual: Mapping[str, float]
    work: float
    action: float
    ends: float

    @property
    def keeps_constraints(self) -> bool:
        """(1.185): does the varied curve keep the constraints, to first order?"""
        return max(self.consistent.values(), default=0.0) <= HOLDS

    @property
    def is_virtual(self) -> bool:
        """(1.236): is it a virtual velocity at each time?"""
        return max(self.virtual.values(), default=0.0) <= HOLDS

    @property
    def does_no_work(self) -> bool:
        """(1.237): does E[L] no work along it, at each time?"""
        return self.work <= HOLDS

    def __str__(self) -> str:
        said = {
            "keeps constraints": (self.keeps_constraints, max(self.consistent.values(), default=0.0)),
            "virtual": (self.is_virtual, max(self.virtual.values(), default=0.0)),
            "without work": (self.does_no_work, self.work),
        }
        lines = [f"{name:17}  {'yes' if holds else 'no '}  {size:.1e}" for name, (holds, size) in said.items()]
        return "\n".join([*lines, f"action             {self.action:.6g} per unit of it, were its ends held"])

    __repr__ = __str__


def varied(system: System, along: Sampled, rows: Rows, variation: Mapping[sp.Symbol | str, object]) -> Varied:
    """What a variation of a sampled curve does; see `Satisfied.varied`."""
    eta = _read(system, variation, along)
    names = [c.name for c in system.constraints]
    normal = np.einsum("tsa,ta->ts", rows.N, eta)
    change = rows.pieces.slope(normal) - np.einsum("tsa,ta->ts", rows.E, eta)
    # sizes of the terms of d/dt(N eta) and of EL(phi) eta
    apart = np.einsum("tsa,ta->ts", np.abs(rows.N), np.abs(eta)).max(axis=0, initial=0.0)
    fast = np.abs(rows.pieces.slope(eta)) + np.abs(eta) / rows.span
    moving = np.einsum("tsa,ta->ts", np.abs(rows.N), fast) + np.einsum("tsa,ta->ts", np.abs(rows.E), np.abs(eta))
    power = np.einsum("ta,ta->t", rows.R, eta)
    full = float((rows.sizes * np.abs(eta)).sum(axis=1).max())
    return Varied(
        along.t,
        dict(zip((u.name for u in system.space.velocities), eta.T, strict=True)),
        _over(names, change, moving.max(axis=0, initial=0.0)),
        _over(names, normal, apart),
        float(np.abs(power).max()) / full,
        -float(rows.pieces.weights @ power),
        float(np.abs(eta[[0, -1]]).max() / np.abs(eta).max()),
    )


def _over(names: list[str], found: np.ndarray, sizes: np.ndarray) -> dict[str, float]:
    largest = np.abs(found).max(axis=0, initial=0.0)
    return {n: float(v / s) if s > 0 else 0.0 for n, v, s in zip(names, largest, sizes, strict=True)}


def _read(system: System, variation: object, along: Sampled) -> np.ndarray:
    """eta (T, k): virtual velocities as given, or those that make the displacements given."""
    space, reader = system.space, Reader.of(system)
    if not isinstance(variation, Mapping):
        fact = f"a variation is a mapping, not {type(variation).__name__}"
        raise WrongType("E152", fact, '{"x": "t"}, by coordinates or by velocities')
    given = by_name(variation, "variation", key_name)
    places, speeds = ([s.name for s in some] for some in (space.coordinates, space.velocities))
    names = speeds if {*given} <= {*speeds} else places
    strange = [n for n in given if n not in names]
    if strange or not given:
        fact = f"the variation gives {', '.join(strange) or 'nothing'}"
        raise InvalidValue("E152", fact, f"coordinates {', '.join(places)}, or velocities {', '.join(speeds)}")
    graph = Graph()
    arrays = {n: e for n, e in given.items() if isinstance(e, np.ndarray)}
    if any(e.shape != along.t.shape for e in arrays.values()):
        fact = f"arrays hold the {len(along.t)} values at the times of the verdict on the same curve"
        raise InvalidValue("E152", fact, "found.varied(found.vakonomic.variation)")
    plain = {n: 0 if n in arrays else e for n, e in given.items()}
    nodes = [read(reader.read(plain.get(n, 0), f"the variation of {n}"), graph) for n in names]
    anchor = [read(e, graph) for e in space.anchor]
    with np.errstate(all="ignore"):
        columns = evaluate([*nodes, *anchor], {**along.known, TIME.name: along.t})
    flat = np.array([np.broadcast_to(np.asarray(v, float), along.t.shape) for v in columns]).T.copy()
    for n, values in arrays.items():
        flat[:, names.index(n)] = values
    moved, E = flat[:, : len(names)], flat[:, len(names) :].reshape(len(flat), len(places), len(speeds))
    if not np.isfinite(moved).all() or not np.abs(moved).max() > 0:
        raise InvalidValue("E152", "the variation is 0, or not a number somewhere on the curve", '{"x": "t"}')
    return moved if names is speeds else _followed(moved, E)


def _followed(moved: np.ndarray, E: np.ndarray) -> np.ndarray:
    """eta with E eta = the displacements."""
    eta = np.asarray((np.linalg.pinv(E) @ moved[..., None])[..., 0])
    if np.abs((E @ eta[..., None])[..., 0] - moved).max() > OFF * np.abs(moved).max():
        raise InvalidValue("E152", "no velocity of the space makes this variation", "give it by velocities")
    return eta
