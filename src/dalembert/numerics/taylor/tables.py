"""Convolutions whose addresses are looked up: code of fixed size for any number of them."""

from __future__ import annotations

from collections.abc import Sequence


def table(name: str, values: Sequence[int]) -> str:
    """IR of a constant array."""
    entries = ", ".join(f"i32 {v}" for v in values)
    return f"@{name} = private constant [{len(values)} x i32] [{entries}]"


def loop(blocks: int, count: int, sums: str, width: int) -> list[str]:
    """IR of a loop over all sums, for convolutions of at most ``blocks * width`` terms, that goes on to ``sweep``.

    Table ``starts`` holds for each sum where its positive and where its negative convolutions begin in ``offsets``,
    which holds two addresses for each: of a_1, and of the reversed partner's element 0, as seen from ``%a3`` and
    ``%back``.

    Args:
        blocks: vectors for each convolution.
        count: number of sums.
        sums: pointer to where they go.
        width: of a vector.
    """
    p, v = f"blocks{blocks}", f"<{width} x double>"
    lines = [
        f"{p}:",
        f"  br label %{p}s",
        f"{p}s:",
        f"  %{p}i = phi i64 [ 0, %{p} ], [ %{p}in, %{p}e ]",
        f"  %{p}i2 = mul i64 %{p}i, 2",
    ]
    for place, shift in (("f", 0), ("m", 1), ("l", 2)):
        lines += [
            f"  %{p}{place}i = add i64 %{p}i2, {shift}",
            f"  %{p}{place}p = getelementptr i32, ptr @starts, i64 %{p}{place}i",
            f"  %{p}{place} = load i32, ptr %{p}{place}p, align 4",
        ]
    lines += _part(f"{p}a", f"{p}s", f"%{p}f", f"%{p}m", blocks, v, width, "zeroinitializer", f"{p}b")
    lines.append(f"{p}b:")
    lines.append(f"  %{p}t = phi {v} [ zeroinitializer, %{p}s ], [ %{p}asum, %{p}aloop ]")
    # the negative ones add to minus the sum
    lines.append(f"  %{p}tn = fneg {v} %{p}t")
    lines += _part(f"{p}c", f"{p}b", f"%{p}m", f"%{p}l", blocks, v, width, f"%{p}tn", f"{p}e")
    lines += [
        f"{p}e:",
        f"  %{p}u = phi {v} [ %{p}tn, %{p}b ], [ %{p}csum, %{p}cloop ]",
        f"  %{p}r = call reassoc double @llvm.vector.reduce.fadd.v{width}f64(double 0.0, {v} %{p}u)",
        f"  %{p}rn = fneg double %{p}r",
        f"  %{p}o = getelementptr double, ptr {sums}, i64 %{p}i",
        f"  store double %{p}rn, ptr %{p}o, align 8",
        f"  %{p}in = add i64 %{p}i, 1",
        f"  %{p}more = icmp slt i64 %{p}in, {count}",
        f"  br i1 %{p}more, label %{p}s, label %sweep",
    ]
    return lines


def _part(
    name: str, before: str, first: str, last: str, blocks: int, v: str, width: int, start: str, after: str
) -> list[str]:
    """A loop over convolutions first..last - 1 that adds them to a vector; nothing where there are none."""
    lines = [
        f"  %{name}any = icmp slt i32 {first}, {last}",
        f"  br i1 %{name}any, label %{name}loop, label %{after}",
        f"{name}loop:",
        f"  %{name}j = phi i32 [ {first}, %{before} ], [ %{name}jn, %{name}loop ]",
        f"  %{name}acc = phi {v} [ {start}, %{before} ], [ %{name}sum, %{name}loop ]",
        f"  %{name}j2 = mul i32 %{name}j, 2",
        f"  %{name}j64 = zext i32 %{name}j2 to i64",
        f"  %{name}ap = getelementptr i32, ptr @offsets, i64 %{name}j64",
        f"  %{name}bp = getelementptr i32, ptr %{name}ap, i64 1",
        f"  %{name}ao = load i32, ptr %{name}ap, align 4",
        f"  %{name}bo = load i32, ptr %{name}bp, align 4",
        f"  %{name}a64 = zext i32 %{name}ao to i64",
        f"  %{name}b64 = zext i32 %{name}bo to i64",
        f"  %{name}a = getelementptr double, ptr %a3, i64 %{name}a64",
        f"  %{name}b = getelementptr double, ptr %back, i64 %{name}b64",
    ]
    total = f"%{name}acc"
    for block in range(blocks):
        x, y = f"%{name}x{block}", f"%{name}y{block}"
        new = f"%{name}sum" if block == blocks - 1 else f"%{name}s{block}"
        lines += [
            f"  {x}p = getelementptr double, ptr %{name}a, i64 {width * block}",
            f"  {y}p = getelementptr double, ptr %{name}b, i64 {width * block + 1}",
            f"  {x} = load {v}, ptr {x}p, align 8",
            f"  {y} = load {v}, ptr {y}p, align 8",
            f"  {new} = call {v} @llvm.fmuladd.v{width}f64({v} {x}, {v} {y}, {v} {total})",
        ]
        total = new
    return [
        *lines,
        f"  %{name}jn = add i32 %{name}j, 1",
        f"  %{name}more = icmp slt i32 %{name}jn, {last}",
        f"  br i1 %{name}more, label %{name}loop, label %{after}",
    ]
