"""The C of a Functional Mock-up Unit: its equations as ``model.h``, and around them ``fmu.c``, the same for all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.resources import files

from .. import program_header
from ..c import functions, numbers
from ..listing import Listing
from .variables import FmuVariable, shown, starts

MAIN = "fmu.c"
MODEL = "model.h"


def sources(listing: Listing, variables: Sequence[FmuVariable], token: str) -> dict[str, str]:
    """Texts by the names of their files."""
    around = files(__package__).joinpath(MAIN).read_text(encoding="utf-8")
    return {MAIN: around, MODEL: model(listing, variables, token)}


def model(listing: Listing, variables: Sequence[FmuVariable], token: str) -> str:
    """Counts, values and functions of the equations, all of them static: two models may stand in one program."""
    head = "\n".join(["/*", *(f" * {line}".rstrip() for line in program_header.lines(listing, False)), " */"])
    calls = [_shown(listing), _pole(listing)]
    if listing.prepared is None:
        calls.append("static void prepare(double *p) { (void)p; }")
    return (
        "\n\n".join(
            [head, "#include <math.h>", _data(listing, variables, token), *functions(listing, "static "), *calls]
        )
        + "\n"
    )


def _data(listing: Listing, variables: Sequence[FmuVariable], token: str) -> str:
    counts = {
        "N_STATES": len(listing.states),
        "N_PARAMETERS": len(listing.parameters),
        "N_PREPARED": len(listing.prepared or ()),
        "N_SHOWN": sum(map(len, shown(listing).values())),
    }
    known = [v for v in variables if v.causality in ("parameter", "input")]
    return "\n".join(
        [
            f'#define TOKEN "{token}"',
            f"enum {{ {', '.join(f'{k} = {v}' for k, v in counts.items())} }};",
            numbers("double", "PARAMETER_VALUES", [repr(v.start) for v in known]),
            numbers("int", "IS_INPUT", [str(int(v.causality == "input")) for v in known]),
            numbers("double", "START", [repr(value) for value in starts(listing)]),
            f"static const double TIME = {listing.t!r}; /* of the start */",
        ]
    )


def _shown(listing: Listing) -> str:
    """What is computed beside the state, function after function."""
    parts: Mapping[str, Mapping[str, str]] = {name: names for name, names in shown(listing).items() if names}
    lines, at = [], 0
    for name, names in parts.items():
        lines.append(f"    if ({name}(t, y, p, out + {at})) return 1;")
        at += len(names)
    said = "/* what is computed beside the state; 1 if not determined */"
    signature = "static int shown(double t, const double *y, const double *p, double *out)"
    return "\n".join([said, signature, "{", *lines, "    return 0;", "}"])


def _pole(listing: Listing) -> str:
    said = "/* 1 where the equations are not to be trusted */"
    signature = "static int near_a_pole(double t, const double *y, const double *p)"
    if "health" not in listing.functions:
        return "\n".join([said, signature, "{", "    (void)t, (void)y, (void)p;", "    return 0;", "}"])
    body = ["    double found;", "    return health(t, y, p, &found) || !(found >= 1.0);"]
    return "\n".join([said, signature, "{", *body, "}"])
