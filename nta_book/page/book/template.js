// The look of a plot in the colours of the page.

const CLEAR = "rgba(0,0,0,0)";
const page = document.documentElement;
const templates = new Map(); // asking for computed styles while a slider moves costs a layout

const colour = (name) => getComputedStyle(page).getPropertyValue(name).trim();

/** The plotly template of the page's theme, with room for a title or without. */
export function template(titled) {
  const key = `${page.dataset.theme} ${titled}`;
  if (!templates.has(key)) templates.set(key, makeTemplate(titled));
  return templates.get(key);
}

function makeTemplate(titled) {
  const ink = colour("--nta-ink");
  const line = colour("--nta-line");
  const axis = {
    gridcolor: colour("--nta-grid"),
    linecolor: line,
    zerolinecolor: line,
    automargin: true,
  };
  const axis3d = { ...axis, showbackground: false };
  const family = colour("--pst-font-family-base") || "sans-serif";
  const surface = colour("--pst-color-surface");
  return {
    layout: {
      paper_bgcolor: CLEAR,
      plot_bgcolor: CLEAR,
      font: { color: ink, family, size: 14 },
      colorway: colour("--nta-colorway").split(/\s*,\s*/),
      xaxis: axis,
      yaxis: axis,
      scene: { xaxis: axis3d, yaxis: axis3d, zaxis: axis3d },
      hoverlabel: { bgcolor: surface, bordercolor: line, font: { color: ink } },
      legend: { bgcolor: CLEAR },
      modebar: { bgcolor: CLEAR, color: colour("--nta-muted"), activecolor: ink },
      margin: { t: titled ? 48 : 16, r: 16, b: 48, l: 56 },
    },
  };
}
