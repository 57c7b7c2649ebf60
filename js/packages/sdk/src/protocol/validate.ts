import type { Message } from "./generated/messages.ts";
import { DEFINITION_OF_TYPE, DEFINITIONS } from "./generated/rules.ts";
import { badFrame } from "./refusals.ts";

/** The part of JSON Schema that spec/messages.schema.json uses. */
interface Rule {
  $ref?: string;
  oneOf?: Rule[];
  const?: string;
  enum?: string[];
  type?: string | string[];
  minimum?: number;
  maximum?: number;
  items?: Rule;
  required?: string[];
  properties?: Record<string, Rule>;
  additionalProperties?: Rule | boolean;
}

const REF = "#/$defs/".length;
const rules = DEFINITIONS as Readonly<Record<string, Rule>>;

/** The message itself, once it is known to fit the schema; `bad_frame` names the field otherwise. */
export function parseMessage(value: unknown): Message {
  if (!isObject(value)) throw badFrame("The message is not an object.");
  const { type } = value;
  const definition =
    typeof type === "string" && Object.hasOwn(DEFINITION_OF_TYPE, type)
      ? DEFINITION_OF_TYPE[type]
      : undefined;
  if (definition === undefined) throw badFrame(`No message has the type ${show(type)}.`);
  const rule = rules[definition];
  const fault = rule && faultOf(value, rule, "");
  if (fault) throw badFrame(`The message ${type} does not fit the schema: ${fault}.`);
  return value as unknown as Message;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? "undefined").slice(0, 80);
}

/** What is wrong with a value, as the end of a sentence, or `undefined` when nothing is. */
function faultOf(value: unknown, rule: Rule, at: string): string | undefined {
  if (rule.$ref) return faultOf(value, rules[rule.$ref.slice(REF)] ?? {}, at);
  if (rule.type !== undefined && !hasType(value, rule.type)) {
    return `${at || "it"} must be ${rule.type}, not ${show(value)}`;
  }
  if (rule.const !== undefined && value !== rule.const) return `${at} must be ${rule.const}`;
  if (rule.enum && !rule.enum.includes(value as string)) {
    return `${at} must be one of ${rule.enum.join(", ")}, not ${show(value)}`;
  }
  if (typeof value === "number") return outOfRange(value, rule, at);
  if (Array.isArray(value)) return rule.items && faultOfItems(value, rule.items, at);
  if (isObject(value)) return faultOfObject(value, rule, at);
  return undefined;
}

function hasType(value: unknown, type: string | string[]): boolean {
  if (Array.isArray(type)) return type.some((each) => hasType(value, each));
  switch (type) {
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return Number.isFinite(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    default:
      return typeof value === type;
  }
}

function outOfRange(value: number, rule: Rule, at: string): string | undefined {
  if (value < (rule.minimum ?? Number.NEGATIVE_INFINITY)) return `${at} is below ${rule.minimum}`;
  if (value > (rule.maximum ?? Number.POSITIVE_INFINITY)) return `${at} is above ${rule.maximum}`;
  return undefined;
}

function faultOfItems(items: unknown[], rule: Rule, at: string): string | undefined {
  for (let i = 0; i < items.length; i++) {
    const fault = faultOf(items[i], rule, `${at}[${i}]`);
    if (fault) return fault;
  }
  return undefined;
}

function faultOfObject(value: Record<string, unknown>, rule: Rule, at: string): string | undefined {
  if (rule.oneOf && !rule.oneOf.some((each) => faultOf(value, each, at) === undefined)) {
    return `${at} fits none of its ${rule.oneOf.length} forms`;
  }
  for (const name of rule.required ?? []) {
    if (!Object.hasOwn(value, name)) return `${join(at, name)} is missing`;
  }
  const { properties = {}, additionalProperties = true } = rule;
  for (const name of Object.keys(value)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (own === false) return `${join(at, name)} is unknown`;
    const fault = typeof own === "object" ? faultOf(value[name], own, join(at, name)) : undefined;
    if (fault) return fault;
  }
  return undefined;
}

function join(at: string, name: string): string {
  return at ? `${at}.${name}` : name;
}
