"""A listing as a module of Python that needs its standard library only."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

from ...calculus.elementary_functions import ELEMENTARY
from ...calculus.frame import TIME
from ...calculus.graph import Node
from . import program_header
from .listing import CodeTask, Listing, unknown
from .program_header import CHOICE, identifiers, numbered, prefix, python_literal, remark
from .statements import CodeBody, Language, helpers

_RAISING = [name for name, row in ELEMENTARY.items() if row.python.raises]
_HELPERS = {row.python.call: row.python.source for row in ELEMENTARY.values() if row.python.source}
_HELPERS |= {
    "_finite": """def _finite(f, x):
    try:
        return f(x)
    except OverflowError:
        return math.inf""",
    "divide": '''def divide(a, b):
    """a/b, inf or nan where b is 0."""
    if b != 0.0:
        return a / b
    return math.nan if a == 0.0 or a != a else math.copysign(math.inf, a) * math.copysign(1.0, b)''',
    "real": '''def real(f, x):
    """f(x), nan where it is not real."""
    try:
        return f(x)
    except ValueError:
        return -math.inf if f is math.log and x == 0.0 else math.nan''',
}
_HELPERS |= {
    f"real_{f}": f'def real_{f}(x):\n    """{f} x, nan where it is not real."""\n    return real(math.{f}, x)'
    for f in _RAISING
}
PYTHON = Language(
    calls={name: row.python.call for name, row in ELEMENTARY.items() if row.python.call},
    guarded={"/": "divide"} | {name: f"real_{name}" for name in _RAISING},
    patterns={name: row.python.pattern for name, row in ELEMENTARY.items() if row.python.pattern},
    assign=lambda name, text: f"{name} = {text}",
    helpers=_HELPERS,
)
SOLVE = '''def solve(matrix, right):
    """x with matrix x = right, by elimination with pivots; rows are scaled by powers of two."""
    rows = []
    for row, b in zip(matrix, right):
        largest = max(map(abs, row))
        scale = math.ldexp(1.0, -math.frexp(largest)[1]) if math.isfinite(largest) else math.nan
        rows.append([scale * e for e in (*row, b)])
    n = len(rows)
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[best] = rows[best], rows[k]
        if not 0.0 < abs(rows[k][k]) < math.inf:
            raise ZeroDivisionError("the accelerations are not determined here: the linear system is singular")
        for i in range(k + 1, n):
            factor = rows[i][k] / rows[k][k]
            if factor != 0.0:
                rows[i] = [e - factor * above for e, above in zip(rows[i], rows[k])]
    x = [0.0] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][j] * x[j] for j in range(i + 1, n))) / rows[i][i]
    return x'''
MAIN = Template('''def step(t, y, p, h):
    """y at t + h by one step of the classical Runge-Kutta method."""
    k1 = rhs(t, y, p)
    k2 = rhs(t + h / 2, [a + h / 2 * b for a, b in zip(y, k1)], p)
    k3 = rhs(t + h / 2, [a + h / 2 * b for a, b in zip(y, k2)], p)
    k4 = rhs(t + h, [a + h * b for a, b in zip(y, k3)], p)
    return [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(y, k1, k2, k3, k4)]


def across(t, y, p, span, steps, sizes):
    """y at t + span by so many steps, None where a number is not finite; sizes become as large as y on the way."""
    try:
        for i in range(steps):
            y = step(t + i * span / steps, y, p, span / steps)
            sizes[:] = map(max, sizes, map(abs, y))
    except (ArithmeticError, ValueError):
        return None
    return y if all(map(math.isfinite, y)) else None


def enough(t, y, p, span, steps):
    """So many steps, from these on, that half of them end within $tolerance of it, and whether $finest do."""
    sizes = [0.0] * len(y)
    coarse = across(t, y, p, span, steps // 2, sizes)
    while True:
        sizes = [1e-3 + abs(a) for a in y]
        fine = across(t, y, p, span, steps, sizes)
        if coarse and fine and all(abs(a - b) <= $tolerance * c for a, b, c in zip(fine, coarse, sizes)):
            return steps, True
        if steps == $finest:
            return steps, False
        coarse, steps = fine, 2 * steps


def largest(t, y, p):
    """The largest residual."""
    return max(map(abs, residual(t, y, p)), default=0.0)


def read_arguments(arguments):
    """The end, rows, steps per row, state and parameters: defaults, and what the command line says."""
    numbers, state, p = [UNTIL, 100, None], dict(START), dict(PARAMETERS)
    place = 0
    for argument in arguments:
        name, equals, value = argument.rpartition("=")
        if not equals:
            if place == 3:
                raise ValueError("too many numbers")
            numbers[place] = float(value) if place == 0 else int(value)
            place += 1
        elif name in state:
            state[name] = float(value)
        elif name in p:
            p[name] = float(value)
        else:
            raise ValueError(f"unknown name {name!r}")
    missing = [name for name, value in (*p.items(), *state.items()) if value is None]
    if missing:
        raise ValueError("give NAME=VALUE for: " + ", ".join(missing))
    if min(filter(lambda n: n is not None, numbers[1:])) < 1 or not math.isfinite(numbers[0]):
        raise ValueError("UNTIL must be finite, ROWS and STEPS at least 1")
    return (*numbers, [state[name] for name in $GIVEN], p)


def main(arguments):
    """Integrate and print comma-separated values: t, $printed."""
    try:
        until, rows, steps, y, p = read_arguments(arguments)
    except ValueError as problem:
        print(f"{problem}\\nusage: program [UNTIL [ROWS [STEPS]]] [NAME=VALUE ...]", file=sys.stderr)
        return 2
    sys.stdout.reconfigure(encoding="utf-8")
    print(",".join(("t", *$COLUMNS)))
    t, span, count, rough = TIME, (until - TIME) / rows, steps or $least, 0
$enter    print(f"largest residual at the start: {largest(t, y, p):.3g}", file=sys.stderr)
    try:
        for row in range(rows + 1):
$check            print(",".join(map(repr, (t, *$shown))))
            if steps is None and row < rows:
                count, resolved = enough(t, y, p, span, max($least, count // 4))
                rough += not resolved
            for i in range(count if row < rows else 0):
                y = step(t, y, p, span / count)
                t += span / count
$after            if not all(map(math.isfinite, y)):
                raise ArithmeticError("a number is not finite")
            t = TIME + (row + 1) * span if row < rows else t
    except (ArithmeticError, ValueError) as problem:
        print(f"stopped at t = {t!r}: {problem}", file=sys.stderr)
        return 3
    print(f"largest residual at the end: {largest(t, y, p):.3g}", file=sys.stderr)
    if rough:
        print(f"in {rough} of {rows} rows $finest steps are not enough: give more ROWS, or STEPS", file=sys.stderr)
    return 4 if rough else 0


def answer(arguments):
    """The exit code of main; who reads its table may leave early, and a disk be full."""
    if sys.stdout is None:
        print("the table cannot be written: the standard output is closed", file=sys.stderr)
        return 5
    try:
        code = main(arguments)
        sys.stdout.flush()
    except OSError as problem:
        sys.stdout = None  # what is left in it cannot be written
        if isinstance(problem, BrokenPipeError):
            return 0
        print(f"the table cannot be written: {problem}", file=sys.stderr)
        return 5
    return code


if __name__ == "__main__":
    sys.exit(answer(sys.argv[1:]))''')
AS_WRITTEN = {
    **CHOICE,
    "GIVEN": "STATES",
    "COLUMNS": "STATES, *MULTIPLIERS",
    "printed": "the states, the multipliers",
    "shown": "y, *multipliers(t, y, p)",
    **dict.fromkeys(("enter", "check", "after"), ""),
}
IN_SPEEDS = {
    **CHOICE,
    "GIVEN": "START",
    "COLUMNS": "START",
    "printed": "the coordinates, the velocities",
    "shown": "y[:COORDINATES], *velocities(t, y, p)",
    "enter": """    p, given = prepare(p), y
    try:
        y = from_velocities(t, given, p)
        change = max(abs(a - b) for a, b in zip(velocities(t, y, p), given[COORDINATES:]))
    except (ArithmeticError, ValueError) as problem:
        print(f"stopped at t = {t!r}: {problem}", file=sys.stderr)
        return 3
    print(f"largest change of a given velocity: {change:.3g}", file=sys.stderr)
""",
    "check": "            trusted(t, y, p)\n",
    "after": "                trusted(t, y, p)\n",
}
TRUSTED = '''def trusted(t, y, p):
    """Refuse to go on where the equations are not to be trusted."""
    found = health(t, y, p)[0]
    if not found >= 1.0:
        raise ArithmeticError(f"near a pole of these equations: their health is {found:.3g}, below 1")'''
_DOC = {
    "rhs": "dy/dt at time t for the state y, in the order of STATES; p maps the names of PARAMETERS to values.",
    "multipliers": "The multipliers at time t and state y, in the order of MULTIPLIERS.",
    "residual": "What has to be 0 along the motion, in the order of RESIDUALS.",
    "velocities": "The velocities at time t and state y, in the order of VELOCITIES.",
    "from_velocities": "The state, in the order of STATES, for coordinates and velocities y, in the order of START.",
    "health": "How far the equations are from their poles, one number: below 1 they are not to be trusted.",
}


def text(listing: Listing) -> str:
    """The module's text."""
    used: set[str] = set()
    functions = [_function(name, task, listing, used) for name, task in listing.functions.items()]
    extra = [*helpers(PYTHON, used), *([SOLVE] if listing.pivoted else [])]
    head = "\n".join(f"# {line}".rstrip() for line in program_header.lines(listing))
    main = MAIN.substitute(IN_SPEEDS if listing.in_speeds else AS_WRITTEN)
    ends = [TRUSTED, main] if listing.in_speeds else [main]
    blocks = ["\n\n".join([head, "import math\nimport sys", _data(listing)]), *extra, *functions, *ends]
    return "\n\n\n".join(blocks) + "\n"


def _data(listing: Listing) -> str:
    beside = _names("MULTIPLIERS", listing.multipliers)
    if listing.in_speeds:
        counted = f"COORDINATES = {listing.coordinates}  # the first of the states"
        beside = "\n".join([counted, _names("VELOCITIES", listing.velocities)])
    return "\n".join(
        [
            _mapping("PARAMETERS", listing.parameters),
            _names("STATES", listing.states),
            _mapping("START", listing.start),
            f"TIME = {listing.t!r}  # of the start",
            f"UNTIL = {listing.end!r}  # where main is told no other",
            beside,
            _names("RESIDUALS", listing.residuals),
        ]
    )


def _mapping(name: str, values: object) -> str:
    rows = [f"    {python_literal(k)}: {v!r}," for k, v in values.items()]  # type: ignore[attr-defined]
    open_ = "  # None: no value was given" if any(row.endswith("None,") for row in rows) else ""
    return "\n".join([f"{name} = {{{open_}", *rows, "}"]) if rows else f"{name} = {{}}"


def _names(name: str, names: Sequence[str]) -> str:
    rows = [f"    {python_literal(n)}," for n in names]
    return "\n".join([f"{name} = (", *rows, ")"]) if rows else f"{name} = ()"


def _function(name: str, task: CodeTask, listing: Listing, used: set[str]) -> str:
    reads = listing.states if task.reads is None else task.reads
    own = identifiers([*reads, *listing.parameters])
    symbols = task.symbols if task.outputs else set()
    made = numbered(listing.prepared or (), own)
    names = own | made | {TIME.name: TIME.name} | {unknown(i): f"x_[{i}]" for i in range(task.size)}
    body = CodeBody(PYTHON, names, prefix(names), used)
    body.plan([*task.system, *task.outputs])
    body.lines += [f"{own[s]} = y[{i}]{_said(own[s], s)}" for i, s in enumerate(reads) if s in symbols]
    body.lines += [f"{own[k]} = p[{python_literal(k)}]" for k in listing.parameters if k in symbols]
    body.lines += [f"{x} = p[{python_literal(k)}]" for k, x in made.items() if k in symbols]
    if task.size:
        _solving(body, task)
    outputs = body.compute(task.outputs)
    if name == "prepare":
        return _prepare(body, dict(zip(made, outputs, strict=True)))
    result = ["return [", *(f"    {line}," for line in outputs), "]"] if outputs else ["return []"]
    inside = [f'"""{_DOC[name]}"""', *body.lines, *result]
    return "\n".join([f"def {name}(t, y, p):", *(f"    {line}" for line in inside)])


def _prepare(body: CodeBody, made: dict[str, str]) -> str:
    """What depends on parameters alone, beside them in p; a colon keeps its names apart from theirs."""
    rows = [f"    {python_literal(k)}: {e}," for k, e in made.items()]
    said = '"""The parameters p, and what depends on them alone, computed once."""'
    inside = [said, *body.lines, "return {", "    **p,", *rows, "}"]
    return "\n".join(["def prepare(p):", *(f"    {line}" for line in inside)])


def _said(identifier: str, name: str) -> str:
    return "" if identifier == name else f"  # {remark(name)}"


def _solving(body: CodeBody, task: CodeTask) -> None:
    n = task.size
    entries = body.compute(list[Node](task.system))
    rows = [f"    [{', '.join(entries[i * n : (i + 1) * n])}]," for i in range(n)]
    body.lines += ["matrix = [", *rows, "]", "right = [", *(f"    {e}," for e in entries[n * n :]), "]"]
    body.lines.append("x_ = solve(matrix, right)")
