// What counts as a fault in the JavaScript of the book; prettier decides how it looks.

import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: [".venv/", "_build/", "nta_book/page/built/"] },
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      curly: ["error", "multi-line"],
      eqeqeq: ["error", "always", { null: "ignore" }],
      "no-implicit-coercion": ["error", { allow: ["+", "!!"] }],
      "no-nested-ternary": "error",
      "no-sequences": "error",
      "no-shadow": ["error", { builtinGlobals: false }],
      "no-unused-vars": [
        "error",
        { args: "all", argsIgnorePattern: "^_", ignoreRestSiblings: true },
      ],
      "no-use-before-define": ["error", { functions: false, variables: false }],
      "no-var": "error",
      "object-shorthand": "error",
      "one-var": ["error", "never"],
      "prefer-const": "error",
      "prefer-template": "error",
    },
  },
  {
    files: ["nta_book/page/**/*.js", "tests/browser/*.js"],
    languageOptions: { globals: globals.browser },
  },
  { files: ["tests/browser/*.js"], languageOptions: { sourceType: "script" } },
  {
    files: ["nta_book/page/bundle.js", "nta_book/runtime/*.mjs", "tests/browser/*.mjs"],
    languageOptions: { globals: globals.node },
  },
];
