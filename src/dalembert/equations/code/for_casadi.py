"""A function of a listing for CasADi, whose derivatives, solvers and code generator go on from it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from ...calculus.elementary_functions import ELEMENTARY
from ...calculus.frame import TIME
from ...calculus.graph import Node
from ...errors import InvalidValue
from .listing import Listing, unknown
from .number_libraries import LinkedLibrary, arithmetic

if TYPE_CHECKING:
    import casadi

ARGUMENTS = ["t", "state", "parameters", "inputs"]


@cache
def library() -> LinkedLibrary[casadi.SX]:
    """CasADi's symbols.

    Raises:
        InvalidValue: E801, it is not installed.
    """
    try:
        import casadi
    except ImportError:
        raise InvalidValue(
            "E801", "this needs CasADi, which is not installed", "pip install 'dalembert[steer]'"
        ) from None
    called: dict[str, Callable[..., object]] = {n: getattr(casadi, r.casadi) for n, r in ELEMENTARY.items() if r.casadi}
    return LinkedLibrary("CasADi", arithmetic() | called)


def casadi_function(listing: Listing, name: str) -> casadi.Function:
    """One function of the listing; see `Equations.to_casadi`."""
    library()  # or a refusal
    import casadi

    names = [(TIME.name,), listing.states, *listing.given_apart]
    task, n = listing.functions[name], listing.functions[name].size
    # what is left out is no number: CasADi would take 0
    options = {"default_in": [listing.t, *[math.nan] * 3]}
    if not n:
        vectors, found = _plain(task.outputs, ARGUMENTS, names)
        return casadi.Function(name, vectors, [found], ARGUMENTS, [name], options)
    system = casadi.Function("system", *_listed(_plain(task.system, ARGUMENTS, names)))
    unknowns = tuple(unknown(i) for i in range(n))
    rest = casadi.Function("rest", *_listed(_plain(task.outputs, [*ARGUMENTS, "x"], [*names, unknowns])))
    given = [casadi.MX.sym(a, len(part)) for a, part in zip(ARGUMENTS, names, strict=True)]
    K, b = casadi.vertsplit(system(*given), [0, n * n, n * n + n])
    x = casadi.solve(K.reshape((n, n)).T, b, "lapacklu")
    return casadi.Function(name, given, [rest(*given, x)], ARGUMENTS, [name], options)


def _listed(given: tuple[list[casadi.SX], casadi.SX]) -> tuple[list[casadi.SX], list[casadi.SX]]:
    return given[0], [given[1]]


def _plain(
    outputs: Sequence[Node], arguments: Sequence[str], names: Sequence[Sequence[str]]
) -> tuple[list[casadi.SX], casadi.SX]:
    """Columns of symbols, and the column of the outputs in these."""
    import casadi

    vectors = [casadi.SX.sym(a, len(part)) for a, part in zip(arguments, names, strict=True)]
    values = {
        k: v for part, x in zip(names, vectors, strict=True) for k, v in zip(part, casadi.vertsplit(x), strict=True)
    }
    return vectors, casadi.vertcat(casadi.SX(0, 1), *library().nodes(outputs, values))
