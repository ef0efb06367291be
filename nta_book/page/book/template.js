// The look of a plot in the colours and the type of the page.

import { inTheme } from "./palette.js";

const CLEAR = "rgba(0,0,0,0)";
const TYPE_SIZE = 13; // pixels, as in drawings (nta_book/viz/theme.py)
const GRID_WIDTH = 0.75;
const page = document.documentElement;
const known = new Map(); // asking for computed styles while a slider moves costs a layout

/** A property of the page's style sheet, asked for once in each theme. */
function styled(name) {
  const key = `${page.dataset.theme} ${name}`;
  if (!known.has(key)) known.set(key, getComputedStyle(page).getPropertyValue(name).trim());
  return known.get(key);
}

const colourOf = (role) => styled(`--nta-${role}`);

/** Traces, shapes or a layout with their colours in the page's theme. */
export const inPageColours = (part) => inTheme(part, colourOf);

/** The plotly template of the page's theme, with room for a title or without. */
export function template(titled) {
  const ink = colourOf("ink");
  const line = colourOf("line");
  const axis = {
    gridcolor: colourOf("grid"),
    gridwidth: GRID_WIDTH,
    linecolor: line,
    zerolinecolor: line,
    zerolinewidth: GRID_WIDTH,
    automargin: true,
    title: { font: { size: TYPE_SIZE } },
  };
  const family = styled("--nta-sans") || "sans-serif";
  const small = { color: ink, family, size: TYPE_SIZE };
  return {
    layout: {
      paper_bgcolor: CLEAR,
      plot_bgcolor: CLEAR,
      font: small,
      title: { font: { size: 14.5 } },
      colorway: ["practice", "compare-1", "compare-2", "compare-3"].map(colourOf),
      xaxis: axis,
      yaxis: axis,
      hoverlabel: { bgcolor: colourOf("wash"), bordercolor: line, font: small },
      legend: { bgcolor: CLEAR, font: { size: TYPE_SIZE } },
      annotationdefaults: { font: { size: TYPE_SIZE } },
      modebar: { bgcolor: CLEAR, color: colourOf("muted"), activecolor: ink },
      margin: { t: titled ? 48 : 16, r: 16, b: 48, l: 56 },
    },
  };
}
