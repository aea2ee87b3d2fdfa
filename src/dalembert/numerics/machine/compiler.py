"""LLVM IR text -> machine code in memory, compiled with llvmlite alone; what was compiled once is kept on disk.

A compiled library is kept under the hash of all that decides its code: the texts, the processor, the versions. The file
holds that hash, the code's own hash and the code. Nothing in it is unpickled or executed before both are right; where
the file is damaged, not ours or cannot be written, the library is compiled afresh.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import llvmlite
from llvmlite import binding
from llvmlite.binding.newpassmanagers import NewPassManager

from ...calculus.fork_locks import lock
from . import function_splitting, linear_solve, object_cache, special_functions

OPTIMISATION, REGISTERS, UNCHANGED = 2, 1, 0  # of short code; of long code; what was cut is taken as it is
QUICKLY = UNCHANGED  # of what is not called often enough to win back more
LONG = 6000  # lines of a function, beyond which passes over the text take longer than they save
SHARED = 2  # times as many lines, of what all systems share
SELDOM = 1000  # lines, beyond which they do so for what is called once for a sample of a path
MOST = 64  # libraries that a process holds on to without being asked
_LOCK = lock()


@dataclass(frozen=True)
class Library:
    """Machine code in memory. Addresses are valid as long as the library is alive: whoever uses one keeps it."""

    addresses: Mapping[str, int]
    engine: Any = field(repr=False)

    @classmethod
    def compile(cls, functions: Mapping[str, str], level: int | None = None, shared: bool = False) -> Library:
        """Compile IR texts, function name -> text that defines it, for this processor, or load what was compiled.

        How much is done for the speed of the code is `level`; by itself the length of the texts decides. Code that all
        systems share is compiled once on a machine, and may be longer.

        Raises:
            RuntimeError: LLVM refuses a text.
        """
        if any(f"call void @{linear_solve.SYMBOL}(" in text for text in functions.values()):
            _solver()
        special_functions.register(functions.values())
        texts = list(functions.values())
        level = _level(texts, SHARED * LONG if shared else LONG) if level is None else level
        key = object_cache.key([*_setting(), str(level), *functions, *texts])
        with _LOCK:  # llvmlite compiles one library at a time
            if key not in _LOADED:
                engine = _engine(key, texts, level)
                _LOADED[key] = cls({name: engine.get_function_address(name) for name in functions}, engine)
            _LOADED.move_to_end(key)
            while len(_LOADED) > MOST:
                _LOADED.popitem(last=False)  # whoever uses it keeps it
            return _LOADED[key]

    @classmethod
    def seldom(cls, functions: Mapping[str, str]) -> Library:
        """The same, of what is called once for a sample of a path, or less."""
        long = sum(text.count("\n") for text in functions.values()) > SELDOM
        return cls.compile(functions, QUICKLY if long else None)

    def beside(self, other: Library) -> Library:
        """The functions of both."""
        return Library({**self.addresses, **other.addresses}, (self.engine, other.engine))

    def address(self, name: str) -> int:
        """Address of a function, for `calls.call` and its kin.

        Raises:
            KeyError: the library has no such function.
        """
        return self.addresses[name]


_LOADED: OrderedDict[bytes, Library] = OrderedDict()


@cache
def _solver() -> Library:
    """The solution of dense systems, known to all that is compiled later."""
    library = Library.compile({linear_solve.SYMBOL: linear_solve.text()})
    binding.add_symbol(linear_solve.SYMBOL, library.address(linear_solve.SYMBOL))
    return library


def _engine(key: bytes, texts: list[str], level: int) -> Any:
    """An execution engine with the machine code of the texts."""
    machine = _target_machine(level)
    code = object_cache.load(key)
    if code is not None:
        engine = binding.create_mcjit_compiler(_module([], machine), machine)
        engine.add_object_file(binding.ObjectFileRef.from_data(code))
    else:
        module = _module(texts, machine)
        if level == OPTIMISATION:
            _optimise(module, machine)
        engine = binding.create_mcjit_compiler(module, machine)
        engine.set_object_cache(lambda _, compiled: object_cache.store(key, bytes(compiled)), None)
    engine.finalize_object()
    engine.run_static_constructors()
    return engine


def _level(texts: Sequence[str], long: int) -> int:
    """How much is done for the speed of the code: compiling takes time in proportion to its length."""
    if any(f"@{function_splitting.PREFIX}" in text for text in texts):
        return UNCHANGED
    return REGISTERS if any(text.count("\n") > long for text in texts) else OPTIMISATION


def waited_for(texts: Sequence[str]) -> int:
    """The level of what one run waits for: where there is much without a loop, passes find nothing to make faster."""
    straight = sum(text.count("\n") for text in texts if "phi i64" not in text)
    return min(_level(texts, LONG), REGISTERS if straight > LONG else OPTIMISATION)


def _module(texts: Iterable[str], machine: binding.TargetMachine) -> Any:
    """The texts as one module for a machine."""
    module = binding.parse_assembly("")
    for text in texts:
        module.link_in(binding.parse_assembly(text))
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    module.verify()
    return module


def _optimise(module: Any, machine: binding.TargetMachine) -> None:
    options = binding.create_pipeline_tuning_options(speed_level=OPTIMISATION)
    options.slp_vectorization = False  # costs more time than it saves on straight-line code
    builder = binding.create_pass_builder(machine, options)
    passes = builder.getModulePassManager()
    passes.run(module, builder)
    NewPassManager._dispose(passes)  # llvmlite 0.50 never frees it: 30 kB for each library
    passes.detach()


def _target_machine(level: int = OPTIMISATION) -> Any:
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_default_triple()
    return target.create_target_machine(cpu=binding.get_host_cpu_name(), features=features(), opt=level)


@cache
def features() -> str:
    """What this processor can do, in LLVM's words."""
    try:
        return str(binding.get_host_cpu_features().flatten())
    except RuntimeError:  # LLVM cannot tell on this platform
        return ""


@cache
def _setting() -> tuple[str, ...]:
    """All that decides the code besides the texts."""
    version = ".".join(map(str, binding.llvm_version_info))
    machine = (_target_machine().triple, binding.get_host_cpu_name(), features())
    return (llvmlite.__version__, version, f"{OPTIMISATION} to {LONG}", *machine)


@cache
def widest() -> int:
    """How many doubles a register of this processor holds."""
    known = features()
    if "+avx512f" in known and "+avx512dq" in known:
        return 8
    return 4 if "+avx2" in known and "+fma" in known else 2
