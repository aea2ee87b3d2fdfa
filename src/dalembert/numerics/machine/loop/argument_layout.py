"""Arguments of a loop in words of 8 bytes: a number is one, an array its address and shape; tuples lie in line."""

from __future__ import annotations

import ctypes
import struct
from typing import Generic, TypeVar

import numpy as np

from ....errors import as_given
from .function_address import address_of
from .value_types import COUNT, DECLARED, REAL, TRUTH, Array, Kind, NotCompilable, TupleKind, fields_of, told

R = TypeVar("R", bound=tuple[object, ...])
_LETTERS = {np.dtype(np.float64): "f", np.dtype(np.int64): "i", np.dtype(np.bool_): "b"}
_MARKS = {kind: [letter + str(axes) for axes in range(65)] for kind, letter in _LETTERS.items()}  # NumPy has 64 at most
_ELEMENTS = {"f": REAL, "i": COUNT, "b": TRUTH}
_NUMBERS: dict[str, tuple[type, ...]] = {
    "float": (float, int, np.floating, np.integer),
    "int": (int, np.integer),
    "bool": (bool, np.bool_),
}


class WordLayout:
    """Words as they are gathered, and the kinds of what they belong to."""

    def __init__(self) -> None:
        self.values: list[float] = []
        self.marks: list[str] = []  # what decides the kinds: the letters and axes of arrays, the names of tuples

    @property
    def format(self) -> str:
        """How `struct` packs them; the same for the same declared types and marks."""
        return "=" + "".join("d" if type(value) is float else "q" for value in self.values)

    def add(self, value: object, annotation: str) -> None:
        """The words of an argument with a declared type.

        Raises:
            Refused: the value has another type, or is an array that is not contiguous.
        """
        if type(value) is np.ndarray:  # most of them are
            self._array(value)
        elif annotation in DECLARED:
            self._number(value, annotation)
        elif isinstance(value, ArgumentFrame):
            self.values.append(value.address)
            self.marks.append(value.mark)
        elif isinstance(value, np.ndarray):
            self._array(value)
        elif isinstance(value, tuple) and hasattr(value, "_fields"):
            self.marks.append(type(value).__name__ + "(")
            for each, declared in zip(value, fields_of(type(value)).values(), strict=True):
                self.add(each, declared)
            self.marks.append(")")
        else:
            raise NotCompilable(f"a loop takes numbers, arrays and named tuples of them, not {type(value).__name__}")

    def _number(self, value: object, annotation: str) -> None:
        if type(value) is float and annotation == "float":
            self.values.append(value)
            return
        if not isinstance(value, _NUMBERS[annotation]) or (annotation != "bool" and isinstance(value, bool)):
            raise NotCompilable(f"a loop takes {annotation} here, not {as_given(value)}")
        word = float if annotation == "float" else int
        self.values.append(word(value))  # type: ignore[call-overload, arg-type]

    def _array(self, array: np.ndarray) -> None:
        marks = _MARKS.get(array.dtype)
        if marks is None or not array.flags.c_contiguous:
            raise NotCompilable(f"a loop takes contiguous arrays of float64, int64 and bool, not of {array.dtype}")
        shape = array.shape
        self.values.append(address_of(array))
        self.values += shape
        self.marks.append(marks[len(shape)])


class ArgumentFrame(Generic[R]):
    """A named tuple whose table is laid out once, for arguments that come again and again.

    Args:
        record: the tuple. Its arrays are C-contiguous, and what machine code writes into them is seen in the tuple.
    """

    def __init__(self, record: R) -> None:
        self.record = record
        layout = WordLayout()
        layout.add(record, "")
        self.mark = "@" + " ".join(layout.marks)
        self._table = ctypes.create_string_buffer(struct.pack(layout.format, *layout.values))
        self.address = ctypes.addressof(self._table)


def kind_of(value: object, annotation: str) -> Kind:
    """The kind of an argument."""
    if annotation in DECLARED:
        return DECLARED[annotation]
    if isinstance(value, ArgumentFrame):
        return kind_of(value.record, "")
    if isinstance(value, np.ndarray):
        return Array(_ELEMENTS[_LETTERS[value.dtype]], value.ndim)
    assert isinstance(value, tuple)
    types = fields_of(type(value))
    kinds = tuple(kind_of(each, declared) for each, declared in zip(value, types.values(), strict=True))
    return TupleKind(type(value).__name__, tuple(types), kinds, framed=True)


class ReturnedWords:
    """Words that a function returns, as Python's numbers.

    Args:
        kind: of what it returns: a number, numbers, or nothing.
    """

    def __init__(self, kind: Kind) -> None:
        self._kinds = kind.kinds if isinstance(kind, TupleKind) else (kind,)
        if any(isinstance(each, TupleKind | Array) for each in self._kinds):
            raise NotCompilable(f"a function that is called from Python returns numbers only, not {told(kind)}")
        self._unpack = struct.Struct("=" + "".join("d" if each == REAL else "q" for each in self._kinds)).unpack_from
        self._truths, self._single = TRUTH in self._kinds, not isinstance(kind, TupleKind)
        self.size = 8 * len(self._kinds)

    def of(self, table: ctypes.Array[ctypes.c_char], place: int) -> object:
        """The numbers that begin at a byte of a table."""
        numbers: tuple[float, ...] = self._unpack(table, place)
        if self._truths:
            numbers = tuple(bool(x) if k == TRUTH else x for x, k in zip(numbers, self._kinds, strict=True))
        return numbers[0] if self._single else numbers or None
