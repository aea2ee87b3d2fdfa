"""Check the arguments of functions on systems: the system, and the generators that act on it."""

from __future__ import annotations

from ..errors import InvalidValue, UnknownName, WrongType, did_you_mean, kind_of
from ..errors.remedies import Call, Code, Option
from ..model.expression_symbols import Reader
from ..model.symmetry import Generator, generators
from ..model.system import System


def needs_system(system: object, asked: str) -> None:
    """Raises WrongType E101 for anything but a system."""
    if not isinstance(system, System):
        raise WrongType("E101", f"{asked} needs a System, not {kind_of(system)}", "da.System(space=..., ...)")


def declared(system: System, symmetry: object, asked: str) -> tuple[Generator, ...]:
    """The generators given, or by default those that the system declares.

    Raises:
        WrongType: E101, not a system.
        DalembertError: E104 a symbol that is no coordinate and no parameter of the system, E201 a parameter without a
            value, E125 what is no symmetry.
    """
    needs_system(system, asked)
    found = system.symmetry if symmetry is None else generators(symmetry, Reader.of(system))
    known = _known(system)
    for generator in found:
        _check_symbols(generator, system, known)
    return found


def _check_symbols(generator: Generator, system: System, known: set[str]) -> None:
    """Refuse symbols that stand for nothing (E104), and parameters without a value that nothing else holds (E201)."""
    for name in sorted({s.name for e in generator.components for s in e.free_symbols}):
        if name not in known:
            raise UnknownName(
                "E104",
                f"generator {generator.name}: {name} is no coordinate and no parameter of the system",
                (f"{did_you_mean(name, known)}\nor declare it: ", Option("parameters", {name: ...})),
            )
        if name in system.parameters and system.parameters[name] is None and name not in system.symbols:
            fact = f"no value for {name} (used in generator {generator.name})"
            raise UnknownName("E201", fact, ("give ", Option("parameters", {name: ...})))


def acting(system: System, symmetry: object, asked: str) -> tuple[Generator, ...]:
    """The declared generators; E125 if there are none."""
    found = declared(system, symmetry, asked)
    if not found:
        raise InvalidValue(
            "E125",
            "the system declares no symmetry",
            (
                *(Option("symmetry", Code('"x y"')), ", or ", Call(asked.removeprefix("da."), "system, symmetry")),
                "; which there are tells ",
                Call("symmetries", "system"),
            ),
        )
    return found


def _known(system: System) -> set[str]:
    """Names of coordinates and of parameters: those declared, and those that occur."""
    space = system.space
    brackets = (e for row in space.brackets.values() for e in row)
    others = (
        *system.momenta.values(),
        *(c.given for c in system.equivalent),
        *system.of_surfaces,
    )
    used = {s.name for s in space.frame.letters.union(*(e.free_symbols for e in (*others, *brackets)))}
    used |= system.names_in(system.expressions)
    return (
        {q.name for q in space.coordinates} | {*system.parameters} | used - {"t", *(u.name for u in space.velocities)}
    )
