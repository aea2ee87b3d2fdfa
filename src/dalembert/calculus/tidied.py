"""Nodes of a graph that become formulas for the eye: nothing is held fixed, and what is inverted is written short."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from .algebra import Machine
from .cofactors import adjugate, determinant
from .graph import Node
from .read import read
from .readable import readable

_TRIED = 500  # characters up to which what is worked with further is written in several ways


class Tidied(Machine):
    """The machine's algebra, with inverse matrices in formulas."""

    holds = False

    def inverse(self, M: Sequence[Sequence[Node]]) -> tuple[list[list[Node]], Node]:
        """M^-1 and det M, not empty, by minors."""
        r = range(len(M))
        entries = sp.Matrix(len(M), len(M), self._short([e for row in M for e in row]))
        # M^-1 = adj M / det M
        *above, det = self.tidied([self.read(e) for e in (*adjugate(entries), determinant(entries))])
        found = self.tidied([e / det for e in above])
        return [[found[len(M) * i + j] for j in r] for i in r], det

    def tidied(self, nodes: Sequence[Node]) -> list[Node]:
        """The same functions, shorter."""
        return [read(e, self.graph) for e in self._short(nodes)]

    def _short(self, nodes: Sequence[Node]) -> list[sp.Expr]:
        return readable(nodes, {}, tried=_TRIED)
