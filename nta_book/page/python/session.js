// One Python for one page: started when it is needed, ended by Stop, by a fault or by lack of
// memory, and then started afresh.

import source from "./worker.js";
import { LoadError, forgetFiles, isOnDisk, loadFiles, runScript } from "./files.js";
import { needAlso, planned, textsFor } from "./plan.js";
import {
  CHANGED,
  LEFT,
  NEW_ENOUGH,
  NO_MEMORY,
  STOPPED,
  blamesFiles,
  wordsOn,
  wordsOnStart,
} from "./words.js";

/** Python is no more; the message says why, and the page goes on. */
export class Ended extends Error {}

/** What is missing in this browser, or nothing. */
function whatIsMissing() {
  if (typeof Worker !== "function") return "workers";
  if (typeof WebAssembly !== "object") return "WebAssembly";
  return null;
}

/** What a Python holds (plan.js): nothing. */
const empty = () => ({ ran: new Map(), bound: new Map() });

/** The Python of a page whose files lie in the folder `home` and whose cells in a script. */
export function makeSession(home, docname, script) {
  const typed = new Map(); // cell -> what the reader ran in it last
  let python = empty(); // the one that runs now
  let turn = 0;
  let isStale = false; // whether the names that Python holds are to be forgotten
  let cells = null;
  let worker = null;
  let starting = null; // a promise, as long as a Python starts or runs
  let loading = null; // aborts what is being fetched
  let hear = null; // takes the messages of the worker
  let giveUp = null; // ends what is being waited for
  let line = Promise.resolve(); // one cell after the other
  const waiting = new Map(); // cell in it -> what takes it out

  function end(reason) {
    loading?.abort();
    worker?.terminate();
    worker = null;
    starting = null;
    python = empty();
    giveUp?.(new Ended(reason));
  }

  /** Wait for an answer of the worker; an end of Python is an answer, too. */
  function answer(message, onPrint) {
    return new Promise((resolve, reject) => {
      giveUp = reject;
      hear = (data) => {
        if (data.printed) onPrint?.(data.printed);
        else if (data.broken) reject(new Error(data.broken));
        else resolve(data);
      };
      worker.postMessage(message);
    }).finally(() => {
      hear = null;
      giveUp = null;
    });
  }

  async function readCells() {
    const found = await runScript(script, () => globalThis.ntaCells?.[docname]);
    // The page may have been opened before the book was built anew.
    if (found.version !== new URL(script).searchParams.get("v")) throw new LoadError(CHANGED);
    cells = found.cells;
  }

  async function start(tell) {
    const missing = whatIsMissing();
    if (missing) throw new LoadError(`This browser has no ${missing}. ${NEW_ENOUGH}`);
    loading = new AbortController();
    const { signal } = loading; // of this start: after a Stop there may be another one
    const stopped = new Promise((_, reject) => {
      giveUp = reject;
    });
    const loaded = await Promise.race([load(tell, signal), stopped]);
    tell({ phase: "Starting Python" });
    try {
      const code = new Blob([source], { type: "text/javascript" });
      worker = new Worker(URL.createObjectURL(code)); // a module would not start from a disk
      worker.onmessage = ({ data }) => hear?.(data);
      worker.onerror = (event) => {
        event.preventDefault();
        hear?.({ broken: event.message || "the worker did not start" });
      };
      await answer(loaded);
    } catch (error) {
      if (error instanceof Ended) throw error;
      if (blamesFiles(error.message)) forgetFiles(); // one may be another than it should be
      throw new LoadError(wordsOnStart(error.message, isOnDisk()));
    }
  }

  async function load(tell, signal) {
    if (!cells) await readCells();
    signal.throwIfAborted();
    return loadFiles(home, (progress) => tell({ progress }), signal);
  }

  async function runOne(id, text, { onPrint, isNeeded = false }) {
    const { result } = await answer({ code: text, cell: id, isNeeded }, onPrint);
    const { bound } = result;
    for (const name of bound) python.bound.set(name, id);
    if (result.error?.kind === "MemoryError") end(NO_MEMORY);
    else if (result.ok) python.ran.set(id, { text, turn: ++turn, bound });
    else python.ran.delete(id);
    return result;
  }

  /** Run what a cell needs: null, or what the runner says of a cell that failed. */
  async function runNeeds(id, text, tell) {
    for (let done = 0; ;) {
      const texts = textsFor(id, text, cells, typed);
      const { names } = await answer({ texts: [...texts.values()] });
      const wanted = new Set(names.flatMap(({ wants }) => wants));
      const before = planned(texts, wanted, cells, python);
      const [next = id] = before;
      const { lacks } = names[[...texts.keys()].indexOf(next)];
      if (lacks.filter((name) => needAlso(name, next, cells)).length) continue;
      if (next === id) return null;
      tell({ phase: `Running what this cell needs (${done + 1} of ${done + before.length})` });
      const result = await runOne(next, texts.get(next), { isNeeded: true });
      if (!result.ok) return { ...result, cell: next };
      done += 1;
    }
  }

  /** Run a cell after what it needs. */
  async function runInOrder(id, text, { tell, onPrint }) {
    const failed = await runNeeds(id, text, tell);
    if (failed) return failed;
    tell({ phase: "Running", runs: true });
    typed.set(id, text);
    return runOne(id, text, { onPrint });
  }

  async function runAll(id, text, hears) {
    try {
      if (!starting) {
        starting = start(hears.tell);
        starting.catch(() => {}); // it is awaited below
      }
      await starting;
      if (isStale) {
        isStale = false;
        await answer({ forget: true });
        python = empty();
      }
      return await runInOrder(id, text, hears);
    } catch (error) {
      if (error instanceof Ended) throw error;
      end(error.message);
      if (error instanceof LoadError) throw error;
      throw new Ended(wordsOn(error.message));
    }
  }

  return {
    /**
     * Run a cell, and before it what it needs: a promise of what the runner says of it.  `tell`
     * hears what happens meanwhile, `onPrint` what is printed.
     */
    run(id, text, hears) {
      return new Promise((resolve, reject) => {
        const leave = () => reject(new Ended(LEFT));
        waiting.set(id, leave);
        line = line.then(() => {
          if (waiting.get(id) !== leave) return null; // it has left the line
          waiting.delete(id);
          return runAll(id, text, hears).then(resolve, reject);
        });
      });
    },
    /** Take a cell that waits out of the line; for one that runs, end Python. */
    stop(id) {
      const leave = waiting.get(id);
      waiting.delete(id);
      if (leave) leave();
      else end(STOPPED);
    },
    /** What the reader ran in a cell counts for others from now on, or no more (null). */
    count(id, text) {
      if (text === null) typed.delete(id);
      else typed.set(id, text);
    },
    /** The next Run finds none of the names that were given so far: one may hide another. */
    forget() {
      isStale = true;
    },
  };
}
