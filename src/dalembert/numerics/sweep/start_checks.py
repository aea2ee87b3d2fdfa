"""Checks of the starts of many members at once: are they consistent, and is the motion determined there?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ...calculus.fork_locks import lock
from ...calculus.frame import TIME
from ...calculus.from_sympy import read
from ...calculus.graph import (
    CONSTANT,
    SYMBOL,
    Graph,
    Node,
    evaluate,
    gradient,
    live,
    operations,
    sqrt,
    substitute,
    values_of_all,
)
from ...calculus.node_store import LEAVES
from ...calculus.numerical_rank import RANK_TOLERANCE
from ...calculus.substitution import carried
from ...calculus.symbols import kept
from ...equations import Equations
from ...equations.determinacy import _SHIFT, check_determined, check_regular, slip_speeds
from ...equations.mechanism_assembly import TOLERANCE
from ...equations.residual_scale import FLOOR, is_rounding
from ...equations.saddle_form import SMALLEST, WEAK_PIVOT
from ...errors import DalembertError
from ..machine.row_functions import CompiledRows


def summed(nodes: Sequence[Node]) -> Node:
    """n_1 + n_2 + ..., of one or more."""
    total = nodes[0]
    for node in nodes[1:]:
        total = total + node
    return total


def largest(graph: Graph, nodes: Sequence[Node]) -> Node:
    """The largest |n|, 0 of none."""
    found = graph.constant(0.0)
    for node in nodes:
        found = graph.apply("max", found, graph.apply("abs", node))
    return found


def row_terms(row: Node, terms: Sequence[Node], xs: Sequence[Node]) -> Node:
    """The size of a row's terms, as `equations.scale.scale` has it."""
    graph = row.graph
    size = largest(graph, gradient(row, xs)) * largest(graph, xs)
    if len(terms) == 1:
        return size
    # sum |term|
    return graph.apply("max", summed([graph.apply("abs", term) for term in terms]), FLOOR * size)


def sized(node: Node, xs: Sequence[Node]) -> Node:
    """sum |x dn/dx|"""
    slopes = gradient(node, xs)
    return summed([node.graph.apply("abs", slope * x) for slope, x in zip(slopes, xs, strict=True)])


# ---------------------------------------------------------------------------------------------------------------------
# The laws that a start must obey, for many members at once: those of `equations.complete`, each by its code.

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


def _largest(columns: Sequence[object]) -> np.ndarray:
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


# --- Is the motion determined at the starts of many members? ---------------------------------------------------------
# A member for which simple bounds prove it is let through; the others are looked at one by one, by the functions that
# look at a single start.

_NOTHING = 1e-11  # of the longest row: a row that is longer is none of rounding
_SURE = 1e-9  # a least eigenvalue, in natural units, that no rounding explains
_WORST = 1e12  # condition of a bordered matrix that is surely admissible


class _Matrices(NamedTuple):
    """W (K, k, k) of the form, the metric (K, k, k), and N (K, m, k)."""

    W: np.ndarray
    metric: np.ndarray
    N: np.ndarray


def check(equations: Equations, values: Values, code: np.ndarray) -> dict[tuple[int, ...], np.ndarray]:
    """Write E121, E108, E126, E129, E237, E162, E401 or E402 where the motion is not determined.

    Args:
        equations: with rows that are independent at most starts.
        values: arrays (K,) of all symbols, by name.
        code: 0, or the code of a refusal, (K,).

    Returns:
        The members that go on with other constraint rows than the equations keep, by the rows.
    """
    machine = equations.machine
    for speed in slip_speeds(equations).values():
        refuse(code, np.asarray(evaluate([speed], values)[0], float) == 0, 129)
    nonfinite([*machine.form.entries, *machine.qdot, machine.energy], values, code)
    sure = _sure(equations, values, _matrices(equations, values, len(code)))
    rows: dict[tuple[int, ...], list[int]] = {}
    for i in np.flatnonzero(~sure & (code == 0)):
        code[i], kept = _one(equations, {name: float(column[i]) for name, column in values.items()})
        if kept != equations.kept:
            rows.setdefault(kept, []).append(int(i))
    if equations.dependent:
        refuse(code, ~(equations.share(values) > WEAK_PIVOT), 162)
    return {kept: np.array(members) for kept, members in rows.items()}


def _one(equations: Equations, values: dict[str, float]) -> tuple[int, tuple[int, ...]]:
    """The code of a refusal or 0, and the rows to be kept, of one member."""
    kept = equations.kept
    try:
        here = equations.rows_at(values)
        kept = here.kept
        check_determined(here, values)
        check_regular(equations, values)
    except DalembertError as error:
        return int(error.code[1:]), kept
    return 0, kept


def _matrices(equations: Equations, values: Values, count: int) -> _Matrices:
    form, metric = equations.machine.form, equations.machine.metric
    k, m = len(form.W), len(form.N)

    def array(rows: Sequence[list[Node]], height: int) -> np.ndarray:
        flat = [np.broadcast_to(np.asarray(found[e.index], float), count) for row in rows for e in row]
        return np.stack(flat, axis=-1).reshape(count, height, k) if flat else np.zeros((count, 0, k))

    found = values_of_all([e for rows in (form.W, metric, form.N) for row in rows for e in row], values)
    return _Matrices(array(form.W, k), array(metric, k), array(form.N, m))


def _sure(equations: Equations, values: Values, matrices: _Matrices) -> np.ndarray:
    """The members (K,) whose motion is determined beyond doubt."""
    kept = list(equations.kept)
    W, metric, every = matrices
    N = every[:, kept]
    good = np.isfinite(W).all(axis=(1, 2)) & np.isfinite(metric).all(axis=(1, 2)) & np.isfinite(every).all(axis=(1, 2))
    W, metric, every, N = (np.where(good[:, None, None], a, 0.0) for a in (W, metric, every, N))
    rows, long = _unit_rows(N)
    gram = (rows[:, :, None, :] * rows[:, None, :, :]).sum(axis=-1)
    sure = good & long.all(axis=1) & (least_eigenvalue(gram) > _SURE)
    if len(kept) < every.shape[1]:
        sure &= _rank(every) == len(kept)
    # in units in which each velocity alone carries energy of order 1, here and nearby
    here = np.abs(np.diagonal(metric, axis1=1, axis2=2))
    sure &= _definite(metric, N, here) & _definite(metric, N, _nearby(equations, values, here))
    if equations.states_of_multipliers:
        return sure & _regular(W, N)
    return sure & _definite(W, N, np.abs(np.diagonal(W, axis1=1, axis2=2)))


def _nearby(equations: Equations, values: Values, here: np.ndarray) -> np.ndarray:
    """The energies W_aa (K, k) a little away from the starts; those at the start where these are no numbers."""
    shift = {q.name: values[q.name] + _SHIFT * (1 + i / 7) for i, q in enumerate(equations.space.coordinates)}
    diagonal = evaluate([row[a] for a, row in enumerate(equations.machine.metric)], {**values, **shift})
    near = np.stack([np.broadcast_to(np.asarray(e, float), len(here)) for e in diagonal], axis=-1)
    return np.where(np.isfinite(near).all(axis=-1, keepdims=True), np.abs(near), here)


def _unit_rows(N: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows in length 1, those that may be rounding as 0, and which are longer than that (K, m)."""
    length = np.sqrt((N * N).sum(axis=-1))
    long = length > _NOTHING * np.maximum(1.0, length.max(axis=1, initial=0.0))[:, None]
    return np.where(long[..., None], N / np.where(long, length, 1.0)[..., None], 0.0), long


def _rank(N: np.ndarray) -> np.ndarray:
    rows, _ = _unit_rows(N)
    return np.asarray((np.linalg.svd(rows, compute_uv=False) > RANK_TOLERANCE).sum(axis=1))


def _definite(W: np.ndarray, N: np.ndarray, energy: np.ndarray) -> np.ndarray:
    """Where W is surely positive on the velocities with N u = 0, in the units that the energies (K, k) give."""
    unit = 1 / np.sqrt(np.where(energy > SMALLEST, energy, 1.0))
    rows, _ = _unit_rows(N * unit[:, None, :])
    # z^T W z = z^T (W + N^T N) z where N z = 0
    S = W * unit[:, :, None] * unit[:, None, :] + (rows[:, :, :, None] * rows[:, :, None, :]).sum(axis=1)
    return np.asarray(least_eigenvalue((S + np.swapaxes(S, 1, 2)) / 2) > _SURE)


def least_eigenvalue(S: np.ndarray) -> np.ndarray:
    """A lower bound of the least eigenvalue of symmetric matrices (K, n, n): -inf where they are not definite."""
    n = S.shape[-1]
    if n == 0:
        return np.full(len(S), np.inf)
    A, det, trace = S.copy(), np.ones(len(S)), np.trace(S, axis1=1, axis2=2)
    definite = np.ones(len(S), bool)
    for i in range(n):  # S = L D L^T without pivoting
        pivot = A[:, i, i]
        definite &= pivot > 0
        safe = np.where(pivot > 0, pivot, 1.0)
        det = det * safe
        for j in range(i + 1, n):
            A[:, j, i + 1 :] -= (A[:, j, i] / safe)[:, None] * A[:, i, i + 1 :]
    # det = l_1 ... l_n,  and by the means  l_2 ... l_n <= (trace / (n - 1))^(n - 1)
    others = (np.where(definite, trace, 1.0) / (n - 1)) ** (n - 1) if n > 1 else np.ones(len(S))
    return np.where(definite, det / others, -np.inf)


def _regular(W: np.ndarray, N: np.ndarray) -> np.ndarray:
    """Where the bordered matrix, its rows scaled to 1, is surely well conditioned."""
    m = N.shape[1]
    top = np.concatenate([W, -np.swapaxes(N, 1, 2)], axis=2)
    K = np.concatenate([top, np.concatenate([N, np.zeros((len(N), m, m))], axis=2)], axis=1)
    scale = np.abs(K).max(axis=2)
    K = K / np.where(scale > 0, scale, 1.0)[..., None]
    n = K.shape[1]
    # cond(A) < 2 / |det A| (|A| / sqrt(n))^n with the Frobenius norm [guggenheimer1995]
    bound = 2 * (np.sqrt((K * K).sum(axis=(1, 2))) / np.sqrt(n)) ** n
    return np.asarray((scale > 0).all(axis=1) & (bound < _WORST * np.abs(np.linalg.det(K))))


# --- Starts that are beyond doubt, found by one compiled function for all members of a long sweep --------------------
# The function is 1 where every law above surely holds: each number on the way is finite,
# residuals are half of what is allowed, bounds prove that the motion is determined. All other members, few or none, are
# left to those laws, which know what to say.

MANY = 2048  # members of a sweep from which on compiling costs less than it saves
LARGEST = 10_000  # operations that are compiled for it
_FINITE = 1e300  # a sum above it may have left the numbers
_PASSING = ("+", "-", "*", "neg", "sin", "cos", "sqrt", "abs")  # are not finite where an argument is not
_SUMS = 4  # that run side by side

_Matrix = list[list[Node]]
_SCREENS: WeakKeyDictionary[Equations, CompiledRows | None] = WeakKeyDictionary()
_making = lock()


def passed(equations: Equations, values: Values, count: int) -> np.ndarray:
    """Which members (K,) are beyond doubt, for values (K,) of all symbols by name."""
    with _making:
        if equations not in _SCREENS:
            _SCREENS[equations] = _screen(equations)
    rows = _SCREENS[equations]
    if rows is None:
        return np.zeros(count, bool)
    y = np.stack([values[name] for name in rows.states], axis=1)
    return np.asarray(rows(values[TIME.name], y, values)[:, 0] == 1)


def _screen(equations: Equations) -> CompiledRows | None:
    """The function; None where the laws need more than it knows, or where it would be too large."""
    if equations.states_of_multipliers or equations.dependent or len(equations.kept) < len(equations.constraints):
        return None
    good = _Laws(equations).all()
    if sum(operations([good]).values()) > LARGEST:
        return None
    return CompiledRows.of([good], equations.states, sorted(equations.system.symbols))


class _Laws:
    """The laws as numbers that are 1 where they hold, on a graph of their own."""

    def __init__(self, equations: Equations) -> None:
        self.equations, machine = equations, equations.machine
        k, m = len(machine.form.W), len(machine.form.N)
        matrices = [e for rows in (machine.form.W, machine.metric, machine.form.N) for row in rows for e in row]
        residuals = [*machine.phi, *machine.position.values()]
        terms = [term for row in residuals for term in machine.terms[row]]
        seen = [*residuals, *machine.form.entries, *machine.qdot, machine.energy]
        self.graph = Graph()
        nodes, self.total = _summed(seen, [*matrices, *terms], self.graph)
        self.residuals = nodes[: len(residuals)]
        others = iter(nodes[len(seen) :])
        self.W, self.metric, self.N = ([[next(others) for _ in range(k)] for _ in range(h)] for h in (k, k, m))
        self.terms = [[next(others) for _ in machine.terms[row]] for row in residuals]

    def all(self) -> Node:
        """1 where all of them hold."""
        return _product([self._finite(), *self._residuals(), *self._slips(), *self._embedding(), *self._determined()])

    def _finite(self) -> Node:
        return self._most(self.total, self.graph.constant(_FINITE))

    def _most(self, value: Node, limit: Node) -> Node:
        """|value| <= limit."""
        return self.graph.apply("le", self.graph.apply("abs", value), limit)

    def _residuals(self) -> Iterable[Node]:
        """|row| <= TOLERANCE / 2 of its terms."""
        space = self.equations.space
        velocities = len(self.equations.machine.phi)
        for i, (row, terms) in enumerate(zip(self.residuals, self.terms, strict=True)):
            xs = [self.graph.symbol(v.name) for v in (space.velocities if i < velocities else space.coordinates)]
            yield self._most(row, TOLERANCE / 2 * row_terms(row, terms, xs))

    def _slips(self) -> Iterable[Node]:
        for speed in carried([*slip_speeds(self.equations).values()], self.graph):
            yield self._above(self.graph.apply("abs", speed), 0.0)

    def _above(self, value: Node, bound: float) -> Node:
        """bound < value."""
        return self.graph.apply("lt", bound, value)

    def _embedding(self) -> Iterable[Node]:
        """Lengths that are 1, and rotations that are no reflections."""
        space = self.equations.space
        for e in space.embedding:
            yield self._most(read(e, self.graph), self.graph.constant(TOLERANCE / 2))
        for attitude in space.attitudes.values():
            a, b, c, d, e, f, g, h, i = (read(entry, self.graph) for entry in attitude.matrix)
            yield self._above(a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g), 0.0)

    def _determined(self) -> Iterable[Node]:
        """As `determinacy._sure`: rows that are independent, energies that are positive on what they allow."""
        if self.N:
            lengths = [sqrt(summed([e * e for e in row])) for row in self.N]
            longest = largest(self.graph, [self.graph.constant(1.0), *lengths])
            yield from (self.graph.apply("lt", _NOTHING * longest, length) for length in lengths)
            rows = [[e / length for e in row] for row, length in zip(self.N, lengths, strict=True)]
            yield from self._positive([[_dot(a, b) for b in rows] for a in rows])
        here = self._sizes(self.metric)
        yield from self._definite(self.metric, here)
        yield from self._definite(self.metric, self._nearby())
        yield from self._definite(self.W, self._sizes(self.W))

    def _sizes(self, matrix: _Matrix) -> list[Node]:
        return [self.graph.apply("abs", row[a]) for a, row in enumerate(matrix)]

    def _nearby(self) -> list[Node]:
        """The energies a little away."""
        q = [self.graph.symbol(s.name) for s in self.equations.space.coordinates]
        shift: dict[str, Node | float] = {x.key[1]: x + _SHIFT * (1 + i / 7) for i, x in enumerate(q)}
        return substitute(self._sizes(self.metric), shift)

    def _definite(self, W: _Matrix, energy: Sequence[Node]) -> Iterable[Node]:
        """W + N^T N is positive, in units in which each velocity carries the energy given."""
        one = self.graph.constant(1.0)
        unit = [1 / sqrt(self.graph.apply("select", self._above(e, SMALLEST), e, one)) for e in energy]
        scaled = [[e * u for e, u in zip(row, unit, strict=True)] for row in self.N]
        lengths = [sqrt(summed([e * e for e in row])) for row in scaled]
        longest = largest(self.graph, [one, *lengths])
        yield from (self.graph.apply("lt", _NOTHING * longest, length) for length in lengths)
        rows = [[e / length for e in row] for row, length in zip(scaled, lengths, strict=True)]
        k = len(W)
        # z^T W z = z^T (W + N^T N) z where N z = 0
        upper = {
            (a, b): summed([(W[a][b] + W[b][a]) * 0.5 * (unit[a] * unit[b]), *(row[a] * row[b] for row in rows)])
            for a in range(k)
            for b in range(a, k)
        }
        yield from self._positive([[upper[min(a, b), max(a, b)] for b in range(k)] for a in range(k)])

    def _positive(self, S: _Matrix) -> Iterable[Node]:
        """The bound of `determinacy.least_eigenvalue` is above what rounding explains."""
        n, A = len(S), {(a, b): S[a][b] for a in range(len(S)) for b in range(a, len(S))}
        if not n:
            return
        det, trace = self.graph.constant(1.0), summed([S[a][a] for a in range(n)])
        for i in range(n):  # S = L D L^T without pivoting
            yield self._above(A[i, i], 0.0)
            det = det * A[i, i]
            for j in range(i + 1, n):
                factor = A[i, j] / A[i, i]
                for k in range(j, n):
                    A[j, k] = A[j, k] - factor * A[i, k]
        # det = l_1 ... l_n,  and by the means  l_2 ... l_n <= (trace / (n - 1))^(n - 1)
        others = (trace / (n - 1)) ** (n - 1) if n > 1 else self.graph.constant(1.0)
        yield self.graph.apply("lt", _SURE * others, det)


def _summed(seen: Sequence[Node], others: Sequence[Node], graph: Graph) -> tuple[list[Node], Node]:
    """All nodes on another graph, and a sum that is not finite where a number on the way to those `seen` is not."""
    source, image = seen[0].graph, dict[int, Node]()
    wanted, sums = _telling(seen), [graph.constant(0.0)] * _SUMS
    for i in live([*seen, *others]):
        operation, *args = source.nodes[i]
        if operation in LEAVES:
            image[i] = carried([Node(source, i)], graph)[0]
            continue
        image[i] = Node(graph, graph.remake(operation, *(image[j].index for j in args)))
        if i in wanted and not image[i].is_constant:
            sums.append(sums.pop(0) + graph.apply("abs", image[i]))
    return [image[y.index] for y in (*seen, *others)], summed(sums)


def _telling(seen: Sequence[Node]) -> set[int]:
    """Nodes of which one is not finite where any on the way is not: the last ones, and what goes into a function that
    makes a finite number of one that is not.
    """
    nodes = seen[0].graph.nodes
    found = {y.index for y in seen}
    for i in live(seen):
        if nodes[i][0] not in LEAVES and nodes[i][0] not in _PASSING:
            found |= {*nodes[i][1:]}
    return found


def _dot(a: Sequence[Node], b: Sequence[Node]) -> Node:
    return summed([x * y for x, y in zip(a, b, strict=True)])


def _product(nodes: Sequence[Node]) -> Node:
    found = nodes[0]
    for node in nodes[1:]:
        found = found * node
    return found
