import type { Ability } from "../protocol/generated/messages.ts";
import { absent, UNMEASURED, words } from "./ability.ts";
import { ASKED, type Choice, chosen, type Trial, whyNone } from "./contexts.ts";
import { graphBuilder, type Ml, type MlContext, ml } from "./webnn-api.ts";
import { type MlSpeed, webNnSpeed } from "./webnn-speed.ts";
import { within } from "./within.ts";

const PLATFORM = "webnn";

const NOTHING_SEEN: MlSpeed = { speed: UNMEASURED, seen: {} };

interface Tried extends Trial {
  readonly context?: MlContext;
}

/** What WebNN is in this realm: what a graph of it ran on, and with `measure` how fast. */
export async function probeWebNn(measure: boolean): Promise<Ability> {
  const there = ml();
  if (!there) return absent(PLATFORM, whyNoMl());
  const trials: Tried[] = [];
  try {
    for (const asked of ASKED) trials.push(await tried(there, asked));
    const choice = chosen(trials);
    const contexts = trials.map(({ context: _, ...told }) => told);
    if (!choice) return absent(PLATFORM, whyNone(trials), { contexts });
    return await abilityOf(choice, measure, { contexts });
  } finally {
    for (const { context } of trials) context?.destroy?.();
  }
}

function whyNoMl(): string {
  if (globalThis.isSecureContext === false) return "WebNN is there only on https and localhost";
  return "the browser has no navigator.ml: it lacks WebNN, or WebNN is switched off";
}

async function tried(there: Ml, asked: string): Promise<Tried> {
  let context: MlContext | undefined;
  try {
    context = await within(`making a ${asked} context`, there.createContext({ deviceType: asked }));
    const devices = await within(`a graph in a ${asked} context`, ranOn(context));
    return devices ? { asked, context, devices } : { asked, context };
  } catch (cause) {
    context?.destroy?.();
    return { asked, error: words(cause) };
  }
}

/** Runs a graph so small that it is there at once; says on what, where the browser tells it. */
async function ranOn(context: MlContext): Promise<readonly string[] | undefined> {
  const square = { dataType: "float32", shape: [2, 2] } as const;
  const builder = graphBuilder(context);
  const a = builder.input("a", square);
  const b = builder.constant(square, Float32Array.of(5, 6, 7, 8));
  const graph = await builder.build({ c: builder.matmul(a, b) });
  const input = await context.createTensor({ ...square, writable: true });
  const output = await context.createTensor({ ...square, readable: true });
  context.writeTensor(input, Float32Array.of(1, 2, 3, 4));
  context.dispatch(graph, { a: input }, { c: output });
  const product = [...new Float32Array(await context.readTensor(output))];
  for (const one of [input, output, graph]) one.destroy?.();
  if (`${product}` !== "19,22,43,50") throw new Error(`it computes wrongly: ${product}`);
  return graph.devices && [...graph.devices];
}

async function abilityOf(
  choice: Choice<Tried>,
  measure: boolean,
  details: object,
): Promise<Ability> {
  const context = choice.trial.context as MlContext;
  try {
    const { speed, devices, seen } = measure ? await webNnSpeed(context) : NOTHING_SEEN;
    // A tiny graph may run where a larger one does not: the larger one is believed.
    const { device, about } = (devices && chosen([{ ...choice.trial, devices }])) || choice;
    const f16 = takesF16(context);
    return { platform: PLATFORM, device, about, f16, ...speed, details: { ...details, ...seen } };
  } catch (cause) {
    return absent(PLATFORM, `${choice.about}; then ${words(cause)}`, details);
  }
}

function takesF16(context: MlContext): boolean {
  const types = context.opSupportLimits?.().matmul?.a?.dataTypes;
  return types?.includes("float16") ?? false;
}
