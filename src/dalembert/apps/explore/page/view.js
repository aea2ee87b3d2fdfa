// Bodies in three dimensions by WebGL2, without a library: solids with light and shadow, a floor or a table with lines,
// traces as ribbons of constant width on the screen.

const SOLID_VS = `#version 300 es
layout(location=0) in vec3 at; layout(location=1) in vec3 normal;
uniform mat4 view; uniform mat4 frame; uniform vec3 size; uniform vec3 light; uniform vec4 ground; uniform float flatten;
out vec3 world, n, own;
void main() {
  own = at; vec3 p = (frame * vec4(at * size, 1.)).xyz; n = mat3(frame) * (normal / size);
  if (flatten > 0.) p -= light * ((dot(ground.xyz, p) - ground.w - flatten) / dot(ground.xyz, light));
  world = p; gl_Position = view * vec4(p, 1.);
}`;
const SOLID_FS = `#version 300 es
precision highp float;
in vec3 world, n, own; out vec4 colour;
uniform vec3 tint, paper, light, eye, sky, centre, side, ahead; uniform float kind, other, alpha, fine, strength, reach;
float lines(vec2 p, float c) { vec2 q = p / c, w = max(fwidth(q), 1e-6) * 1.2, d = abs(fract(q - .5) - .5);
  vec2 l = (1. - smoothstep(vec2(0.), w, d)) * clamp(.5 / w - .6, 0., 1.); return max(l.x, l.y); }
void main() {
  if (kind == 9.) { colour = vec4(0., 0., 0., alpha); return; }
  vec3 N = normalize(n), V = normalize(eye - world), base = tint;
  if (kind == 1.) { // a ball in octants, so that every turn is seen; the second motion has belts instead
    float e = min(min(abs(own.x), abs(own.y)), abs(own.z)), s = sign(own.x * own.y * own.z), w = fwidth(e);
    if (other > .5) { float b = abs(own.z) - .45, c = abs(own.x) - .12; s = sign(max(-b, -c)); e = min(abs(b), abs(c)); w = fwidth(own.z) + fwidth(own.x); }
    base = mix(tint, mix(tint, paper, .8), smoothstep(-w, w, s * e)); }
  if (kind == 2.) { // a disc: sectors, one of them marked
    float r = length(own.xy), t = atan(own.y, own.x), w = fwidth(own.x) * 3., sector = smoothstep(-.5 * w, .5 * w, sin(t * (other > .5 ? 3. : 4.)) * r);
    base = mix(tint, mix(tint, paper, .76), sector * step(r, .86) * step(.5, abs(own.z)));
    if (r < .12 && abs(own.z) > .5) base = paper;
    if (r > .9 && abs(t) < .12) base = paper; }
  if (kind == 5.) { // the floor: lines on two scales that fade with the distance
    vec3 q = world - centre; vec2 p = vec2(dot(world, side), dot(world, ahead));
    float d = length(q) / reach, l = max(lines(p, fine) * strength * .3, lines(p, fine * 10.) * .42);
    colour = vec4(mix(mix(tint, paper, l), sky, smoothstep(.3, 1., d)), 1.); return; }
  if (kind == 4.) { // the table: rings and spokes that turn with it
    float r = length(own.xy), t = atan(own.y, own.x), w = fwidth(own.x);
    float rr = abs(fract(r * 5. - .5) - .5) / 5., ss = abs(sin(t * 6.)) * r / 6.;
    float l = max(1. - smoothstep(w * .7, w * 1.7, rr), 1. - smoothstep(w * .7, w * 1.7, ss));
    if (own.z > .5) base = mix(tint, paper, l * .6);
    if (own.z > .5 && abs(t) < .06 && r > .8) base = mix(base, paper, .9); }
  if (kind == 6.) { vec3 a = abs(own); float m = max(max(min(a.x, a.y), min(a.y, a.z)), min(a.x, a.z)); // a box: pale edges
    base = mix(tint, paper, smoothstep(.93 - fwidth(m), .93 + fwidth(m), m) * .35); }
  float d = max(dot(N, light), 0.), up = N.z * .5 + .5; vec3 H = normalize(light + V);
  float spec = pow(max(dot(N, H), 0.), 60.) * (kind == 4. ? .05 : .35), rim = pow(1. - max(dot(N, V), 0.), 4.) * .12;
  colour = vec4(base * (.34 + .2 * up + .46 * d) + spec + rim, alpha);
}`;
const RIBBON_VS = `#version 300 es
layout(location=0) in vec3 before; layout(location=1) in vec3 at; layout(location=2) in vec3 after; layout(location=3) in vec3 more;
uniform mat4 view; uniform vec2 screen; uniform float width; uniform vec3 lift; out float time, along;
void main() {
  vec4 a = view * vec4(before + lift, 1.), b = view * vec4(at + lift, 1.), c = view * vec4(after + lift, 1.);
  vec2 d = (c.xy / c.w - a.xy / a.w) * screen; float l = length(d); d = l > 1e-6 ? d / l : vec2(1., 0.);
  b.xy += vec2(-d.y, d.x) / screen * width * more.x * b.w; gl_Position = b; time = more.y; along = more.z;
}`;
const RIBBON_FS = `#version 300 es
precision highp float; in float time, along; out vec4 colour; uniform vec3 tint; uniform float now, dash, alpha;
void main() { if (dash > 0. && fract(along / dash) > .62) discard; colour = vec4(tint, time <= now ? alpha : alpha * .25); }`;
const KIND = { ball: 1, ellipsoid: 1, point: 1, disc: 2, wheel: 2, table: 4, floor: 5, box: 6, blade: 0, wall: 6, rod: 0, cone: 0 };

class View {
  constructor(canvas, gl) {
    this.canvas = canvas; this.gl = gl; this.ribbons = new Map();
    this.solid = program(gl, SOLID_VS, SOLID_FS); this.ribbon = program(gl, RIBBON_VS, RIBBON_FS);
    this.meshes = Object.fromEntries(Object.entries(solids(true)).map(([name, shape]) => [name, mesh(gl, shape)]));
  }
  /** Keep where a trace runs: rows (x, y, z, t) in order. */
  trace(key, rows) {
    const { gl } = this, n = rows.length / 4, data = new Float32Array(n * 2 * 12);
    for (let j = 0, k = 0, s = 0; j < n; j++) {
      const a = 4 * Math.max(0, j - 1), b = 4 * j, c = 4 * Math.min(n - 1, j + 1);
      s += Math.hypot(rows[b] - rows[a], rows[b + 1] - rows[a + 1], rows[b + 2] - rows[a + 2]);
      for (const side of [-1, 1]) { data.set([rows[a], rows[a + 1], rows[a + 2], rows[b], rows[b + 1], rows[b + 2], rows[c], rows[c + 1], rows[c + 2], side, rows[b + 3], s], k); k += 12; }
    }
    let r = this.ribbons.get(key);
    if (!r) {
      r = { buffer: gl.createBuffer(), vao: gl.createVertexArray() };
      gl.bindVertexArray(r.vao); gl.bindBuffer(gl.ARRAY_BUFFER, r.buffer);
      for (let i = 0; i < 4; i++) { gl.enableVertexAttribArray(i); gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 48, 12 * i); }
      this.ribbons.set(key, r);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, r.buffer); gl.bufferData(gl.ARRAY_BUFFER, data, gl.DYNAMIC_DRAW);
    r.count = 2 * n;
  }
  /** Panels side by side: { bodies: [{shape, frame, size, tint, both, other}], traces: [{key, ...}], frame: {target, extent} }. */
  render(panels, camera, theme) {
    const { gl, canvas } = this, w = Math.floor(canvas.width / panels.length);
    gl.enable(gl.SCISSOR_TEST);
    panels.forEach((panel, i) => {
      gl.viewport(i * w, 0, w, canvas.height); gl.scissor(i * w, 0, w, canvas.height);
      this.panel(panel, camera.see(panel.frame, w / canvas.height), theme, [w / 2, canvas.height / 2]);
    });
  }
  panel({ bodies, traces, frame, ground }, seen, theme, screen) {
    const { gl } = this, u = this.solid.u, { fine, strength } = grid(seen.scale);
    gl.clearColor(...theme.sky, 1); gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST); gl.enable(gl.BLEND); gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(this.solid.p);
    gl.uniformMatrix4fv(u.view, false, seen.view); gl.uniform3fv(u.eye, seen.eye); gl.uniform3fv(u.light, seen.light); gl.uniform3fv(u.sky, theme.sky);
    gl.uniform1f(u.reach, seen.R * 2.2); gl.uniform1f(u.fine, fine); gl.uniform1f(u.strength, strength); gl.uniform3fv(u.centre, frame.target);
    gl.uniform4fv(u.ground, ground.plane); gl.uniform3fv(u.side, ground.side); gl.uniform3fv(u.ahead, ground.ahead); gl.uniform1f(u.flatten, 0); gl.uniform1f(u.alpha, 1);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    for (const b of bodies) {
      gl.uniform1f(u.kind, KIND[b.shape] ?? 0); gl.uniform1f(u.other, b.other ? 1 : 0); gl.polygonOffset(b.other, b.other);
      gl.uniform3fv(u.tint, b.both ? theme.floor : b.tint); gl.uniform3fv(u.paper, b.both ? theme.mark : theme.paper);
      this.put(b, seen);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
    if (ground.there) this.shadows(bodies, seen, theme);
    this.lines(traces, seen, screen, ground);
  }
  put(b, seen) {
    const { gl } = this, u = this.solid.u, m = this.meshes[SHAPE_OF[b.shape]], f = b.frame;
    gl.bindVertexArray(m.vao);
    gl.uniformMatrix4fv(u.frame, false, [f[0], f[4], f[8], 0, f[1], f[5], f[9], 0, f[2], f[6], f[10], 0, ...(b.shape === "floor" ? b.middle : [f[3], f[7], f[11]]), 1]);
    gl.uniform3fv(u.size, b.shape === "floor" ? [seen.R * 2.4, seen.R * 2.4, 1] : b.size);
    gl.drawElements(gl.TRIANGLES, m.count, gl.UNSIGNED_SHORT, 0);
  }
  /** Shadows on the ground, each point darkened once. */
  shadows(bodies, seen, theme) {
    const { gl } = this, u = this.solid.u;
    gl.enable(gl.STENCIL_TEST); gl.stencilFunc(gl.EQUAL, 0, 255); gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR); gl.depthMask(false);
    gl.uniform1f(u.kind, 9); gl.uniform1f(u.alpha, theme.shade); gl.uniform1f(u.flatten, seen.scale * 0.004);
    for (const b of bodies) if (!b.both) this.put(b, seen);
    gl.disable(gl.STENCIL_TEST); gl.depthMask(true);
  }
  lines(traces, seen, screen, ground) {
    const { gl } = this, v = this.ribbon.u, lift = ground.plane.slice(0, 3).map((n) => n * seen.scale * 0.008);
    gl.useProgram(this.ribbon.p); gl.depthMask(false);
    gl.uniformMatrix4fv(v.view, false, seen.view); gl.uniform2fv(v.screen, screen); gl.uniform3fv(v.lift, lift);
    for (const t of traces) {
      const r = this.ribbons.get(t.key);
      if (!r) continue;
      gl.uniform3fv(v.tint, t.tint); gl.uniform1f(v.width, (t.width * screen[1]) / 420 + 0.5); gl.uniform1f(v.now, t.now);
      gl.uniform1f(v.dash, t.dash * seen.scale); gl.uniform1f(v.alpha, t.alpha);
      gl.bindVertexArray(r.vao); gl.drawArrays(gl.TRIANGLE_STRIP, 0, r.count);
    }
    gl.depthMask(true);
  }
}

function program(gl, vertex, fragment) {
  const p = gl.createProgram(), u = {};
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(p, shader);
  }
  gl.linkProgram(p);
  if (!gl.getProgramParameter(p, gl.LINK_STATUS)) throw new Error("this graphics driver does not take the shaders");
  for (let i = 0; i < gl.getProgramParameter(p, gl.ACTIVE_UNIFORMS); i++) { const { name } = gl.getActiveUniform(p, i); u[name] = gl.getUniformLocation(p, name); }
  return { p, u };
}
function mesh(gl, { v, i }) {
  const vao = gl.createVertexArray();
  gl.bindVertexArray(vao);
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer()); gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(v), gl.STATIC_DRAW);
  for (const k of [0, 1]) { gl.enableVertexAttribArray(k); gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 24, 12 * k); }
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer()); gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint16Array(i), gl.STATIC_DRAW);
  return { vao, count: i.length };
}
