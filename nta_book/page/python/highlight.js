// Python in the colours of the page: pieces of a text with the classes that Pygments gives them.

const words = (text) => new Set(text.split(" "));
const KINDS = [
  ["kc", words("False None True")],
  ["ow", words("and in is not or")],
  ["kn", words("from import")],
  [
    "k",
    words(
      "as assert async await break class continue def del elif else except finally for global if " +
        "lambda nonlocal pass raise return try while with yield",
    ),
  ],
  [
    "nb",
    words(
      "abs all any bool bytes callable chr complex dict dir divmod enumerate filter float format " +
        "frozenset getattr hasattr hash id input int isinstance issubclass iter len list map max " +
        "min next object open ord pow print property range repr reversed round set setattr slice " +
        "sorted staticmethod classmethod str sum super tuple type vars zip",
    ),
  ],
  ["bp", words("self cls")],
];
const LONG_QUOTES = ['"""', "'''"].map((quote) => `${quote}[^]*?(?:${quote}|(?![^]))`);
const SHORT_QUOTES = ['"', "'"].map((quote) => `${quote}(?:\\\\[^]|[^${quote}\\\\\\n])*${quote}?`);
const STRING = {
  source: `(?<s1>(?:\\b[rbfut]{1,2})?(?:${[...LONG_QUOTES, ...SHORT_QUOTES].join("|")}))`,
};
const EXPONENT = "e[-+]?\\d+";
const FLOAT = {
  source:
    `(?<mf>\\b\\d[\\d_]*(?:\\.[\\d_]*(?:${EXPONENT})?|${EXPONENT})j?` +
    `|(?<![\\w)\\]])\\.\\d[\\d_]*(?:${EXPONENT})?j?)`,
};
const PIECE = new RegExp(
  [
    /(?<c1>#.*)/,
    STRING,
    /(?<nd>(?<=^[ \t]*)@[\w.]*)/,
    FLOAT,
    /(?<mi>\b(?:0x[\da-f_]+|0b[01_]+|0o[0-7_]+|\d[\d_]*))/,
    /(?<n>[^\W\d]\w*)/,
    /(?<o>[-+*/%=<>!&|^~@.]|:=)/,
    /(?<p>[()[\]{},:;])/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gimu",
);

/** The class of a word; `before` is the piece to its left, if it stands on the same line. */
function kindOfWord(word, before, inModule) {
  if (before === "." && !inModule) return "n"; // an attribute
  const kind = KINDS.find(([, all]) => all.has(word))?.[0];
  if (kind) return kind;
  if (before === "def") return "nf";
  if (before === "class") return "nc";
  return inModule ? "nn" : "n";
}

/** The pieces of a text in order, as [class, piece]; what has no colour has the class "". */
export function pieces(text) {
  const found = [];
  let end = 0;
  let before = ""; // the piece to the left
  let inModule = false; // whether the name of a module goes on here
  for (const { 0: piece, index, groups } of text.matchAll(PIECE)) {
    const gap = text.slice(end, index);
    if (gap) found.push(["", gap]);
    if (gap.includes("\n")) {
      before = "";
      inModule = false;
    }
    let kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    const isFirst = before === "";
    if (kind === "n") kind = kindOfWord(piece, before, inModule);
    else if (piece === "." && inModule) kind = "nn";
    if (kind === "kn") inModule = isFirst;
    else if (kind !== "nn" && piece !== "as") inModule = false;
    before = piece;
    found.push([kind, piece]);
    end = index + piece.length;
  }
  if (end < text.length) found.push(["", text.slice(end)]);
  return found;
}

/** The lines of a text, each a list of pieces. */
export function linesOf(text) {
  const lines = [[]];
  for (const [kind, piece] of pieces(text)) {
    piece.split("\n").forEach((part, k) => {
      if (k) lines.push([]);
      if (part) lines.at(-1).push([kind, part]);
    });
  }
  return lines;
}
