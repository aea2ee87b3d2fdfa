"""A listing as one file of JavaScript that needs nothing else; and single tasks as functions, for pages.

name(t, y, p, out)      y, p, out are arrays or Float64Array; `out` may be y
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count, product
from string import Template

from ...calculus.elementary_functions import ELEMENTARY
from ...calculus.frame import TIME
from ...calculus.graph import Node
from . import program_header
from .listing import CodeTask, Listing, unknown
from .program_header import CHOICE, identifiers, prefix, remark
from .statements import CodeBody, Language, helpers

SOLVE = """/** x of matrix x = right in place of right, by elimination with pivots; least by largest pivot behind it */
function solve(matrix, right, n) {
  const sizes = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let largest = 0.0;
    for (let j = 0; j < n; j++) largest = Math.max(largest, Math.abs(matrix[i * n + j]));
    const scale = largest > 0.0 && largest < Infinity ? 2.0 ** -Math.ceil(Math.log2(largest)) : 1.0;
    for (let j = 0; j < n; j++) {
      matrix[i * n + j] *= scale;
      sizes[j] = Math.max(sizes[j], Math.abs(matrix[i * n + j]));
    }
    right[i] *= scale;
  }
  let least = Infinity, greatest = 0.0;
  for (let k = 0; k < n; k++) {
    let best = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(matrix[i * n + k]) > Math.abs(matrix[best * n + k])) best = i;
    const size = Math.abs(matrix[best * n + k]) / (sizes[k] || 1.0);
    if (!(size > 0.0 && size < Infinity)) {
      right.fill(NaN, 0, n);
      right[n] = 0.0;
      return right;
    }
    least = Math.min(least, size);
    greatest = Math.max(greatest, size);
    if (best !== k) {
      for (let j = k; j < n; j++) {
        const kept = matrix[k * n + j];
        matrix[k * n + j] = matrix[best * n + j];
        matrix[best * n + j] = kept;
      }
      const kept = right[k];
      right[k] = right[best];
      right[best] = kept;
    }
    for (let i = k + 1; i < n; i++) {
      const factor = matrix[i * n + k] / matrix[k * n + k];
      if (factor === 0.0) continue;
      for (let j = k + 1; j < n; j++) matrix[i * n + j] -= factor * matrix[k * n + j];
      right[i] -= factor * right[k];
    }
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let j = i + 1; j < n; j++) right[i] -= matrix[i * n + j] * right[j];
    right[i] /= matrix[i * n + i];
  }
  right[n] = n ? least / greatest : 1.0;
  return right;
}"""
JAVASCRIPT = Language(
    calls={name: row.javascript.call for name, row in ELEMENTARY.items() if row.javascript.call},
    guarded={},
    patterns={name: row.javascript.pattern for name, row in ELEMENTARY.items() if row.javascript.pattern},
    assign=lambda name, text: f"const {name} = {text};",
    helpers={row.javascript.call: row.javascript.source for row in ELEMENTARY.values() if row.javascript.source}
    | {"solve": SOLVE},
)
_RESERVED = """arguments async await break case catch class const continue debugger default delete do else enum eval
    export extends false finally for function if implements import in instanceof interface let new null of package
    private protected public return static super switch this throw true try typeof undefined var void while with yield
    get set NaN Infinity Math Array Object Number String JSON process require module exports console"""
_OWN = "matrix right out t y p solve"
_WORDS = frozenset([*_RESERVED.split(), *_OWN.split(), *JAVASCRIPT.helpers])


def named(names: Sequence[str]) -> dict[str, str]:
    """Identifiers that are no words of JavaScript either."""
    return {name: f"{i}$" if i in _WORDS else i for name, i in identifiers(names).items()}


def function(name: str, task: CodeTask, reads: Sequence[str], parameters: Sequence[str], used: set[str]) -> str:
    """One function of a page: y holds what it `reads`, p the parameters; `used` collects the helpers that it calls.

    Where a linear system is solved on the way its room stands beside the function, so that a call makes no garbage.
    Names of values on the way are short and given again, since pages travel.
    """
    return _written(name, task, {"y": list(reads), "p": list(parameters)}, used)


def _written(
    name: str, task: CodeTask, holds: Mapping[str, Sequence[str]], used: set[str], *, said: bool = False
) -> str:
    own = named([*holds["y"], *holds["p"]])
    room = f"{name}$right"
    names = {**own, TIME.name: TIME.name} | {unknown(i): f"{room}[{i}]" for i in range(task.size + 1)}
    body = CodeBody(JAVASCRIPT, names, prefix(names), used)
    body.plan([*task.system, *task.outputs])
    wanted = task.symbols if task.outputs else set()
    for array, symbols in holds.items():
        at = [(f"const {own[s]} = {array}[{i}];", s) for i, s in enumerate(symbols) if s in wanted]
        body.lines += [f"{line} // {remark(s)}" if said and own[s] != s else line for line, s in at]
    before = []
    if n := task.size:
        used.add("solve")
        before = [f"const {name}$matrix = new Float64Array({n * n}), {room} = new Float64Array({n + 1});"]
        entries = body.compute(list[Node](task.system))
        body.lines += [f"{name}$matrix[{i}] = {e};" for i, e in enumerate(entries[: n * n])]
        body.lines += [f"{room}[{i}] = {e};" for i, e in enumerate(entries[n * n :])]
        body.lines.append(f"solve({name}$matrix, {room}, {n});")
    outputs = body.compute(list(task.outputs)) if task.outputs else []
    lines = [*body.lines, *(f"out[{i}] = {e};" for i, e in enumerate(outputs))]
    if not said:
        lines, given = shortened(lines, body.prefix, _WORDS | {*own.values()})
        lines = [f"let {','.join(given)};", *lines] if given else lines
    margin = "  " if said else ""
    return "\n".join([*before, f"function {name}(t, y, p, out) {{", *(f"{margin}{line}" for line in lines), "}"])


def helping(used: set[str]) -> str:
    """The helpers that functions call."""
    return "\n".join(helpers(JAVASCRIPT, used))


MAIN = Template("""/** y at t + h by one step of the classical Runge-Kutta method */
function step(t, y, p, h) {
  const k = [0, 1, 2, 3].map(() => new Array(y.length).fill(0.0)), z = Array.from(y);
  rhs(t, y, p, k[0]);
  for (let s = 1; s < 4; s++) {
    const part = s < 3 ? h / 2 : h;
    for (let i = 0; i < y.length; i++) z[i] = y[i] + part * k[s - 1][i];
    rhs(t + part, z, p, k[s]);
  }
  return y.map((v, i) => v + (h / 6) * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]));
}

/** y at t + span by so many steps; sizes become as large as y on the way */
function across(t, y, p, span, steps, sizes) {
  for (let i = 0; i < steps; i++) {
    y = step(t + (i * span) / steps, y, p, span / steps);
    for (let j = 0; j < y.length; j++) sizes[j] = Math.max(sizes[j], Math.abs(y[j]));
  }
  return y;
}

/** so many steps, from these on, that half of them end within $tolerance of it, and whether $finest do */
function enough(t, y, p, span, steps) {
  let coarse = across(t, y, p, span, steps / 2, y.map(Math.abs));
  for (; ; steps *= 2) {
    const sizes = y.map((v) => 1e-3 + Math.abs(v)), fine = across(t, y, p, span, steps, sizes), last = coarse;
    if (fine.every((v, i) => Math.abs(v - last[i]) <= $tolerance * sizes[i])) return [steps, true];
    if (steps === $finest) return [steps, false];
    coarse = fine;
  }
}

/** the largest residual */
function largest(t, y, p) {
  const out = new Array(RESIDUALS.length).fill(0.0);
  residual(t, y, p, out);
  return out.reduce((most, v) => (Math.abs(v) <= most ? most : Math.abs(v)), 0.0);
}

/** the end, rows, steps per row, state and parameters: defaults, and what the command line says */
function readArguments(given) {
  const numbers = [UNTIL, 100, null], state = new Map(Object.entries(START)), p = new Map(Object.entries(PARAMETERS));
  let place = 0;
  for (const argument of given) {
    const at = argument.lastIndexOf("="), name = argument.slice(0, at), value = Number(argument.slice(at + 1) || NaN);
    if (Number.isNaN(value)) throw new Error(`not a number: $${argument}`);
    if (at < 0 && place === 3) throw new Error("too many numbers");
    if (at < 0) numbers[place++] = value;
    else if (state.has(name)) state.set(name, value);
    else if (p.has(name)) p.set(name, value);
    else throw new Error(`unknown name: $${name}`);
  }
  const missing = [...p, ...state].filter(([, value]) => value === null).map(([name]) => name);
  if (missing.length) throw new Error(`give NAME=VALUE for: $${missing.join(", ")}`);
  if (!Number.isFinite(numbers[0]) || !numbers.slice(1).every((n) => n === null || Number.isInteger(n) && n >= 1))
    throw new Error("UNTIL must be finite, ROWS and STEPS at least 1");
  return [...numbers, $GIVEN.map((name) => state.get(name)), [...p.values()]];
}

/** integrate and print comma-separated values: t, $printed */
function main(given) {
  let until, rows, steps, y, p;
  try {
    [until, rows, steps, y, p] = readArguments(given);
  } catch (problem) {
    console.error(`$${problem.message}\\nusage: program [UNTIL [ROWS [STEPS]]] [NAME=VALUE ...]`);
    return 2;
  }
  const lines = [["t", ...$COLUMNS].join(",")], span = (until - TIME) / rows;
  let t = TIME, count = steps || $least, rough = 0, resolved;
$enter  console.error(`largest residual at the start: $${largest(t, y, p).toPrecision(3)}`);
  const beside = new Array($BESIDE.length).fill(0.0);
  for (let row = 0; row <= rows; row++) {
    $function(t, y, p, beside);
    lines.push([t, ...$shown, ...beside].join(","));
    if (steps === null && row < rows) {
      [count, resolved] = enough(t, y, p, span, Math.max($least, count / 4));
      rough += !resolved;
    }
    for (let i = 0; i < count && row < rows; i++) {
      y = step(t, y, p, span / count);
      t += span / count;
    }
    if (![...y, ...beside].every(Number.isFinite)$check) {
      console.log(lines.slice(0, -1).join("\\n"));
      console.error(`stopped at t = $${t}: a number is not finite, or nothing determines it`);
      return 3;
    }
    if (row < rows) t = TIME + (row + 1) * span;
  }
  console.log(lines.join("\\n"));
  console.error(`largest residual at the end: $${largest(t, y, p).toPrecision(3)}`);
  if (rough) console.error(`in $${rough} of $${rows} rows $finest steps are not enough: give more ROWS, or STEPS`);
  return rough ? 4 : 0;
}

if (typeof module === "object" && module.exports) {
  module.exports = { $functions, step, PARAMETERS, STATES, START };
  if (require.main === module) {
    process.stdout.on("error", (problem) => {
      if (problem.code === "EPIPE") return;
      console.error(`the table cannot be written: $${problem.message}`);
      process.exitCode = 5;
    });
    process.exitCode = main(process.argv.slice(2));
  }
}""")
AS_WRITTEN = {
    **CHOICE,
    "GIVEN": "STATES",
    "COLUMNS": "STATES, ...MULTIPLIERS",
    "BESIDE": "MULTIPLIERS",
    "printed": "the states, the multipliers",
    "function": "multipliers",
    "shown": "y",
    **dict.fromkeys(("enter", "check"), ""),
}
IN_SPEEDS = {
    **CHOICE,
    "GIVEN": "Object.keys(START)",
    "COLUMNS": "Object.keys(START)",
    "BESIDE": "VELOCITIES",
    "printed": "the coordinates, the velocities",
    "function": "velocities",
    "shown": "y.slice(0, COORDINATES)",
    "check": " || near(t, y, p)",
    "enter": """  const asked = y, found = new Array(VELOCITIES.length).fill(0.0);
  prepare(p);
  y = new Array(STATES.length).fill(0.0);
  from_velocities(t, asked, p, y);
  velocities(t, y, p, found);
  const change = Math.max(0.0, ...found.map((v, i) => Math.abs(v - asked[COORDINATES + i])));
  console.error(`largest change of a given velocity: ${change.toPrecision(3)}`);
""",
}
NEAR = """/** Are the equations near a pole, and not to be trusted? */
function near(t, y, p) {
  const found = [0.0];
  health(t, y, p, found);
  if (found[0] >= 1.0) return false;
  console.error(`near a pole of these equations: their health is ${found[0].toPrecision(3)}, below 1`);
  return true;
}"""
_DOC = {
    "rhs": "dy/dt at time t for the state y, in the order of STATES; p in that of PARAMETERS",
    "multipliers": "the multipliers, in the order of MULTIPLIERS",
    "residual": "what has to be 0 along the motion, in the order of RESIDUALS",
    "velocities": "the velocities at time t and state y, in the order of VELOCITIES",
    "from_velocities": "the state, in the order of STATES, for coordinates and velocities, in the order of START",
    "health": "how far the equations are from their poles, one number: below 1 they are not to be trusted",
    "prepare": "what depends on parameters alone, computed once: it is written behind them in p",
}


def text(listing: Listing) -> str:
    """The file's text."""
    used: set[str] = set()
    functions = [_program(name, task, listing, used) for name, task in listing.functions.items()]
    main = MAIN.substitute(IN_SPEEDS if listing.in_speeds else AS_WRITTEN, functions=", ".join(listing.functions))
    head = "\n".join(["/*", *(f" * {line}".rstrip() for line in program_header.lines(listing)), " */"])
    ends = [NEAR, main] if listing.in_speeds else [main]
    return "\n\n".join([head, '"use strict";', _data(listing), *helpers(JAVASCRIPT, used), *functions, *ends]) + "\n"


def _program(name: str, task: CodeTask, listing: Listing, used: set[str]) -> str:
    reads = listing.states if task.reads is None else task.reads
    holds = {"y": list(reads), "p": [*listing.parameters, *(listing.prepared or ())]}
    if name != "prepare":
        return f"/** {_DOC[name]} */\n{_written(name, task, holds, used, said=True)}"
    written = _written("prepared", task, {"y": [], "p": list(listing.parameters)}, used, said=True)
    lines = [
        "const found = [];",
        "prepared(TIME, [], p, found);",
        f"p.splice({len(listing.parameters)}, Infinity, ...found);",
    ]
    inside = "\n".join(f"  {line}" for line in lines)
    return f"{written}\n\n/** {_DOC[name]} */\nfunction prepare(p) {{\n{inside}\n}}"


def _data(listing: Listing) -> str:
    lists = {"MULTIPLIERS": listing.multipliers}
    if listing.in_speeds:
        lists = {"VELOCITIES": listing.velocities}
    lines = [
        f"const PARAMETERS = {_literal(listing.parameters)}; // null: no value was given",
        f"const STATES = {_literal(listing.states)};",
        f"const START = {_literal(listing.start)};",
        f"const TIME = {listing.t!r}; // of the start",
        f"const UNTIL = {listing.end!r}; // where main is told no other",
        *(f"const {name} = {_literal(names)};" for name, names in lists.items()),
        f"const RESIDUALS = {_literal(listing.residuals)};",
    ]
    if listing.in_speeds:
        lines.append(f"const COORDINATES = {listing.coordinates}; // the first of the states")
    return "\n".join(lines)


def _literal(value: Mapping[str, float | None] | Sequence[str]) -> str:
    return json.dumps(dict(value) if isinstance(value, Mapping) else list(value))


# --- short names, given anew once their values are not needed any more -----------------------------------------------
# Programs that travel in pages are smaller by a quarter for it after packing, and engines keep fewer values at a time.

_SPACED = re.compile(r" (=|[-+*/]) ")  # a number that is subtracted and negative stands in parentheses
_FIRST = string.ascii_letters
_LATER = string.digits + string.ascii_letters


def shortened(lines: Sequence[str], prefix: str, taken: Collection[str]) -> tuple[list[str], list[str]]:
    """The same statements without blanks, and the names that are given in them, to be declared before.

    Args:
        lines: statements in order; ``const PREFIXn = ...;`` gives a value a name, once.
        prefix: of the names that are replaced; no other name begins so and goes on in digits.
        taken: names that are not to be used.
    """
    own = re.compile(rf"(?<![\w$.]){re.escape(prefix)}\d+(?![\w$])")
    last = {name: i for i, line in enumerate(lines) for name in own.findall(line)}
    fresh, free, now = _names(taken), list[str](), dict[str, str]()
    found, given = list[str](), list[str]()
    for i, line in enumerate(lines):
        mark, name, value = _parts(line, own)
        ending = {n for n in own.findall(value) if last[n] == i}
        text = own.sub(lambda m: now[m[0]], value)
        free += sorted(now[n] for n in ending)
        if name:
            if not free:
                given.append(next(fresh))
                free.append(given[-1])
            now[name] = free.pop()
            text = f"{now[name]}{mark}{text}"
        found.append(_SPACED.sub(r"\1", text))
    return found, given


def _parts(line: str, own: re.Pattern[str]) -> tuple[str, str, str]:
    """``= ``, the name that is given, the rest; the first two are empty where none is."""
    head, mark, value = line.partition(" = ")
    name = head.removeprefix("const ")
    return (mark, name, value) if name != head and own.fullmatch(name) else ("", "", line)


def _names(taken: Collection[str]) -> Iterator[str]:
    for more in count():
        for letters in product(_FIRST, *[_LATER] * more):
            if (name := "".join(letters)) not in taken:
                yield name
