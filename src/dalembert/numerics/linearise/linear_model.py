"""A linear model: matrices, names, modes, and what its inputs reach and its outputs tell apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ...argument_checks import noun
from ...calculus.line_width import TERMINAL, folded
from ...calculus.numerical_rank import RANK_TOLERANCE
from ...errors import InvalidValue, UnknownName, as_given, did_you_mean
from ..relative_equilibria import NOTHING

if TYPE_CHECKING:
    from control import StateSpace as ControlSpace
    from scipy.signal import StateSpace

ROUNDING = 1e-14  # of the largest number beside it


@noun
@dataclass(frozen=True, eq=False)
class Linear:
    """A linear model.

    Attributes:
        A, B, C, D: x' = A x + B w, z = C x + D w: (r, r), (r, k), (p, r), (p, k).
        states: names of the independent states x.
        inputs: names of w.
        outputs: names of z.
        at: the state about which it is, all states by name.
        units: of states and inputs, as far as they are known.
        drift: x' at this state itself (r,); 0 where it rests.
        cyclic: coordinates on which no rate of the others depends: zeros of A that a symmetry makes.
        brackets: what brackets of the velocities that constraints allow reach, in words; empty where it is not known.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    at: Mapping[str, float]
    units: Mapping[str, str]
    drift: np.ndarray
    cyclic: tuple[str, ...] = ()
    brackets: str = ""

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        """Of A, growing ones first."""
        return _sorted(np.linalg.eigvals(self.A))

    @cached_property
    def modes(self) -> np.ndarray:
        """The other eigenvalues: of what remains when the cyclic states are left out."""
        return _sorted(np.linalg.eigvals(self.without(*self.cyclic).A))

    def without(self, *left_out: str) -> Linear:
        """The model of fewer states; what is left must not depend on those that go.

        Raises:
            UnknownName: E187, a name that is no state of the model.
            InvalidValue: E187, a rate of what is left depends on them.
        """
        for name in left_out:
            if name not in self.states:
                raise UnknownName("E187", f"the model has no state {as_given(name)}", did_you_mean(name, self.states))
        keep = [i for i, n in enumerate(self.states) if n not in left_out]
        gone = [i for i, n in enumerate(self.states) if n in left_out]
        coupled = np.abs(self.A[np.ix_(keep, gone)]).max(initial=0.0)
        if coupled > NOTHING * max(1.0, float(np.abs(self.A).max(initial=0.0))):
            fact = f"rates of the other states depend on {', '.join(left_out)}"
            raise InvalidValue("E187", fact, f"of these may go: {', '.join(self.cyclic) or 'none'}")
        rows = [i for i, n in enumerate(self.outputs) if n not in left_out]
        return replace(
            self,
            A=self.A[np.ix_(keep, keep)],
            B=self.B[keep],
            C=self.C[np.ix_(rows, keep)],
            D=self.D[rows],
            states=tuple(self.states[i] for i in keep),
            outputs=tuple(self.outputs[i] for i in rows),
            drift=self.drift[keep],
            cyclic=tuple(n for n in self.cyclic if n not in left_out),
        )

    @property
    def controllable(self) -> int:
        """How many directions of x the inputs reach."""
        return int(_reached(self.A, self.B).shape[1])

    @property
    def unreached(self) -> tuple[str, ...]:
        """Sums of states that no input moves in this model, one for each direction that is not controllable."""
        V = _reached(self.A, self.B)
        left = np.linalg.svd(V)[0][:, V.shape[1] :].T if V.size else np.eye(len(self.states))
        return tuple(_sum(row, self.states) for row in _echelon(left))

    @property
    def observable(self) -> int:
        """How many directions of x the outputs tell apart."""
        return int(_reached(self.A.T, self.C.T).shape[1])

    def to_scipy(self) -> StateSpace:
        """`scipy.signal.StateSpace` of A, B, C, D."""
        from scipy.signal import StateSpace

        return StateSpace(self.A, self.B, self.C, self.D)

    def to_control(self) -> ControlSpace:
        """`control.StateSpace` of python-control, with the names of states, inputs and outputs.

        Raises:
            InvalidValue: E801, python-control is not installed.
        """
        try:
            import control
        except ImportError:
            fact = "this needs python-control, which is not installed"
            raise InvalidValue("E801", fact, "pip install 'dalembert[control]'") from None
        named = {"states": list(self.states), "inputs": list(self.inputs), "outputs": list(self.outputs)}
        return control.ss(self.A, self.B, self.C, self.D, **named)

    def __str__(self) -> str:
        least = ROUNDING * max((abs(value) for value in self.at.values()), default=0.0)
        where = ", ".join(f"{name} = {value if abs(value) > least else 0:.6g}" for name, value in self.at.items())
        lines = [f"linear model of {len(self.states)} states, {len(self.inputs)} inputs", f"  about        {where}"]
        lines += [f"  states       {', '.join(self.states)}", f"  inputs       {', '.join(self.inputs) or 'none'}"]
        lines.append(f"  modes        {', '.join(_shown(self.modes)) or 'none'}")
        lines.append(f"  cyclic       {', '.join(self.cyclic) or 'none'}")
        if self.inputs:
            lines.append(f"  controllable {self.controllable} of {len(self.states)}")
            lines += [f"  not reached  {', '.join(self.unreached)}"] if self.unreached else []
        if self.inputs and self.unreached and self.brackets:
            why = f"{self.brackets}; where these reach farther, no linear model about a state sees it"
            lines.append(f"  brackets     {why}")
        if np.abs(self.drift).max(initial=0.0) > NOTHING:
            lines.append("  the motion moves on from this state: a slope at an instant where more than this changes")
        return "\n".join(part for line in lines for part in folded(line, TERMINAL, 15))

    __repr__ = __str__


def _reached(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Orthonormal columns of the span of B, A B, A^2 B, ...: directions are added step by step."""
    V = _basis(B)
    while 0 < V.shape[1] < len(A):
        more = _basis(np.column_stack([V, A @ V / max(1.0, float(np.linalg.norm(A, 2)))]))
        if more.shape[1] == V.shape[1]:
            break
        V = more
    return V


def _echelon(rows: np.ndarray) -> np.ndarray:
    """Rows of the same span in which each pivot, the largest left, is 1 and alone in its column."""
    rows, free = rows.copy(), np.ones(rows.shape[1], bool)
    for i in range(len(rows)):
        # in the columns of earlier pivots the rows that are left have only rounding
        j = int(np.argmax(np.where(free, np.abs(rows[i:]).max(axis=0), 0.0)))
        free[j] = False
        k = i + int(np.argmax(np.abs(rows[i:, j])))
        rows[[i, k]] = rows[[k, i]]
        rows[i] /= rows[i, j]
        others = np.arange(len(rows)) != i
        rows[others] -= np.outer(rows[others, j], rows[i])
    return rows


def _shown(values: np.ndarray) -> list[str]:
    """Complex numbers; a part that is rounding beside the largest of them is 0."""
    least = ROUNDING * float(np.abs(values).max(initial=0.0))
    parts = [(e.real if abs(e.real) > least else 0.0, e.imag if abs(e.imag) > least else 0.0) for e in values]
    return [f"{real:.4g}{imag:+.4g}i" if imag else f"{real:.4g}" for real, imag in parts]


def _sum(row: np.ndarray, states: tuple[str, ...]) -> str:
    """A sum of states in words."""
    terms = [(round(float(c), 6), name) for c, name in zip(row, states, strict=True) if abs(c) > NOTHING]
    text = " + ".join(name if c == 1 else f"{c:.6g}*{name}" for c, name in terms)
    return text.replace("+ -1*", "- ").replace("+ -", "- ")


def _basis(X: np.ndarray) -> np.ndarray:
    """Orthonormal columns of the span of columns."""
    length = np.linalg.norm(X, axis=0)
    X = X[:, length > RANK_TOLERANCE * max(float(length.max(initial=0.0)), 1e-300)]
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    return np.asarray(U[:, s > RANK_TOLERANCE * max(float(s.max(initial=0.0)), 1e-300)])


def _sorted(found: np.ndarray) -> np.ndarray:
    return np.asarray(found[np.lexsort((-found.imag, -found.real))])
