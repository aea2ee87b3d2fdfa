// From values by name to a consistent state, as `equations.start` completes it.
//
// What is given stays; what is missing follows from relations of positions, then from constraints on velocities, by
// Newton's iteration from the values of the printed start. Where the given values contradict a constraint, because a
// parameter has changed, all positions and velocities move to the nearest consistent state in the kinetic metric.

const CONSISTENT = 1e-9; // of a row's terms: as far as a start may be off

/** The state at the start: {y, p, values, follows, moved, why}; y is a full row with the work behind it. */
function beginMotion(principle, start, parameters) {
  const values = { ...principle.parameters, ...parameters };
  const names = Object.keys(principle.parameters).sort();
  const p = Float64Array.from(names, (name) => (values[name] === null ? NaN : values[name]));
  const given = Object.keys(start).filter((name) => principle.states.includes(name));
  const follows = principle.follows.filter((name) => !given.includes(name));
  const y = new Float64Array(principle.states.length + 1);
  principle.states.forEach((name, i) => { y[i] = name in start ? start[name] : principle.start[name]; });
  const t = principle.t0, n = principle.coordinates, k = principle.velocities;
  const positions = indices(principle, follows, 0, n), rates = indices(principle, follows, n, n + k);
  const asked = y.slice();
  if (positions.length) follow(principle.places, t, y, p, positions, principle.relations.length, 0, n);
  if (rates.length) follow(principle.speeds, t, y, p, rates, principle.constraints.length, n, k);
  const moved = {};
  if (off(principle, t, y, p) > CONSISTENT) {
    nearest(principle, t, y, p);
    principle.states.forEach((name, i) => {
      if (!follows.includes(name) && y[i] !== asked[i]) moved[name] = y[i] - asked[i];
    });
  }
  let why = "";
  const missing = names.filter((name, i) => Number.isNaN(p[i]));
  if (missing.length) why = `no value was given for ${missing.join(", ")}`;
  else if (!y.every(Number.isFinite)) why = "the start is not a number everywhere: values are missing, or out of range";
  else if (off(principle, t, y, p) > CONSISTENT) why = "no start near these values satisfies the constraints";
  return { t, y, p, values, follows, moved, why };
}

/** Where names stand among the states from one place to another. */
function indices(principle, names, from, to) {
  return names.map((name) => principle.states.indexOf(name)).filter((i) => i >= from && i < to);
}

/** Newton's iteration for the unknowns y[at], with which all rows are 0; `first` is the first of `width` variables. */
function follow(rows, t, y, p, at, count, first, width) {
  const out = new Float64Array(count * (1 + width));
  let last = Infinity;
  for (let turn = 0; turn < 50; turn++) {
    rows(t, y, p, out);
    const A = Array.from({ length: count }, (_, r) => at.map((i) => out[count + r * width + i - first]));
    const x = leastSquares(A, Array.from(out.subarray(0, count), (v) => -v));
    let step = 0;
    at.forEach((i, j) => {
      y[i] += x[j];
      step = Math.max(step, Math.abs(x[j]) / Math.max(Math.abs(y[i]), 1e-3));
    });
    if (!(step > 1e-15) || (step < 1e-12 && step >= last)) return;
    last = step;
  }
}

/** The x of least length that minimises |A x - b|: by orthogonal columns of A^T, those next to nothing left out. */
function leastSquares(A, b) {
  const n = A.length ? A[0].length : 0, x = new Array(n).fill(0), basis = [];
  const rows = A.map((row, i) => ({ row: row.slice(), b: b[i] })).map(({ row, b: right }) => {
    const size = Math.max(...row.map(Math.abs)) || 1;
    return { row: row.map((v) => v / size), b: right / size };
  });
  const rest = new Set(rows.keys());
  while (rest.size && basis.length < n) {
    let best = -1, length = 1e-10;
    for (const i of rest) {
      const size = Math.hypot(...rows[i].row);
      if (size > length) { best = i; length = size; }
    }
    if (best < 0) break;
    rest.delete(best);
    const q = rows[best].row.map((v) => v / length), value = rows[best].b / length;
    basis.push(q);
    q.forEach((v, j) => { x[j] += value * v; });
    for (const i of rest) {
      const r = rows[i], part = r.row.reduce((sum, v, j) => sum + v * q[j], 0);
      r.row = r.row.map((v, j) => v - part * q[j]);
      r.b -= part * value;
    }
  }
  return x;
}

/** The largest residual of any constraint, in units of its terms. */
function off(principle, t, y, p) {
  const count = principle.constraints.length + principle.relations.length, out = new Float64Array(2 * count);
  principle.watch(t, y, p, out);
  let worst = 0;
  for (let i = 0; i < count; i++) {
    const size = Math.abs(out[2 * i]);
    if (!(size <= worst * out[2 * i + 1])) worst = size / (out[2 * i + 1] || 1);
  }
  return worst;
}

/** Newton's iteration to the nearest consistent state in the kinetic metric: first positions, then velocities. */
function nearest(principle, t, y, p) {
  const form = principle.forms[principle.forms.length - 1], out = new Float64Array(y.length), n = principle.coordinates;
  if (!form.project) return;
  const known = extended(form, p), settle = (from, to) => {
    for (let turn = 0, last = Infinity; turn < 30; turn++) {
      form.project(t, y, known, out);
      let step = 0;
      for (let i = from; i < to; i++) step = Math.max(step, Math.abs(out[i] - y[i]) / Math.max(Math.abs(y[i]), 1e-3));
      if (!(step < Infinity)) return;
      for (let i = from; i < to; i++) y[i] = out[i];
      if (step < 1e-15 || (step < 1e-12 && step >= last)) return;
      last = step;
    }
  };
  settle(0, n);
  settle(n, y.length);
}

/** Parameters of a form: those of the system, units of pivots (1 as yet), and what depends on parameters alone. */
function extended(form, p) {
  const all = new Float64Array(form.parameters + form.divisors + form.preamble).fill(1);
  all.set(p);
  if (form.prepare) form.prepare(0, p, all, all.subarray(form.parameters + form.divisors));
  return all;
}
