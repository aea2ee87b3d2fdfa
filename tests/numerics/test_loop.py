"""A compiled loop does what Python does with the same function, and refuses what it cannot."""

import math
import subprocess
import sys
import threading
from typing import NamedTuple

import numpy as np
import pytest

from dalembert.numerics.machine.compiler import Library
from dalembert.numerics.machine.loop.compiled_loop import loop
from dalembert.numerics.machine.loop.function_address import call
from dalembert.numerics.machine.loop.value_types import NotCompilable

LIMIT, SMALL, WEIGHTS = 7, 0.25, (1.0, -2.0, 0.5)
TABLE = np.arange(6.0).reshape(2, 3)
GENERATOR = np.random.default_rng(4)
ROW, SQUARE = GENERATOR.normal(size=9), GENERATOR.normal(size=(4, 5))
WHOLE, CUBE = GENERATOR.integers(-9, 9, 8), GENERATOR.normal(size=(2, 3, 4))


class Inner(NamedTuple):
    row: np.ndarray
    weight: float


class Outer(NamedTuple):
    inner: Inner
    count: int
    marks: np.ndarray
    on: bool


def arithmetic(x: float, y: float, n: int) -> float:
    a = x * y + n / 3 - n // 3 + n % 3 + (-n) // 4 + (-n) % 4
    a -= 2.0**3 * x**2 + abs(y) ** x + -y
    return a / (1.0 + x**2) + 2 * n * x


def functions(x: float, y: float, n: int) -> float:
    a = math.sqrt(x) + math.exp(-x) + math.log(x) + math.copysign(x, y) + math.floor(y) + np.ceil(y) + np.spacing(x)
    m, e = math.frexp(x)
    a += m + e + math.ldexp(x, n) + min(x, y, SMALL) + max(n, LIMIT) + int(10.0 * y) + float(n)
    return a + len(WEIGHTS) + WEIGHTS[n % 3] + TABLE[1, n % 3] + math.pi + np.inf**-1.0


def truths(x: float, y: float, n: int) -> tuple[bool, int, float]:
    a = 0 < n <= LIMIT and not (x < y or n in (1, 2, 5)) and n not in (3, 4)
    b = 1 if x > y else 2 if x == y else 3
    return a or not math.isfinite(x / SMALL), b, (x if n != 3 else y)


def ways(row: np.ndarray, whole: np.ndarray) -> tuple[int, float]:
    count, total = 0, 0.0
    for i in range(len(row) - 1, -1, -2):
        if row[i] < -1.0:
            continue
        total += row[i]
        count += 1
        if count > 3:
            break
    for value in row:
        total += value if value > 0.0 else 0.0
    k = 0
    while True:
        k += 3
        if k > LIMIT:
            last = k
            break
    for n in whole:
        if n < 0:
            count -= 1
        elif n > 5:
            count += 10
        else:
            pass
    return count + last, total


def arrays(square: np.ndarray, cube: np.ndarray, whole: np.ndarray) -> float:
    rows, columns = square.shape
    square[1, 2:] = 7.0
    square[3] = square[2]
    row = square[0, 1:4]
    row[0], row[2] = row[2], row[0]
    cube[1, 1:] = cube[0, :2]
    cube[0, 2, :2] = 3
    room, marks = np.zeros((2, 3)), np.empty(4, np.bool_)
    room[1] = TABLE[0]
    for i in range(4):
        marks[i] = i % 2 == 0
    whole[:2] = -1
    whole[3] += whole[4] * 2
    flat = whole[:6].reshape(2, 3) if marks[2] else whole[:4].reshape(2, 2)
    first = second = cube[1, 1, 3]
    square[0, 0] = square[0, 4] = first + second
    return room[1, 2] + rows * columns + flat[1, 1] + len(cube[0]) + cube.shape[2]


def tuples(whole: Outer, row: np.ndarray, shift: float) -> float:
    whole.marks[whole.count] += 1
    new = Inner(row[1:], 3)
    total = 0.0
    for k in range(2):
        mine = Inner(whole.inner.row[k:], shift)
        total += product(mine) + product(whole.inner) * product(new) + pair((shift, mine.row), k)
    return total if whole.on else -total


def product(inner: Inner) -> float:
    return inner.row[0] * inner.weight


def pair(both: tuple[float, np.ndarray], k: int) -> float:
    (factor, row), last = both, k
    return factor * row[last]


def nothing(row: np.ndarray) -> None:
    if len(row) == 0:
        return
    row[0] = 1


OUTER = Outer(Inner(ROW, 0.5), 2, np.zeros(4, np.int64), True)
CASES = {
    "arithmetic": [(arithmetic, x, y, n) for x, y, n in ((1.3, -0.7, 5), (-2.0, 4.5, -11), (0.1, 0.2, 0))],
    "functions": [(functions, x, y, n) for x, y, n in ((1.3, -0.7, 5), (1e-310, 2.5, 9), (3e17, -0.0, 2))],
    "truths": [(truths, x, y, n) for x in (1.0, 2.0, math.nan) for y in (1.0, math.nan) for n in (0, 3, 5, 6, 7)],
    "ways": [(ways, ROW, WHOLE), (ways, ROW[:0], WHOLE[:1]), (ways, -ROW, -WHOLE)],
    "arrays": [(arrays, SQUARE, CUBE, WHOLE)],
    "tuples": [(tuples, OUTER, ROW, 1.5), (tuples, OUTER._replace(on=False), ROW, -1.5)],
    "nothing": [(nothing, ROW), (nothing, ROW[:0])],
}


def copied(value):
    if isinstance(value, tuple):
        return type(value)(*map(copied, value))
    return value.copy() if isinstance(value, np.ndarray) else value


def flat(value):
    return [x for each in value for x in flat(each)] if isinstance(value, tuple | list) else [np.array(value).tobytes()]


@pytest.mark.parametrize("name", CASES)
def test_the_same_bits_as_python(name):
    compiled = loop(CASES[name][0][0])
    for function, *arguments in CASES[name]:
        one, two = ([copied(a) for a in arguments] for _ in range(2))
        expected, found = function(*one), compiled(*two)
        assert flat(found) == flat(expected), (found, expected)
        assert flat(two) == flat(one)


# --- what is refused -------------------------------------------------------------------------------------------------


def changes_kind(x: float) -> float:
    a = 1
    a = x
    return a


def without_value(x: float) -> float:
    if x > 0:
        a = 1.0
    return a


def known_in_a_loop_only(n: int) -> int:
    for i in range(n):
        k = i
    return k


def ends_without(x: float) -> float:
    if x > 0:
        return 1.0


def never_reached(x: float) -> float:
    return x
    x += 1.0


def number_as_truth(n: int) -> int:
    return 1 if n else 0


def number_or(n: int) -> int:
    return n or 1


def truth_as_number(n: int) -> int:
    return n + (n > 0)


def two_kinds(x: float) -> float:
    return 1 if x > 0 else x


def float_for_int(x: float) -> int:
    return x


def list_of(x: float) -> float:
    return [x][0]


def whole_power(x: float, n: int) -> float:
    return x**n


def divided(n: int) -> int:
    return 7 // n


def below(row: np.ndarray) -> float:
    return row[-1]


def too_deep(row: np.ndarray) -> float:
    return row[0, 0]


def stepped(row: np.ndarray) -> float:
    return row[::2][0]


def summed(row: np.ndarray) -> float:
    return row.sum()


def whole_arithmetic(row: np.ndarray) -> None:
    row *= 2.0


def float_in_ints(row: np.ndarray) -> None:
    row[0] = 0.5


def of_module(x: float) -> None:
    TABLE[0, 0] = x


def returned_room(n: int) -> float:
    return made_room(n)[0]


def made_room(n: int) -> np.ndarray:
    return np.zeros(n)


def again_and_again(n: int) -> float:
    x = 0.0
    for i in range(n):
        x += np.zeros(3)[i]
    return x


def calls_itself(n: int) -> int:
    return calls_itself(n - 1)


def unknown(x: float) -> float:
    return math.gamma(x)


def named(x: float) -> float:
    return truths(x=x, y=x, n=1)[2]


def unpacked(x: float) -> float:
    a, b, c = x, x
    return a + b + c


def handled(x: float) -> float:
    try:
        return x
    finally:
        pass


def undeclared(x) -> float:
    return x


OUTSIDE = {
    changes_kind: 1.0, without_value: 1.0, known_in_a_loop_only: 3, ends_without: 1.0, never_reached: 1.0,
    number_as_truth: 1, number_or: 1, truth_as_number: 1, two_kinds: 1.0, float_for_int: 1.0, list_of: 1.0,
    whole_power: (1.0, 2), divided: 2, below: ROW, too_deep: ROW, stepped: ROW, summed: ROW, whole_arithmetic: ROW,
    float_in_ints: WHOLE, of_module: 1.0, returned_room: 3, again_and_again: 3, calls_itself: 3, unknown: 1.0,
    named: 1.0, unpacked: 1.0, handled: 1.0, undeclared: 1.0,
}  # fmt: skip


@pytest.mark.parametrize("function", OUTSIDE, ids=lambda f: f.__name__)
def test_what_is_no_loop_is_refused_with_its_place(function):
    given = OUTSIDE[function] if isinstance(OUTSIDE[function], tuple) else (OUTSIDE[function],)
    with pytest.raises(NotCompilable, match=r"test_loop\.py|calls itself"):
        loop(function)(*given)


@pytest.mark.parametrize(
    "row", [ROW[::2], SQUARE.T, ROW.astype(np.float32), WHOLE.astype(np.int32), [1.0], "text", None], ids=repr
)
def test_arguments_of_other_kinds_are_refused(row):
    with pytest.raises(NotCompilable):
        loop(nothing)(row)


@pytest.mark.parametrize("number", [1.5, True, "1", ROW])
def test_an_int_is_an_int(number):
    with pytest.raises(NotCompilable, match="int"):
        loop(divided)(number)


def test_functions_without_text_are_refused():
    made = type(nothing)(nothing.__code__.replace(co_filename="nowhere.py"), {})
    with pytest.raises(NotCompilable, match="text"):
        loop(made)(ROW)


# --- machine code, threads, processes --------------------------------------------------------------------------------


@loop
def filled(address: int, row: np.ndarray) -> float:
    call(address, row[1:], row[:1])
    return row[0] + row[1]


def test_machine_code_by_its_address_in_loops_and_in_python():
    text = """define void @twice(ptr %from, ptr %to) {
  %x = load double, ptr %from
  %y = fadd double %x, %x
  store double %y, ptr %to
  ret void
}"""
    library = Library.compile({"twice": text})
    for run in (filled, filled.function):
        row = np.array([0.0, 2.5])
        assert run(library.address("twice"), row) == 7.5


@loop
def waits(row: np.ndarray) -> None:
    while row[0] < 1.0:
        call(int(row[1]), row)


def test_other_threads_run_meanwhile():
    library = Library.compile({"idle": "define void @idle(ptr %x) {\n  ret void\n}"})
    row = np.array([0.0, float(library.address("idle"))])
    thread = threading.Thread(target=waits, args=(row,))
    thread.start()
    row[0] = 1.0
    thread.join(30)
    assert not thread.is_alive()


CODE = """
import sys
import dalembert as da
q = da.coordinates("x y z")
vx, vy, vz = q.velocities
equations = da.nonholonomic(da.System(q, (vx**2 + vy**2) / 2, {"roll": vx - vz}, massless=["z"]))
path = da.simulate(equations, {"x": 0, "y": 0, "z": 0, "vx": 1, "vy": 2}, until=1.0)
heavy = {"numba", "pandas", "scipy", "xarray", "matplotlib"}
print(path.ok, *sorted({name.partition(".")[0] for name in sys.modules} & heavy))
"""


def test_a_motion_needs_no_other_compiler_and_nothing_heavy():
    run = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=False)
    assert run.stdout.split() == ["True"], run.stderr[-2000:]


def test_threads_that_ask_at_once_compile_once(monkeypatch):
    counted, made = loop(arithmetic), []
    compiling, everyone = counted._compile, threading.Barrier(4)

    def slowly(*given):
        made.append(1)
        threading.Event().wait(0.05)
        return compiling(*given)

    monkeypatch.setattr(counted, "_compile", slowly)
    found = []

    def ask():
        everyone.wait()
        found.append(counted(0.3, 0.7, 5))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [arithmetic(0.3, 0.7, 5)] * 4 and made == [1]
