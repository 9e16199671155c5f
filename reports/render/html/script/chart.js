// All charts are as wide as their box and have the page's colours. They are redrawn when either changes.
const SUBJECT_SHAPES = ["●", "■", "▲", "◆", "▼", "✚"];
const shapeOf = (i) => SUBJECT_SHAPES[i % SUBJECT_SHAPES.length];
const subjectColour = (i) => colour(`--subject-${i % 6}`);

function chart(box, make) {
  let plot = null, width = 0;
  const again = () => {
    width = box.clientWidth;
    if (width === 0) return;
    if (plot) plot.destroy();
    plot = make(box, width);
  };
  new ResizeObserver(() => { if (box.clientWidth !== width) again(); }).observe(box);
  themeListeners.push(again);
  again();
  return again;
}

function axis(more) {
  const muted = colour("--muted");
  return {
    stroke: muted, font: "12px system-ui, sans-serif", labelFont: "12px system-ui, sans-serif", labelSize: 20,
    grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1, size: 4 }, ...more,
  };
}

const quietCursor = { y: false, points: { show: false }, drag: { x: false, y: false, setScale: false }, focus: { prox: -1 } };

// shape draws a subject's or a verdict's sign. Signs differ without colours.
function shape(context, sign, x, y, r) {
  context.beginPath();
  switch (sign) {
    case "■": context.rect(x - r * 0.85, y - r * 0.85, r * 1.7, r * 1.7); break;
    case "▲": context.moveTo(x, y - r); context.lineTo(x + r, y + r * 0.8); context.lineTo(x - r, y + r * 0.8); context.closePath(); break;
    case "▼": context.moveTo(x, y + r); context.lineTo(x + r, y - r * 0.8); context.lineTo(x - r, y - r * 0.8); context.closePath(); break;
    case "◆": context.moveTo(x, y - r); context.lineTo(x + r, y); context.lineTo(x, y + r); context.lineTo(x - r, y); context.closePath(); break;
    case "✚": context.rect(x - r, y - r * 0.35, 2 * r, r * 0.7); context.rect(x - r * 0.35, y - r, r * 0.7, 2 * r); break;
    default: context.arc(x, y, r, 0, 2 * Math.PI);
  }
}
