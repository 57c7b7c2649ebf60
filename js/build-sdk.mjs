// Builds what npm publishes of the SDK: one module, its types, onnxruntime left as a dependency.
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const js = dirname(fileURLToPath(import.meta.url));
const sdk = join(js, "packages", "sdk");
const dist = join(sdk, "dist");
rmSync(dist, { recursive: true, force: true });
await build({
  entryPoints: [join(sdk, "src", "index.ts")],
  outdir: dist,
  bundle: true,
  format: "esm",
  target: "es2022",
  sourcemap: true,
  external: ["onnxruntime-web"],
});
const tsc = join(
  dirname(createRequire(import.meta.url).resolve("typescript/package.json")),
  "bin",
  "tsc",
);
const options = ["--noEmit", "false", "--declaration", "--emitDeclarationOnly"];
const paths = [
  "--rootDir",
  join(sdk, "src"),
  "--outDir",
  dist,
  "--rewriteRelativeImportExtensions",
];
execFileSync(
  process.execPath,
  [tsc, "-p", join(sdk, "tsconfig.publish.json"), ...options, ...paths],
  {
    stdio: "inherit",
  },
);
