// Elements, names and numbers. Text of users becomes text nodes only, never markup.

const MODEL = JSON.parse(document.getElementById("model").textContent);

/** An element: attributes (functions are listeners, null and false are left out) and children. */
function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** A name for the eye: letter, and what stands below it. */
function named(name) {
  const [base, below] = MODEL.names[name] ?? [name.replaceAll("_", " "), ""];
  const letter = el([...base.normalize("NFD").replace(/\u0307/g, "")].length === 1 ? "i" : "span", {}, base);
  return below ? [letter, el("sub", {}, below)] : [letter];
}

/** The same in one line, for lists and plots. */
function plain(name) {
  const [base, below] = MODEL.names[name] ?? [name.replaceAll("_", " "), ""];
  const lowered = /^\d+$/.test(below) ? [...below].map((d) => "₀₁₂₃₄₅₆₇₈₉"[d]).join("") : below && ` ${below}`;
  return base + lowered;
}

const unitOf = (name) => MODEL.units[name] ?? "";
/** The unit of a column of one principle: a multiplier that is computed beside the states is a reaction. */
const unitUnder = (name, principle) => MODEL["units of reactions"][principle][name] ?? unitOf(name);
/** A name with its unit; with those of several principles where they differ. */
function withUnit(name, principles = MODEL.principles.map((P) => P.index)) {
  const first = unitUnder(name, principles[0] ?? 0), others = principles.filter((p) => unitUnder(name, p) !== first);
  const told = [first, ...others.map((p) => `${MODEL.principles[p].name}: ${unitUnder(name, p)}`)].filter(Boolean).join(", ");
  return told ? `${plain(name)} (${told})` : plain(name);
}

const minus = (text) => text.replace("-", "−");
/** So many digits, no trailing zeros, a real minus sign. */
function brief(value, digits = 4) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : value < 0 ? "−∞" : "–";
  const size = Math.abs(value);
  if (size && (size >= 1e5 || size < 1e-3)) return scientific(value, Math.min(2, digits - 1));
  return minus(String(+value.toPrecision(digits)));
}
/** What stands in a field to be typed over, in no more characters than it shows: 4.3178e-6, not 0.00000431779. */
function typed(value) {
  const long = String(+value.toPrecision(6));
  if (long.length <= 9) return long;
  for (let digits = 5; digits; digits--) {
    const [share, power] = value.toExponential(digits - 1).split("e"), short = `${+share}e${+power}`;
    if (short.length <= 9) return Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6 ? short : long;
  }
  return long;
}
/** 3·10⁻⁷ */
function scientific(value, digits = 0) {
  if (!value) return "0";
  const [share, power] = value.toExponential(digits).split("e");
  const raised = [...String(+power)].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[c])).join("");
  const factor = String(+share);
  return minus(factor === "1" || factor === "-1" ? `${factor.slice(0, -1)}10${raised}` : `${factor}·10${raised}`);
}
