"""Arrays without a count of their references, for loops that would count them at every step."""

from __future__ import annotations

from typing import Any

from numba.core import cgutils
from numba.core.types.containers import BaseTuple
from numba.core.types.npytypes import Array
from numba.extending import intrinsic


@intrinsic
def borrowed(typing_context: Any, given: Any) -> Any:
    """borrowed(array): the same array, from numba code, kept alive by whoever called that code; so with the arrays of a
    tuple.
    """

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _uncounted(context, builder, given, args[0])

    return given(given), build


def _uncounted(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    """The value without the owners of its arrays."""
    if isinstance(kind, BaseTuple):
        for i, inner in enumerate(kind.types):
            part = _uncounted(context, builder, inner, builder.extract_value(value, i))
            value = builder.insert_value(value, part, i)
    elif isinstance(kind, Array):
        array = context.make_array(kind)(context, builder, value)
        array.meminfo = cgutils.get_null_value(array.meminfo.type)
        value = array._getvalue()
    return value
