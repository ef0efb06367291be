// Long work in slices: between two of them the browser answers the reader.

let last = Promise.resolve();
let urgent = false;

const nextTask = () => new Promise((done) => setTimeout(done));

/** Wait for one's turn, in order: every piece of work gets a task of its own. */
export function turn() {
  if (urgent) return Promise.resolve();
  last = last.then(nextTask);
  return last;
}

/** Call `act` with no turns to wait for: a browser that prints waits for nothing. */
export function atOnce(act) {
  urgent = true;
  try {
    return act();
  } finally {
    // What `act` began goes on in promises, within the same task.
    setTimeout(() => (urgent = false));
  }
}
