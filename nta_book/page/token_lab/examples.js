// Races to begin with.

/** Name of an example, its races. */
export const EXAMPLES = [
  [
    "Fig. 3",
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
].map(([name, lines]) => ({ name, draft: lines.join("\n") }));

/** What "Your own" shows until the reader has races of their own. */
export const OWN = "# your own little language: one race per line\na b c -> b\nc b a -> a";
