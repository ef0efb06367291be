// The five pictures.  Each is { svg, update }: `update` follows the time slider, the rest the settings.

import { element, line } from "../shared/elements.js";
import { number } from "./words.js";
import { curve, frame, labels, route } from "./charts.js";

const HEIGHT = 320;
const log10 = Math.log10;
const picture = (width) =>
  element("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, role: "img" });
const boxOf = (width, margin) => ({ x: 0, y: 0, width, height: HEIGHT, margin });
const kindOf = ({ classes: { common, shared } }, l) =>
  l === shared ? "ns-shared" : common[l] ? "ns-common" : "ns-distinct";
const ends = (values) => [Math.min(...values), Math.max(...values)];

/** The time axis of the reader's choice, and how a time is put on it. */
function timeAxis({ axis, path: { times } }, first = 1) {
  const log = axis === "log";
  const last = Math.max(times.at(-1), 2);
  return {
    axis: {
      low: log ? log10(first) : 0,
      high: log ? log10(last) : last,
      log,
      title: `step${log ? ", log scale" : ""}`,
    },
    T: (t) => (log ? (t < first ? NaN : log10(t)) : t),
  };
}

/** A line that stands where the time slider stands. */
function cursor({ X, top, bottom, svg }, T) {
  const now = line(0, top, 0, bottom, { class: "ns-now" });
  svg.append(now);
  return (t) => {
    const x = X(T(t));
    const seen = Number.isFinite(x);
    now.setAttribute("visibility", seen ? "visible" : "hidden");
    if (seen) now.setAttribute("transform", `translate(${x.toFixed(1)} 0)`);
  };
}

/** Bars of attention of one class, a tick where each began. */
function attentionView(lab, width) {
  const {
    classes: { tokensOf, common, names, shared },
    n,
    attention,
  } = lab;
  const svg = picture(width);
  const tokens = tokensOf[n].toSorted((a, b) => common[b] - common[a] || a - b);
  const high = 1.05 * Math.max(...attention.flatMap((rows) => tokens.map((l) => rows[n][l])));
  const plot = frame(
    svg,
    boxOf(width, 8),
    { low: 0, high: 1 },
    { low: 0, high: 100 * high, title: `attention of class ${n + 1}, %` },
  );
  const { left, right, bottom, Y } = plot;
  const lane = (right - left) / tokens.length;
  const thick = Math.min(34, lane * 0.78);
  const roomy = lane > 22;
  const bars = tokens.map((l, i) => {
    const x = left + lane * (i + 0.5);
    const bar = element("rect", {
      x: x - thick / 2,
      width: thick,
      class: `ns-bar ${kindOf(lab, l)}`,
    });
    const y = Y(100 * attention[0][n][l]);
    svg.append(bar, line(x - thick / 2 - 2, y, x + thick / 2 + 2, y, { class: "ns-start" }));
    if (roomy) {
      svg.append(
        element("text", {
          x,
          y: bottom + 14,
          class: "ns-mid",
          say: l === shared ? "sh." : names[l],
        }),
      );
    }
    return (c) => {
      const top = Y(100 * c[l]);
      bar.setAttribute("y", top.toFixed(1));
      bar.setAttribute("height", Math.max(0, bottom - top).toFixed(1));
    };
  });
  for (const [kind, say] of [
    ["ns-common", "common"],
    ["ns-distinct", "distinct: rare to frequent"],
    ["ns-shared", "shared"],
  ]) {
    const own = tokens
      .map((l, i) => [l, i])
      .filter(([l]) => kindOf(lab, l) === kind)
      .map(([, i]) => i);
    if (own.length) {
      svg.append(
        element("text", {
          x: left + (lane * (own[0] + own.at(-1) + 1)) / 2,
          y: bottom + 31,
          class: `ns-mid ns-name ${kind}`,
          say: own.length * lane < 150 && kind === "ns-distinct" ? "distinct" : say,
        }),
      );
    }
  }
  return {
    svg,
    update: (i) => {
      for (const bar of bars) bar(attention[i][n]);
      svg.setAttribute(
        "aria-label",
        `Bars: attention of class ${n + 1} at step ${lab.time}. ${tokens.map((l) => `${names[l]} ${number(100 * attention[i][n][l], 2)} percent`).join(", ")}.`,
      );
    },
  };
}

/** Attention logits of the tokens of one class over time. */
function logitsView(lab, width) {
  const {
    classes: { tokensOf, distinctOf, names, P, shared, top },
    n,
    path: { times },
    settings,
  } = lab;
  const svg = picture(width);
  const { axis, T } = timeAxis(lab);
  const tokens = tokensOf[n];
  const looks = times.map((_, i) => i);
  const values = tokens.map((l) => looks.map((i) => lab.logit(i, l)));
  const [low, high] = ends([...values.flat(), -0.01, 0.01]);
  const plot = frame(svg, boxOf(width, 104), axis, { low, high, title: "attention logit z" });
  const last = looks.length - 1;
  svg.append(line(plot.left, plot.Y(0), plot.right, plot.Y(0), { class: "ns-axis" }));
  tokens.forEach((l, k) =>
    curve(
      plot,
      values[k].map((z, i) => [T(times[i]), z]),
      { class: `ns-line ${kindOf(lab, l)}`, style: l === top[n] ? "stroke-width:3" : null },
    ),
  );
  const rare = distinctOf[n].reduce((best, l) => (P[n][l] < P[n][best] ? l : best));
  const name = (l, say) => ({ y: plot.Y(lab.logit(last, l)), say, kind: kindOf(lab, l) });
  labels(
    plot,
    [
      name(top[n], `${names[top[n]]}, frequent`),
      rare !== top[n] && name(rare, `${names[rare]}, rare`),
      settings.common && name(0, settings.common > 1 ? `common ×${settings.common}` : "common"),
      tokens.includes(shared) && name(shared, "shared"),
    ].filter(Boolean),
  );
  const move = cursor(plot, T);
  return {
    svg,
    update: (i) => {
      move(times[i]);
      svg.setAttribute(
        "aria-label",
        `Lines: logits of class ${n + 1} over ${times.at(-1)} steps. At step ${times[i]}: ${tokens.map((l) => `${names[l]} ${number(lab.logit(i, l), 2)}`).join(", ")}.`,
      );
    },
  };
}

/** Speed of attention, with theory's drive and its times. */
function speedView(lab, width) {
  const { speeds, marks, snap, axis: kind } = lab;
  const svg = picture(width);
  const log = kind === "log";
  const { axis, T } = timeAxis(lab, 0.5);
  const V = log ? (v) => (v > 0 ? log10(v) : NaN) : (v) => v;
  const peak = Math.max(...speeds.map(([, v]) => v));
  const live = speeds.filter(([, v]) => v > peak * 1e-7);
  if (!snap) {
    svg.append(
      element("text", {
        x: width / 2,
        y: HEIGHT / 2,
        class: "ns-mid",
        say: "Nothing moves: no token is shared.",
      }),
    );
    svg.setAttribute("aria-label", "Nothing moves: no token is shared.");
    return { svg, update: () => {} };
  }
  const strongest = lab.drive(marks.snap);
  const theory = speeds.map(([t]) => [t, (lab.drive(t) / strongest) * peak]);
  const [low, high] = log ? ends([...live, ...theory].map(([, v]) => log10(v))) : [0, peak];
  const plot = frame(svg, boxOf(width, 66), axis, {
    low: log ? low - 0.1 : 0,
    high: log ? high + 0.15 : 1.05 * high,
    log,
    title: `speed of attention per step${log ? ", log scale" : ""}`,
  });
  const { X, Y, top, bottom, left, right } = plot;
  const inside = (t) => Math.max(left, Math.min(right, X(Math.max(axis.low, T(Math.max(t, 0.5))))));
  const from = inside(marks.scan);
  const to = inside(2 * marks.scan);
  svg.prepend(
    element("rect", {
      x: from,
      y: top,
      width: Math.max(0, to - from),
      height: bottom - top,
      class: "ns-band",
    }),
  );
  if (marks.snap < lab.path.times.at(-1)) {
    svg.append(
      line(inside(marks.snap), top, inside(marks.snap), bottom, { class: "ns-theory" }),
      element("text", { x: inside(marks.snap) - 4, y: bottom - 6, class: "ns-end", say: "tγ" }),
    );
  }
  if (to - from > 30) {
    svg.append(
      element("text", { x: (from + to) / 2, y: bottom - 6, class: "ns-mid", say: "t0′ to t0" }),
    );
  }
  curve(
    plot,
    theory.map(([t, v]) => [T(t), V(v)]),
    { class: "ns-theory" },
  );
  curve(
    plot,
    live.map(([t, v]) => [T(t), V(v)]),
    { class: "ns-line ns-run" },
  );
  labels(plot, [
    { y: Y(V(live.at(-1)[1])), say: "this run", kind: "ns-runname" },
    { y: Y(V(theory.at(-1)[1])), say: "theory γ", kind: "" },
  ]);
  const move = cursor(plot, T);
  return {
    svg,
    update: (i) => {
      move(lab.path.times[i]);
      svg.setAttribute(
        "aria-label",
        `Line: speed of attention over time; fastest at step ${snap.peak}, ${number(peak)} per step, ${number(speeds.at(-1)[1])} at the end. Dotted: theory's drive γ, scaled to the same height, with its peak at ${number(marks.snap)}.`,
      );
    },
  };
}

/** χ of the leading token beside the band of Theorem 3. */
function growthView(lab, width) {
  const {
    classes: { top, names },
    n,
    path: { times },
  } = lab;
  const svg = picture(width);
  const { axis, T } = timeAxis(lab);
  const lead = top[n];
  const tens = (v) => v / Math.LN10;
  const run = times.map((t, i) => [T(t), tens(2 * lab.logit(i, lead))]);
  const bands = times.map((t) => [T(t), ...lab.growthBounds(t).map(tens)]);
  const sides = [1, 2].map((k) => bands.map((b) => [b[0], b[k]]));
  const [low, high] = ends([0, 0.05, ...run.map(([, v]) => v), ...sides.flat().map(([, v]) => v)]);
  const plot = frame(svg, boxOf(width, 92), axis, {
    low,
    high,
    log: true,
    title: `χ of ${names[lead]}, log scale`,
  });
  const [lower, upper] = sides;
  const area = route(plot, [...upper.toReversed(), ...lower]);
  svg.append(element("path", { d: area, class: "ns-band" }));
  for (const side of sides) curve(plot, side, { class: "ns-theory" });
  curve(plot, run, { class: "ns-line ns-run" });
  labels(plot, [
    { y: plot.Y(run.at(-1)[1]), say: "this run", kind: "ns-runname" },
    { y: plot.Y(upper.at(-1)[1]), say: "theory, most", kind: "" },
    { y: plot.Y(lower.at(-1)[1]), say: "theory, least", kind: "" },
  ]);
  const move = cursor(plot, T);
  return {
    svg,
    update: (i) => {
      move(times[i]);
      const ten = (v) => (v < 5 ? number(10 ** v) : `10 to the ${Math.round(v)}`);
      svg.setAttribute(
        "aria-label",
        `Line: growth χ of ${names[lead]}, at step ${times[i]}: this run ${ten(run[i][1])}, Theorem 3's bounds with the paper's drive ${ten(bands[i][1])} and ${ten(bands[i][2])}.`,
      );
    },
  };
}

/** The decoder: loss above, probabilities below. */
function decoderView(lab, width) {
  const {
    path: { times, losses },
    decoder,
  } = lab;
  const svg = picture(width);
  const { axis, T } = timeAxis(lab);
  const half = HEIGHT / 2 - 20;
  const loss = frame(
    svg,
    { ...boxOf(width, 78), height: half + 26 },
    { ...axis, title: null },
    { low: 0, high: 1.05 * Math.max(...losses), title: "loss" },
  );
  const odds = frame(svg, { ...boxOf(width, 78), y: half + 4, height: HEIGHT - half - 4 }, axis, {
    low: 0,
    high: 1,
    title: "probability",
  });
  curve(
    loss,
    losses.map((v, i) => [T(times[i]), v]),
    { class: "ns-line ns-run" },
  );
  const kinds = [
    ["own", "ns-distinct", "right"],
    ["leaked", "ns-common", "leaked"],
  ];
  for (const [key, kind] of kinds) {
    curve(
      odds,
      decoder.map((d, i) => [T(times[i]), d[key]]),
      { class: `ns-line ${kind}` },
    );
  }
  labels(loss, [{ y: loss.Y(losses.at(-1)), say: "this run", kind: "ns-runname" }]);
  labels(
    odds,
    kinds.map(([key, kind, say]) => ({ y: odds.Y(decoder.at(-1)[key]), say, kind })),
  );
  const moves = [loss, odds].map((plot) => cursor(plot, T));
  return {
    svg,
    update: (i) => {
      for (const move of moves) move(times[i]);
      svg.setAttribute(
        "aria-label",
        `Lines: at step ${times[i]} the loss is ${number(losses[i])}, the right answer has probability ${number(decoder[i].own)}, the answers of other classes ${number(decoder[i].leaked)}.`,
      );
    },
  };
}

export const PICTURES = {
  attention: ["Attention", attentionView],
  logits: ["Logits", logitsView],
  speed: ["Speed", speedView],
  growth: ["Growth χ", growthView],
  decoder: ["Decoder", decoderView],
};
