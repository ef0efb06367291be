// The Python of the pages under Node: node wasm.mjs FOLDER, requests on stdin, answers on stdout,
// one line of JSON each.  A request has the code and the name of a cell, or {"reset": true}.

import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";

const folder = process.argv[2].replace(/\/*$/, "/");
const manifest = JSON.parse(await readFile(`${folder}manifest.json`, "utf8"));
const { loadPyodide } = await import(pathToFileURL(`${folder}pyodide.mjs`));
let printed = "";
const python = await loadPyodide({
  indexURL: folder,
  packageBaseUrl: folder,
  lockFileContents: manifest.lock,
});
const decoder = new TextDecoder();
python.setStdout({
  write(bytes) {
    printed += decoder.decode(bytes, { stream: true });
    return bytes.length;
  },
});
const site = python.runPython("import site; site.getsitepackages()[0]");
for (const file of manifest.files) {
  if (file.unpack) {
    const bytes = new Uint8Array(await readFile(folder + file.name));
    python.unpackArchive(bytes, file.unpack, { extractDir: site });
  }
}
python.runPython(manifest.start);
const runner = python.pyimport("nta_book.page.python.runner");

for await (const line of createInterface({ input: process.stdin })) {
  const { code, cell, reset } = JSON.parse(line);
  if (reset) {
    runner.reset();
    continue;
  }
  printed = "";
  let answer;
  try {
    answer = JSON.parse(runner.run(code, cell));
  } catch (error) {
    answer = { ok: false, outputs: [], error: { kind: "fatal", text: String(error) } };
  }
  answer.printed = printed;
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
process.exit(0);
