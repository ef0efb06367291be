// Elements of a page: what the labs build their controls and pictures from.

const SVG = /^(svg|g|path|rect|circle|line|text)$/;

/** An element: functions become listeners, `say` its text, the rest attributes (null and false: none). */
export function h(tag, props, ...kids) {
  const e = SVG.test(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [k, v] of Object.entries(props ?? {})) {
    if (k === "say") e.textContent = v;
    else if (typeof v === "function") e.addEventListener(k.slice(2), v);
    else if (v !== null && v !== false) e.setAttribute(k, v);
  }
  e.append(...kids.filter(Boolean));
  return e;
}
export const button = (say, onclick, props) =>
  h("button", { type: "button", say, onclick, ...props });
export const put = (node, text) => {
  if (node.textContent !== text) node.textContent = text;
};
/** Give `parent` these children; those that stay are not touched, so the browser lays out only the rest. */
export function arrange(parent, nodes) {
  for (const child of [...parent.children]) if (!nodes.includes(child)) child.remove();
  nodes.forEach((node, i) => {
    if (parent.children[i] !== node) parent.insertBefore(node, parent.children[i] ?? null);
  });
}
export const line = (x1, y1, x2, y2, props) => h("line", { x1, y1, x2, y2, ...props });

/** A choice with a label: `options` are [value, what it says] pairs. */
export function pick(label, options, onpick) {
  const select = h(
    "select",
    { "aria-label": label, onchange: () => onpick(options[select.selectedIndex][0]) },
    ...options.map(([, say]) => h("option", { say })),
  );
  return {
    el: h("label", { class: "nl-pick" }, h("span", { say: label }), select),
    set: (v) => {
      select.selectedIndex = options.findIndex(([o]) => o === v);
    },
  };
}

/** JupyterLab takes arrow keys and Enter for its own shortcuts unless the focused element says no. */
export const keepKeys = (root) =>
  root.addEventListener("focusin", ({ target }) =>
    target.setAttribute("data-lm-suppress-shortcuts", ""),
  );
