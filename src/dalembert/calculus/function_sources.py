"""Functions that C, Python or JavaScript lack, as the text that a program of theirs carries along.

Where a number leaves the reals or becomes too large they yield nan and inf, as machine code does.
"""

from __future__ import annotations

EXP = '''def exp(x):
    """e^x, inf where it is too large."""
    return _finite(math.exp, x)'''
SINH = '''def sinh(x):
    """sinh x, inf with the sign of x where it is too large."""
    return math.copysign(_finite(math.sinh, abs(x)), x)'''
COSH = '''def cosh(x):
    """cosh x, inf where it is too large."""
    return _finite(math.cosh, x)'''
POWER = '''def power(a, b):
    """a^b, nan where it is not real."""
    try:
        return math.pow(a, b)
    except OverflowError:
        return math.inf if a > 0.0 else math.nan
    except ValueError:
        return math.inf if a == 0.0 else math.nan'''
FLOOR = '''def floor(x):
    """The largest whole number that is not above x."""
    return float(math.floor(x)) if math.isfinite(x) else x'''
CEIL = '''def ceil(x):
    """The smallest whole number that is not below x."""
    return float(math.ceil(x)) if math.isfinite(x) else x'''
MINIMUM = '''def minimum(a, b):
    """The smaller one, nan if either is."""
    return a if a != a or a <= b else b'''
MAXIMUM = '''def maximum(a, b):
    """The larger one, nan if either is."""
    return a if a != a or a >= b else b'''
SIGN = '''def sign(x):
    """-1, 0 or 1."""
    return x if x == 0.0 or x != x else math.copysign(1.0, x)'''
MINIMUM_C = """/* the smaller one, nan if either is */
static double minimum(double a, double b) { return a != a || a <= b ? a : b; }"""
MAXIMUM_C = """/* the larger one, nan if either is */
static double maximum(double a, double b) { return a != a || a >= b ? a : b; }"""
SIGN_C = """/* -1, 0 or 1 */
static double sign(double x) { return x == 0.0 || x != x ? x : (x > 0.0 ? 1.0 : -1.0); }"""

# J_n(x) in three ways [dlmf2010 (10.2.2)] [dlmf2010 (10.9.2)] [dlmf2010 (10.17.3)]:
#     sum_k (-1)^k (x/2)^(n + 2k)/(k! (n + k)!)                           nothing cancels while x^2/4 <= n + 1
#     1/pi int_0^pi cos(n a - x sin a) da                                 a midpoint rule errs by J_(2 points - n)(x)
#     sqrt(2/(pi x)) (P cos w - Q sin w),  w = x - n pi/2 - pi/4          by descending powers of x
# How many terms, for errors below rounding. Of the series 24: term k is at most 1/k! of the first. Of the rule
# 30 + n + |x| points: J_M(x) <= (x/2)^M/M! with M = 60 + n + 2 |x| is below 1e-55. Descending powers serve from
# |x| = 25 + n^2 on: there terms fall from the first one, and the 30th is at most 3e-21.
BESSEL = '''def besselj(order, x):
    """Bessel's function J of a whole order n >= 0."""
    n, x = int(order), float(x)
    if not math.isfinite(x):
        return math.nan
    if x * x <= 4.0 * (n + 1):
        term = 1.0
        for k in range(1, n + 1):
            term *= x / 2.0 / k
        total = term
        for k in range(1, 24):
            term *= -x * x / (4.0 * k * (n + k))
            total += term
        return total
    if abs(x) < 25.0 + n * n:
        points = 30 + n + int(abs(x))
        angles = [math.pi * (k + 0.5) / points for k in range(points)]
        return math.fsum(math.cos(n * a - x * math.sin(a)) for a in angles) / points
    z, term, parts = abs(x), 1.0, [1.0, 0.0]
    for k in range(1, 31):
        term *= (4.0 * n * n - (2.0 * k - 1.0) ** 2) / (8.0 * k * z)
        parts[k % 2] += (-1) ** (k // 2) * term
    wave = [math.cos(z) + math.sin(z), math.sin(z) - math.cos(z)]
    for _ in range(n % 4):
        wave = [wave[1], -wave[0]]
    value = (parts[0] * wave[0] - parts[1] * wave[1]) / math.sqrt(math.pi * z)
    return -value if x < 0.0 and n % 2 else value'''
BESSEL_C = """/* Bessel's function J of a whole order n >= 0 */
static double besselj(double order, double x)
{
    const double pi = 3.14159265358979323846, z = fabs(x);
    const int n = (int)order;
    double total = 0.0, term = 1.0, parts[2] = {1.0, 0.0}, wave[2];
    int k;
    if (x * x <= 4.0 * (n + 1)) {
        for (k = 1; k <= n; k++) term *= x / 2.0 / k;
        total = term;
        for (k = 1; k < 24; k++) {
            term *= -x * x / (4.0 * k * (n + k));
            total += term;
        }
        return total;
    }
    if (z < 25.0 + n * n) {
        const int points = 30 + n + (int)z;
        for (k = 0; k < points; k++) {
            const double a = pi * (k + 0.5) / points;
            total += cos(n * a - x * sin(a));
        }
        return total / points;
    }
    for (k = 1; k < 31; k++) {
        term *= (4.0 * n * n - (2.0 * k - 1.0) * (2.0 * k - 1.0)) / (8.0 * k * z);
        parts[k % 2] += k / 2 % 2 ? -term : term;
    }
    wave[0] = cos(z) + sin(z);
    wave[1] = sin(z) - cos(z);
    for (k = 0; k < n % 4; k++) {
        const double kept = wave[0];
        wave[0] = wave[1];
        wave[1] = -kept;
    }
    total = (parts[0] * wave[0] - parts[1] * wave[1]) / sqrt(pi * z);
    return x < 0.0 && n % 2 ? -total : total;
}"""
BESSEL_JS = """/** Bessel's function J of a whole order n >= 0 */
function besselj(n, x) {
  const z = Math.abs(x);
  if (x * x <= 4.0 * (n + 1)) {
    let term = 1.0;
    for (let k = 1; k <= n; k++) term *= x / 2.0 / k;
    let total = term;
    for (let k = 1; k < 24; k++) {
      term *= -x * x / (4.0 * k * (n + k));
      total += term;
    }
    return total;
  }
  if (z < 25.0 + n * n) {
    const points = 30 + n + Math.floor(z);
    let total = 0.0;
    for (let k = 0; k < points; k++) {
      const a = Math.PI * (k + 0.5) / points;
      total += Math.cos(n * a - x * Math.sin(a));
    }
    return total / points;
  }
  const parts = [1.0, 0.0];
  for (let k = 1, term = 1.0; k < 31; k++) {
    term *= (4.0 * n * n - (2.0 * k - 1.0) * (2.0 * k - 1.0)) / (8.0 * k * z);
    parts[k % 2] += (k >> 1) % 2 ? -term : term;
  }
  let wave = [Math.cos(z) + Math.sin(z), Math.sin(z) - Math.cos(z)];
  for (let k = 0; k < n % 4; k++) wave = [wave[1], -wave[0]];
  const value = (parts[0] * wave[0] - parts[1] * wave[1]) / Math.sqrt(Math.PI * z);
  return x < 0.0 && n % 2 ? -value : value;
}"""

# erf x = 2/sqrt(pi) e^(-x^2) sum_k 2^k x^(2k + 1)/(1 3 5 ... (2k + 1))  [dlmf2010 (7.6.2)]: nothing cancels
ERF_JS = """/** the error function */
function erf(x) {
  if (Math.abs(x) > 6.0) return Math.sign(x);
  let term = x, total = 0.0;
  for (let k = 1; Math.abs(term) > 1e-17 * Math.abs(total); k++) {
    total += term;
    term *= 2.0 * x * x / (2 * k + 1);
  }
  return 2.0 / Math.sqrt(Math.PI) * Math.exp(-x * x) * total;
}"""

# F(a, b; c; x): its series up to 1/2 [dlmf2010 (15.2.1)]; from there on Taylor's series of the hypergeometric equation
# [dlmf2010 (15.10.1)], each half as far as 1 is; (1 - x)^-a F(a, c - b; c; x/(x - 1)) below 0 [dlmf2010 (15.8.1)]
# What `slope` sums is x F' of the series, and h F' of each of Taylor's.
HYPERGEOMETRIC = '''def hyp2f1(a, b, c, x):
    """Gauss's hypergeometric function F(a, b; c; x) for x < 1."""
    if not x < 1.0:
        return math.nan
    if x < 0.0:
        return (1.0 - x) ** -a * hyp2f1(a, c - b, c, x / (x - 1.0))
    at, term, value, slope = min(x, 0.5), 1.0, 1.0, 0.0
    for k in range(120):
        term *= (a + k) * (b + k) / ((c + k) * (k + 1.0)) * at
        value += term
        slope += (k + 1.0) * term
    if x > 0.5:
        slope /= at
    while at < x:
        h = min(x - at, (1.0 - at) / 2.0)
        f, g = value, slope * h
        value = f + g
        slope = g
        for k in range(80):
            bent = (k + 1.0) * ((1.0 - 2.0 * at) * k + c - (a + b + 1.0) * at) * g * h
            f, g = g, ((k + a) * (k + b) * f * h * h - bent) / (at * (1.0 - at) * (k + 1.0) * (k + 2.0))
            value += g
            slope += (k + 2.0) * g
        slope /= h
        at += h
    return value'''
HYPERGEOMETRIC_C = """/* Gauss's hypergeometric function F(a, b; c; x) for x < 1 */
static double hyp2f1(double a, double b, double c, double x)
{
    double at = x < 0.5 ? x : 0.5, term = 1.0, value = 1.0, slope = 0.0;
    int k;
    if (!(x < 1.0)) return NAN;
    if (x < 0.0) return pow(1.0 - x, -a) * hyp2f1(a, c - b, c, x / (x - 1.0));
    for (k = 0; k < 120; k++) {
        term *= (a + k) * (b + k) / ((c + k) * (k + 1.0)) * at;
        value += term;
        slope += (k + 1.0) * term;
    }
    if (x > 0.5) slope /= at;
    while (at < x) {
        const double h = x - at < (1.0 - at) / 2.0 ? x - at : (1.0 - at) / 2.0;
        double f = value, g = slope * h;
        value = f + g;
        slope = g;
        for (k = 0; k < 80; k++) {
            const double bent = (k + 1.0) * ((1.0 - 2.0 * at) * k + c - (a + b + 1.0) * at) * g * h;
            const double next = ((k + a) * (k + b) * f * h * h - bent) / (at * (1.0 - at) * (k + 1.0) * (k + 2.0));
            f = g;
            g = next;
            value += g;
            slope += (k + 2.0) * g;
        }
        slope /= h;
        at += h;
    }
    return value;
}"""
HYPERGEOMETRIC_JS = """/** Gauss's hypergeometric function F(a, b; c; x) for x < 1 */
function hyp2f1(a, b, c, x) {
  if (!(x < 1.0)) return NaN;
  if (x < 0.0) return Math.pow(1.0 - x, -a) * hyp2f1(a, c - b, c, x / (x - 1.0));
  let at = Math.min(x, 0.5), term = 1.0, value = 1.0, slope = 0.0;
  for (let k = 0; k < 120; k++) {
    term *= (a + k) * (b + k) / ((c + k) * (k + 1.0)) * at;
    value += term;
    slope += (k + 1.0) * term;
  }
  if (x > 0.5) slope /= at;
  while (at < x) {
    const h = Math.min(x - at, (1.0 - at) / 2.0);
    let f = value, g = slope * h;
    value = f + g;
    slope = g;
    for (let k = 0; k < 80; k++) {
      const bent = (k + 1.0) * ((1.0 - 2.0 * at) * k + c - (a + b + 1.0) * at) * g * h;
      const next = ((k + a) * (k + b) * f * h * h - bent) / (at * (1.0 - at) * (k + 1.0) * (k + 2.0));
      f = g;
      g = next;
      value += g;
      slope += (k + 2.0) * g;
    }
    slope /= h;
    at += h;
  }
  return value;
}"""

# K(m) = pi/(2 a) and E(m) = K(m) (1 - sum_n 2^(n - 1) c_n^2), a and c_n those of the arithmetic-geometric mean of 1 and
# sqrt(1 - m), c_0^2 = m [dlmf2010 (19.8.5)] [dlmf2010 (19.8.6)]
_MEAN = '''def {name}(m):
    """The complete elliptic integral {letter}(m) of the parameter m = k^2 < 1."""
    if not m < 1.0:
        return {end} if m == 1.0 else math.nan
    a, b, rest, weight = 1.0, math.sqrt(1.0 - m), 1.0 - m / 2.0, 1.0
    for _ in range(16):
        a, b, rest, weight = (a + b) / 2.0, math.sqrt(a * b), rest - weight * ((a - b) / 2.0) ** 2, 2.0 * weight
    return math.pi / (2.0 * a){factor}'''
_MEAN_C = """/* the complete elliptic integral {letter}(m) of the parameter m = k^2 < 1 */
static double {name}(double m)
{{
    double a = 1.0, b = sqrt(1.0 - m), rest = 1.0 - m / 2.0, weight = 1.0;
    int k;
    if (!(m < 1.0)) return m == 1.0 ? {end} : NAN;
    for (k = 0; k < 16; k++, weight *= 2.0) {{
        const double c = (a - b) / 2.0, mean = sqrt(a * b);
        a -= c;
        b = mean;
        rest -= weight * c * c;
    }}
    (void)rest;
    return 3.14159265358979323846 / (2.0 * a){factor};
}}"""
_MEAN_JS = """/** the complete elliptic integral {letter}(m) of the parameter m = k^2 < 1 */
function {name}(m) {{
  if (!(m < 1.0)) return m === 1.0 ? {end} : NaN;
  let a = 1.0, b = Math.sqrt(1.0 - m), rest = 1.0 - m / 2.0;
  for (let k = 0, weight = 1.0; k < 16; k++, weight *= 2.0) {{
    const c = (a - b) / 2.0;
    [a, b] = [a - c, Math.sqrt(a * b)];
    rest -= weight * c * c;
  }}
  return Math.PI / (2.0 * a){factor};
}}"""
_INFINITE = {"python": "math.inf", "c": "HUGE_VAL", "javascript": "Infinity"}


def elliptic(name: str, language: str) -> str:
    """The text of ``elliptic_k`` or ``elliptic_e`` in a language."""
    first = name == "elliptic_k"
    end, factor = (_INFINITE[language], "") if first else ("1.0", " * rest")
    text = {"python": _MEAN, "c": _MEAN_C, "javascript": _MEAN_JS}[language]
    return text.format(name=name, letter="K" if first else "E", end=end, factor=factor)
