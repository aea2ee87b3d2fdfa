"""Which sources a principle, a form of the equations and a way of integrating rest on, and why.

Those of principles stand in their rows (`principles.listed`). The same keys stand at the lines that use them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..principles.listed import PRINCIPLES

Reason = tuple[str, str, str]  # (group, key, why)
MODEL, METHOD, SOFTWARE, DATA = GROUPS = ("model", "method", "software", "data")

CHETAEV = ("chetaev1932", "the principle: Chetaev's rule, for constraints nonlinear in the velocities")

RECONSTRUCTED = ("bloch1996", "the motion was led back from its reduction by symmetry")

STABILISED = {
    "Projection": ("hairer2006", "projection to the constraints after every step (IV.4)"),
    "Baumgarte": ("baumgarte1972", "Baumgarte's stabilisation of the constraints"),
}
PACKAGES = {
    "numpy": ("harris2020", "NumPy: arrays"),
    "scipy": ("virtanen2020", "SciPy: linear algebra and special functions"),
    "sympy": ("meurer2017", "SymPy: the expressions the equations are written in"),
    "llvmlite": ("lattner2004", "LLVM: compiled evaluation"),
}


def of_principle(name: str, nonlinear: bool = False) -> Iterator[Reason]:
    """Why sources are there for a principle or a form of its equations."""
    row = PRINCIPLES.get("nonholonomic" if name == "reconstructed" else name)
    if row is not None:
        yield from ((MODEL, *source) for source in PRINCIPLES[row.principle].sources)
        if nonlinear and row.principle == "nonholonomic":
            yield MODEL, *CHETAEV
    if row is not None and row.principle != name:
        yield from ((METHOD, *source) for source in ((RECONSTRUCTED,) if name == "reconstructed" else row.sources))
    if name.startswith(("viscous", "inertial")):
        yield MODEL, "kozlov1992", "the principle: constraints realised by strong forces"


def _of_method(provenance: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """The sources of a run's method: those that travel with the path; for an older path, those of the method."""
    if "method_sources" in provenance:
        return [(str(key), str(why)) for key, why in provenance["method_sources"]]
    from ..numerics.methods import METHODS  # loads SymPy and Numba

    kind = METHODS.get(str(provenance.get("method", "")))
    return () if kind is None else kind.reasons(provenance.get("order"))


def of_run(provenance: Mapping[str, Any]) -> Iterator[Reason]:
    """Why sources are there for a run: the integrator, its composition, what keeps the constraints."""
    yield from ((METHOD, *pair) for pair in _of_method(provenance))
    policy = str(provenance.get("stabilisation", "")).partition("(")[0]
    if policy in STABILISED and not provenance.get("step"):  # methods of fixed steps keep the constraints themselves
        yield METHOD, *STABILISED[policy]


def of_software(*packages: str) -> Iterator[Reason]:
    """Why packages are there."""
    yield from ((SOFTWARE, *PACKAGES[name]) for name in packages)
