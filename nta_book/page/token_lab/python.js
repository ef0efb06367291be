// Python that repeats a run of the lab, its changes included, and prints what the lab shows.

import { startWeights } from "./descent.js";
import { naturalOrder, parseText } from "./text.js";

const flag = (value) => (value ? "True" : "False");
const quoted = (text) => JSON.stringify(text);

/** The races of a text without the line that names the vocabulary. */
const racesOf = (text) => text.split("\n").filter((line) => !/^\s*tokens:/.test(line));

/** A text as lines of Python between brackets, `after` behind the last. */
function textLines(lines, indent, after = "") {
  const last = lines.length - 1;
  return lines.map((line, i) =>
    i < last ? `${indent}${quoted(`${line}\n`)}` : `${indent}${quoted(line)}${after}`,
  );
}

/** The weights before the first step; tokens that came later begin at zero. */
function startLines(names, first, seed) {
  if (seed === null) return ["W = np.zeros((len(names), len(names)))"];
  const own = parseText(first).data.names;
  const W = startWeights(own.length, seed);
  const weight = (row, column) => {
    const [i, j] = [own.indexOf(row), own.indexOf(column)];
    return i < 0 || j < 0 ? 0 : W[i * own.length + j];
  };
  return [
    "W = np.array([  # the random start of the lab",
    ...names.map((row) => `    [${names.map((column) => weight(row, column)).join(", ")}],`),
    "])",
  ];
}

function stretchLines({ text, eta, normalized, shrinking, steps }) {
  return [
    "    (",
    ...textLines(racesOf(text), "        ", ","),
    `        ${steps}, ${eta}, ${flag(normalized)}, ${flag(shrinking)},`,
    "    ),",
  ];
}

const TRAINING = `
done = 0  # steps taken so far
for races, steps, eta, normalized, shrinking in stretches:
    data = Dataset.from_text("tokens: " + " ".join(names) + "\\n" + races)
    objective = Objective(data, np.eye(data.K), loss=loss)
    for t in range(done + 1, done + steps + 1):
        slope = objective.gradient(W)
        rate = eta / np.sqrt(t) if shrinking else eta
        if normalized:
            rate /= np.linalg.norm(slope) + np.finfo(float).eps
        W = W - rate * slope
    done += steps
`;

const REPORT = `
E = np.eye(data.K)  # one-hot embeddings: a score is an entry of W
kept = [names.index(name) for name in data.names]
W = W[np.ix_(kept, kept)]  # the tokens that are in the races now
graphs = token_priority_graphs(data)
league_table = solve_graph_svm(graphs, E).W
strengths = luce_strengths(data, graphs).theta
squares = 0.0
for last, thetas in strengths.items():
    for league in graphs[last].components:
        members = sorted(league)
        scores = W[members, last]
        wanted = np.array([thetas.get(token, 0.0) for token in members])
        squares += float(((scores - scores.mean() - wanted) ** 2).sum())

with np.errstate(all="ignore"):
    direction = (W * league_table).sum() / np.linalg.norm(W) / np.linalg.norm(league_table)
print(f"step {done}")
print(f"loss {loss_value(W, data, E, loss=loss):.6f}")
print(f"cosine {direction:.6f}")
print(f"soft part {squares**0.5:.6f}")
for sequence in data.sequences:
    shares = attention(W, E, sequence)
    print(" ".join(f"{data.names[k]} {share:.4f}" for k, share in zip(sequence, shares)))
`;

const IMPORTS = [
  "import numpy as np",
  "",
  "from nta_core import Dataset, Objective, attention, loss_value, luce_strengths",
  "from nta_core import solve_graph_svm, token_priority_graphs",
];

/** The program: `text` are the races in force now, `recipe` how the weights came about. */
export function toPython({ text, loss, seed, recipe }) {
  const texts = [...recipe.map((stretch) => stretch.text), text];
  const names = naturalOrder(texts.flatMap((one) => parseText(one).data.names));
  return [
    "# The run of the lab, step by step, and the numbers it shows.",
    ...IMPORTS,
    "",
    `names = ${quoted(names.join(" "))}.split(" ")  # all tokens that ever ran`,
    `loss = ${quoted(loss)}`,
    ...startLines(names, texts[0], seed),
    "# races, steps, step size, divided by the slope's length?, shrinking like 1/√t?",
    "stretches = [",
    ...recipe.flatMap(stretchLines),
    "]",
    TRAINING.trim(),
    "",
    "data = Dataset.from_text(  # the races now",
    ...textLines(text.split("\n"), "    "),
    ")",
    REPORT.trim(),
    "",
  ].join("\n");
}
