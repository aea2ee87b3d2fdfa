"""Functions of `scipy.special` for compiled code: called by address, one number at a time.

SciPy's own modules are built on all systems, so its functions are there where a C library has none, and they are the
ones that `calculus.elementary` evaluates with.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Iterable
from functools import cache

from llvmlite import binding

from ...errors import as_given

PREFIX = "dalembert_special_"
_REAL = re.compile(r"double \(double(?:, double)*(, int __pyx_skip_dispatch)?\)\Z")
_CALLED = re.compile(rf"@{PREFIX}(\w+)\(")


@cache
def takes_flag(name: str) -> bool:
    """Does the function want one more argument, an int that does nothing?"""
    return _REAL.match(_found(name)[0]).group(1) is not None  # type: ignore[union-attr]


def register(texts: Iterable[str]) -> None:
    """Make the functions that these IR texts call known to compiled code."""
    for name in {name for text in texts for name in _CALLED.findall(text)}:
        _register(name)


@cache
def _register(name: str) -> None:
    signature, capsule = _found(name)
    address = ctypes.pythonapi.PyCapsule_GetPointer
    address.restype, address.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    binding.add_symbol(PREFIX + name, address(capsule, signature.encode()))


@cache
def _found(name: str) -> tuple[str, object]:
    """Signature and pointer of the function of real numbers; those of complex ones bear the same name."""
    from scipy.special import cython_special

    for key, capsule in cython_special.__pyx_capi__.items():
        signature = _signature(capsule)
        if re.fullmatch(rf"(?:__pyx_fuse_\d+)?{name}", key) and _REAL.match(signature):
            return signature, capsule
    raise KeyError(f"SciPy has no function {as_given(name)} of real numbers for compiled code")


def _signature(capsule: object) -> str:
    name = ctypes.pythonapi.PyCapsule_GetName
    name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
    return name(capsule).decode()
