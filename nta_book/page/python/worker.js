// Python in a worker of its own.  The page sends the files of Python once, then cells to run:
//
// { files, manifest } -> { ready: true } or { broken }
// { texts } -> { names }: what each text wants of cells before it, and what of that it lacks so far
// { code, cell, isNeeded } -> { printed } as often as something is printed, then { result } or
//   { broken }; `isNeeded` if it runs for another cell
// { forget: true } -> { ready: true }: all names are forgotten
//
// `broken` says what happened to Python itself: such a worker is of no use any more.

const PIECES_AT_ONCE = 1000; // of a cell are handed on as they come; more of them in parcels
const PARCEL = 16_384; // letters
const PARCEL_EVERY = 100; // milliseconds
const MOST_LETTERS = 200_000; // of a cell: then the runner says that it cuts, and this is the end
const INSIDES = "Stack (most recent call first):"; // begins them, and is nobody's matter
const MODULE = { type: "text/javascript" };
const HOME = "https://python.invalid/"; // files are asked for by name, nothing is fetched

let runner = null;
let printed = "";
let pieces = 0;
let letters = 0;
let saidAt = 0;
let held = ""; // what may be the last words of a Python that breaks down

function flush() {
  if (printed) postMessage({ printed });
  printed = "";
  saidAt = performance.now();
}

/** Hand on what is printed; a loop that prints must not flood the page. */
function print(text) {
  if (held || text.startsWith(INSIDES)) {
    held += text;
    return;
  }
  if (letters > 1.5 * MOST_LETTERS) return; // the runner bounds what is printed, but no warnings
  printed += text;
  letters += text.length;
  pieces += 1;
  const isParcel = printed.length > PARCEL || performance.now() - saidAt > PARCEL_EVERY;
  if (isParcel || pieces <= PIECES_AT_ONCE || letters > MOST_LETTERS) flush();
}

/** Where Python writes to: text as it comes, with or without an end of line. */
function makeStream() {
  const decoder = new TextDecoder();
  return {
    write(bytes) {
      print(decoder.decode(bytes, { stream: true }));
      return bytes.length;
    },
  };
}

/** Answer requests for the files of Python from what the page has sent. */
function serveFiles(files) {
  const types = { wasm: "application/wasm", json: "application/json" };
  globalThis.fetch = async (request) => {
    const name = String(request.url ?? request)
      .split("/")
      .pop();
    if (!files[name]) return new Response(null, { status: 404 });
    const type = types[name.split(".").pop()] ?? "application/octet-stream";
    return new Response(files[name], { headers: { "Content-Type": type } });
  };
}

const importBlob = (blob) => import(URL.createObjectURL(new Blob([blob], MODULE)));

/** Fails when the core of Python cannot be compiled: Pyodide would wait for it for ever. */
function failureOfCore() {
  const { instantiateStreaming } = WebAssembly;
  return new Promise((_, reject) => {
    WebAssembly.instantiateStreaming = (...given) => {
      const made = instantiateStreaming.apply(WebAssembly, given);
      made.catch(reject);
      return made;
    };
  });
}

async function start(files, manifest) {
  serveFiles(files);
  globalThis.importScripts = undefined; // Pyodide refuses workers that have it, and needs it not
  const { loadPyodide } = await importBlob(files["pyodide.mjs"]);
  const { default: createPyodideModule } = await importBlob(files["pyodide.asm.mjs"]);
  const failure = failureOfCore();
  const loading = loadPyodide({
    indexURL: HOME,
    createPyodideModule,
    lockFileContents: manifest.lock,
    packageBaseUrl: HOME,
    stdLibURL: `${HOME}python_stdlib.zip`,
  });
  const python = await Promise.race([loading, failure]);
  python.setStdout(makeStream());
  python.setStderr(makeStream());
  const folder = python.runPython("import site; site.getsitepackages()[0]");
  for (const { name, unpack } of manifest.files) {
    if (!unpack) continue;
    python.unpackArchive(await files[name].arrayBuffer(), unpack, { extractDir: folder });
  }
  python.runPython(manifest.start);
  runner = python.pyimport("nta_book.page.python.runner");
}

onmessage = async ({ data: { files, manifest, texts, code, cell, isNeeded, forget } }) => {
  try {
    if (files) {
      await start(files, manifest);
      postMessage({ ready: true });
    } else if (forget) {
      runner.reset();
      postMessage({ ready: true });
    } else if (texts) {
      postMessage({ names: JSON.parse(runner.names(texts)) });
    } else {
      pieces = 0;
      letters = 0;
      held = "";
      const result = JSON.parse(runner.run(code, cell, isNeeded));
      printed += held.slice(0, MOST_LETTERS);
      flush();
      postMessage({ result });
    }
  } catch (error) {
    flush();
    postMessage({ broken: `${error.name}: ${error.message}` });
  }
};
