// What a reader is told when Python cannot go on.

const BY_MEMORY = /memory|allocat|RangeError: (?:Array buffer|Invalid (?:array|typed))/i;
const BY_DEPTH = /call stack|too much recursion/i;

export const NEW_ENOUGH = "Firefox, Chrome, Edge and Safari of the last two years can.";
export const NO_MEMORY = "Python ran out of memory and was ended.";

/** What a reader is told when Python itself breaks down. */
export function wordsOn(broken) {
  if (BY_MEMORY.test(broken)) return NO_MEMORY;
  if (BY_DEPTH.test(broken)) return "The code called itself too deeply; Python was ended.";
  return `Python broke down and was ended (${broken.slice(0, 200)}).`;
}

/** What a reader is told when Python does not even start. */
export function wordsOnStart(broken, onDisk) {
  const reason = broken.trim().split("\n").at(-1).slice(0, 200);
  if (broken.startsWith("PythonError")) {
    return `The Python of this copy of the book is incomplete (${reason}).`;
  }
  const serve = "Serve it (make serve, or any static server) and try there.";
  const hint = onDisk ? `This book was opened from a disk. ${serve}` : NEW_ENOUGH;
  return `Python could not start in this browser (${reason}). ${hint}`;
}
