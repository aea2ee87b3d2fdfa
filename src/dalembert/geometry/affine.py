"""Constraints given by vector fields: an affine constraint (D, gamma) [lewis1995 Definition 2.1].

    u - gamma in D = span{X_1, ..., X_r}     is     w^s (u - gamma) = 0 ,   w^s X_j = 0

The forms w^s annihilate D; they are found by Cramer's rule, without denominators.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import sympy as sp

from ..errors import InvalidValue, WrongType
from ..given import names, public, text
from ..model.expression import Reader
from ..model.space import Space
from ..model.symmetry import generators
from ..model.system import System
from .kernel import kernel, tidy


@public
def affine(
    space: Space,
    fields: Mapping[str, Mapping[sp.Symbol | str, object]],
    drift: Mapping[sp.Symbol | str, object] | None = None,
    *,
    parameters: Iterable[str] = (),
    name: str = "form",
) -> dict[str, sp.Expr]:
    """The constraints of velocities that lie in gamma + D, with D spanned by fields.

        knife = {"forward": {"x": "cos(theta)", "y": "sin(theta)"}, "turn": {"theta": 1}}
        da.System(q, L, da.symmetry.affine(q, knife, drift={"x": "U"}, parameters=["U"]))

    Args:
        space: of the system.
        fields: ``{name: {coordinate or velocity: component}}`` that span D, functions of the place and of parameters,
            given as generators of a symmetry are; some may follow from others.
        drift: gamma, given the same way; 0 if left out. It counts modulo D.
        parameters: names of parameters that text may hold.
        name: of the constraints, which are called ``form1``, ``form2``.

    Returns:
        ``{name: phi}``, as `System` takes them: as many as D lacks in dimension.

    Raises:
        WrongType: E101, not a space; E125, fields that are none.
        InvalidValue: E125, no field, one that moves nothing, or fields that span everything.
        UnknownName: E104, a name that the space lacks.
    """
    if not isinstance(space, Space):
        raise WrongType("E101", f"affine needs a Space, not {type(space).__name__}", 'da.coordinates("x y theta")')
    name, reader = text(name, "name"), Reader(space, names(parameters, "parameters", "E102", some=False))
    spanning = generators(fields, reader)
    if not spanning:
        raise InvalidValue("E125", "no field is given", 'fields={"forward": {"x": "cos(theta)", "y": "sin(theta)"}}')
    still = drift is None or (isinstance(drift, Mapping) and not drift)
    (gamma,) = (None,) if still else generators({"drift": drift}, reader)
    X = sp.Matrix([list(each.components) for each in spanning])
    forms = kernel(_bare(space, reader), X)
    if not forms:
        raise InvalidValue("E125", "the fields span all velocities: nothing is constrained", "no constraints")
    moved = [u - g for u, g in zip(space.velocities, gamma.components if gamma else [0] * X.cols, strict=True)]
    return {f"{name}{i}": _row(w, moved) for i, w in enumerate(forms, start=1)}


def _bare(space: Space, reader: Reader) -> System:
    """A system on the space, at whose places ranks are decided; its L holds the parameters, so that they vary too."""
    weight = 1 + sum((p**2 for p in reader.parameters.values()), sp.S.Zero)
    energy = sum((weight * u**2 / 2 for u in space.velocities), sp.S.Zero)
    return System(space, energy, parameters=dict.fromkeys(reader.parameters))


def _row(w: sp.Matrix, moved: Sequence[sp.Expr]) -> sp.Expr:
    """w (u - gamma), in short."""
    return sp.Add(*(tidy(c) * e for c, e in zip(w, moved, strict=True) if c != 0))
