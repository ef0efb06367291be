// The files of Python, fetched once and kept for as long as the page is open.  Over http their
// bytes are counted as they come; browsers fetch nothing from file://, there they come as scripts.

import { Strange, runScript as runAnyScript } from "../book/scripts.js";

const MEGABYTE = 1e6;
const blobs = new Map(); // name of a file -> its content
let manifest = null;
let versionHere = null; // of the files that are kept
let caching = "default"; // whether the browser may take files from its own cache

/** A sentence for the reader, who can try again. */
export class LoadError extends Error {}

const CUT = "The network broke off. Whole files that have come are kept: Run goes on from there.";
const MISSING = "The files of Python are missing from this copy of the book.";
const STRANGE =
  "Something else came instead of the files of Python: perhaps this site asks you to log in. " +
  "Reload the page.";

/** Whether the book is read from a disk without a server. */
export const isOnDisk = () => location.protocol === "file:";

/** Bytes as a reader counts them. */
export const megabytes = (bytes) => (bytes / MEGABYTE).toFixed(bytes < MEGABYTE ? 1 : 0);

/** How much of which files is there: { done, total, what }. */
export function progressOf(files, loaded) {
  const sum = (count) => files.reduce((all, file) => all + count(file), 0);
  const missing = files.filter(({ name, bytes }) => (loaded.get(name) ?? 0) < bytes);
  return {
    done: sum(({ name, bytes }) => Math.min(loaded.get(name) ?? 0, bytes)),
    total: sum(({ bytes }) => bytes),
    what: [...new Set(missing.map(({ what }) => what))].join(", "),
  };
}

/** Run a script of the book and forget it; what it leaves behind, which `found` finds. */
export async function runScript(address, found) {
  try {
    await runAnyScript(address, found);
  } catch (error) {
    if (error instanceof Strange) throw new LoadError(STRANGE);
    if (isOnDisk()) throw new LoadError(MISSING);
    await request(address); // a script does not tell why it did not come
    throw new LoadError(CUT);
  } finally {
    for (const script of document.querySelectorAll(`script[src="${address}"]`)) script.remove();
  }
  if (!found()) throw new LoadError(MISSING);
  return found();
}

/** Ask for an address; what goes wrong is said in words. */
async function request(address, options) {
  let answer;
  try {
    answer = await fetch(address, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new LoadError(CUT);
  }
  if (!answer.ok) throw new LoadError(MISSING);
  return answer;
}

async function readManifest(home, signal) {
  if (!isOnDisk()) {
    // A rebuilt book has another version in the same place: ask whether it is new.
    const answer = await request(new URL("manifest.json", home), { cache: "no-cache", signal });
    return readJson(answer);
  }
  return runScript(new URL("manifest.js", home).href, () => globalThis.ntaPython);
}

async function readJson(answer) {
  try {
    const found = await answer.json();
    if (found?.files) return found;
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if (!(error instanceof SyntaxError)) throw new LoadError(CUT);
  }
  throw new LoadError(STRANGE);
}

/** Fetch a file, counting its bytes as they come. */
async function fetchFile(address, count, signal, cache) {
  const answer = await request(address, { cache, signal });
  const parts = [];
  let bytes = 0;
  try {
    for (const reader = answer.body.getReader(); ;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      bytes += value.length;
      count(bytes);
    }
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new LoadError(CUT);
  }
  return new Blob(parts);
}

/** Take a file from the script that carries it as base64. */
async function unpackScript(address, name) {
  const text = await runScript(address, () => globalThis.ntaDisk?.[name]);
  delete globalThis.ntaDisk[name];
  if (Uint8Array.fromBase64) return new Blob([Uint8Array.fromBase64(text)]);
  return new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]);
}

/** Fetch everything anew the next time, also what the browser keeps: something was wrong. */
export function forgetFiles() {
  blobs.clear();
  manifest = null;
  caching = "reload";
}

/**
 * The manifest and all files of Python by their names, as blobs.  `home` is the folder they lie in,
 * `report` is told how far the loading is.  What has come once is not fetched again.
 */
export async function loadFiles(home, report, signal) {
  manifest ??= await readManifest(home, signal);
  const { files, version } = manifest;
  if (version !== versionHere) blobs.clear(); // parts of two versions do not fit together
  versionHere = version;
  const loaded = new Map([...blobs].map(([name, { size }]) => [name, size]));
  const tell = () => report(progressOf(files, loaded));
  tell();
  const load = async ({ name, bytes }) => {
    if (blobs.has(name)) return;
    const count = (some) => {
      loaded.set(name, some);
      tell();
    };
    const take = (cache) =>
      isOnDisk()
        ? unpackScript(new URL(`disk/${name}.js`, home).href, name)
        : fetchFile(new URL(`${name}?v=${version}`, home), count, signal, cache);
    let blob = await take(caching);
    if (blob.size !== bytes) blob = await take("reload"); // the browser may keep what came wrong
    if (blob.size !== bytes) {
      manifest = null; // perhaps the book was built anew while it was read
      throw new LoadError(isOnDisk() ? MISSING : STRANGE);
    }
    blobs.set(name, blob);
    count(bytes);
  };
  if (isOnDisk()) {
    for (const file of files) {
      signal.throwIfAborted();
      await load(file); // one after the other: each is there twice
    }
  } else {
    // What can come should come, also when something else cannot.
    const ends = await Promise.allSettled(files.map(load));
    const failure = ends.find(({ status }) => status === "rejected");
    if (failure) throw failure.reason;
  }
  return { files: Object.fromEntries(blobs), manifest };
}
