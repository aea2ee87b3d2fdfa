"""The principles and forms that can be named in text, as a user or a file writes them: one row each.

What else is to be known of a principle by its name stands in its row: the sources it rests on, and whether its
multipliers are part of a start. Citations, files, the command line and the completion of shells read it here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ..equations import Equations
from ..errors import UnknownName, did_you_mean
from .almost_poisson import almost_poisson
from .chaplygin import chaplygin
from .free import free
from .gauss import gauss
from .gibbs_appell import gibbs_appell
from .hamel import hamel
from .maggi import kane, maggi
from .nonholonomic import nonholonomic
from .symplectic import symplectic
from .vakonomic import vakonomic
from .voronec import voronec

Source = tuple[str, str]  # (key of references.bib, what rests on it)


@dataclass(frozen=True)
class Named:
    """A principle, or another form of the equations that one leads to.

    Attributes:
        equations: from a system to its equations of motion.
        principle: how the constraints are imposed; a form bears another name than its principle.
        sources: what it rests on.
        starts_multipliers: its multipliers are states, and need values to start from.
    """

    equations: Callable[..., Equations]
    principle: Literal["nonholonomic", "vakonomic", "free"]
    sources: tuple[Source, ...] = ()
    starts_multipliers: bool = False


_MAGGI = ("neimark1972", "the form: Maggi's equations")

PRINCIPLES: Mapping[str, Named] = {
    "nonholonomic": Named(nonholonomic, "nonholonomic", (("lewis1995", "the principle: Lagrange-d'Alembert (2.1)"),)),
    "vakonomic": Named(
        vakonomic,
        "vakonomic",
        (("kozlov1983", "the principle: vakonomic"), ("lewis1995", "the principle: vakonomic (2.2)")),
        starts_multipliers=True,
    ),
    "free": Named(free, "free"),
    "gauss": Named(gauss, "nonholonomic", (("udwadia1992", "the form: Gauss's least constraint"),)),
    "maggi": Named(maggi, "nonholonomic", (_MAGGI,)),
    "kane": Named(kane, "nonholonomic", (_MAGGI, ("kane1985", "the form: Kane's equations"))),
    "hamel": Named(hamel, "nonholonomic", (("hamel1904", "the form: Hamel's equations in quasi-velocities"),)),
    "voronec": Named(voronec, "nonholonomic", (("neimark1972", "the form: Voronec's equations"),)),
    "chaplygin": Named(chaplygin, "nonholonomic", (("chaplygin1897", "the form: Chaplygin's equations"),)),
    "gibbs_appell": Named(gibbs_appell, "nonholonomic", (("pars1965", "the form: the Gibbs-Appell equations"),)),
    "almost_poisson": Named(
        almost_poisson, "nonholonomic", (("vanderschaft1994", "the form: an almost-Poisson bracket"),)
    ),
    "symplectic": Named(symplectic, "nonholonomic", (("cushman1995", "the form: the distributional Hamiltonian one"),)),
}


def named(principle: Any) -> Any:
    """The principle of this name; what is not text is returned as it is.

    Raises:
        UnknownName: E308, there is no principle of this name.
    """
    if not isinstance(principle, str):
        return principle
    if principle not in PRINCIPLES:
        raise UnknownName("E308", f"there is no principle {principle!r:.40}", did_you_mean(principle, PRINCIPLES))
    return PRINCIPLES[principle].equations
