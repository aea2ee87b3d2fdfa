"""`compare` and `limit` for users, who may name a principle in text: the names are looked up, the rest is passed on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import wraps
from typing import Any

from ..argument_checks import public, several
from ..comparison import Comparison, Limit
from ..experiment import compare as side_by_side
from ..experiment import penalty_limit as study
from ..principles.principle_table import each_named, named


@public
@wraps(side_by_side.compare)
def compare(system: Any, principles: Any, **options: Any) -> Comparison:
    """See `experiment.compare.compare`; principles may be given by their names."""
    if isinstance(principles, str):
        principles = each_named(principles)
    elif isinstance(principles, Mapping):
        principles = {label: named(p) for label, p in principles.items()}
    elif several(principles):
        principles = [named(p) for p in principles]
    return side_by_side.compare(system, principles, **options)


@public
@wraps(study.limit)
def limit(system: Any, penalty: Any, principle: Any, **options: Any) -> Limit:
    """See `experiment.limit.limit`; the principle may be given by its name."""
    return study.limit(system, penalty, named(principle), **options)
