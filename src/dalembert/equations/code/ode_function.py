"""Equations as a function f(t, y) for other integrators than the library's own, such as SciPy's `solve_ivp`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...calculus.frame import TIME
from ...calculus.graph import evaluate, substitute
from ...calculus.jacobians import stack
from ...errors import InvalidValue, Singular, WrongType, as_given
from ..start import Start
from ..start_completion import state_of
from .listing import CodeTask, solved, unknown

if TYPE_CHECKING:
    from .. import Equations


@dataclass(frozen=True, eq=False)
class RightHandSide:
    """dy/dt = f(t, y) with y = (q, u, multipliers that are states), on the expression graph.

    It does not return to the constraints: a run of another integrator drifts off them (`da.simulate` does not). A
    number that is not finite is returned as it is, since integrators try a shorter step then.

    Attributes:
        equations: where it comes from.
        parameters: the values in force; they are numbers in the expressions.
        states: names of the states in order.
        task: what is computed.
    """

    equations: Any
    parameters: Mapping[str, float]
    states: tuple[str, ...]
    task: CodeTask

    @classmethod
    def of(cls, equations: Equations, parameters: Mapping[Any, Any] | None = None) -> RightHandSide:
        """The function with these parameters.

        Raises:
            DalembertError: E201 to E207, a parameter without a value, or a value that cannot be used.
        """
        values = equations.system.values(parameters)
        task = solved(equations)[0]
        outputs, system = (substitute(list(nodes), values) for nodes in (task.outputs, task.system))
        return cls(equations, values, tuple(equations.states), CodeTask(tuple(outputs), task.size, tuple(system)))

    def __call__(self, t: object, y: Any) -> np.ndarray:
        """dy/dt, of the shape of y: (n,) at one state, (n, k) at k states side by side.

        Raises:
            WrongType: E241, no numbers.
            InvalidValue: E241, y has not n rows, or t is not one time or k.
            Singular: E107, the accelerations are not determined here.
        """
        t, y = _numbers(t, "t"), _numbers(y, "y")
        if y.ndim not in (1, 2) or len(y) != len(self.states):
            raise InvalidValue(
                "E241", f"y has shape {y.shape}, must have {len(self.states)} rows", "see .states for their order"
            )
        if t.shape not in ((), y.shape[1:]):
            raise InvalidValue("E241", f"t has shape {t.shape}, y {y.shape}", "give one time, or one for each state")
        columns = y.tolist() if y.ndim == 1 else y
        values = {**dict(zip(self.states, columns, strict=True)), TIME.name: float(t) if t.ndim == 0 else t}
        if self.task.size:
            values |= self._unknowns(values)
        found = evaluate(self.task.outputs, values)
        return np.array(found, float) if y.ndim == 1 else np.array([np.broadcast_to(f, y.shape[1]) for f in found])

    def _unknowns(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """x of K x = b by name."""
        n = self.task.size
        flat = stack(evaluate(self.task.system, values), values)
        K, b = flat[..., : n * n].reshape(*flat.shape[:-1], n, n), flat[..., n * n :]
        try:
            x = np.linalg.solve(K, b[..., None])[..., 0]
        except np.linalg.LinAlgError:
            raise Singular(
                "E107", f"the accelerations are not determined at t = {values[TIME.name]}", "choose another state"
            ) from None
        if x.ndim == 1:
            return {unknown(i): float(v) for i, v in enumerate(x)}
        return {unknown(i): x[..., i] for i in range(n)}

    def y0(self, start: object = None, /, **given: Any) -> np.ndarray:
        """The state (n,) of a `Start`, or completed from values by name as by `Equations.start`.

        Raises:
            DalembertError: what `Equations.start` raises.
        """
        if start is None:
            made: Start = self.equations.start(parameters=self.parameters, **given)
            return made.vector
        complete: Start = state_of(self.equations, start, self.parameters)
        return complete.vector

    def __repr__(self) -> str:
        return f"f(t, y) of {self.equations.principle}, y = ({', '.join(self.states)})"


def _numbers(given: object, what: str) -> np.ndarray:
    try:
        found = np.asarray(given)
    except ValueError:  # rows of different lengths
        found = np.array("")
    if found.dtype.kind not in "biuf":  # text, None, complex numbers
        raise WrongType("E241", f"{what} is {as_given(given)}, not real numbers", "f(0.0, f.y0(start))")
    return found.astype(float)
