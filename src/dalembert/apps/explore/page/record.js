// One answer: a motion at even times as plain data, which a worker can send. MODEL and KERNELS are given.

/** The motion of a job { principle, start, parameters, until, rtol, count, full }. */
function recorded(MODEL, KERNELS, job) {
  const P = MODEL.principles[job.principle], kernel = KERNELS[P.name], { count } = job;
  const motion = solveMotion(P.name, KERNELS, job.start, job.parameters, { until: job.until, rtol: job.rtol, maxSteps: MODEL.steps });
  const N = kernel.states.length + 1, rows = new Float64Array(count * N), t = new Float64Array(count), draw = new Float64Array(count * MODEL.drawn), seen = new Float64Array(count * motion.seen.length);
  for (let j = 0; j < count; j++) {
    t[j] = motion.t0 + ((motion.end - motion.t0) * j) / (count - 1);
    const row = motion.full(t[j]);
    rows.set(row, j * N);
    if (MODEL.drawn) kernel.draw(t[j], row, motion.p, draw.subarray(j * MODEL.drawn, (j + 1) * MODEL.drawn));
    if (job.full) kernel.observe(t[j], row, motion.p, seen.subarray(j * motion.seen.length, (j + 1) * motion.seen.length));
  }
  const found = { principle: job.principle, t, rows, N, draw, p: motion.p, end: motion.end, why: motion.why.replace(/ at t = \S+$/, ""), events: motion.events };
  if (!job.full) return found;
  const column = (all, width, i) => Float64Array.from({ length: count }, (_, j) => all[j * width + i]), { states, multipliers, kept } = motion.names;
  const columns = Object.fromEntries(states.map((s, i) => [s, column(rows, N, i)]));
  [...multipliers, "energy", ...kept].forEach((s, i) => { if (s !== "energy" || kernel.energy) columns[s] = column(seen, motion.seen.length, i); });
  return { ...found, columns, moved: motion.start.moved, audit: motion.audit };
}

/** Poses of a motion at a time, between its rows. */
function posesAt(MODEL, KERNELS, found, time, into) {
  const { t, rows, N } = found, last = t.length - 1, span = t[last] - t[0], at = span > 0 ? Math.max(0, Math.min(1, (time - t[0]) / span)) * last : 0;
  const j = Math.min(Math.floor(at), last), f = at - j, k = Math.min(j + 1, last), row = new Float64Array(N);
  for (let i = 0; i < N; i++) row[i] = rows[j * N + i] + f * (rows[k * N + i] - rows[j * N + i]);
  if (into.length) KERNELS[MODEL.principles[found.principle].name].draw(Math.max(t[0], Math.min(time, found.end)), row, found.p, into);
  return into;
}
