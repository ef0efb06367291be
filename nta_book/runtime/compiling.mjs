// Run by Node: compiles the modules of a tar file with the Python of the browser.
//   node compiling.mjs <folder of Pyodide> <lock as JSON> <compiling.py> <in.tar> <out.tar>
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, lock, script, given, made] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`).href);
const python = await loadPyodide({
  indexURL: `${folder}/`,
  packageBaseUrl: `${folder}/`,
  lockFileContents: JSON.parse(lock),
});
python.runPython(readFileSync(script, "utf8"));
const compiled = python.globals.get("compiled");
const archive = python.toPy(new Uint8Array(readFileSync(given)));
writeFileSync(made, compiled(archive).toJs());
