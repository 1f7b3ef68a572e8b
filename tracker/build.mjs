// Builds dist/pharos.js out of src/; `--check` says instead whether it is what the sources give.
//
// esbuild joins the modules, terser makes them small. Both are pinned in package-lock.json, and nothing of the
// machine or the time gets into the output.
import { readFile, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";

import { build } from "esbuild";
import { minify } from "terser";

/** What the script may weigh, packed. */
const MOST = 5 * 1024;

const file = new URL("dist/pharos.js", import.meta.url);
const bundle = await build({
  entryPoints: [new URL("src/index.js", import.meta.url).pathname],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2021",
  write: false,
});
const { code } = await minify(bundle.outputFiles[0].text, {
  ecma: 2020,
  compress: { passes: 5, keep_fargs: false, hoist_funs: true },
});
const built = `${code}\n`;

const size = gzipSync(built, { level: 9 }).length;
console.log(`tracker: ${built.length} bytes, ${size} packed`);
if (size > MOST) fail(`it is larger than ${MOST} bytes packed: make it smaller`);
if (!process.argv.includes("--check")) {
  await writeFile(file, built);
} else if ((await readFile(file, "utf8")) !== built) {
  fail("dist/pharos.js is not what src/ gives: run scripts/tracker and commit the result");
}

function fail(what) {
  console.error(`tracker: ${what}`);
  process.exit(1);
}
