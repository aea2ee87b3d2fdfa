"""The claims of the papers, each group of them worked through once in a process."""

from functools import cache


@cache
def worked(group):
    """The claims of a group, in order."""
    return tuple(group())
