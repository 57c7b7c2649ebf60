const PLACED = /Node\(s\) placed on \[([^\]]+)\]\. Number of nodes: (\d+)/;
const ALL_PLACED = /All nodes placed on \[([^\]]+)\]/;
const NODE = /VerifyEachNodeIsAssignedToAnEp\]\s+([A-Za-z0-9_.]+) \(/;
const CPU = "CPUExecutionProvider";
/** They read no tensor, only how long it is, which the CPU knows wherever the tensor lies. */
const SHAPES_ALONE = new Set(["Shape", "Size"]);

const METHODS = ["log", "info", "warn", "error", "debug"] as const;
let listening: string[] | undefined;
let tapped = false;

/**
 * Makes what onnxruntime writes to the console heard by `placementsOf`. Before its WASM starts, which
 * takes hold of the console's functions then and keeps to them.
 */
export function tapConsole(): void {
  if (tapped) return;
  tapped = true;
  for (const method of METHODS) {
    const write = console[method].bind(console);
    console[method] = (...words: unknown[]) => {
      if (listening) listening.push(words.map(String).join(" "));
      else write(...words);
    };
  }
}

/** Listens to what onnxruntime writes of a session that is made: which provider got which node. */
export async function placementsOf<T>(make: () => Promise<T>): Promise<[made: T, log: string[]]> {
  const log: string[] = [];
  listening = log;
  try {
    return [await make(), log];
  } finally {
    listening = undefined;
  }
}

/**
 * The operators that onnxruntime's log says were given to the CPU, each once, in order; `undefined`
 * where the log does not say who got what.
 */
export function onCpu(log: readonly string[]): string[] | undefined {
  const operators = new Set<string>();
  let provider = "";
  for (const line of log.flatMap((text) => text.split("\n"))) {
    const placed = PLACED.exec(line) ?? ALL_PLACED.exec(line);
    if (placed) provider = placed[1] as string;
    const operator = NODE.exec(line)?.[1];
    if (operator && provider === CPU && !SHAPES_ALONE.has(operator)) operators.add(operator);
  }
  return provider ? [...operators].sort() : undefined;
}
