// States of an explorer as nta_book/explore/encode.py packs them: what all states have in common
// is written once, in a tree; what differs stands in columns with one entry per state.

const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

/** The value of a node of the tree in one state. */
function valueOf(node, columns, state) {
  const inside = (child) => valueOf(child, columns, state);
  if ("k" in node) return node.k; // a constant
  if ("o" in node) return mapValues(node.o, inside); // an object
  if ("a" in node) return node.a.slice(0, inside(node.n)).map(inside); // an array of some length
  if ("l" in node) return node.l.map(inside).join("\n"); // lines
  const value = node.t[columns[node.c][state]]; // an entry of a table
  return "p" in node ? value.map((i) => node.p[i]).join("\n") : value; // whose lines are numbers
}

/** A value with every sign of the private range replaced by the text it stands for. */
function expand(value, texts) {
  if (typeof value === "string") {
    return value.replace(/[\ue000-\uf8ff]/g, (sign) => texts[sign.charCodeAt(0) - 0xe000]);
  }
  if (Array.isArray(value)) return value.map((item) => expand(item, texts));
  if (value === null || typeof value !== "object") return value;
  return mapValues(value, (item) => expand(item, texts));
}

/** The words and the picture of one state. */
export function decode({ tree, columns, short }, state) {
  const value = valueOf(tree, columns, state);
  return short.length ? expand(value, short) : value;
}
