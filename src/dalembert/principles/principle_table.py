"""The principles and forms that can be named in text, as a user or a file writes them: one row each.

What is to be known of a principle by its name stands in its row: how the constraints are imposed, the sources it rests
on, and whether its multipliers are part of a start. Citations, files, the command line and the completion of shells
read it here. Nothing heavy is loaded for it: the page of a stored path needs no SymPy; `named` loads the functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, cast

from ..argument_checks import several
from ..errors import UnknownName, as_given, did_you_mean

Source = tuple[str, str]  # (key of references.bib, what rests on it)


@dataclass(frozen=True)
class Named:
    """A principle, or another form of the equations that one leads to.

    Attributes:
        principle: how the constraints are imposed; a form bears another name than its principle.
        sources: what it rests on.
        starts_multipliers: its multipliers are states, and need values to start from.
        file: the file of this room that holds the function, if it is not called the same.
    """

    principle: Literal["nonholonomic", "vakonomic", "free"]
    sources: tuple[Source, ...] = ()
    starts_multipliers: bool = False
    file: str = ""


_MAGGI = ("neimark1972", "the form: Maggi's equations")

PRINCIPLES: Mapping[str, Named] = {
    "nonholonomic": Named("nonholonomic", (("lewis1995", "the principle: Lagrange-d'Alembert (2.1)"),)),
    "vakonomic": Named(
        "vakonomic",
        (("kozlov1983", "the principle: vakonomic"), ("lewis1995", "the principle: vakonomic (2.2)")),
        starts_multipliers=True,
    ),
    "free": Named("free"),
    "gauss": Named("nonholonomic", (("udwadia1992", "the form: Gauss's least constraint"),)),
    "maggi": Named("nonholonomic", (_MAGGI,)),
    "kane": Named("nonholonomic", (_MAGGI, ("kane1985", "the form: Kane's equations")), file="maggi"),
    "hamel": Named("nonholonomic", (("hamel1904", "the form: Hamel's equations in quasi-velocities"),)),
    "voronec": Named("nonholonomic", (("neimark1972", "the form: Voronec's equations"),)),
    "chaplygin": Named("nonholonomic", (("chaplygin1897", "the form: Chaplygin's equations"),)),
    "gibbs_appell": Named("nonholonomic", (("pars1965", "the form: the Gibbs-Appell equations"),)),
    "almost_poisson": Named("nonholonomic", (("vanderschaft1994", "the form: an almost-Poisson bracket"),)),
    "symplectic": Named("nonholonomic", (("cushman1995", "the form: the distributional Hamiltonian one"),)),
}


# --- the functions behind the rows -----------------------------------------------------------------------------------


def named(principle: object) -> Any:
    """The principle of this name; what is not text is returned as it is.

    Raises:
        UnknownName: E308, there is no principle of this name.
    """
    if not isinstance(principle, str):
        return principle
    if principle not in PRINCIPLES:
        raise UnknownName("E308", f"there is no principle {as_given(principle)}", did_you_mean(principle, PRINCIPLES))
    file = PRINCIPLES[principle].file or principle
    return getattr(import_module(f"{__package__}.{file}"), principle)


def each_named(given: object) -> Any:
    """Principles by name: text in which blanks or commas part them, a list, or a mapping whose labels stay.

    What is none of these is returned as it is.

    Raises:
        UnknownName: E308 as of `named`.
    """
    if isinstance(given, str):
        given = given.replace(",", " ").split()
    if isinstance(given, Mapping):
        return {label: named(principle) for label, principle in given.items()}
    return [named(principle) for principle in cast("Iterable[object]", given)] if several(given) else given
