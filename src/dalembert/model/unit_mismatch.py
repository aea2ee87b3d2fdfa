"""Values that are hardly in one system of units: two masses or two lengths, given as numbers, that are far apart."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import sympy as sp

from ..calculus.from_sympy import read
from ..calculus.graph import Graph, evaluate
from ..calculus.quantity import NUMBER, SECOND, Dimension, has_unit, quantity, scaled
from ..errors import InvalidValue, Note, about, warn
from . import dimensions
from .bodies import METRE
from .dimensions import Balance, DimensionForm

if TYPE_CHECKING:
    from .system import System


# times the smaller one: a metre is 1e3 mm, and a wheel of 3 cm runs on a table of 30 m; a tonne is 1e6 g
FAR = {"lengths": 1e3, "masses": 1e5, "of one dimension": 1e5}


def magnitude_notes(system: System) -> list[Note]:
    """W213: parameters of one dimension that are far apart, not both given with a unit; a coefficient of a force alone,
    such as the lever of a pivoting friction, may be as small as it likes.

    Without units, which is a length follows from the coordinates, and a mass from the energy. Where all coordinates are
    angles neither does: then those are compared that must be of one dimension, whatever it is.
    """
    given = {n: abs(v) for n, v in system.parameters.items() if v and n in system.symbols}
    if not given or max(given.values()) < min(FAR.values()) * min(given.values()):
        return []
    of_bodies = system.names_in((system.lagrangian, *(c.given for c in system.constraints)))
    given = {name: value for name, value in given.items() if name in of_bodies}
    known = dimensions.compared(system)
    return [] if known is None else [warn("W213", text, 6) for text in _told(system, given, known)]


def far_notes(system: System, start: Mapping[str, object], values: Mapping[str, float]) -> list[Note]:
    """W213: a coordinate of a start, a length without a unit, that is far above all lengths of the system.

    The motion must depend on it otherwise than along a slope or a field of one strength: there it may begin anywhere.
    """
    given = {name: abs(x) for name, x in start.items() if isinstance(x, int | float) and name in system.space.by_name}
    least = min((abs(x) for x in values.values() if x), default=0.0)
    far = {name: x for name, x in given.items() if least and x >= FAR["lengths"] * least}
    kinds = system.lengths if far else {}
    notes = []
    for name in far.keys() & kinds.keys():
        sizes = {abs(values[p]): p for p in values if values[p] and kinds.get(p) == kinds[name]}
        large = max(sizes, default=0.0)
        if large and given[name] >= FAR["lengths"] * large and _bends(system, name):
            times = f"{name} = {given[name]:g} is {given[name] / large:.2g} times {sizes[large]} = {large:g}"
            fact = f"{times}, the largest length of the system: in one unit?"
            notes.append(warn("W213", f'{fact} with its unit, {name}="...", a value is taken as it is', 7))
    return notes


def _bends(system: System, name: str) -> bool:
    """Is L no polynomial of degree one in a coordinate?"""
    q = system.space.by_name[name]
    return q in system.lagrangian.free_symbols and system.lagrangian.diff(q).has(q)


def lengths(system: System) -> dict[str, str]:
    """Parameters and coordinates that are lengths, and of which unit."""
    known = dimensions.compared(system)
    if known is None:
        return {}
    names = [*system.symbols, *(q.name for q in system.space.coordinates)]
    kinds = {name: _kind(system, known.reduced(DimensionForm.of(name)), known) for name in names}
    return {name: kind for name, kind in kinds.items() if kind.startswith("lengths")}


def _told(system: System, given: dict[str, float], known: Balance) -> Iterator[str]:
    """Of each kind the smallest and the largest, where they are far apart."""
    kinds = {name: _kind(system, known.reduced(DimensionForm.of(name)), known) for name in given}
    for kind, names in groupby(sorted((kind, given[name], name) for name, kind in kinds.items()), lambda each: each[0]):
        (_, small, one), *_, (_, large, other) = [*names] * 2
        what = kind.partition(":")[0]
        if what and large >= FAR[what] * small and not {one, other} <= system.written.keys():
            bare = one if other in system.written else other
            far = f"{other} = {large:g} is {large / small:.2g} times {one} = {small:g}"
            yield f'{far}, and both are {what}: in one unit? with its unit, {bare}="...", a value is taken as it is'


def _kind(system: System, form: DimensionForm, known: Balance) -> str:
    """Of which kind a value is, "" where it is compared with nothing."""
    positions = {known.reduced(DimensionForm.of(q.name)) for q in system.space.coordinates} - {DimensionForm()}
    # L = m (x/s)^2
    masses = {dimensions.energy(known) * (DimensionForm(SECOND) / x) ** 2 for x in positions}
    if form in positions | {DimensionForm(Dimension.of({"m": 1}))}:
        return f"lengths:{form}"
    if form in masses | {DimensionForm(Dimension.of({"kg": 1}))}:
        return f"masses:{form}"
    turning = {q.name for q in system.space.coordinates} <= system.space.angles
    return f"of one dimension:{form}" if form.unknown and turning else ""


# ---------------------------------------------------------------------------------------------------------------------
# Values with the digits of those that they replace, and the point elsewhere: 66.9 for 0.0669, as grams for
# kilograms.
# A value of d digits is met again at another power 10^n by intent where it is round: 1, 10, 100. The more digits, and
# the farther the point is moved, the less so.

ENOUGH, FARTHEST = 4, 6  # digits and places together at which it is doubted; places beyond which it is no slip
EXACT = 1e-9


def shifted_notes(
    before: Mapping[str, float | None], override: Mapping[str, float], shown: set[str] | None = None
) -> list[Note]:
    """W214: values whose digits are those before, with the point elsewhere.

    Each is a note; shown is the first of each name, which is put among the `shown`: in a loop over decades every value
    has the digits of that before.
    """
    found = {
        name: shifted(name, value, old, "declared as") for name, value in override.items() if (old := before.get(name))
    }
    notes, shown = [], set() if shown is None else shown
    for name, told in found.items():
        if told:
            notes.append(Note("W214", told) if name in shown else warn("W214", told, 6))
            shown.add(name)
    return notes


def shifted(name: str, value: float, before: float, how: str) -> str:
    """The doubt in words, if there is one; `how` the value before was given."""
    n = places(value, before)
    times = f"{10**n:g} times that" if n > 0 else f"{10**n:g} of that"
    told = f"{name} = {value:g} has the digits of {before:g}, which {name} is {how}, and is {times}"
    return f"{told}: is it in another unit?" if n else ""


def places(value: float, before: float) -> int:
    """n with  value = 10^n before,  0 where that is no cause for doubt."""
    ratio = value / before if before else 0.0
    if not 10.0**-FARTHEST / 2 < ratio < 2 * 10.0**FARTHEST:
        return 0
    n = round(math.log10(ratio))
    same = abs(ratio / 10.0**n - 1) < EXACT
    return n if same and n and digits(before) and digits(before) + abs(n) >= ENOUGH else 0


def digits(value: float) -> int:
    """How many digits a number has from its first to its last that is not 0; none where it is a power of ten."""
    told = f"{abs(value):.12e}".partition("e")[0].replace(".", "").rstrip("0")
    return 0 if told == "1" else len(told)


# --- Speeds that nothing has: above that of light, where the units are known -----------------------------------------

LIGHT = 299_792_458.0  # m/s


def light_notes(system: System, state: Mapping[str, float]) -> list[Note]:
    """W216: a speed above that of light, most often one in mm/s or another unit; or a force in one."""
    return [
        warn("W216", f"{name} = {state[name]:.3g} m/s is faster than light, {LIGHT:.3g} m/s: in which unit is it?", 7)
        for name in too_fast(system, state)[:1]
    ]


def passing_notes(system: System, first: Mapping[str, float], most: Mapping[str, float]) -> list[Note]:
    """W216 of a run: a speed that comes to lie above that of light, by a force or a mass in another unit."""
    begun = too_fast(system, first)
    fact = f"m/s is reached, faster than light, {LIGHT:.3g} m/s: in which units are the forces and the masses?"
    return [Note("W216", f"{name} = {most[name]:.3g} {fact}") for name in too_fast(system, most)[:1] if not begun]


def too_fast(system: System, state: Mapping[str, float]) -> list[str]:
    """Velocities that are known to be speeds, and above that of light."""
    fast = [u for u in system.space.velocities if abs(state.get(u.name, 0.0)) > LIGHT]
    return [u.name for u in fast if system.unit(u) == "m/s"]


# ---------------------------------------------------------------------------------------------------------------------
# Numbers without a unit beside values with one: lengths among lengths, lengths beside an acceleration; and
# gravity in
# cm/s^2.

GRAVITY = {"cm/s^2": 980.665, "mm/s^2": 9806.65, "ft/s^2": 32.174}  # what 9.80665 m/s^2 is in other units
NEAR = 0.004  # of it, over the earth's surface: 978.0 to 983.2
_TOLD = {"m", "kg", "s"}
MOST = 4  # bare numbers that are named


class Bare(NamedTuple):
    """A number that was given without a unit, the unit of base SI in which it is taken, and where it stands."""

    name: str
    value: float
    unit: str
    where: str = ""


def mixed_notes(system: System) -> list[Note]:
    """W210: a parameter without a unit beside another of its kind in a unit that is not base SI; W215, beside any."""
    first: dict[str, str] = {}
    for name, text in system.written.items():
        if isinstance(text, str) and scaled(text) and (kind := _unit_of(system, name)):
            first.setdefault(kind, name)
    bare = {n: v for n, v in system.parameters.items() if v and n in system.symbols and n not in system.written}
    notes = []
    for name, value in bare.items() if first else ():
        kind = _unit_of(system, name)
        if other := first.get(kind):
            fact = f'{name} = {value:g} has no unit and is taken in {kind}, beside {other} = "{system.written[other]}"'
            unit = system.written[other].split(None, 1)[-1]
            notes.append(warn("W210", f'{fact}: was "{value:g} {unit}" meant? Else write "{value:g} {kind}"', 6))
    told = {note.text.split(None, 1)[0] for note in notes}
    if system.space.by_name.keys() & system.units.keys():  # units= says in which unit the numbers are
        return notes
    said = {*told, *system.units, *system.defined}
    numbers = [Bare(name, value, _unit_of(system, name)) for name, value in bare.items() if name not in said]
    return [*notes, *bare_notes(system.written, numbers)]


def start_notes(system: System, start: Mapping[str, object]) -> list[Note]:
    """W215: in one start, numbers without a unit beside values with one."""
    texts = {name: given for name, given in start.items() if isinstance(given, str) and name in system.space.by_name}
    if not texts:
        return []
    plain = clear(system)
    kinds = {name: system.unit(system.space.by_name[name]) for name in start if name in system.space.by_name}
    beside = {kinds[name]: text for name, text in texts.items() if scaled(text)}
    numbers = {n: x for n, x in start.items() if n in kinds and isinstance(x, int | float)}
    bare = [Bare(n, x, kinds[n]) for n, x in numbers.items() if n not in plain or kinds[n] in beside]
    return list(bare_notes(texts, bare))


def clear(system: System) -> set[str]:
    """Names of a start whose numbers are in a known unit: `units` declares it, or that of the coordinate; and angular
    velocities, which are in rad/s.
    """
    rates = system.space.rates
    found = {*system.units, *(str(u) for q, u in rates.items() if q.name in system.units)}
    return found | {u.name for u in system.space.velocities if system.unit(u) == "1/s"}


def bare_notes(written: Mapping[str, object], numbers: Iterable[Bare]) -> Iterator[Note]:
    """W215: numbers without a unit beside a value that was written with its own.

    They are lengths, masses and times, which are often told in cm, g and ms.
    """
    found = [bare for bare in numbers if bare.value and bare.unit in _TOLD]
    beside = next((name for name, text in written.items() if found and measured(text)), None)
    if beside is None:
        return
    read = [f"{bare.name} = {bare.value:g}{bare.where} in {bare.unit}" for bare in found[:MOST]]
    more = f" and {len(found) - MOST} more in base SI" if len(found) > MOST else ""
    fact = f'without a unit beside {beside} = "{written[beside]}" is taken {", ".join(read)}{more}'
    yield warn("W215", f'{fact}: write "{found[0].value:g} {found[0].unit}" where it is so', 6)


def measured(given: object) -> bool:
    """Is it text with a unit that is more than an angle: "9.81 m/s^2", and not "30 deg"?"""
    if not isinstance(given, str) or not has_unit(given):
        return False
    dimension = quantity(given, "").dimension
    return dimension is not None and bool(dimension.powers)


def gravity_notes(system: System, known: Mapping[str, float | None]) -> Iterator[Note]:
    """W210: an acceleration in base SI that is the earth's in another unit, 981 or 32.2."""
    for name, value in known.items():
        own = system.written.get(name) is not None and value == system.parameters.get(name)
        for unit, size in GRAVITY.items():
            if value and not own and abs(abs(value) - size) < NEAR * size and _unit_of(system, name) == "m/s**2":
                fact = f"{name} = {value:g} is taken in m/s^2, and gravity is {size:.4g} {unit}"
                yield warn("W210", f'{fact}: was "{value:g} {unit}" meant?', 6)


def _unit_of(system: System, name: str) -> str:
    return system.unit(system.symbols[name]) if name in system.symbols else ""


# --- Can the bodies of a system be drawn? Sizes are above 0, lengths are in metres, angles are numbers ---------------


def check_bodies(system: System) -> None:
    """E147, a size that is not above 0 at the values of the parameters; E134, one in another unit than a length."""
    for n, body in enumerate(system.bodies):
        for part, es in {**body.measures, **body.places}.items():
            with about("bodies", str(n), part):
                for e in es:
                    _check_unit(system, e, f"{part} of the body {body.name}", "m")
        with about("bodies", str(n), "turn"):
            for e in body.angles:
                _check_unit(system, e, f"turn of the body {body.name}", "1")
    check_sizes(system, system.parameters)


def check_sizes(system: System, known: Mapping[str, float | None]) -> None:
    """E147, a size that is not above 0 at these values of parameters and states, as far as they are known."""
    given = {name: value for name, value in known.items() if value is not None}
    for n, body in enumerate(system.bodies):
        for part, es in body.measures.items():
            for e in es:
                value = _value(e, given)
                if value is not None and not value > 0:
                    told = f"{value:.12g}" if e.is_number else f"{e} = {value:.12g}"
                    fact = f"{part} of the body {body.name} must be above 0, is {told}"
                    raise InvalidValue("E147", fact, f"give a {part} above 0", subject=("bodies", str(n), part))


def _value(e: sp.Expr, given: Mapping[str, float]) -> float | None:
    """Its value, None where something in it has none."""
    names = {s.name for s in e.free_symbols}
    if not names <= given.keys():
        return None
    value = evaluate([read(e, Graph())], {name: given[name] for name in names})[0]
    return float("nan") if isinstance(value, complex) else float(value)


def _check_unit(system: System, e: sp.Expr, where: str, needs: str) -> None:
    """E134; without units, and where these do not say it, nothing is asked."""
    if not system.units or e.is_number:
        return
    found = dimensions.of(e, system.balance)
    fits = (NUMBER,) if needs == "1" else (NUMBER, METRE)
    if found is not None and found.known not in fits:
        wanted = "an angle is a number" if needs == "1" else "a length is in m"
        raise InvalidValue("E134", f"{where} = {e} is in {found}, and {wanted}", "correct it, or a unit of a parameter")
