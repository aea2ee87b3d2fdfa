"""The laws that a start must obey, for many members at once: those of `equations.complete`, each by its code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ...calculus.assumptions import kept
from ...calculus.frame import TIME
from ...calculus.graph import CONSTANT, SYMBOL, Graph, Node, evaluate, gradient, live, values_of_all
from ...calculus.read import read
from ...equations import Equations
from ...equations.determined import TOLERANCE
from ...equations.scale import FLOOR, is_rounding
from ...errors import DalembertError

_REAL = ("sqrt", "log", "asin", "acos", "pow", "acosh", "atanh")  # operations that may leave the real numbers
_SHARE = 1e-9  # of the moments, by which those of a body must be inside of the law to need no closer look

Values = Mapping[str, np.ndarray]


def refuse(code: np.ndarray, where: np.ndarray, number: Any) -> None:
    """Write a code where the members have none yet."""
    fresh = where & (code == 0)
    code[fresh] = np.broadcast_to(number, code.shape)[fresh]


def nonfinite(outputs: Sequence[Node], values: Values, code: np.ndarray) -> None:
    """E402 where the first operation that is not finite left the real numbers, E401 where it did not."""
    for i, number in values_of_all(outputs, values).items():
        value = np.asarray(number, float)
        bad = ~np.isfinite(value)
        if bad.any():
            operation = Node(outputs[0].graph, i).operation
            outside = np.isnan(value) if operation in _REAL else False
            refuse(code, np.broadcast_to(bad, code.shape), np.where(outside, 402, 401))


def parameters(equations: Equations, values: Values, varied: Sequence[str], code: np.ndarray) -> None:
    """E205, E109, E128: signs, moments of inertia and friction coefficients of the parameters that are varied."""
    system = equations.system
    swept = [name for name in varied if name not in equations.states]
    if not swept:
        return
    doubted = np.zeros(code.shape, bool)
    for name in swept:
        symbol, value = system.symbols.get(name), values[name]
        if symbol is not None:
            doubted |= ~kept(symbol, value)
    for J in system.inertias.values():
        doubted |= _odd_moments(J, values, code.shape) if {s.name for s in J.free_symbols} & {*swept} else False
    point = system.space.sample(np.random.default_rng(0), [TIME.name])
    for expression in system.coefficients.values():
        if {s.name for s in expression.free_symbols} & {*swept}:
            doubted |= ~(np.asarray(evaluate([read(expression, Graph())], {**values, **point})[0], float) > 0)
    known = [name for name in values if name in system.parameters or name in system.symbols]
    for i in np.flatnonzero(doubted & (code == 0)):
        try:
            system.values({name: float(values[name][i]) for name in known})
        except DalembertError as error:
            code[i] = int(error.code[1:])


def _odd_moments(J: Any, values: Values, shape: tuple[int, ...]) -> np.ndarray:
    """Where a tensor is not plainly one of a body."""
    graph = Graph()
    entries = [np.broadcast_to(np.asarray(e, float), shape) for e in evaluate([read(e, graph) for e in J], values)]
    tensors = np.stack(entries, axis=-1).reshape(*shape, 3, 3)
    good = np.isfinite(tensors).all(axis=(1, 2))
    moments = np.linalg.eigvalsh(np.where(good[:, None, None], tensors, np.eye(3)))
    skew = np.abs(tensors - np.swapaxes(tensors, 1, 2)).max(axis=(1, 2)) > 0
    # 0 < I1,  I3 < I1 + I2
    plain = (moments[:, 0] > _SHARE * moments[:, 2]) & (moments[:, 0] + moments[:, 1] > moments[:, 2] * (1 + _SHARE))
    return np.asarray(~(good & plain) | skew)


def embedding(equations: Equations, values: Values, code: np.ndarray) -> None:
    """E238, E239: unit quaternions, rotation matrices and directions must be such."""
    graph = equations.machine.graph
    for e in equations.space.embedding:
        off = np.asarray(evaluate([read(e, graph)], values)[0], float)
        refuse(code, ~(np.abs(off) <= TOLERANCE), 238)
    for attitude in equations.space.attitudes.values():
        entries = evaluate([read(e, graph) for e in attitude.matrix], values)
        R = np.stack([np.broadcast_to(np.asarray(e, float), code.shape) for e in entries], axis=-1)
        refuse(code, np.linalg.det(np.nan_to_num(R).reshape(-1, 3, 3)) < 0, 239)


def constraints(equations: Equations, values: Values, code: np.ndarray) -> None:
    """E232, E231: a residual above 1e-9 of the row's own terms, and no rounding at the origin."""
    machine, space = equations.machine, equations.space
    nonfinite([*machine.phi, *machine.position.values()], values, code)
    rows = [(f, space.coordinates, 232) for f in machine.position.values()]
    rows += [(phi, space.velocities, 231) for phi in machine.phi]
    for row, variables, number in rows:
        residual = np.abs(np.asarray(evaluate([row], values)[0], float))
        kept = residual <= TOLERANCE * row_size(machine, row, variables, values)
        if number == 232 and not kept.all():
            slopes = evaluate(gradient(row, [row.graph.symbol(v.name) for v in variables]), values)
            kept = kept | is_rounding(residual, slopes, [values[v.name] for v in variables])
        refuse(code, ~kept, number)


def row_size(machine: Any, row: Node, variables: Sequence[Any], values: Values) -> np.ndarray:
    """The size of a row's terms for each member, as `equations.scale.scale` has it for one."""
    xs = [row.graph.symbol(v.name) for v in variables]
    steepest = _largest(evaluate(gradient(row, xs), values))
    largest = _largest([values[x.key[1]] for x in xs])
    terms = machine.terms[row]
    if len(terms) == 1:
        return np.asarray(steepest * largest)
    # sum |term|
    size = sum(np.abs(np.asarray(term, float)) for term in evaluate(terms, values))
    return np.maximum(size, FLOOR * steepest * largest)


def _largest(columns: Sequence[Any]) -> np.ndarray:
    largest = np.zeros(1)
    for column in columns:
        largest = np.maximum(largest, np.abs(np.asarray(column, float)))
    return largest


def cost(outputs: Sequence[Node]) -> int:
    """How many arrays the evaluation of the outputs holds at once."""
    graph, key = outputs[0].graph, ("cost", tuple(y.index for y in outputs))
    if key not in graph.memory:
        graph.memory[key] = sum(graph.nodes[i][0] not in (CONSTANT, SYMBOL) for i in live(outputs)) or 1
    return int(graph.memory[key])
