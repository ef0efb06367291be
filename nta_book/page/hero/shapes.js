// Shapes of a picture as plain objects: drawn into a page, or written out as a file.

const SVG = "http://www.w3.org/2000/svg";
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => ESCAPES[sign]);
const rounded = (value) => (typeof value === "number" ? Math.round(value * 10) / 10 : value);

/** A shape: its key among its siblings, its tag and attributes, its text or the shapes inside. */
export const shape = (key, tag, attributes, ...inside) => ({ key, tag, attributes, inside });

/** The shapes as SVG markup. */
export function markup({ tag, attributes, inside }) {
  const listed = Object.entries(attributes)
    .filter(([, value]) => value != null)
    .map(([name, value]) => ` ${name}="${escaped(rounded(value))}"`);
  const content = inside.map((item) => (typeof item === "string" ? escaped(item) : markup(item)));
  return `<${tag}${listed.join("")}>${content.join("")}</${tag}>`;
}

/** Bring an element up to date with its shape; elements that stay are kept, with their focus. */
export function paint(el, { attributes, inside }) {
  for (const [name, value] of Object.entries(attributes)) {
    const text = value == null ? null : String(rounded(value));
    if (text === null) el.removeAttribute(name);
    else if (el.getAttribute(name) !== text) el.setAttribute(name, text);
  }
  if (typeof inside[0] === "string") {
    if (el.textContent !== inside[0]) [el.textContent] = inside;
    return;
  }
  const old = new Map([...el.children].map((child) => [child.ntaKey, child]));
  inside.forEach((item, i) => {
    let child = old.get(item.key);
    if (!child) child = document.createElementNS(SVG, item.tag);
    child.ntaKey = item.key;
    old.delete(item.key);
    if (el.children[i] !== child) el.insertBefore(child, el.children[i] ?? null);
    paint(child, item);
  });
  for (const child of old.values()) child.remove();
}
