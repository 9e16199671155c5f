// The back-off chart of a crash loop. Each restart has the computed window, the documented one and the measurement of each subject.
const STEPS = [0, 1, 2, 5, 10, 20, 40, 80, 160, 300, 600, 1200];

function backOffChart(stairs) {
  return (box, width) => {
    const columns = shownColumns().filter((i) => stairs.steps.some((s) => s.on[i]));
    const restarts = stairs.steps.map((s) => s.restart);
    const highest = Math.max(1, ...stairs.steps.flatMap((s) => s.on.filter(Boolean).flatMap((t) => [t.measured || 0, t.implemented[1], t.documented ? t.documented[1] : 0]))) / 1e9;
    const u = new uPlot({
      width, height: width < 600 ? 300 : 380, legend: { live: false }, cursor: quietCursor,
      scales: { x: { time: false, range: [restarts[0] - 0.6, restarts[restarts.length - 1] + 0.6] }, y: { distr: 4, asinh: 1, range: [0, highest * 1.15] } },
      axes: [axis({ label: "restart", size: 28, splits: () => restarts, values: (_, splits) => splits.map(String), grid: { show: false } }),
        axis({ label: "seconds from death to start", size: 48, splits: () => STEPS.filter((s) => s <= highest * 1.15), filter: (_, splits) => splits, values: (_, splits) => splits.map(String) })],
      series: [{}, ...columns.map((i) => ({ label: `${shapeOf(i)} ${data.subjects[i].title}`, stroke: subjectColour(i), fill: subjectColour(i), width: 2, paths: () => null, points: { show: false } }))],
      hooks: { draw: [(u) => drawSteps(u, stairs, columns)], setCursor: [(u) => tellStep(u, stairs, columns)] },
    }, [restarts, ...columns.map((i) => stairs.steps.map((s) => s.on[i] && s.on[i].measured !== undefined ? s.on[i].measured / 1e9 : null))], box);
    all(".u-label", u.root).slice(-columns.length).forEach((label, k) => { label.style.color = subjectColour(columns[k]); });
    return u;
  };
}

const NEEDS_A_LOOK = ["deviates", "inconclusive"];

function drawSteps(u, stairs, columns) {
  const c = u.ctx, scale = devicePixelRatio;
  const slot = 0.8 / columns.length;
  const x = (v) => u.valToPos(v, "x", true), y = (ns) => u.valToPos(Math.max(0, ns / 1e9), "y", true);
  c.save();
  for (const step of stairs.steps) {
    columns.forEach((column, k) => {
      const tread = step.on[column];
      if (!tread || !u.series[k + 1].show) return;
      const left = x(step.restart - 0.4 + k * slot + slot * 0.1), right = x(step.restart - 0.4 + (k + 1) * slot - slot * 0.1);
      const [top, bottom] = [y(tread.implemented[1]), y(tread.implemented[0])];
      c.strokeStyle = c.fillStyle = subjectColour(column);
      c.lineWidth = scale;
      c.globalAlpha = 0.22;
      c.fillRect(left, top, right - left, Math.max(bottom - top, 2 * scale));
      c.globalAlpha = 1;
      c.strokeRect(left, top, right - left, Math.max(bottom - top, 2 * scale));
      if (tread.documented) drawDocumented(c, left, right, y(tread.documented[1]), y(tread.documented[0]), scale);
      if (tread.measured === undefined) return;
      shape(c, shapeOf(column), (left + right) / 2, y(tread.measured), 4.5 * scale);
      c.fillStyle = tread.verdict === "deviates" ? colour("--deviates") : subjectColour(column);
      c.fill();
      c.strokeStyle = colour("--paper");
      c.stroke();
      if (NEEDS_A_LOOK.includes(tread.verdict)) {
        c.fillStyle = colour(`--${tread.verdict}`);
        c.font = `bold ${13 * scale}px system-ui, sans-serif`;
        c.textAlign = "left";
        c.textBaseline = "middle";
        c.fillText(GLYPHS[tread.verdict], (left + right) / 2 + 6 * scale, y(tread.measured) - 6 * scale);
      }
    });
  }
  c.restore();
}

function drawDocumented(c, left, right, top, bottom, scale) {
  c.save();
  c.strokeStyle = colour("--ink");
  c.setLineDash([3 * scale, 3 * scale]);
  c.beginPath();
  for (const at of [top, bottom]) { c.moveTo(left - 2 * scale, at); c.lineTo(right + 2 * scale, at); }
  c.stroke();
  c.restore();
}

function tellStep(u, stairs, columns) {
  const step = stairs.steps[u.cursor.idx];
  if (!step || u.cursor.left < 0) { tip(); return; }
  const at = u.over.getBoundingClientRect();
  tip(at.left + u.cursor.left, at.top + u.cursor.top, `Restart ${step.restart}`, ...columns.filter((i) => step.on[i]).map((i) => {
    const t = step.on[i];
    const said = `${shapeOf(i)} ${data.subjects[i].title}: ${t.measured === undefined ? "never" : value("ns", t.measured)} in ${span("ns", t.implemented)}`;
    const documented = t.documented && String(t.documented) !== String(t.implemented) ? `, documented ${span("ns", t.documented)}` : "";
    return said + documented + (t.verdict === "conforms" ? "" : `, ${t.verdict}`);
  }));
}

function setUpBackOffCharts() {
  const select = find("#back-off");
  if (!select) return;
  let redraw = () => {};
  const chosen = () => data.backOffCharts[Number(select.value)];
  const choose = () => {
    const s = chosen();
    find("#back-off-about").replaceChildren(h("a", { href: address({ trial: s.trial, subject: "", attempt: "" }) }, h("code", null, s.trial)), " ", s.about);
    for (const table of all(".back-off-table")) table.hidden = table.dataset.backOff !== select.value;
    redraw();
  };
  find(".choose").hidden = data.backOffCharts.length < 2;
  select.addEventListener("change", choose);
  redraw = chart(find("#back-off-chart"), (box, width) => backOffChart(chosen())(box, width));
  columnListeners.push(redraw);
  choose();
}
