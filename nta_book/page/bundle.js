// Bundle what runs in the reader's browser: node bundle.js FOLDER_TO_WRITE_INTO
//
// The page's own scripts become classic scripts, because browsers refuse to import modules from
// file://; slides, links to share and Python, which few readers ask for, become scripts of their
// own with their style inside.  The labs become ES modules with their style inside, as anywidget
// wants them.

import { build } from "esbuild";

const COMMON = {
  absWorkingDir: import.meta.dirname,
  bundle: true,
  minify: true,
  charset: "utf8",
  target: "esnext",
  logLevel: "warning",
};
const outdir = process.argv[2];

/** Lets a module `import sheet from "./sheet.css"`: the text of the sheet, bundled and minified. */
const sheetsAsText = {
  name: "sheets-as-text",
  setup(builder) {
    builder.onLoad({ filter: /\.css$/ }, async ({ path }) => {
      const { outputFiles } = await build({ ...COMMON, entryPoints: [path], write: false });
      return { contents: outputFiles[0].text.trim(), loader: "text" };
    });
  },
};

/** Lets a module `import source from "./worker.js"`: the text of a script that runs by itself. */
const workersAsText = {
  name: "workers-as-text",
  setup(builder) {
    builder.onLoad({ filter: /[\\/]worker\.js$/ }, async ({ path }) => {
      const { outputFiles } = await build({ ...COMMON, entryPoints: [path], write: false });
      return { contents: outputFiles[0].text.trim(), loader: "text" };
    });
  },
};

// All of them end before this says that one has failed: its folder is about to be deleted.
const ends = await Promise.allSettled([
  build({
    ...COMMON,
    outdir,
    format: "iife",
    plugins: [sheetsAsText, workersAsText],
    entryPoints: {
      "nta-book": "book/main.js",
      "nta-explorer": "explorer/main.js",
      "nta-present": "present/main.js",
      "nta-share": "present/share.js",
      "nta-python-run": "python/run.js",
    },
  }),
  build({
    ...COMMON,
    target: "es2018", // a browser that is too old for Python must still be able to say so
    outdir,
    format: "iife",
    plugins: [sheetsAsText],
    entryPoints: { "nta-python": "python/main.js" },
  }),
  build({
    ...COMMON,
    outdir,
    entryNames: "[name]",
    entryPoints: ["book/nta-*.css", "explorer/nta-*.css"],
  }),
  build({
    ...COMMON,
    outdir: `${outdir}/esm`,
    format: "esm",
    plugins: [sheetsAsText],
    entryPoints: {
      hero: "hero/main.js",
      token_lab: "token_lab/main.js",
      scan_snap_lab: "scan_snap_lab/main.js",
      urn: "urn/main.js",
    },
  }),
]);
for (const { reason } of ends.filter(({ status }) => status === "rejected")) {
  if (!reason.errors) console.error(reason); // esbuild has told its own
  process.exitCode = 1;
}
