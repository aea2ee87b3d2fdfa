"""A listing as one file of C99 that needs its standard library only."""

from __future__ import annotations

from collections.abc import Sequence

from ...calculus.elementary import ELEMENTARY
from ...calculus.frame import TIME
from ...calculus.graph import Node
from . import header
from .listing import Listing, Task, unknown
from .names import c_literal, identifiers, prefix, remark
from .statements import Body, Language, helpers

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
MAIN = """#ifndef WITHOUT_MAIN
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

/* tell the largest residual */
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
    double mu[N_MULTIPLIERS + 1];
    int i;
    if (multipliers(t, y, p, mu)) return 1;
    printf("%.17g", t);
    for (i = 0; i < N_STATES; i++) printf(",%.17g", y[i]);
    for (i = 0; i < N_MULTIPLIERS; i++) printf(",%.17g", mu[i]);
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
    double numbers[3] = {10.0, 100.0, 100.0}, y[N_STATES], p[N_PARAMETERS + 1], t = TIME, h;
    int open_y[N_STATES], open_p[N_PARAMETERS + 1], place = 0, i, j;
    for (i = 0; i < N_STATES; i++) y[i] = START[i], open_y[i] = START_OPEN[i];
    for (i = 0; i < N_PARAMETERS; i++) p[i] = PARAMETER_VALUES[i], open_p[i] = PARAMETER_OPEN[i];
    for (i = 1; i < count; i++) {
        const char *equals = strrchr(arguments[i], '=');
        if (!equals) {
            char *end;
            if (place == 3) return usage("too many numbers: ", arguments[i]);
            numbers[place++] = strtod(arguments[i], &end);
            if (*end || end == arguments[i]) return usage("not a number: ", arguments[i]);
        } else {
            int found = assign(arguments[i], equals, STATES, y, open_y, N_STATES);
            if (!found) found = assign(arguments[i], equals, PARAMETERS, p, open_p, N_PARAMETERS);
            if (!found) return usage("unknown name: ", arguments[i]);
            if (found < 0) return usage("not a number: ", arguments[i]);
        }
    }
    for (i = 0; i < N_PARAMETERS; i++)
        if (open_p[i]) return usage("give NAME=VALUE for: ", PARAMETERS[i]);
    for (i = 0; i < N_STATES; i++)
        if (open_y[i]) return usage("give NAME=VALUE for: ", STATES[i]);
    for (i = 1; i < 3; i++)
        if (!(numbers[i] >= 1.0 && numbers[i] < 1e9)) return usage("ROWS and STEPS must be at least 1", "");
    if (!(fabs(numbers[0]) < HUGE_VAL))
        return usage("UNTIL must be finite", "");
    printf("t");
    for (i = 0; i < N_STATES; i++) printf(",%s", STATES[i]);
    for (i = 0; i < N_MULTIPLIERS; i++) printf(",%s", MULTIPLIERS[i]);
    putchar('\\n');
    report("start", t, y, p);
    h = (numbers[0] - TIME) / ((double)(int)numbers[1] * (int)numbers[2]);
    for (i = 0; i <= (int)numbers[1]; i++) {
        int bad = row(t, y, p);
        for (j = 0; !bad && i < (int)numbers[1] && j < (int)numbers[2]; j++) {
            bad = step(t, y, p, h);
            t += h;
        }
        for (j = 0; j < N_STATES; j++) bad = bad || !(fabs(y[j]) < HUGE_VAL);
        if (bad) {
            fprintf(stderr, "stopped at t = %.17g: a number is not finite, or nothing determines it\\n", t);
            return 3;
        }
        if (i < (int)numbers[1]) t = TIME + (i + 1.0) * (int)numbers[2] * h;
    }
    report("end", t, y, p);
    return 0;
}
#endif"""
_DOC = {
    "rhs": "dy/dt at time t for the state y, in the order of STATES; p in that of PARAMETERS; 1 if not determined",
    "multipliers": "the multipliers, in the order of MULTIPLIERS; 1 if not determined",
    "residual": "what has to be 0 along the motion, in the order of RESIDUALS",
}


def text(listing: Listing) -> str:
    """The file's text."""
    used: set[str] = set()
    functions = [_function(name, task, listing, used) for name, task in listing.functions.items()]
    extra = [*helpers(C99, used), *([SOLVE] if listing.pivoted else [])]
    head = "\n".join(["/*", *(f" * {line}".rstrip() for line in header.lines(listing)), " */"])
    includes = "\n".join(f"#include <{name}.h>" for name in ("math", "stdio", "stdlib", "string"))
    return "\n\n".join([head, includes, _data(listing), *extra, *functions, MAIN]) + "\n"


def _data(listing: Listing) -> str:
    multipliers = [] if listing.multipliers is None else [f"lam_{c.name}" for c in listing.equations.constraints]
    counts = {
        "N_STATES": len(listing.states),
        "N_PARAMETERS": len(listing.parameters),
        "N_MULTIPLIERS": len(multipliers),
        "N_RESIDUALS": len(listing.residuals),
    }
    p, y = list(listing.parameters.values()), list(listing.start.values())
    return "\n".join(
        [
            f"enum {{ {', '.join(f'{k} = {v}' for k, v in counts.items())} }};",
            _names("PARAMETERS", list(listing.parameters)),
            _numbers("double", "PARAMETER_VALUES", [repr(0.0 if v is None else v) for v in p]),
            _numbers("int", "PARAMETER_OPEN", [str(int(v is None)) for v in p]) + " /* 1: no value was given */",
            _names("STATES", listing.states),
            _numbers("double", "START", [repr(0.0 if v is None else v) for v in y]),
            _numbers("int", "START_OPEN", [str(int(v is None)) for v in y]),
            f"static const double TIME = {listing.t!r}; /* of the start */",
            _names("MULTIPLIERS", multipliers),
            *(f"/* residual {i}: {remark(name)} */" for i, name in enumerate(listing.residuals)),
        ]
    )


def _names(name: str, names: Sequence[str]) -> str:
    rows = [f"    {c_literal(n)}," for n in names]
    return "\n".join([f"static const char *const {name}[] = {{", *rows, "    0", "};"])


def _numbers(kind: str, name: str, values: Sequence[str]) -> str:
    return f"static const {kind} {name}[] = {{{', '.join([*values, '0'])}}};"


def _function(name: str, task: Task, listing: Listing, used: set[str]) -> str:
    own = identifiers([*listing.states, *listing.parameters])
    symbols = task.symbols if task.outputs else set()
    names = own | {TIME.name: TIME.name} | {unknown(i): f"right[{i}]" for i in range(task.size)}
    body = Body(C99, names, prefix(own), used)
    body.plan([*task.system, *task.outputs])
    numbered = enumerate(listing.parameters)
    body.lines += [
        f"const double {own[s]} = y[{i}];{_said(own[s], s)}" for i, s in enumerate(listing.states) if s in symbols
    ]
    body.lines += [f"const double {own[k]} = p[{j}];{_said(own[k], k)}" for j, k in numbered if k in symbols]
    if task.size:
        _solving(body, task)
    outputs = body.compute(task.outputs)
    spare = [f"(void){a};" for a in ("t", "y", "p", "out") if not _needed(a, symbols, listing, outputs)]
    inside = [*body.lines, *spare, *(f"out[{i}] = {e};" for i, e in enumerate(outputs)), "return 0;"]
    signature = f"int {name}(double t, const double *y, const double *p, double *out)"
    return "\n".join([f"/* {_DOC[name]} */", signature, "{", *(f"    {line}" for line in inside), "}"])


def _needed(argument: str, symbols: set[str], listing: Listing, outputs: Sequence[str]) -> bool:
    reads = {"t": {TIME.name}, "y": set(listing.states), "p": set(listing.parameters)}
    return bool(outputs) if argument == "out" else bool(symbols & reads[argument])


def _said(identifier: str, name: str) -> str:
    return "" if identifier == name else f" /* {remark(name)} */"


def _solving(body: Body, task: Task) -> None:
    n = task.size
    entries = body.compute(list[Node](task.system))
    rows = [f"    {', '.join(entries[i * n : (i + 1) * n])}," for i in range(n)]
    body.lines += [f"double matrix[{n * n}] = {{", *rows, "};"]
    body.lines += [f"double right[{n}] = {{", *(f"    {e}," for e in entries[n * n :]), "};"]
    body.lines.append(f"if (solve(matrix, right, {n})) return 1;")
