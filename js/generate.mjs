// Writes the SDK's generated files from spec/. With --check it only says whether they are up to date.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const js = dirname(fileURLToPath(import.meta.url));
const spec = join(js, "..", "spec");
const target = join(js, "packages", "sdk", "src", "protocol", "generated");
const banner = (source) =>
  `// Generated from spec/${source} by \`npm run generate\`. Do not edit.\n`;
const readJson = (name) => JSON.parse(readFileSync(join(spec, name), "utf8"));

/** The schema without the words that only people read. */
function pruned(node) {
  if (Array.isArray(node)) return node.map(pruned);
  if (node === null || typeof node !== "object") return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([key, value]) => !(key === "description" && typeof value === "string"))
      .map(([key, value]) => [key, pruned(value)]),
  );
}

/** An object of which nothing is said holds anything; the compiler would make it `{}`. */
function withOpenObjects(node) {
  if (Array.isArray(node)) return node.map(withOpenObjects);
  if (node === null || typeof node !== "object") return node;
  const open =
    node.type === "object" && !node.properties && !node.oneOf && !node.additionalProperties;
  const entries = Object.entries(node).map(([key, value]) => [key, withOpenObjects(value)]);
  if (open) entries.push(["tsType", "Record<string, unknown>"]);
  return Object.fromEntries(entries);
}

/** The schema with the values of results beside the messages, which no message refers to. */
function withValues({ title, description, oneOf, $defs }) {
  const refs = ["LoadValue", "RunValue", "DropValue", "ProbeValue", "TallyValue"].map((name) => ({
    $ref: `#/$defs/${name}`,
  }));
  const properties = {
    message: { title, description, oneOf },
    value: { title: "Value", oneOf: refs },
  };
  return { title: "Wire", type: "object", required: ["message", "value"], properties, $defs };
}

async function messages(schema) {
  const options = { bannerComment: "", additionalProperties: false };
  const source = withValues(withOpenObjects(schema));
  return banner("messages.schema.json") + (await compile(source, "Wire", options));
}

function rules(schema) {
  const definitions = pruned(schema.$defs);
  const types = Object.fromEntries(
    schema.oneOf.map(({ $ref }) => {
      const name = $ref.slice("#/$defs/".length);
      return [schema.$defs[name].properties.type.const, name];
    }),
  );
  return (
    banner("messages.schema.json") +
    `/** The definition that checks each message type. */\n` +
    `export const DEFINITION_OF_TYPE: Readonly<Record<string, string>> = ${JSON.stringify(types, null, 2)};\n` +
    `/** The schema's definitions, without descriptions. */\n` +
    `export const DEFINITIONS: Readonly<Record<string, object>> = ${JSON.stringify(definitions, null, 2)};\n`
  );
}

function codes({ errors }) {
  const table = Object.fromEntries(
    Object.entries(errors).map(([code, row]) => [
      code,
      { kind: row.class, retryable: row.retryable },
    ]),
  );
  return (
    banner("errors.json") +
    `/** Every code: the kind of error it belongs to, and whether a retry may help. */\n` +
    `export const CODES = ${JSON.stringify(table, null, 2)} as const;\n`
  );
}

const schema = readJson("messages.schema.json");
const files = {
  "messages.ts": await messages(structuredClone(schema)),
  "rules.ts": rules(schema),
  "codes.ts": codes(readJson("errors.json")),
};
const check = process.argv.includes("--check");
for (const [name, text] of Object.entries(files)) {
  const path = join(target, name);
  if (check) {
    let present = "";
    try {
      present = readFileSync(path, "utf8");
    } catch {}
    if (present !== text) {
      console.error(`${path} is not what spec/ says: run \`npm run generate\`.`);
      process.exitCode = 1;
    }
  } else {
    mkdirSync(target, { recursive: true });
    writeFileSync(path, text);
  }
}
