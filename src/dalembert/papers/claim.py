"""A claim: a statement of the paper, what it should be, and what the computation says.

Claims are made by algebra (`identity`, and `pair` for a misprint and its repair), by a number that is 0 but for
rounding (`small`), or by anything else that can be decided (`said`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from .vanishing import entries, shown, vanishes


@dataclass(frozen=True)
class Claim:
    """One checked statement.

    Attributes:
        where: the place in the paper, ``"(3.6)"``.
        statement: what is claimed there.
        expected: what the library's own derivation says: does the statement hold?
        computed: what the check found, in words.
        holds: what the check decided.
        key: does it belong in the short table of the verdict?
        residual: the number that decided, 0 where algebra did; None where neither did.
        bound: what the residual was held against, None without.
        name: where it stands: file, group, and place in it; given by the reproduction.
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

    @property
    def kind(self) -> str:
        """``confirmed``: it holds. ``repaired``: it does, in place of a printed form. ``misprint``: the printed form
        does not hold. ``refuted``: it does not, as the derivation says. ``UNEXPECTED``: other than the derivation says.
        """
        if not self.is_right:
            return "UNEXPECTED"
        if self.holds:
            return "repaired" if self.statement.startswith("repaired") else "confirmed"
        return "misprint" if self.statement.startswith("as printed") else "refuted"

    @property
    def data(self) -> dict[str, Any]:
        """All that a program may ask, in words and numbers."""
        return {**asdict(self), "kind": self.kind, "is_right": self.is_right}

    @property
    def is_right(self) -> bool:
        """Did the check come out as expected?"""
        return self.holds == self.expected

    def __str__(self) -> str:
        return f"{self.kind}  {self.where}: {self.statement} ({self.computed})"


Group = Callable[[], Iterable[Claim]]  # claims about one thing, worked through one after the other


def identity(where: str, statement: str, *residuals: Any, expected: bool = True, key: bool = False) -> Claim:
    """The claim that every residual (expression, matrix or list of them) is identically 0."""
    each = list(entries(residuals))
    if not each:
        raise ValueError(f"{where}: {statement}: nothing to check")
    wrong = next((e for e in each if not vanishes(e)), None)
    computed = "residual 0" if wrong is None else f"residual {shown(wrong)}"
    return Claim(where, statement, expected, computed, wrong is None, key, 0.0 if wrong is None else None)


def pair(
    where: str, printed: str, printed_residuals: Any, repaired: str, repaired_residuals: Any, key: bool = False
) -> Iterator[Claim]:
    """The printed form, which is to fail, and the repaired form, which is to hold."""
    yield identity(where, f"as printed: {printed}", printed_residuals, expected=False, key=key)
    yield identity(where, f"repaired: {repaired}", repaired_residuals, key=key)


def said(where: str, statement: str, holds: bool, computed: str, *, expected: bool = True, key: bool = False) -> Claim:
    """A claim decided in another way: `holds`, and what was found in words."""
    return Claim(where, statement, expected, computed, bool(holds), key)


def small(
    where: str, statement: str, found: float, bound: float, *, expected: bool = True, key: bool = False, what: str = ""
) -> Claim:
    """The claim that a number is 0 but for rounding or for the integrator's tolerance."""
    text = f"{found:.1e}{' ' + what if what else ''}"
    return Claim(where, statement, expected, text, bool(found <= bound), key, float(found), float(bound))
