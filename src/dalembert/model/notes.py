"""What is noted and doubted of a system when it is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import sympy as sp

from ..calculus.angles import cyclic, hertz, in_degrees, like_degrees, turns
from ..calculus.graph import operations
from ..calculus.letters import free_symbols
from ..calculus.number import LARGEST
from ..calculus.quantity import in_hertz
from ..errors import Note, warn
from ..errors.alike import mistakable
from . import dimensions
from .acting import generalised
from .body import symbols_of
from .driven import driving_notes, repeated_notes
from .expression import Reader
from .force import Force
from .magnitudes import magnitude_notes
from .mixed import mixed_notes
from .rest import rest_notes
from .up import gravity_notes

if TYPE_CHECKING:
    from .system import System

_JUMPS = {"sign", "floor", "ceil", "select"}  # operations of the graph that those below become
_ROUGH = (sp.Heaviside, sp.sign, sp.floor, sp.ceiling, sp.Piecewise)


def system_notes(system: System) -> tuple[Note, ...]:
    """All that is said of a system when it is made."""
    written = [p for p in system.laws if not (isinstance(p, Force) and p.slip)]
    return (
        *_mistakable(system),
        *_unused(system),
        *_cyclic(system),
        *_in_time(system),
        *_rough(system),
        *rest_notes(system, generalised(written, Reader.of(system).of_forces(system.constraints))),
        *_value_notes(system),
        *gravity_notes(system),
        *driving_notes(system),
        *repeated_notes(system),
        *system.doubts(system.parameters),
        *dimensions.notes(system),
    )


def _mistakable(system: System) -> list[Note]:
    """W102: two names that some typefaces show alike."""
    pair = mistakable(dict.fromkeys((*system.space.by_name, *system.parameters, *system.symbols, *system.definitions)))
    if pair is None:
        return []
    return [warn("W102", f"{pair[0]} and {pair[1]} are easily taken for each other: rename one of them", 6)]


def _unused(system: System) -> list[Note]:
    """W119: parameters and inputs that stand nowhere."""
    drawn = {s.name for s in symbols_of(system.bodies)}
    drawn |= {s.name for e in system.definitions.values() for s in free_symbols(e)}
    asked = () if system.inputs else system.parameters  # formulas of inputs may use the others
    idle = [f"parameter {name}" for name in asked if name not in system.symbols and name not in drawn]
    idle += [f"input {name}" for name in system.inputs if name not in system.symbols]
    return [warn("W119", f"{what} is not used anywhere", 6) for what in idle]


def _cyclic(system: System) -> list[Note]:
    """W105: coordinates that stand nowhere and move nothing that does."""
    own = system.names_in(system.expressions)
    used = own | system.names_in(system.space.frame.rates)
    rates = system.space.rates.items()
    idle = [q for q, rate in rates if q.name not in used and not system.names_in([rate]) & own]
    return [warn("W105", f"{q} occurs neither in L nor in a constraint", 6) for q in idle]


def _in_time(system: System) -> Iterable[Note]:
    """N120: the time occurs; N115: constraints that are relations between positions."""
    if not system.autonomous:
        yield Note("N120", "the time occurs explicitly: energy is audited against the work done, not conserved")
    for c in system.constraints:
        if c.holonomic:
            said = f"{c.name} is a relation between positions: holonomic, its rate is used and its value kept"
            yield Note("N115", said)


def _rough(system: System) -> list[Note]:
    """W151: L or a constraint jumps."""
    smooth = [system.lagrangian, *(c.given for c in system.constraints)]
    jumps = operations([system.algebra.read(e) for e in smooth]).keys() & _JUMPS
    rough = [f.__name__ for f in _ROUGH if jumps and any(e.has(f) for e in smooth)]
    text = f"L or a constraint jumps ({', '.join(rough)}): impulses at the jumps are not computed"
    return [warn("W151", text, 5)] if rough else []


def _value_notes(system: System) -> list[Note]:
    """W208: a parameter whose powers leave the range of floats; W209: an angle of many turns; W211; W213."""
    given = {name: value for name, value in system.parameters.items() if value}
    far = [name for name, value in given.items() if not 1 / LARGEST < abs(value) < LARGEST]
    notes = [warn("W208", f"{name} = {given[name]:g}: badly scaled, choose other units", 6) for name in far]
    large = {name for name, value in given.items() if like_degrees(value, None) and name not in system.units}
    angles = system.angles & large if large else set()
    notes += [warn("W209", turns(name, given[name]), 6) for name in angles]
    written = [*system.expressions, *system.of_surfaces, *system.defined.values()]
    notes += [warn("W209", text, 6) for text in in_degrees(written)]
    return [*notes, *mixed_notes(system), *magnitude_notes(system), *hertz_notes(system, system.written)]


def hertz_notes(system: System, given: Mapping[str, object]) -> list[Note]:
    """W211: values in hertz of what stands in no argument of a sine."""
    told = {name: value for name, value in given.items() if isinstance(value, str) and in_hertz(value)}
    return [warn("W211", hertz(n, text), 7) for n, text in told.items() if not cyclic(n, system.expressions)]
