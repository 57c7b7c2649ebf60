// Builds the pool's page into the Python package: its HTML, two bundles, and onnxruntime's own files.
import { createHash } from "node:crypto";
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { withoutEval } from "./without-eval.mjs";

const js = dirname(fileURLToPath(import.meta.url));
const source = join(js, "packages", "runtime", "src");
const page = join(js, "..", "src", "ipfs_accelerate", "server", "page");
// Built beside the page and put in its place at the end: whoever serves it meanwhile has it whole.
const target = join(js, "dist", "page");
const { version } = JSON.parse(readFileSync(join(js, "packages", "sdk", "package.json"), "utf8"));

rmSync(target, { recursive: true, force: true });
mkdirSync(join(target, "ort"), { recursive: true });
await build({
  entryPoints: { page: join(source, "page.ts"), engine: join(source, "engine.worker.ts") },
  outdir: target,
  bundle: true,
  minify: true,
  format: "esm",
  splitting: true,
  chunkNames: "[name]-[hash]",
  target: "es2022",
  // The second leaves onnxruntime's glue out of the bundle: its threads load that file themselves.
  conditions: ["source", "onnxruntime-web-use-extern-wasm"],
  logLevel: "warning",
});
for (const name of ["index.html", "page.css"]) cpSync(join(source, name), join(target, name));

const ort = dirname(
  createRequire(join(js, "packages", "sdk", "x.js")).resolve("onnxruntime-web/wasm"),
);
const builds = ["ort-wasm-simd-threaded", "ort-wasm-simd-threaded.asyncify"];
for (const name of builds) {
  cpSync(join(ort, `${name}.wasm`), join(target, "ort", `${name}.wasm`));
  const glue = readFileSync(join(ort, `${name}.mjs`), "utf8");
  const safe = glue.includes("new Function") ? withoutEval(glue) : glue;
  writeFileSync(join(target, "ort", `${name}.mjs`), safe);
}

/** The files of a folder, relative to it, in order. */
function filesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort();
}

const hashes = filesIn(target).map((name) => [
  name,
  createHash("sha256")
    .update(readFileSync(join(target, name)))
    .digest("hex"),
]);
const record = { version, files: Object.fromEntries(hashes) };
writeFileSync(join(target, "build.json"), `${JSON.stringify(record, null, 2)}\n`);
rmSync(page, { recursive: true, force: true });
renameSync(target, page);
