"""The equations of motion as a list of operations on numbered values, with exact numbers: what a certificate states.

Numbers of the graph are doubles, and stand for what was written: 9.81 is 981/100, and what is known to be rounded is
the simplest fraction, root of a fraction or multiple of pi near it. A number that is none of these is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import add, mul, sub

import numpy as np
from flint import arb_mat, arb_poly
from scipy.linalg import qr

from ..calculus.exact.finite_field import as_written, given_exactly
from ..calculus.from_sympy import read
from ..calculus.graph import CONSTANT, SYMBOL, Node, evaluate, gradient, live, substitute
from ..calculus.linear_systems import solve
from ..equations import Equations, Lean
from ..equations.code.listing import solved, unknown
from ..equations.start import Start
from ..errors import InvalidValue, Singular, as_given
from .certificate import FAILURES, Bands, Formulas, exact
from .step_search import whole_number

_FOLLOWS = 1e6  # how much sooner a value that followed is left unknown than one that was given
_RANK = 1e-9  # of the largest slope: what a constraint that is independent has
_NOTHING = 1e-9  # a value below it is 0 in a state of rest
_PASSES = 12  # of Newton's method
_SIMPLE = 10**6  # the largest denominator of a number that was rounded
_LONG = 4096  # bits of a fraction, above which it is left as an operation
_RATIONAL: dict[str, Callable[..., Fraction]] = {"add": add, "sub": sub, "mul": mul, "inv": lambda a: 1 / a}
_KINKED = {"abs", "sign", "min", "max", "floor", "ceil", "select", "lt", "le", "eq"}


@dataclass(frozen=True)
class Known:
    """What names stand for that are no states.

    Attributes:
        numbers: exact values by name.
        formulas: nodes of what parameters stand for that are given by others.
    """

    numbers: Mapping[str, Fraction]
    formulas: Mapping[str, Node]

    @classmethod
    def of(cls, equations: Equations, start: Start) -> Known:
        """The parameters of a start."""
        defined, graph = equations.system.defined, equations.machine.graph
        formulas = {name: read(e, graph) for name, e in defined.items()}
        return cls({k: as_written(v) for k, v in start.parameters.items() if k not in formulas}, formulas)

    def having(self, more: Mapping[str, Fraction]) -> Known:
        """With more numbers."""
        return replace(self, numbers={**self.numbers, **more})


def rates_of(equations: Equations, lean: Lean | None, values: Mapping[str, float]) -> list[Node]:
    """d/dt of all states, solved; with pivots chosen at these values where elimination without choice may fail."""
    if lean is not None:
        return list(lean.rates)
    task, _ = solved(equations)
    m = task.size
    if not m:
        return list(task.outputs)
    K = [task.system[i * m : (i + 1) * m] for i in range(m)]
    x = solve(K, [[e] for e in task.system[m * m :]], values)
    return substitute(task.outputs, {unknown(i): row[0] for i, row in enumerate(x)})


class Lines:
    """Lines as they are written; what is equal is written once, and what holds numbers alone is a number.

    Args:
        inputs: names of the first values.
        known: what other names stand for.
    """

    def __init__(self, inputs: Sequence[str], known: Known) -> None:
        self.inputs, self.known = list(inputs), known
        self.constants: list[Fraction] = []
        self.lines: list[tuple[str, *tuple[int, ...]]] = []
        self._places: dict[tuple[object, ...], int] = {}
        self._numbers: dict[int, Fraction] = {}

    def number(self, value: Fraction | int) -> int:
        """A constant; constants are numbered from -1 down until the list is complete."""
        value = Fraction(value)
        if (CONSTANT, value) not in self._places:
            self.constants.append(value)
            self._places[CONSTANT, value] = -len(self.constants)
            self._numbers[-len(self.constants)] = value
        return self._places[CONSTANT, value]

    def line(self, name: str, *places: int) -> int:
        """The value of an operation."""
        folded = self._folded(name, places)
        if folded is not None:
            return folded
        first, last = (self._numbers.get(i) for i in (places[0], places[-1]))
        if (name == "mul" and first == 1) or (name == "add" and first == 0):
            return places[-1]
        if (name == "mul" and last == 1) or (name in ("add", "sub") and last == 0):
            return places[0]
        if name == "mul" and 0 in (first, last):
            return self.number(0)
        if name in ("add", "mul"):
            places = tuple(sorted(places))
        if (name, *places) not in self._places:
            self._places[name, *places] = len(self.inputs) + len(self.lines)
            self.lines.append((name, *places))
        return self._places[name, *places]

    def _folded(self, name: str, places: Sequence[int]) -> int | None:
        """The number that an operation on numbers makes, if it is not too long."""
        numbers = [self._numbers[i] for i in places if i in self._numbers]
        if len(numbers) < len(places) or name not in _RATIONAL or (name == "inv" and not numbers[0]):
            return None
        value = _RATIONAL[name](*numbers)
        return None if value.numerator.bit_length() + value.denominator.bit_length() > _LONG else self.number(value)

    def over(self, a: int, b: int) -> int:
        """a/b."""
        return self.line("mul", a, self.line("inv", b))

    def half(self, a: int) -> int:
        """a/2."""
        return self.line("mul", self.number(Fraction(1, 2)), a)

    def minus(self, a: int) -> int:
        """-a."""
        return self.line("mul", self.number(-1), a)

    def nodes(self, outputs: Sequence[Node]) -> list[int]:
        """Where the values of nodes of one graph stand.

        Raises:
            InvalidValue: E870, something is not smooth or not enclosed; E871, a number is not known exactly.
        """
        found: dict[int, int] = {}
        for i in live(outputs):
            operation, *args = outputs[0].graph.nodes[i]
            if operation == CONSTANT:
                found[i] = self._constant(args[0])
            elif operation == SYMBOL:
                found[i] = self.state(args[0])
            else:
                found[i] = self._operation(operation, [found[j] for j in args])
        return [found[y.index] for y in outputs]

    def state(self, name: str) -> int:
        """Where the value of a name stands."""
        if name in self.inputs:
            return self.inputs.index(name)
        if name in self.known.formulas:
            return self.nodes([self.known.formulas[name]])[0]
        if name not in self.known.numbers:
            fact = f"{name} is an input, and what is given at run time is not proved"
            raise InvalidValue("E870", fact, "give it as a formula of time and states, or as a parameter")
        return self.number(self.known.numbers[name])

    def _constant(self, value: float) -> int:
        """What a double stands for."""
        if given_exactly(value) or as_written(value).denominator <= _SIMPLE:
            return self.number(as_written(value))
        if (part := as_written(value / math.pi)).denominator <= _SIMPLE:
            return self.line("mul", self.number(4 * part), self.line("atan", self.number(1)))
        if (square := as_written(value * value)).denominator <= _SIMPLE:
            root = self.line("sqrt", self.number(square))
            return root if value > 0 else self.minus(root)
        fact = f"the equations hold {as_given(value)}, which is no fraction, root of a fraction or multiple of pi"
        raise InvalidValue("E871", fact, "make it a parameter")

    def _operation(self, name: str, args: Sequence[int]) -> int:
        plain = {"+": "add", "-": "sub", "*": "mul"}.get(name, name)
        if plain in ("add", "sub", "mul", "sqrt", "exp", "log", "sin", "cos", "atan"):
            return self.line(plain, *args)
        if name == "/":
            return self.over(*args)
        if name == "neg":
            return self.minus(args[0])
        if name == "pow":
            return self._power(*args)
        made = _MADE.get(name)
        if made is None:
            kink = "is not smooth" if name in _KINKED else "is not enclosed"
            raise InvalidValue("E870", f"{name} stands in the equations, and {kink}", "write it with smooth functions")
        return made(self, *args)

    def _power(self, a: int, b: int) -> int:
        """a^b = exp(b log a); by products where b is a small whole number."""
        number = self._numbers.get(b)
        if number is not None and number.denominator == 1 and abs(number) <= 64:
            value = self.number(1)
            for _ in range(abs(int(number))):
                value = self.line("mul", value, a)
            return value if number >= 0 else self.line("inv", value)
        return self.line("exp", self.line("mul", b, self.line("log", a)))

    def data(self, places: Sequence[int]) -> tuple[dict[str, object], list[int]]:
        """Constants and lines as a certificate states them, and where values stand there."""
        n, m = len(self.inputs), len(self.constants)

        def moved(i: int) -> int:
            return n - 1 - i if i < 0 else i if i < n else i + m

        lines = [[name, *map(moved, args)] for name, *args in self.lines]
        return {"constants": [str(c) for c in self.constants], "lines": lines}, [moved(i) for i in places]


def _asin(w: Lines, x: int) -> int:
    return w.line("atan", w.over(x, w.line("sqrt", w.line("sub", w.number(1), w.line("mul", x, x)))))


def _hyperbolic(w: Lines, x: int, sign: str) -> int:
    """exp(x) + exp(-x), or their difference."""
    e = w.line("exp", x)
    return w.line(sign, e, w.line("inv", e))


def _area(w: Lines, x: int, sign: str) -> int:
    """log(x + sqrt(x^2 + 1)), or with - 1."""
    return w.line("log", w.line("add", x, w.line("sqrt", w.line(sign, w.line("mul", x, x), w.number(1)))))


def _atan2(w: Lines, y: int, x: int) -> int:
    """2 atan(y/(sqrt(x^2 + y^2) + x))."""
    length = w.line("sqrt", w.line("add", w.line("mul", x, x), w.line("mul", y, y)))
    return w.line("mul", w.number(2), w.line("atan", w.over(y, w.line("add", length, x))))


_MADE: dict[str, Callable[..., int]] = {
    "tan": lambda w, x: w.over(w.line("sin", x), w.line("cos", x)),
    "asin": _asin,
    "acos": lambda w, x: w.line("sub", w.line("mul", w.number(2), w.line("atan", w.number(1))), _asin(w, x)),
    "atan2": _atan2,
    "sinh": lambda w, x: w.half(_hyperbolic(w, x, "sub")),
    "cosh": lambda w, x: w.half(_hyperbolic(w, x, "add")),
    "tanh": lambda w, x: w.over(_hyperbolic(w, x, "sub"), _hyperbolic(w, x, "add")),
    "asinh": lambda w, x: _area(w, x, "add"),
    "acosh": lambda w, x: _area(w, x, "sub"),
    "atanh": lambda w, x: w.half(w.line("log", w.over(w.line("add", w.number(1), x), w.line("sub", w.number(1), x)))),
}


# --- the start: what is given is exact, what follows is the one zero of the constraints near it ----------------------


def start_data(equations: Equations, start: Start, lean: Lean | None, known: Known, bits: int) -> dict:
    """The start as a certificate states it (E872: no zero of the constraints is found near it)."""
    system, machine = equations.system, equations.machine
    values = {**start.parameters, **start.state, "t": start.t}
    places = [*machine.position.values(), *(read(e, machine.graph) for e in system.space.embedding)]
    rates = [machine.phi[s] for s in equations.kept]
    q, u = ([s.name for s in symbols] for symbols in (system.space.coordinates, system.space.velocities))
    chosen = [_independent(rows, names, values, start.follows) for rows, names in ((places, q), (rates, u))]
    rows = [row for found, _ in chosen for row in found]
    unknown = [name for _, names in chosen for name in names]
    given = {name: as_written(start[name]) for name in start if name not in unknown}
    lines = Lines(unknown, known.having({**given, "t": as_written(start.t)}))
    states = [machine.graph.symbol(name) for name in equations.states]
    first = lines.nodes(states if lean is None else states[: len(q)])
    first += [] if lean is None else lines.nodes(lean.origin)
    program, found = lines.data([*lines.nodes(rows), *first])
    data = {"t": str(as_written(start.t)), "given": {name: str(value) for name, value in given.items()}, **program}
    data |= {"rows": found[: len(rows)], "resting": [], "states": found[len(rows) :]}
    return data | zero_data(data, unknown, values, bits)


def _independent(
    rows: Sequence[Node], names: Sequence[str], values: Mapping[str, float], follows: Sequence[str]
) -> tuple[list[Node], list[str]]:
    """Rows that are independent, and values that they determine by the others."""
    if not rows:
        return [], []
    symbols = [rows[0].graph.symbol(name) for name in names]
    slopes = np.array([evaluate(gradient(row, symbols), values) for row in rows], float)
    sooner = np.array([_FOLLOWS if name in follows else 1.0 for name in names])
    rank = np.linalg.matrix_rank(slopes, _RANK * np.abs(slopes).max())
    unknown = sorted(qr(slopes * sooner, mode="r", pivoting=True)[1][:rank].tolist())
    kept = sorted(qr(slopes[:, unknown].T, mode="r", pivoting=True)[1][: len(unknown)].tolist())
    return [rows[i] for i in kept], [names[j] for j in unknown]


def zero_data(data: Mapping, unknown: Sequence[str], values: Mapping[str, float], bits: int) -> dict:
    """The zero of the rows to so many bits, by Newton's method, a box around it and the inverse of their slopes.

    Raises:
        Singular: E872, the rows are not defined near the values, or do not determine the unknown ones.
    """
    if not unknown:
        return {"unknown": {}, "radii": [], "by": []}
    formulas, flat, rows, n = Formulas(len(unknown), data), Bands(0), data["rows"], range(len(unknown))
    x, scale = [Fraction(values[name]) for name in unknown], 2 ** (bits + 16)
    try:
        _, slopes = formulas.run(flat, [arb_poly([exact(e)]) for e in x], len(x))
        by = np.linalg.inv([[float(slopes[k][j][0]) if j in slopes[k] else 0.0 for j in n] for k in rows]).tolist()
        for _ in range(_PASSES):
            found, _ = formulas.run(flat, [arb_poly([exact(e)]) for e in x])
            move = arb_mat(by) * arb_mat([[found[k][0] * scale] for k in rows])
            steps = [whole_number(move[i, 0]) for i in n]
            x = [Fraction(round(e * scale) - s, scale) for e, s in zip(x, steps, strict=True)]
            if max(map(abs, steps)) < 2**8:
                break
    except (*FAILURES, np.linalg.LinAlgError, TypeError) as why:
        raise Singular("E872", f"the start is not enclosed: {why}", "begin elsewhere") from None
    stated = {name: str(e) for name, e in zip(unknown, x, strict=True)}
    return {"unknown": stated, "radii": [2.0 ** -(bits + 2)] * len(x), "by": by}


def rest_data(equations: Equations, lean: Lean | None, values: Mapping[str, float], known: Known, bits: int) -> dict:
    """A state of rest as a certificate states it: values that are 0 are 0, and so many others are solved for as there
    are rates that are not 0 for that reason; the rest is exact.

    Raises:
        Singular: E875, the rates depend on each other there.
    """
    names = equations.states if lean is None else lean.states
    graph = equations.machine.graph
    places = [*equations.machine.position.values(), *(read(e, graph) for e in equations.system.space.embedding)]
    free = [name for name in names if abs(values[name]) > _NOTHING]
    held = {name: Fraction(0) for name in names if name not in free}

    def written(unknown: Sequence[str]) -> tuple[dict, list[int]]:
        given = {name: as_written(values[name]) for name in free if name not in unknown}
        lines = Lines(unknown, known.having({**held, **given, "t": as_written(values["t"])}))
        rates, first = lines.nodes(rates_of(equations, lean, values)), [lines.state(name) for name in names]
        rows = list(dict.fromkeys(k for k in [*rates, *lines.nodes(places)] if k != lines.number(0)))
        program, found = lines.data([*rows, *rates, *first])
        m, n = len(rows), len(rows) + len(rates)
        exactly = {name: str(value) for name, value in {**held, **given}.items()}
        parts = {"rows": found[:m], "resting": found[m:n], "states": found[n:], "given": exactly}
        return {"t": str(as_written(values["t"])), **program, **parts}, found[:m]

    data, rows = written(free)
    formulas = Formulas(len(free), data)
    _, slopes = formulas.run(Bands(0), [arb_poly([values[name]]) for name in free], len(free))
    J = np.array([[float(slopes[k][j][0]) if j in slopes[k] else 0.0 for j in range(len(free))] for k in rows])
    sooner = np.array([1.0 if given_exactly(values[name]) else _FOLLOWS for name in free])
    if np.linalg.matrix_rank(J, _RANK * np.abs(J).max(initial=0.0)) < len(rows):
        fact = "the rates depend on each other at this state of rest, and its existence follows from no box"
        raise Singular("E875", fact, "hold other values, or reduce the system by its symmetry")
    columns = qr(J * sooner, mode="r", pivoting=True)[1][: len(rows)] if len(rows) else []
    unknown = [free[j] for j in sorted(columns)]
    data, _ = written(unknown)
    return data | zero_data(data, unknown, values, bits)
