"""Principles by their names in text: the function behind each row of `listed`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

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

EQUATIONS: Mapping[str, Callable[..., Equations]] = {
    "nonholonomic": nonholonomic,
    "vakonomic": vakonomic,
    "free": free,
    "gauss": gauss,
    "maggi": maggi,
    "kane": kane,
    "hamel": hamel,
    "voronec": voronec,
    "chaplygin": chaplygin,
    "gibbs_appell": gibbs_appell,
    "almost_poisson": almost_poisson,
    "symplectic": symplectic,
}


def named(principle: object) -> Any:
    """The principle of this name; what is not text is returned as it is.

    Raises:
        UnknownName: E308, there is no principle of this name.
    """
    if not isinstance(principle, str):
        return principle
    if principle not in EQUATIONS:
        raise UnknownName("E308", f"there is no principle {principle!r:.40}", did_you_mean(principle, EQUATIONS))
    return EQUATIONS[principle]
