// What a reader is told when Python cannot go on.

const BY_MEMORY = /memory|allocat|RangeError: (?:Array buffer|Invalid (?:array|typed))/i;
const BY_DEPTH = /call stack|too much recursion/i;

export const NEW_ENOUGH = "Firefox, Chrome, Edge and Safari of the last two years can.";
export const CHANGED = "The book has changed: reload the page.";
export const STOPPED = "Stopped. The next Run starts Python afresh.";
export const LEFT = "Stopped before it began.";
export const NO_MEMORY = "Python ran out of memory and was ended.";

/** The last line of what was said: what stands above it is our own code. */
const reasonOf = (broken) => broken.trim().split("\n").at(-1).slice(0, 200);

const BY_FILE = /^(?:(?:Python|Compile|Link|Syntax|Reference)Error|ExitStatus)/;

/** Whether a start may have failed because a file is another than its name and size say. */
export const blamesFiles = (broken) => BY_FILE.test(broken) && !BY_MEMORY.test(broken);

/** What a reader is told when Python itself breaks down. */
export function wordsOn(broken) {
  if (BY_MEMORY.test(broken)) return NO_MEMORY;
  if (BY_DEPTH.test(broken)) return "The code called itself too deeply; Python was ended.";
  return `Python broke down and was ended (${reasonOf(broken)}).`;
}

/** What a reader is told when Python does not even start. */
export function wordsOnStart(broken, onDisk) {
  if (BY_MEMORY.test(broken)) {
    return "There is too little memory to start Python here: close other tabs or programs.";
  }
  const reason = reasonOf(broken);
  if (broken.startsWith("PythonError")) {
    return `The Python of this copy of the book is incomplete (${reason}).`;
  }
  const serve = "Serve it (make serve, or any static server) and try there.";
  const hint = onDisk ? `This book was opened from a disk. ${serve}` : NEW_ENOUGH;
  return `Python could not start in this browser (${reason}). ${hint}`;
}
