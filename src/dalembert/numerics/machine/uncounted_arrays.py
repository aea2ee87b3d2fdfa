"""Arrays without a count of their references, for loops that would count them at every step."""

from __future__ import annotations

from typing import Any

from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def borrowed(typing_context: Any, array: Any) -> Any:
    """borrowed(array): the same array, from numba code, kept alive by whoever called that code."""

    def build(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        result = context.make_array(array)(context, builder, args[0])
        result.meminfo = cgutils.get_null_value(result.meminfo.type)
        return result._getvalue()

    return array(array), build
