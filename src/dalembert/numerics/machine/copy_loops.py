"""Values that lie in order in one place and are wanted in order in another: copied in loops, not one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

Spot = tuple[int, int]  # where a value lies, and where it is wanted

TEXT = """define internal void @dalembert_copy(ptr %from, i64 %step_from, ptr %to, i64 %step_to, i64 %count) noinline {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %a = mul i64 %i, %step_from
  %b = mul i64 %i, %step_to
  %source = getelementptr double, ptr %from, i64 %a
  %target = getelementptr double, ptr %to, i64 %b
  %value = load double, ptr %source, align 8
  store double %value, ptr %target, align 8
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %count
  br i1 %more, label %loop, label %done
done:
  ret void
}"""


class Copy(NamedTuple):
    """`many` values that lie `step` apart from `place` on, and are wanted `step_to` apart from `target` on."""

    place: int
    step: int
    target: int
    step_to: int
    many: int


def copies(spots: Sequence[Spot]) -> Iterator[Copy]:
    """All values in as few copies as their order gives; what is wanted twice, as in a symmetric matrix, is in two."""
    for layer in _layers(spots):
        first = 0
        while first < len(layer):
            last = _end(layer, first)
            (place, target), (behind, further) = layer[first], layer[min(first + 1, last)]
            yield Copy(place, behind - place, target, further - target, last + 1 - first)
            first = last + 1


def _layers(spots: Sequence[Spot]) -> list[list[Spot]]:
    """In the order in which they lie: where each is wanted first, where a second time, and so on."""
    layers: list[list[Spot]] = []
    before, times = None, 0
    for spot in sorted(spots):
        times = times + 1 if spot[0] == before else 0
        before = spot[0]
        if times == len(layers):
            layers.append([])
        layers[times].append(spot)
    return layers


def _end(layer: Sequence[Spot], first: int) -> int:
    """The last that lies and is wanted as far from the one before as the second from the first."""
    last = first
    while last + 1 < len(layer) and _apart(layer, last) == _apart(layer, first):
        last += 1
    return last


def _apart(layer: Sequence[Spot], k: int) -> Spot:
    (place, target), (behind, further) = layer[k : k + 2]
    return behind - place, further - target
