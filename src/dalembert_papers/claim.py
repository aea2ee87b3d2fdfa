"""A claim: a statement about the paper, and what the computation says.

Claims are made by algebra (`identity`), by a number that is 0 but for rounding (`small`), or by anything else that can
be decided (`said`). Where the text prints something that is not so, `misprint` makes one claim of two: what is printed
does not hold, and what stands in its place does. Of what kind a claim is, is given and never read from its words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from .vanishing import entries, shown, size, vanishes


class Kind(StrEnum):
    """What a claim is to the paper."""

    CONFIRMED = "confirmed"  # what the text says is so
    MISPRINT = "misprint"  # what is printed is not so, what stands in its place is
    SCOPE = "scope"  # it is so where the authors use it, and said to hold more widely than it does
    NEW = "new"  # it is so, and the text does not say it


MEANINGS = {
    "UNEXPECTED": "it came out otherwise than the library derives",
    "misprint": "what is printed is not so, what stands in its place is",
    "text at hand": "what is printed is not so, where the text that was read may have lost a dot, a hat or an index",
    "scope": "it is so where the authors use it, and said to hold more widely",
    "new": "it is so, and the text does not say it",
    "confirmed": "what the text says is so",
}  # by `Claim.word`, the most telling first


class Origin(StrEnum):
    """Whose slip an erratum is, as far as the text at hand, a machine's transcription, can tell."""

    AUTHOR = "author"  # the argument, or a later line, needs what is printed
    TEXT = "text at hand"  # a dot, hat, bar or index that the transcription may have lost
    SCOPE = "scope"  # right where the authors use it


@dataclass(frozen=True)
class Slip:
    """What is to be said of a place where the text says something that is not so.

    Attributes:
        origin: whose slip it is.
        derivation: why it is not so, in a sentence; the residual of what is printed belongs to it.
        printed: LaTeX of what is printed, empty where words say it.
        repaired: LaTeX of what stands in its place.
    """

    origin: Origin
    derivation: str = ""
    printed: str = ""
    repaired: str = ""


def author(derivation: str = "", printed: str = "", repaired: str = "") -> Slip:
    """The argument, or a later line, needs what is printed."""
    return Slip(Origin.AUTHOR, derivation, printed, repaired)


def at_hand(derivation: str = "", printed: str = "", repaired: str = "") -> Slip:
    """The transcription may have done it."""
    return Slip(Origin.TEXT, derivation, printed, repaired)


def scope(derivation: str = "", printed: str = "", repaired: str = "") -> Slip:
    """It is right where the authors use it, and said to hold more widely."""
    return Slip(Origin.SCOPE, derivation, printed, repaired)


@dataclass(frozen=True)
class Erratum:
    """Where the text says something that is not so: the claim that it holds, and what is said of that."""

    printed: Claim
    slip: Slip


@dataclass(frozen=True)
class Claim:
    """One checked statement.

    Attributes:
        where: the place in the paper, ``"(3.6)"``.
        statement: what is claimed there.
        expected: what the library's own derivation says: does the statement hold?
        computed: what the check found, in words.
        holds: what the check decided.
        key: is it the one to be told of its place in the paper, where there are several?
        residual: the number that decided, 0 where algebra did; None where neither did.
        bound: what the residual was held against, None without.
        name: where it stands: file, group, and place in it; given by the reproduction.
        kind: what it is to the paper; None: what its chapter is.
        erratum: what the text says instead, where it says something else.
        rest: the expression that algebra did not find to vanish, None without.
        functions: public functions that its group calls; given by the reproduction.
        laws: laws of the library that were seen to turn it red; given by the reproduction.
        slip: where no law did, a slip in a formula that it is given which was seen to; given by the reproduction.
    """

    where: str
    statement: str
    expected: bool
    computed: str
    holds: bool
    key: bool = False
    residual: float | None = None
    bound: float | None = None
    name: str = ""
    kind: Kind | None = None
    erratum: Erratum | None = None
    rest: object = None
    functions: tuple[str, ...] = ()
    laws: tuple[str, ...] = ()
    slip: str = ""

    @property
    def is_right(self) -> bool:
        """Did the check come out as expected, and what is printed, where it is another thing, as not so?"""
        return self.holds == self.expected and (self.erratum is None or not self.erratum.printed.holds)

    @property
    def sentence(self) -> str:
        """What is so."""
        return self.statement if self.expected else f"not so: {self.statement}"

    @property
    def word(self) -> str:
        """What is told of it: its kind, for a slip of the transcription that, or UNEXPECTED."""
        if not self.is_right:
            return "UNEXPECTED"
        if self.erratum and self.erratum.slip.origin == Origin.TEXT:
            return str(Origin.TEXT)
        return str(self.kind or Kind.CONFIRMED)

    @property
    def data(self) -> dict[str, object]:
        """All that a program may ask, in words and numbers."""
        told: dict[str, object] = {
            "id": self.name,
            "equation": self.where,
            "kind": str(self.kind or Kind.CONFIRMED),
            "statement": self.sentence,
            "computed": self.computed,
            "residual": self.residual,
            "bound": self.bound,
            "is_right": self.is_right,
            "functions": list(self.functions),
            "mutations": list(self.laws),
            "slip": self.slip,
        }
        return told | ({"erratum": _erratum(self.erratum)} if self.erratum else {})

    def __str__(self) -> str:
        return f"{self.word}  {self.where}: {self.sentence} ({self.computed})"


def _erratum(erratum: Erratum) -> dict[str, object]:
    printed, slip = erratum.printed, erratum.slip
    told = {"printed": printed.statement, "computed": printed.computed, "residual": printed.residual}
    formulas = {"printed_latex": slip.printed, "repaired_latex": slip.repaired}
    return {"origin": str(slip.origin), **told, "derivation": slip.derivation, **formulas}


Group = Callable[[], Iterable[Claim]]  # claims about one thing, worked through one after the other


def identity(
    where: str, statement: str, *residuals: Any, expected: bool = True, key: bool = False, kind: Kind | None = None
) -> Claim:
    """The claim that every residual (expression, matrix or list of them) is identically 0."""
    each = list(entries(residuals))
    if not each:
        raise ValueError(f"{where}: {statement}: nothing to check")
    wrong = next((e for e in each if not vanishes(e)), None)
    if wrong is None:
        return Claim(where, statement, expected, "residual 0", True, key, 0.0, kind=kind)
    told = f"residual {shown(wrong)}"
    return Claim(where, statement, expected, told, False, key, size(wrong), kind=kind, rest=wrong)


def said(
    where: str,
    statement: str,
    holds: bool,
    computed: str,
    *,
    expected: bool = True,
    key: bool = False,
    kind: Kind | None = None,
) -> Claim:
    """A claim decided in another way: `holds`, and what was found in words."""
    return Claim(where, statement, expected, computed, bool(holds), key, kind=kind)


def small(
    where: str,
    statement: str,
    found: float,
    bound: float,
    *,
    expected: bool = True,
    key: bool = False,
    what: str = "",
    kind: Kind | None = None,
) -> Claim:
    """The claim that a number is 0 but for rounding or for the integrator's tolerance."""
    text = f"{found:.1e}{' ' + what if what else ''}"
    return Claim(where, statement, expected, text, bool(found <= bound), key, float(found), float(bound), kind=kind)


def misprint(printed: Claim, repaired: Claim, slip: Slip) -> Claim:
    """One claim of two: what is printed does not hold, and what stands in its place does."""
    kind = Kind.SCOPE if slip.origin == Origin.SCOPE else Kind.MISPRINT
    return replace(repaired, key=True, kind=kind, erratum=Erratum(replace(printed, expected=False), slip))


def pair(
    where: str,
    printed: str,
    printed_residuals: Any,
    repaired: str,
    repaired_residuals: Any,
    slip: Slip | None = None,
    key: bool = False,
) -> Iterator[Claim]:
    """A misprint by algebra: residuals of the printed form, which do not all vanish, and of the repaired one."""
    wrong, right = identity(where, printed, printed_residuals), identity(where, repaired, repaired_residuals, key=key)
    yield misprint(wrong, right, slip or author())
