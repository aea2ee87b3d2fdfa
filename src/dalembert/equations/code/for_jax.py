"""The functions of a listing for JAX: pure, of 64 bits, for jit, grad and vmap."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from typing import TYPE_CHECKING

from ...argument_checks import mapping, overriding
from ...calculus.elementary_functions import ELEMENTARY
from ...calculus.frame import TIME
from ...errors import InvalidValue, UnknownName, as_given, did_you_mean
from ...errors.remedies import Option
from .listing import CodeTask, Listing, unknown
from .number_libraries import LinkedLibrary, arithmetic

if TYPE_CHECKING:
    import jax


@cache
def library() -> LinkedLibrary[jax.Array]:
    """JAX's numbers, switched to 64 bits.

    Raises:
        InvalidValue: E801, it is not installed.
    """
    try:
        import jax
        import jax.scipy
    except ImportError:
        raise InvalidValue("E801", "this needs JAX, which is not installed", "pip install 'dalembert[jax]'") from None
    # with 32 bits, which are usual there, 7 digits would be left
    jax.config.update("jax_enable_x64", True)
    called: dict[str, Callable[..., object]] = {
        name: reduce(getattr, row.jax.split("."), jax) for name, row in ELEMENTARY.items() if row.jax
    }
    called |= {name: _number(called[name]) for name, row in ELEMENTARY.items() if row.machine.kind == "comparison"}
    called["select"] = _select
    return LinkedLibrary("JAX", arithmetic() | called)


def _number(relation: Callable[..., object]) -> Callable[..., object]:
    """1.0 or 0.0 for what is true or not."""
    return lambda a, b: 1.0 * relation(a, b)  # type: ignore[operator]


def _select(c: object, a: object, b: object) -> object:
    import jax.numpy as jnp

    return jnp.where(c != 0, a, b)


def _values(task: CodeTask, values: Mapping[str, jax.Array]) -> list[jax.Array]:
    """A task's outputs, its unknowns solved for."""
    import jax.numpy as jnp

    known, n = library(), task.size
    if n:
        flat = [jnp.asarray(f, float) for f in known.nodes(task.system, values)]
        x = jnp.linalg.solve(jnp.stack(flat[: n * n]).reshape(n, n), jnp.stack(flat[n * n :]))
        values = {**values, **{unknown(i): x[i] for i in range(n)}}
    return [jnp.asarray(f, float) for f in known.nodes(task.outputs, values)]


@dataclass(frozen=True, eq=False)
class PureFunction:
    """f(t, state, parameters, inputs): one function of the equations for JAX.

    Attributes:
        name: ``"rhs"``, ``"multipliers"`` or ``"residual"``.
        states: names of the state's entries.
        parameters: values that stand where none are given.
        inputs: names of the inputs.
        task: what is computed.
    """

    name: str
    states: tuple[str, ...]
    parameters: Mapping[str, float | None]
    inputs: tuple[str, ...]
    task: CodeTask

    @classmethod
    def of(cls, listing: Listing, name: str) -> PureFunction:
        """One function of a listing."""
        library()
        parameters, inputs = listing.given_apart
        values = {k: listing.parameters[k] for k in parameters}
        return cls(name, listing.states, values, inputs, listing.functions[name])

    def __call__(
        self,
        t: jax.Array | float,
        state: jax.Array | Sequence[float],
        parameters: Mapping[str, jax.Array | float] | None = None,
        inputs: Mapping[str, jax.Array | float] | None = None,
    ) -> jax.Array:
        """The function at one state, an array of 64 bits; `jax.vmap` makes it one of many.

        Args:
            t: the time.
            state: in the order of `states` (n,).
            parameters: by name, those that differ from `parameters`.
            inputs: by name, all of them.

        Raises:
            UnknownName: E202 no such parameter, E201 one without a value, E181 no such input, E180 one without a value.
            InvalidValue: E241, another number of states.
            WrongType: E204 and E182, parameters and inputs that are not given by name.
        """
        import jax.numpy as jnp

        given = overriding(parameters)
        driven = {} if inputs is None else mapping(inputs, "inputs", "E182", Option("inputs", {"tau": 0.1}))
        _check(given, self.parameters, "parameter", "E202")
        _check(driven, self.inputs, "input", "E181")
        y = jnp.asarray(state, float)
        if y.shape != (len(self.states),):
            fact = f"state has shape {y.shape}, must have {len(self.states)} entries"
            raise InvalidValue("E241", fact, "in the order of .states; jax.vmap for many")
        known = {**dict(zip(self.states, y, strict=True)), **self.parameters, **given, **driven, TIME.name: t}
        for name in (*self.parameters, *self.inputs):
            if known.get(name) is None:
                code, kind = ("E180", "inputs") if name in self.inputs else ("E201", "parameters")
                raise UnknownName(code, f"{name} has no value", f'{kind}={{"{name}": 1.0}}')
        values = {name: jnp.asarray(value, float) for name, value in known.items()}
        found = _values(self.task, values)
        return jnp.stack(found) if found else jnp.zeros(0)

    def __repr__(self) -> str:
        return f"{self.name}(t, state, parameters, inputs) for JAX, state = ({', '.join(self.states)})"


def _check(given: Mapping[str, object], known: Sequence[str] | Mapping[str, object], kind: str, code: str) -> None:
    """A name that is not known."""
    for name in given:
        if name not in known:
            raise UnknownName(code, f"unknown {kind} {as_given(name)}", did_you_mean(name, known))
