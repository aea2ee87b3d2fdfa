"""Graph -> LLVM IR text -> machine code, with llvmlite alone: no C compiler and no type inference.

Every compiled function has the C signature ``void name(double* t, double* y, double* p, double* out)``. All inputs are
read before anything is written, so `out` may be `y`. The only fast-math flag is ``contract`` (a b + c may be one fused
operation): a flag that assumes away NaN would let the optimiser delete the tests that stop a broken integration.

Text that a user chose never enters the IR: values, arguments and symbols are numbers there.
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from llvmlite import binding

from dalembert.calculus.graph import CONSTANT, SYMBOL, Node, live

from . import solve

Inputs = Mapping[str, tuple[str, int]]

ARGUMENTS = ("t", "y", "p")
LARGEST_SADDLE = 160  # the matrix lives on the stack: 160^2 doubles are 200 kB

_ARITHMETIC = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv", "neg": "fneg"}
_INTRINSIC = {name: name for name in ("sqrt", "exp", "log", "pow", "sin", "cos", "floor", "ceil")}
_INTRINSIC |= {"abs": "fabs", "min": "minimum", "max": "maximum"}  # minimum, maximum: NaN if either is NaN
_LIBM = {"tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"}
_COMPARISON = {"lt": "olt", "le": "ole", "eq": "oeq"}
_LOCK = threading.Lock()


@dataclass(frozen=True)
class Real:
    """How a number of the graph is written in IR: the one place that knows that it is a scalar and not SIMD lanes."""

    type: str = "double"
    suffix: str = "f64"
    mask: str = "i1"
    width: int = 1

    def number(self, value: float) -> str:
        """The literal of a number, exact to the bit."""
        (bits,) = struct.unpack("<Q", struct.pack("<d", value))
        return f"0x{bits:016X}"


@dataclass
class Body:
    """Straight-line instructions of one function; `values` maps a node's index to what holds its value."""

    inputs: Inputs
    pointers: Mapping[str, str]
    real: Real = field(default_factory=Real)
    lines: list[str] = field(default_factory=list)
    declarations: set[str] = field(default_factory=set)
    values: dict[int, str] = field(default_factory=dict)
    count: int = 0

    def do(self, instruction: str) -> None:
        """Append an instruction without a result."""
        self.lines.append(f"  {instruction}")

    def new(self, instruction: str) -> str:
        """Append an instruction and return the name of its result."""
        self.count += 1
        self.do(f"%n{self.count} = {instruction}")
        return f"%n{self.count}"

    def call(self, function: str, args: Sequence[str]) -> str:
        """Call a function of real numbers, declaring it."""
        real = self.real.type
        self.declarations.add(f"declare {real} @{function}({', '.join([real] * len(args))})")
        return self.new(f"call {real} @{function}({', '.join(f'{real} {a}' for a in args)})")

    def at(self, pointer: str, index: int) -> str:
        """Address of element `index` behind a pointer."""
        return self.new(f"getelementptr double, ptr {pointer}, i64 {index * self.real.width}")

    def load(self, pointer: str, index: int) -> str:
        """The number at `index` behind a pointer."""
        return self.new(f"load {self.real.type}, ptr {self.at(pointer, index)}, align 8")

    def store(self, pointer: str, values: Iterable[str]) -> None:
        """Write numbers one after another from a pointer on."""
        for index, value in enumerate(values):
            self.do(f"store {self.real.type} {value}, ptr {self.at(pointer, index)}, align 8")

    def compute(self, outputs: Sequence[Node]) -> list[str]:
        """The values of the outputs, with all instructions that they need and that are not yet there."""
        for index in live(outputs):
            if index not in self.values:
                self.values[index] = self._value(outputs[0].graph.nodes[index])
        return [self.values[y.index] for y in outputs]

    def _value(self, key: tuple[Any, ...]) -> str:
        if key[0] == CONSTANT:
            return self.real.number(key[1])
        if key[0] == SYMBOL:
            return self._input(key[1])
        return _operation(self, key[0], [self.values[i] for i in key[1:]])

    def _input(self, symbol: str) -> str:
        if symbol not in self.inputs:
            raise KeyError(f"symbol {symbol!r} is no input of the function to be compiled")
        argument, index = self.inputs[symbol]
        return self.load(self.pointers[argument], index)


def _operation(body: Body, name: str, args: list[str]) -> str:
    """One operation of the table `ELEMENTARY`."""
    if name in _ARITHMETIC:
        return body.new(f"{_ARITHMETIC[name]} contract {body.real.type} {', '.join(args)}")
    if name in _INTRINSIC:
        return body.call(f"llvm.{_INTRINSIC[name]}.{body.real.suffix}", args)
    if name in _LIBM:
        return body.call(name, args)
    if name in _COMPARISON:
        return body.new(f"uitofp {body.real.mask} {_compare(body, _COMPARISON[name], *args)} to {body.real.type}")
    if name == "select":
        return _choose(body, _compare(body, "une", args[0], body.real.number(0.0)), *args[1:])
    if name == "sign":
        return _sign(body, *args)
    raise KeyError(f"operation {name!r} has no translation to LLVM")


def _compare(body: Body, relation: str, a: str, b: str) -> str:
    return body.new(f"fcmp {relation} {body.real.type} {a}, {b}")


def _choose(body: Body, condition: str, a: str, b: str) -> str:
    real = body.real
    return body.new(f"select {real.mask} {condition}, {real.type} {a}, {real.type} {b}")


def _sign(body: Body, x: str) -> str:
    # sign x = x where x is 0 or NaN, else 1 with the sign of x
    one = body.call(f"llvm.copysign.{body.real.suffix}", [body.real.number(1.0), x])
    return _choose(body, _compare(body, "ueq", x, body.real.number(0.0)), x, one)


def _function(name: str, arguments: Sequence[str], body: Body) -> str:
    """The text of a whole function and of what it declares."""
    if not (name.isascii() and name.isidentifier()):
        raise ValueError(f"{name!r} cannot be the name of a compiled function")
    parameters = ", ".join(f"ptr %a{i}" for i in range(len(arguments) + 1))
    head = "\n".join(sorted(body.declarations))
    return "\n".join([head, f"define void @{name}({parameters}) {{", *body.lines, "  ret void", "}", ""])


def _pointers(arguments: Sequence[str]) -> dict[str, str]:
    return {argument: f"%a{i}" for i, argument in enumerate(arguments)}


def emit(name: str, outputs: Sequence[Node], inputs: Inputs, arguments: Sequence[str] = ARGUMENTS) -> str:
    """IR text of the function `name` that writes the values of `outputs`, in their order, to its last argument.

    Args:
        name: an ASCII identifier, unique in the library it is compiled into.
        outputs: nodes of one graph.
        inputs: for every symbol, the argument that holds it and its index there.
        arguments: names of the arguments before the output, in the order of the C signature.

    Raises:
        KeyError: a symbol of the graph is not among the inputs.
        ValueError: the name cannot be used.
    """
    body = Body(inputs, _pointers(arguments))
    body.store(f"%a{len(arguments)}", body.compute(outputs))
    return _function(name, arguments, body)


def emit_saddle(
    name: str,
    size: int,
    assemble: Sequence[Node],
    finish: Sequence[Node],
    inputs: Inputs,
    arguments: Sequence[str] = ARGUMENTS,
) -> str:
    """IR text of a function that assembles and solves K x = b with pivots, and writes `finish`, which may contain x.

    The solution is one more argument called ``"x"``: ``inputs`` may map symbols to ``("x", i)`` for i < size, and to
    ``("x", size)``, the margin of `solve`: smallest by largest pivot, 0 where K is singular (x is NaN then).

    Args:
        name: an ASCII identifier, unique in the library it is compiled into.
        size: number of unknowns, at most `LARGEST_SADDLE`.
        assemble: K by rows and then b: size * (size + 1) nodes, free of x.
        finish: the outputs, nodes of the same graph.
        inputs: for every symbol, the argument that holds it and its index there.
        arguments: names of the arguments before the output.

    Raises:
        KeyError: a symbol of the graph is not among the inputs.
        ValueError: size and assemble do not fit together, or size is too large, or the name cannot be used.
    """
    if len(assemble) != size * (size + 1) or not 0 <= size <= LARGEST_SADDLE:
        raise ValueError(f"{len(assemble)} entries for a matrix and right-hand side of size {size}")
    body = Body({s: i for s, i in inputs.items() if i[0] != "x"}, _pointers(arguments))
    matrix = body.new(f"alloca double, i64 {size * (size + 1) + 1}, align 64")
    body.store(matrix, body.compute(assemble))
    solution = _call_solver(body, matrix, size)
    body.inputs, body.pointers = inputs, {**body.pointers, "x": solution}
    body.store(f"%a{len(arguments)}", body.compute(finish))
    return _function(name, arguments, body)


def _call_solver(body: Body, matrix: str, size: int) -> str:
    """Solve in place; the pointer to x, behind which the margin follows."""
    body.declarations.add(f"declare void @{solve.SYMBOL}(ptr, ptr, i64, ptr)")
    solution, margin = body.at(matrix, size * size), body.at(matrix, size * (size + 1))
    body.do(f"call void @{solve.SYMBOL}(ptr {matrix}, ptr {solution}, i64 {size}, ptr {margin})")
    return solution


@dataclass(frozen=True)
class Library:
    """Machine code in memory. Addresses are valid as long as the library is alive: whoever uses one keeps it."""

    addresses: Mapping[str, int]
    engine: Any = field(repr=False)

    @classmethod
    def compile(cls, functions: Mapping[str, str]) -> Library:
        """Compile IR texts, function name -> text of `emit` or `emit_saddle`, for this processor.

        Raises:
            RuntimeError: LLVM refuses a text.
        """
        if any(f"@{solve.SYMBOL}(" in text for text in functions.values()):
            solve.register()
        with _LOCK:
            engine = _build(functions.values())
            return cls({name: engine.get_function_address(name) for name in functions}, engine)

    def address(self, name: str) -> int:
        """Address of a function, for `calls.call` and its kin.

        Raises:
            KeyError: the library has no such function.
        """
        return self.addresses[name]


def _build(texts: Iterable[str]) -> Any:
    """An execution engine with the linked and optimised texts."""
    machine = _target_machine()
    module = binding.parse_assembly("")
    for text in texts:
        module.link_in(binding.parse_assembly(text))
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    _optimise(module, machine)
    engine = binding.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    engine.run_static_constructors()
    return engine


def _optimise(module: Any, machine: Any) -> None:
    options = binding.create_pipeline_tuning_options(speed_level=2)
    options.slp_vectorization = False  # costs more time than it saves on straight-line code
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)


def _target_machine() -> Any:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_default_triple()
    return target.create_target_machine(cpu=binding.get_host_cpu_name(), features=_features(), opt=2)


def _features() -> str:
    try:
        return str(binding.get_host_cpu_features().flatten())
    except RuntimeError:  # LLVM cannot tell on this platform
        return ""
