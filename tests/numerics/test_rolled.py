"""Code of chains is rolled up into loops that compute what straight-line code does, bit for bit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest

from dalembert.calculus.graph import Graph, cos, evaluate, sin
from dalembert.numerics.machine import batch_calls, llvm_ir, loop_rerolling
from dalembert.numerics.machine.compiler import Library
from dalembert.numerics.machine.ir_numbers import Real
from dalembert.numerics.machine.loop_ir import copies
from dalembert.numerics.machine.loop_rerolling import Repetition, in_levels, stretches


def chain(count, back=False):
    """Links of which each takes from the one before, sums along all of them, and a sweep from the last to the first."""
    graph = Graph()
    angles = [graph.symbol(f"a{i}") for i in range(count)]
    masses = [graph.symbol(f"m{i}") for i in range(count)]
    k = graph.symbol("k")
    turned = [(sin(a), cos(a * k)) for a in angles]
    x = y = k * 0.5
    ahead = []
    for (s, c), m in zip(turned, masses, strict=True):
        x, y = x * c - y * s + m, (x * s + y * c) * 0.25 - m * x
        ahead.append((x, y))
    force, forces = ahead[-1][0], []
    for (s, c), (u, v), m in reversed(list(zip(turned, ahead, masses, strict=True))):
        force = force * c + (u * u - v) / (m + 2)
        forces.append(force * s - u)
    return [*forces[::-1], *(x for x, _ in ahead), graph.constant(2), angles[1]]


def dense(count):
    """A symmetric matrix of all links by each other, by rows, and its first row again."""
    graph = Graph()
    angles = [graph.symbol(f"a{i}") for i in range(count)]
    weights = [graph.symbol(f"m{i}") for i in range(count)]
    turned = [(sin(a), cos(a)) for a in angles]
    upper = {
        (i, j): weights[j] * (turned[i][0] * turned[j][0] + turned[i][1] * turned[j][1])
        for i in range(count)
        for j in range(i, count)
    }
    rows = [[upper[min(i, j), max(i, j)] for j in range(count)] for i in range(count)]
    return [entry for row in [*rows, rows[0]] for entry in row]


def inputs(count):
    # as names are sorted: m10 before m2
    order = sorted(f"m{i}" for i in range(count))
    known = {name: ("p", 1 + 2 * i) for i, name in enumerate(order)}
    return known | {f"a{i}": ("y", i) for i in range(count)} | {"k": ("p", 0)}


def values(text, count, outputs, width=1):
    rng = np.random.default_rng(2)
    y, p = (np.repeat(rng.uniform(0.2, 1.0, n), width) for n in (count, 1 + 2 * count))
    library = Library.compile({"f": text})
    found = np.asarray(batch_calls.value_at(library.address("f"), np.zeros(width), y, p, len(outputs) * width))
    known = {name: (y if which == "y" else p)[at * width] for name, (which, at) in inputs(count).items()}
    return found, evaluate(outputs, known)


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize(("made", "count", "loops"), [(chain, 37, 3), (chain, 120, 3), (dense, 20, 1)])
def test_loops_have_the_bits_of_straight_code(monkeypatch, made, count, loops, width):
    outputs, real = made(count), Real.lanes(width)
    straight, expected = values(llvm_ir.emit("f", outputs, inputs(count), real=real), count, outputs, width)
    monkeypatch.setattr(loop_rerolling, "FROM", 100)
    text = llvm_ir.emit("f", outputs, inputs(count), real=real)
    assert text.count(f"define internal void @{loop_rerolling.PREFIX}") >= loops
    looped, _ = values(text, count, outputs, width)
    np.testing.assert_array_equal(looped, straight)
    np.testing.assert_allclose(looped[::width], expected, rtol=1e-9)


def test_the_text_of_loops_does_not_grow_with_links_but_for_their_places(monkeypatch):
    monkeypatch.setattr(loop_rerolling, "FROM", 100)
    short, long = (
        [line for line in llvm_ir.emit("f", chain(n)[:20], inputs(n)).splitlines() if "x i32] [" not in line]
        for n in (100, 1000)
    )
    assert len(long) < 1.2 * len(short)


def test_a_matrix_that_is_computed_in_loops_is_written_in_loops(monkeypatch):
    monkeypatch.setattr(loop_rerolling, "FROM", 100)
    short, long = (len(llvm_ir.emit("f", dense(n), inputs(n)).splitlines()) for n in (30, 60))
    assert long < 3 * short  # four times as many entries


def test_a_matrix_and_what_its_solution_is_for_are_rolled_up(monkeypatch):
    outputs = chain(40)
    graph = outputs[0].graph
    x = [graph.symbol(f"x:{i}") for i in range(2)]
    system = [outputs[0] + 3, outputs[3], outputs[3], outputs[1] - 4, outputs[50], graph.constant(1)]
    finish = [node * x[i % 2] + x[0] for i, node in enumerate(outputs[:-2])]
    known = {**inputs(40), "x:0": ("x", 0), "x:1": ("x", 1)}

    def found():
        library = Library.compile({"f": llvm_ir.emit_saddle("f", 2, system, finish, known)})
        y, p = np.linspace(0.2, 1.0, 40), np.linspace(0.3, 0.9, 81)
        return np.asarray(batch_calls.value_at(library.address("f"), np.zeros(1), y, p, len(finish)))

    straight = found()
    monkeypatch.setattr(loop_rerolling, "FROM", 40)
    assert loop_rerolling.PREFIX in llvm_ir.emit_saddle("f", 2, system, finish, known)
    np.testing.assert_array_equal(found(), straight)


def test_code_without_order_stays_as_it_is(monkeypatch):
    graph, rng = Graph(), np.random.default_rng(4)
    made = [graph.symbol("a0"), graph.symbol("k")]
    ways = [lambda a, b: a * b, lambda a, b: a + b, lambda a, b: sin(a) - b, lambda a, b: a / (b * b + 1)]
    for _ in range(600):
        a, b = (made[-int(i)] for i in rng.integers(1, min(9, len(made)) + 1, 2))
        made.append(ways[rng.integers(4)](a, b))
    for _ in range(100):  # a loop, but not enough of one
        made.append(made[-1] * made[-1] + made[1])
    monkeypatch.setattr(loop_rerolling, "FROM", 100)
    assert loop_rerolling.PREFIX not in llvm_ir.emit("f", [*made[600:604], made[-1]], inputs(1))


def test_a_sequence_is_cut_where_it_repeats_and_nothing_is_lost():
    front, body, end = [7, 8, 9, 9], [1, 2, 1, 3, 4], [5, 6, 5]
    sequence = front + body * 20 + end + [2] * 100
    cuts = stretches(sequence)
    assert cuts[1:] == [Repetition(4, 5, 20), Repetition(104, 3), Repetition(107, 1, 100)]
    assert [i for cut in cuts for i in range(cut.first, cut.end)] == list(range(len(sequence)))
    few = list(range(50)) * (loop_rerolling.FEWEST - 1)
    assert stretches(few) == [Repetition(0, len(few))]
    assert stretches([]) == []


def test_what_waits_for_an_earlier_turn_of_itself_is_done_turn_by_turn():
    # 0 takes nothing, 1 and 3 take each other, 2 takes 1, 4 takes 0 and itself
    parts = loop_rerolling.phases([set(), {0, 3}, {1}, {1}, {0, 4}])
    assert parts == (((0,), True), ((1, 3, 4), False), ((2,), True))


def test_loops_that_do_not_wait_for_each_other_become_one():
    # operations 0..9 and 10..19 are sums along two chains, 20..29 take of both, 30..39 of those
    taken = {i: [i - 1] for i in (*range(1, 10), *range(11, 20))}
    taken |= {20 + i: [i, 10 + i] for i in range(10)} | {30 + i: [29 - i] for i in range(10)}
    single = [[[i] for i in range(low, low + 10)] for low in (0, 10, 20, 30)]
    one, two, three = in_levels([single[0], [[50]], single[1], *single[2:]], lambda i: taken.get(i, []))[1:]
    assert one == [[i, 10 + i] for i in range(10)]
    assert (two, three) == (single[2], single[3])


def test_a_triangle_is_copied_into_both_halves_of_its_matrix_row_by_row():
    n = 9
    lies = {(i, j): k for k, (i, j) in enumerate((i, j) for i in range(n) for j in range(i + 1))}
    spots = [(lies[max(i, j), min(i, j)], n * i + j) for i in range(n) for j in range(n)]
    found = list(copies(spots))
    copied = [(c.place + k * c.step, c.target + k * c.step_to) for c in found for k in range(c.many)]
    assert sorted(copied) == sorted(spots)
    assert len(found) <= 2 * n  # a row of each half at a time


# --- the order of code that is drawn ----------------------------------------------------------------------------------

TURNS, PERIOD = 40, 12


@dataclass
class Chain:
    """Code of a chain: every turn takes what lies at the same positions before it, the first one anything before."""

    taken: dict[int, tuple[int, ...]]

    @classmethod
    def drawn(cls, seed: int) -> Chain:
        rng = np.random.default_rng(seed)
        own = [rng.choice(p, size=min(p, 2), replace=False) if p else [] for p in range(PERIOD)]
        last = [rng.integers(PERIOD, size=rng.integers(0, 2)) for _ in range(PERIOD)]
        taken: dict[int, tuple[int, ...]] = {}
        for turn in range(TURNS):
            for p in range(PERIOD):
                i = turn * PERIOD + p
                if turn:
                    taken[i] = (*(turn * PERIOD + q for q in own[p]), *((turn - 1) * PERIOD + q for q in last[p]))
                else:
                    taken[i] = tuple(rng.choice(i, size=min(i, 3), replace=False).tolist()) if i else ()
        return cls({i: tuple(map(int, some)) for i, some in taken.items()})

    @property
    def order(self) -> range:
        return range(TURNS * PERIOD)

    def operands(self, index: int) -> tuple[int, ...]:
        return self.taken[index]

    def sign(self, index: int) -> int:
        return index % PERIOD

    def lies(self, index: int) -> tuple[str, int]:
        return "nowhere", index


def in_time(plan: loop_rerolling.Rolled) -> Iterator[int]:
    """The operations as they are done one after the other."""
    for part in plan.parts:
        if not isinstance(part, loop_rerolling.RolledLoop):
            yield from part
            continue
        yield from part.first
        for positions, side_by_side in part.phases:
            if side_by_side:
                yield from (turn[p] for p in positions for turn in part.turns)
            else:
                yield from (turn[p] for turn in part.turns for p in positions)


@pytest.mark.parametrize("seed", range(30))
def test_operands_are_computed_before_what_takes_them(seed):
    code = Chain.drawn(seed)
    plan = loop_rerolling.Rolled.of(code, {TURNS * PERIOD - 1}, set())
    assert plan is not None and any(isinstance(part, loop_rerolling.RolledLoop) for part in plan.parts)
    done: set[int] = set()
    for i in in_time(plan):
        assert done.issuperset(code.operands(i))
        done.add(i)
    assert done == set(code.order)
