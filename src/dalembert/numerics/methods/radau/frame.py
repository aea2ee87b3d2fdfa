"""Named tuples of many arrays, handed to machine code as one address.

A tuple of arrays passes by value: every function of the loop would take some 300 numbers, and numba and LLVM be busy
with these for half a minute. A frame is a table of 8-byte words: a number is one word; an array its address and shape;
a tuple within lies in line. Attributes read the same as the tuple's.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_getattr_generic,
    models,
    register_model,
    typeof_impl,
    unbox,
)

WORD = 8  # bytes


class Frame:
    """A named tuple of float64 and int64 arrays, numbers and such tuples, by address.

    Args:
        record: the tuple. Its arrays are C-contiguous, and what machine code writes into them is seen in the tuple.
    """

    def __init__(self, record: Any) -> None:
        self.record = record
        self._table = np.array(list(_words(record)), np.int64)
        self.address = self._table.ctypes.data


def _words(value: Any) -> Iterator[int]:
    if isinstance(value, tuple):
        for each in value:
            yield from _words(each)
    elif isinstance(value, np.ndarray):
        if not value.flags.c_contiguous or value.itemsize != WORD:
            raise TypeError("a frame needs C-contiguous arrays of 8-byte numbers")
        yield from (value.ctypes.data, *value.shape)
    else:
        yield int(np.array(value).view(np.int64))


class Framed(types.Type):
    """Numba's type of a frame whose tuple has the type `record`."""

    def __init__(self, record: Any) -> None:
        self.record = record
        super().__init__(name=f"Framed({record})")

    def place(self, name: str) -> tuple[Any, int]:
        """The type of an attribute, and the word where it begins."""
        i = self.record.fields.index(name)
        return self.record.types[i], sum(map(_length, self.record.types[:i]))


def _length(kind: Any) -> int:
    """Words of a value of this type."""
    if isinstance(kind, types.NamedTuple | types.NamedUniTuple):
        return sum(map(_length, kind.types))
    return 1 + kind.ndim if isinstance(kind, types.Array) else 1


def _attribute(kind: Any) -> Any:
    return Framed(kind) if isinstance(kind, types.NamedTuple | types.NamedUniTuple) else kind


register_model(Framed)(models.OpaqueModel)


@typeof_impl.register(Frame)
def _typeof(frame: Frame, context: Any) -> Framed:
    return Framed(typeof_impl(frame.record, context))


@unbox(Framed)
def _unbox(kind: Framed, frame: Any, c: Any) -> Any:
    number = c.pyapi.object_getattr_string(frame, "address")
    address = c.pyapi.long_as_longlong(number)
    c.pyapi.decref(number)
    pointer = c.builder.inttoptr(address, c.context.get_value_type(kind))
    return NativeValue(pointer, is_error=c.pyapi.c_api_error())


@infer_getattr
class _Attributes(AttributeTemplate):
    key = Framed

    def generic_resolve(self, kind: Framed, name: str) -> Any:
        return _attribute(kind.place(name)[0]) if name in kind.record.fields else None


@lower_getattr_generic(Framed)
def _lower(context: Any, builder: Any, kind: Framed, frame: Any, name: str) -> Any:
    found, place = kind.place(name)
    wanted = context.get_value_type(_attribute(found))
    base = builder.gep(frame, [ir.Constant(ir.IntType(64), WORD * place)])
    if isinstance(_attribute(found), Framed):
        return base
    if not isinstance(found, types.Array):
        return _load(builder, base, 0, wanted)
    array = context.make_array(found)(context, builder)
    word = context.get_value_type(types.intp)
    shape = [_load(builder, base, 1 + i, word) for i in range(found.ndim)]
    strides: list[Any] = []
    stride: Any = ir.Constant(word, WORD)
    for size in reversed(shape):
        strides.insert(0, stride)
        stride = builder.mul(stride, size)
    context.populate_array(
        array,
        data=_load(builder, base, 0, array.data.type),
        shape=shape,
        strides=strides,
        itemsize=ir.Constant(word, WORD),
        meminfo=None,
    )
    return array._getvalue()


def _load(builder: Any, base: Any, word: int, kind: Any) -> Any:
    place = builder.gep(base, [ir.Constant(ir.IntType(64), WORD * word)])
    value = builder.load(builder.bitcast(place, kind.as_pointer()))
    value.set_metadata("invariant.load", builder.module.add_metadata([]))  # the table never changes
    return value
