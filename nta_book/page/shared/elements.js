// Elements of a page: what explorers and labs build their controls and pictures from.

const SVG_NAMESPACE = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "g", "path", "rect", "circle", "line", "text"]);

/**
 * Make an element.  Of its properties, `say` is its text, functions become listeners (`onclick`),
 * the rest are attributes; one that is null, undefined or false is left out.  So are children.
 */
export function element(tag, properties, ...children) {
  const made = SVG_TAGS.has(tag)
    ? document.createElementNS(SVG_NAMESPACE, tag)
    : document.createElement(tag);
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name === "say") made.textContent = value;
    else if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else if (value != null && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.filter(Boolean));
  return made;
}

/** A button that says something and does something. */
export const button = (say, onclick, properties) =>
  element("button", { type: "button", say, onclick, ...properties });

/** A line of a picture. */
export const line = (x1, y1, x2, y2, properties) =>
  element("line", { x1, y1, x2, y2, ...properties });

/** Change the text of a node, but only if it differs: a live region would be read out again. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Give `parent` these children; those that stay are not touched: only the rest is laid out. */
export function arrange(parent, nodes) {
  for (const child of [...parent.children]) {
    if (!nodes.includes(child)) child.remove();
  }
  nodes.forEach((node, i) => {
    if (parent.children[i] !== node) parent.insertBefore(node, parent.children[i] ?? null);
  });
}

/** A choice with a label: `options` are [value, what it says] pairs. */
export function pick(label, options, onpick) {
  const select = element(
    "select",
    { "aria-label": label, onchange: () => onpick(options[select.selectedIndex][0]) },
    ...options.map(([, say]) => element("option", { say })),
  );
  return {
    el: element("label", { class: "nl-pick" }, element("span", { say: label }), select),
    set: (value) => {
      select.selectedIndex = options.findIndex(([option]) => option === value);
    },
  };
}

/** JupyterLab takes arrow keys and Enter for its shortcuts unless the focused element says no. */
export function keepKeys(root) {
  root.addEventListener("focusin", ({ target }) =>
    target.setAttribute("data-lm-suppress-shortcuts", ""),
  );
}
