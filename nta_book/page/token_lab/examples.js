// Races to begin with.

/** Name of an example, its races. */
export const EXAMPLES = [
  [
    "Cat and dog",
    [
      "mouse cat chases -> mouse",
      "cat dog chases -> cat",
      "dog cat likes -> dog",
      "dog cat likes -> dog",
      "cat dog likes -> cat",
      "dog mouse likes -> dog",
    ],
  ],
  ["Strict order", ["d c a -> d", "c b a -> c", "b a -> b"]],
  ["One tie", ["d b a -> d", "d c a -> d", "b c a -> b", "b c a -> b", "c b a -> c"]],
  [
    "One upset",
    [
      "# the last race is the upset: take it away and look",
      "d c a -> d",
      "c b a -> c",
      "b a -> b",
      "a d a -> a",
    ],
  ],
  ["All tied", ["a b c -> a", "a b c -> b", "b a c -> c", "a b c -> a", "b c c -> b"]],
  [
    "Tiny grammar",
    [
      "cat dog sat the -> cat",
      "cat dog sat the -> cat",
      "cat dog sat the -> dog",
      "the dog sat cat -> sat",
      "the cat sat dog -> sat",
      "cat dog the sat -> the",
    ],
  ],
  [
    "The paper's four tokens",
    [
      "e1 e2 e1 -> e2",
      "e3 e2 e1 -> e3",
      "e3 e4 e1 -> e4",
      "e3 e1 e2 -> e3",
      "e3 e1 e2 -> e2",
      "e3 e1 e2 -> e1",
      "e2 e4 e2 -> e4",
    ],
  ],
].map(([name, lines]) => ({ name, draft: lines.join("\n") }));

/** What "Your own" shows until the reader has races of their own. */
export const OWN = "# your own little language: one race per line\na b c -> b\nc b a -> a";

/** Prose to try the cutting of prose with. */
export const PROSE = `The cat sees the dog and the dog sees the cat.
The mouse sees the cat and the cat sees the mouse.
The dog likes the cat and the cat likes the mouse, but the mouse likes the cheese.
The cheese likes nobody, and nobody sees the cheese but the mouse.`;

/** The name of a draft: that of its example. */
export const nameOf = (draft) =>
  EXAMPLES.find((example) => example.draft === draft)?.name ?? "your own races";
