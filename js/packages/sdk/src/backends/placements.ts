const PLACED = /Node\(s\) placed on \[([^\]]+)\]\. Number of nodes: (\d+)/;
const ALL_PLACED = /All nodes placed on \[([^\]]+)\]/;
const NODE = /VerifyEachNodeIsAssignedToAnEp\]\s+([A-Za-z0-9_.]+) \(/;
const CPU = "CPUExecutionProvider";
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
 * where the log names none: it says nothing, or that all of them were.
 */
export function onCpu(log: readonly string[]): string[] | undefined {
  const operators = new Set<string>();
  let provider = "";
  for (const line of log.flatMap((text) => text.split("\n"))) {
    if (ALL_PLACED.exec(line)?.[1] === CPU) return undefined;
    provider = PLACED.exec(line)?.[1] ?? provider;
    const operator = NODE.exec(line)?.[1];
    if (operator && provider === CPU) operators.add(operator);
  }
  return provider ? [...operators].sort() : undefined;
}
