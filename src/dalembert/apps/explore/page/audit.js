// The audit: a row a principle; what holds is ticked, what changes is stated as a fact.

const sign = (value, limit) => (Number.isFinite(value) && value <= limit ? el("span", { class: "ok", "aria-label": "holds:" }, "✓ ") : el("span", { class: "bad", "aria-label": "does not hold:" }, "✗ "));

/** Rows of the audit: heading, and what stands there for a motion. */
function auditRows(motions) {
  const rows = [
    ["constraints", "largest residual, as a share of the row's terms", (m) => (MODEL.principles[m.principle].constraints.length ? [sign(m.audit.residual, m.audit.step ? 1e-5 : 1e-8), scientific(m.audit.residual)] : ["none"])],
    ["energy − work", "how far the energy is from what was put in, as a share of its size", (m) => [sign(m.audit.balance, m.audit.step ? 1e-3 : 1e-6), scientific(m.audit.balance)]],
    ...MODEL.kept.map((name, i) => [plain(name), `${name}: was expected to be kept`, (m) => keeping(change(m, i))]),
  ];
  if (motions.some((m) => Number.isFinite(m.audit.margin))) rows.push(["rank margin", "the least pivot in units of its value at the start; below 0.001 the equations are close to losing their rank", (m) => (Number.isFinite(m.audit.margin) ? [sign(-m.audit.margin, -1e-3), brief(m.audit.margin, 2)] : ["–"])]);
  rows.push(["cost", "steps of the integrator, and those that were tried again; contacts are stepped with a fixed step", (m) => [`${m.audit.steps} steps${m.audit.step ? ` of ${brief(m.audit.step, 3)} s` : ""}${m.audit.rejected ? `, ${m.audit.rejected} again` : ""}`]]);
  return rows;
}
/** How much a kept quantity changes, as a share of its size, or of a millionth of the largest state where it is about 0. */
function change(m, i) {
  const { low, high } = m.audit.kept[i];
  let largest = 0;
  for (const v of m.rows) if (Math.abs(v) > largest) largest = Math.abs(v);
  return (high - low) / Math.max(Math.abs(low), Math.abs(high), 1e-6 * largest, 1e-300);
}
function keeping(change) {
  if (change < 1e-7) return [sign(change, 1), `kept to ${scientific(change)}`];
  return [el("span", { class: "soft" }, `changes by ${change >= 0.995 ? Math.round(change * 100) : brief(change * 100, 2)} %`)];
}

function showAudit(table, motions, narrow) {
  const rows = auditRows(motions), who = (m) => el("span", { class: `p${m.principle} name` }, MODEL.principles[m.principle].name);
  const head = (text, title, scope) => el("th", { scope, title }, text);
  table.replaceChildren(...(narrow
    ? [el("tr", {}, head("Audit", "", "col"), motions.map((m) => el("th", { scope: "col" }, who(m)))), ...rows.map(([text, title, cell]) => el("tr", {}, head(text, title, "row"), motions.map((m) => el("td", {}, cell(m)))))]
    : [el("tr", {}, head("Audit", "", "col"), rows.map(([text, title]) => head(text, title, "col"))), ...motions.map((m) => el("tr", {}, el("th", { scope: "row" }, who(m)), rows.map(([, , cell]) => el("td", {}, cell(m)))))]));
}
