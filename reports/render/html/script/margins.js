// Margins draws each claim of a time as a mark between the earliest and the latest moment that the code allows. Each area has a strip.
const OUTSIDE = 0.12; // the part of the window's width that is shown beyond its edges; values further away are drawn at the end

function marginPoints() {
  const areas = [...new Set(rows.map((r) => r.area))];
  const points = [];
  for (const { trial, area } of rows) {
    for (const column of shownColumns()) {
      const o = trial.on[column];
      if (!o || !o.attempts.length) continue;
      for (const f of o.attempts[o.attempts.length - 1].findings) {
        if (f.p === undefined) continue;
        // Multiples of the golden ratio spread the marks evenly over the strip, the same way each time.
        const apart = (points.length * 0.618034) % 1;
        points.push({ trial, column, f, x: Math.min(1 + OUTSIDE, Math.max(-OUTSIDE, f.p)), y: areas.length - 1 - areas.indexOf(area) + 0.1 + 0.8 * apart });
      }
    }
  }
  // Marks that need a look are drawn last.
  return { areas, points: points.sort((a, b) => VERDICTS.indexOf(a.f.v) - VERDICTS.indexOf(b.f.v)) };
}

function marginsChart(box, width) {
  const { areas, points } = marginPoints();
  const names = [...areas].reverse();
  const narrow = width < 600;
  const u = new uPlot({
    width, height: 46 + areas.length * (narrow ? 44 : 56), legend: { show: false }, cursor: { ...quietCursor, x: false },
    scales: { x: { time: false, range: [-OUTSIDE - 0.02, 1 + OUTSIDE + 0.02] }, y: { range: [0, areas.length] } },
    axes: [axis({ splits: () => [0, 0.25, 0.5, 0.75, 1], values: () => narrow ? ["earliest", "", "", "", "latest"] : ["earliest", "25 %", "50 %", "75 %", "latest"] }),
      axis({ size: narrow ? 78 : 92, splits: () => names.map((_, i) => i + 0.5), values: () => names, grid: { show: false }, ticks: { show: false } })],
    series: [{}, { paths: () => null, points: { show: false } }],
    hooks: { drawClear: [(u) => drawBeyond(u, areas.length)], draw: [(u) => drawMargins(u, points)] },
  }, [[0, 1], [null, null]], box);
  u.over.style.cursor = "crosshair";
  u.over.addEventListener("mousemove", (e) => {
    const p = pointAt(u, points, e);
    u.over.style.cursor = p ? "pointer" : "crosshair";
    if (p) tip(e.clientX, e.clientY, p.trial.id, `${p.f.c} on ${data.subjects[p.column].title}`, `${p.f.v}: ${value(p.f.u, p.f.m)} in ${span(p.f.u, p.f.i.w)}`,
      `${number("ns", p.f.left)} s from ${p.f.one ? "the latest moment" : "the nearer edge"}`); else tip();
  });
  u.over.addEventListener("mouseleave", () => tip());
  u.over.addEventListener("click", (e) => {
    const p = pointAt(u, points, e);
    if (p) { tip(); go({ trial: p.trial.id, subject: data.subjects[p.column].name, attempt: "" }); visit(); }
  });
  return u;
}

// The ground outside the windows is darker.
function drawBeyond(u, strips) {
  const c = u.ctx, left = u.bbox.left, right = left + u.bbox.width;
  c.save();
  c.fillStyle = colour("--panel");
  const early = u.valToPos(0, "x", true), late = u.valToPos(1, "x", true);
  c.fillRect(left, u.bbox.top, early - left, u.bbox.height);
  c.fillRect(late, u.bbox.top, right - late, u.bbox.height);
  c.strokeStyle = colour("--line");
  c.lineWidth = devicePixelRatio;
  c.beginPath();
  for (let i = 1; i < strips; i++) { const y = u.valToPos(i, "y", true); c.moveTo(left, y); c.lineTo(right, y); }
  c.stroke();
  c.strokeStyle = colour("--muted");
  c.beginPath();
  for (const x of [early, late]) { c.moveTo(x, u.bbox.top); c.lineTo(x, u.bbox.top + u.bbox.height); }
  c.stroke();
  c.restore();
}

// Claims that do not conform have their own shapes, which differ without colours.
const MARGIN_SHAPES = { deviates: ["◆", 5], divergent: ["▲", 3.2] };

function drawMargins(u, points) {
  const c = u.ctx, scale = devicePixelRatio;
  const colours = Object.fromEntries(VERDICTS.map((v) => [v, colour(v === "conforms" ? "--dot" : `--${v}`)]));
  c.save();
  for (const p of points) {
    const [sign, r] = MARGIN_SHAPES[p.f.v] || ["●", 2.4], loud = p.f.v === "deviates";
    c.strokeStyle = c.fillStyle = colours[p.f.v];
    c.lineWidth = scale;
    c.globalAlpha = loud ? 1 : 0.6;
    shape(c, sign, u.valToPos(p.x, "x", true), u.valToPos(p.y, "y", true), r * scale);
    if (p.f.one && !loud) c.stroke(); else c.fill();
  }
  c.restore();
}

function pointAt(u, points, e) {
  const at = u.over.getBoundingClientRect();
  let best = null, least = 10;
  for (const p of points) {
    const d = Math.hypot(u.valToPos(p.x, "x") - (e.clientX - at.left), u.valToPos(p.y, "y") - (e.clientY - at.top));
    if (d <= least) { best = p; least = d; }
  }
  return best;
}

function setUpMargins() {
  const box = find("#margins-chart");
  if (box) columnListeners.push(chart(box, marginsChart));
}
