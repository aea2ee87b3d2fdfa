"""A listing as one file of C99 that needs its standard library only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from string import Template

from ...calculus.elementary_functions import ELEMENTARY
from ...calculus.frame import TIME
from ...calculus.graph import Node
from . import program_header
from .listing import CodeTask, Listing, unknown
from .program_header import CHOICE, c_literal, identifiers, numbered, prefix, remark
from .statements import CodeBody, Language, helpers

C99 = Language(
    calls={name: row.c.call for name, row in ELEMENTARY.items() if row.c.call},
    guarded={},
    patterns={name: row.c.pattern for name, row in ELEMENTARY.items() if row.c.pattern},
    assign=lambda name, text: f"const double {name} = {text};",
    helpers={row.c.call: row.c.source for row in ELEMENTARY.values() if row.c.source},
)
SOLVE = """/* x with matrix x = right in place of right, by elimination with pivots; 1 if the matrix is singular */
static int solve(double *matrix, double *right, int n)
{
    int i, j, k, best;
    for (i = 0; i < n; i++) {
        double largest = 0.0, scale;
        int exponent = 0;
        for (j = 0; j < n; j++)
            if (!(fabs(matrix[i * n + j]) <= largest)) largest = fabs(matrix[i * n + j]);
        frexp(largest, &exponent);
        scale = ldexp(1.0, -exponent);
        for (j = 0; j < n; j++) matrix[i * n + j] *= scale;
        right[i] *= scale;
    }
    for (k = 0; k < n; k++) {
        for (best = k, i = k + 1; i < n; i++)
            if (fabs(matrix[i * n + k]) > fabs(matrix[best * n + k])) best = i;
        if (!(fabs(matrix[best * n + k]) > 0.0 && fabs(matrix[best * n + k]) < HUGE_VAL)) return 1;
        for (j = 0; j < n && best != k; j++) {
            const double kept = matrix[k * n + j];
            matrix[k * n + j] = matrix[best * n + j];
            matrix[best * n + j] = kept;
        }
        if (best != k) {
            const double kept = right[k];
            right[k] = right[best];
            right[best] = kept;
        }
        for (i = k + 1; i < n; i++) {
            const double factor = matrix[i * n + k] / matrix[k * n + k];
            for (j = k; j < n; j++) matrix[i * n + j] -= factor * matrix[k * n + j];
            right[i] -= factor * right[k];
        }
    }
    for (i = n - 1; i >= 0; i--) {
        for (j = i + 1; j < n; j++) right[i] -= matrix[i * n + j] * right[j];
        right[i] /= matrix[i * n + i];
    }
    return 0;
}"""
MAIN = Template("""\
/* y at t + h by one step of the classical Runge-Kutta method; 1 if the accelerations are not determined */
static int step(double t, double *y, const double *p, double h)
{
    double k1[N_STATES], k2[N_STATES], k3[N_STATES], k4[N_STATES], z[N_STATES];
    int i;
    if (rhs(t, y, p, k1)) return 1;
    for (i = 0; i < N_STATES; i++) z[i] = y[i] + h / 2 * k1[i];
    if (rhs(t + h / 2, z, p, k2)) return 1;
    for (i = 0; i < N_STATES; i++) z[i] = y[i] + h / 2 * k2[i];
    if (rhs(t + h / 2, z, p, k3)) return 1;
    for (i = 0; i < N_STATES; i++) z[i] = y[i] + h * k3[i];
    if (rhs(t + h, z, p, k4)) return 1;
    for (i = 0; i < N_STATES; i++) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    return 0;
}

/* y at t + span by so many steps; sizes become as large as y on the way; 1 where a number is not finite */
static int across(double t, double *y, const double *p, double span, int steps, double *sizes)
{
    int i, j;
    for (i = 0; i < steps; i++) {
        if (step(t + i * span / steps, y, p, span / steps)) return 1;
        for (j = 0; j < N_STATES; j++) sizes[j] = fmax(sizes[j], fabs(y[j]));
    }
    for (i = 0; i < N_STATES; i++)
        if (!(fabs(y[i]) < HUGE_VAL)) return 1;
    return 0;
}

/* so many steps, from these on, that half of them end within $tolerance of it; counts where $finest do not */
static int enough(double t, const double *y, const double *p, double span, int steps, int *rough)
{
    double coarse[N_STATES], fine[N_STATES], sizes[N_STATES] = {0.0};
    int i, bad, same;
    memcpy(coarse, y, sizeof coarse);
    bad = across(t, coarse, p, span, steps / 2, sizes);
    for (;; steps *= 2) {
        memcpy(fine, y, sizeof fine);
        for (i = 0; i < N_STATES; i++) sizes[i] = 1e-3 + fabs(y[i]);
        same = !bad;
        bad = across(t, fine, p, span, steps, sizes);
        for (i = 0; i < N_STATES; i++) same = same && !bad && fabs(fine[i] - coarse[i]) <= $tolerance * sizes[i];
        if (same) return steps;
        if (steps == $finest) {
            ++*rough;
            return steps;
        }
        memcpy(coarse, fine, sizeof coarse);
    }
}

$more/* tell the largest residual */
static void report(const char *when, double t, const double *y, const double *p)
{
    double largest = 0.0, out[N_RESIDUALS + 1];
    int i;
    residual(t, y, p, out);
    for (i = 0; i < N_RESIDUALS; i++)
        if (!(fabs(out[i]) <= largest)) largest = fabs(out[i]);
    fprintf(stderr, "largest residual at the %s: %.3g\\n", when, largest);
}

static int usage(const char *problem, const char *text)
{
    fprintf(stderr, "%s%s\\nusage: program [UNTIL [ROWS [STEPS]]] [NAME=VALUE ...]\\n", problem, text);
    return 2;
}

static int row(double t, const double *y, const double *p)
{
    double $beside[N_$BESIDE + 1];
    int i;
    if ($function(t, y, p, $beside)) return 1;
    printf("%.17g", t);
    for (i = 0; i < N_$SHOWN; i++) printf(",%.17g", y[i]);
    for (i = 0; i < N_$BESIDE; i++) printf(",%.17g", $beside[i]);
    putchar('\\n');
    return 0;
}

static int assign(const char *argument, const char *equals, const char *const *names, double *to, int *open, int n)
{
    int i;
    for (i = 0; i < n; i++) {
        if (strlen(names[i]) == (size_t)(equals - argument) && !strncmp(names[i], argument, strlen(names[i]))) {
            char *end;
            to[i] = strtod(equals + 1, &end);
            open[i] = 0;
            return *end || end == equals + 1 ? -1 : 1;
        }
    }
    return 0;
}

int main(int count, char **arguments)
{
    double numbers[3] = {UNTIL, 100.0, 0.0}, $vectors, t = TIME, span;
    int open_y[N_$GIVEN], open_p[N_PARAMETERS + 1], place = 0, i, j, steps, rough = 0;
    for (i = 0; i < N_$GIVEN; i++) $given[i] = START[i], open_y[i] = START_OPEN[i];
    for (i = 0; i < N_PARAMETERS; i++) p[i] = PARAMETER_VALUES[i], open_p[i] = PARAMETER_OPEN[i];
    for (i = 1; i < count; i++) {
        const char *equals = strrchr(arguments[i], '=');
        if (!equals) {
            char *end;
            if (place == 3) return usage("too many numbers: ", arguments[i]);
            numbers[place++] = strtod(arguments[i], &end);
            if (*end || end == arguments[i]) return usage("not a number: ", arguments[i]);
        } else {
            int found = assign(arguments[i], equals, $GIVEN, $given, open_y, N_$GIVEN);
            if (!found) found = assign(arguments[i], equals, PARAMETERS, p, open_p, N_PARAMETERS);
            if (!found) return usage("unknown name: ", arguments[i]);
            if (found < 0) return usage("not a number: ", arguments[i]);
        }
    }
    for (i = 0; i < N_PARAMETERS; i++)
        if (open_p[i]) return usage("give NAME=VALUE for: ", PARAMETERS[i]);
    for (i = 0; i < N_$GIVEN; i++)
        if (open_y[i]) return usage("give NAME=VALUE for: ", $GIVEN[i]);
    for (i = 1; i < (place < 3 ? 2 : 3); i++)
        if (!(numbers[i] >= 1.0 && numbers[i] < 1e9)) return usage("ROWS and STEPS must be at least 1", "");
    if (!(fabs(numbers[0]) < HUGE_VAL))
        return usage("UNTIL must be finite", "");
    printf("t");
    for (i = 0; i < N_$SHOWN; i++) printf(",%s", STATES[i]);
    for (i = 0; i < N_$BESIDE; i++) printf(",%s", $BESIDE[i]);
    putchar('\\n');
$enter    report("start", t, y, p);
    span = (numbers[0] - TIME) / (int)numbers[1];
    steps = place < 3 ? $least : (int)numbers[2];
    for (i = 0; i <= (int)numbers[1]; i++) {
        int bad = $bad;
        if (!bad && i < (int)numbers[1] && place < 3)
            steps = enough(t, y, p, span, steps < 4 * $least ? $least : steps / 4, &rough);
        for (j = 0; !bad && i < (int)numbers[1] && j < steps; j++) {
            bad = step(t, y, p, span / steps);
            t += span / steps;
$after        }
        for (j = 0; j < N_STATES; j++) bad = bad || !(fabs(y[j]) < HUGE_VAL);
        if (bad) {
            fprintf(stderr, "stopped at t = %.17g: a number is not finite, or nothing determines it\\n", t);
            return 3;
        }
        if (i < (int)numbers[1]) t = TIME + (i + 1.0) * span;
    }
    report("end", t, y, p);
    if (fflush(stdout) || ferror(stdout)) {
        perror("the table cannot be written");
        return 5;
    }
    if (rough)
        fprintf(stderr, "in %d of %d rows $finest steps are not enough: give more ROWS, or STEPS\\n",
                rough, (int)numbers[1]);
    return rough ? 4 : 0;
}""")
AS_WRITTEN = {
    **CHOICE,
    "SHOWN": "STATES",
    "BESIDE": "MULTIPLIERS",
    "function": "multipliers",
    "beside": "mu",
    "GIVEN": "STATES",
    "given": "y",
    "vectors": "y[N_STATES], p[N_PARAMETERS + 1]",
    "bad": "row(t, y, p)",
    **dict.fromkeys(("more", "enter", "after"), ""),
}
IN_SPEEDS = {
    **CHOICE,
    "SHOWN": "COORDINATES",
    "BESIDE": "VELOCITIES",
    "function": "velocities",
    "beside": "u",
    "GIVEN": "GIVEN",
    "given": "given",
    "vectors": "given[N_GIVEN], y[N_STATES], p[N_PARAMETERS + N_PREPARED + 1]",
    "bad": "near_a_pole(t, y, p) || row(t, y, p)",
    "after": "            bad = bad || near_a_pole(t, y, p);\n",
    "enter": """    prepare(p);
    if (from_velocities(t, given, p, y)) return 3;
    told(t, given, y, p);
""",
    "more": """/* 1, and a word, where the equations are not to be trusted */
static int near_a_pole(double t, const double *y, const double *p)
{
    double found;
    if (!health(t, y, p, &found) && found >= 1.0) return 0;
    fprintf(stderr, "near a pole of these equations: their health is %.3g, below 1\\n", found);
    return 1;
}

/* tell by how much the constraints change the velocities that were given */
static void told(double t, const double *given, const double *y, const double *p)
{
    double largest = 0.0, u[N_VELOCITIES + 1];
    int i;
    velocities(t, y, p, u);
    for (i = 0; i < N_VELOCITIES; i++)
        if (!(fabs(u[i] - given[N_COORDINATES + i]) <= largest)) largest = fabs(u[i] - given[N_COORDINATES + i]);
    fprintf(stderr, "largest change of a given velocity: %.3g\\n", largest);
}

""",
}
_DOC = {
    "rhs": "dy/dt at time t for the state y, in the order of STATES; p in that of PARAMETERS; 1 if not determined",
    "multipliers": "the multipliers, in the order of MULTIPLIERS; 1 if not determined",
    "residual": "what has to be 0 along the motion, in the order of RESIDUALS",
    "velocities": "the velocities at time t and state y, in the order of VELOCITIES",
    "from_velocities": "the state, in the order of STATES, for coordinates and velocities, in the order of GIVEN",
    "audit": "the energy, and its rate along the motion: the power of forces, moving constraints and time",
    "health": "how far the equations are from their poles: below 1 they are not to be trusted",
}


def text(listing: Listing, main: bool) -> str:
    """The file's text; without a main its functions and its data are there for other files."""
    head = "\n".join(["/*", *(f" * {line}".rstrip() for line in program_header.lines(listing, main)), " */"])
    includes = "\n".join(f"#include <{name}.h>" for name in ("math", *(("stdio", "stdlib", "string") if main else ())))
    data = _data(listing, main) if main else re.sub("^static ", "", _data(listing, main), flags=re.MULTILINE)
    program = [MAIN.substitute(IN_SPEEDS if listing.in_speeds else AS_WRITTEN)] if main else []
    return "\n\n".join([head, includes, data, *functions(listing), *program]) + "\n"


def functions(listing: Listing, linkage: str = "") -> list[str]:
    """The texts of the functions and, before them, of what they call; linkage is ``"static "`` or nothing."""
    used: set[str] = set()
    made = [_function(name, task, listing, used, linkage) for name, task in listing.functions.items()]
    return [*helpers(C99, used), *([SOLVE] if listing.pivoted else []), *made]


def _data(listing: Listing, main: bool) -> str:
    # names of what is computed beside the state, and of what START gives where this is not the state
    if listing.in_speeds:
        lists = {"VELOCITIES": listing.velocities, "GIVEN": tuple(listing.start)}
    else:
        lists = {"MULTIPLIERS": listing.multipliers}
    counts = {
        "N_STATES": len(listing.states),
        "N_PARAMETERS": len(listing.parameters),
        **{f"N_{name}": len(names) for name, names in lists.items()},
        "N_RESIDUALS": len(listing.residuals),
    }
    if listing.prepared is not None:
        counts |= {"N_COORDINATES": listing.coordinates, "N_PREPARED": len(listing.prepared)}
    p, y = list(listing.parameters.values()), list(listing.start.values())
    return "\n".join(
        [
            f"enum {{ {', '.join(f'{k} = {v}' for k, v in counts.items())} }};",
            _names("PARAMETERS", list(listing.parameters)),
            numbers("double", "PARAMETER_VALUES", [repr(0.0 if v is None else v) for v in p]),
            numbers("int", "PARAMETER_OPEN", [str(int(v is None)) for v in p]) + " /* 1: no value was given */",
            _names("STATES", listing.states),
            numbers("double", "START", [repr(0.0 if v is None else v) for v in y]),
            numbers("int", "START_OPEN", [str(int(v is None)) for v in y]),
            f"static const double TIME = {listing.t!r}; /* of the start */",
            *([f"static const double UNTIL = {listing.end!r}; /* where main is told no other */"] if main else []),
            *(_names(name, names) for name, names in lists.items()),
            *(f"/* residual {i}: {remark(name)} */" for i, name in enumerate(listing.residuals)),
        ]
    )


def _names(name: str, names: Sequence[str]) -> str:
    rows = [f"    {c_literal(n)}," for n in names]
    return "\n".join([f"static const char *const {name}[] = {{", *rows, "    0", "};"])


def numbers(kind: str, name: str, values: Sequence[str]) -> str:
    """An array of numbers, with one 0 more: there are no arrays of nothing."""
    return f"static const {kind} {name}[] = {{{', '.join([*values, '0'])}}};"


def _function(name: str, task: CodeTask, listing: Listing, used: set[str], linkage: str) -> str:
    reads = listing.states if task.reads is None else task.reads
    own = identifiers([*reads, *listing.parameters])
    symbols = task.symbols if task.outputs else set()
    made = numbered(listing.prepared or (), own)
    names = own | made | {TIME.name: TIME.name} | {unknown(i): f"right[{i}]" for i in range(task.size)}
    body = CodeBody(C99, names, prefix(names), used)
    body.plan([*task.system, *task.outputs])
    body.lines += [f"const double {own[s]} = y[{i}];{_said(own[s], s)}" for i, s in enumerate(reads) if s in symbols]
    p = [*((k, own[k]) for k in listing.parameters), *made.items()]
    if name == "prepare":
        p = p[: len(listing.parameters)]
    body.lines += [f"const double {x} = p[{j}];{_said(x, k)}" for j, (k, x) in enumerate(p) if k in symbols]
    if task.size:
        _solving(body, task)
    outputs = body.compute(task.outputs)
    if name == "prepare":
        return _prepare(body, outputs, len(listing.parameters), linkage)
    arguments = {"t": {TIME.name}, "y": set(reads), "p": {k for k, _ in p}}
    spare = [f"(void){a};" for a, known in arguments.items() if not symbols & known]
    spare += [] if outputs else ["(void)out;"]
    inside = [*body.lines, *spare, *(f"out[{i}] = {e};" for i, e in enumerate(outputs)), "return 0;"]
    signature = f"{linkage}int {name}(double t, const double *y, const double *p, double *out)"
    return "\n".join([f"/* {_DOC[name]} */", signature, "{", *(f"    {line}" for line in inside), "}"])


def _prepare(body: CodeBody, outputs: Sequence[str], at: int, linkage: str) -> str:
    """What depends on parameters alone, behind them in p."""
    said = "/* what depends on parameters alone, computed once: it is written behind them in p */"
    inside = [*body.lines, *(f"p[{at + i}] = {e};" for i, e in enumerate(outputs))] or ["(void)p;"]
    return "\n".join([said, f"{linkage}void prepare(double *p)", "{", *(f"    {line}" for line in inside), "}"])


def _said(identifier: str, name: str) -> str:
    return "" if identifier == name else f" /* {remark(name)} */"


def _solving(body: CodeBody, task: CodeTask) -> None:
    n = task.size
    entries = body.compute(list[Node](task.system))
    rows = [f"    {', '.join(entries[i * n : (i + 1) * n])}," for i in range(n)]
    body.lines += [f"double matrix[{n * n}] = {{", *rows, "};"]
    body.lines += [f"double right[{n}] = {{", *(f"    {e}," for e in entries[n * n :]), "};"]
    body.lines.append(f"if (solve(matrix, right, {n})) return 1;")
