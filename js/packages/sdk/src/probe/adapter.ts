const SOFTWARE = /swiftshader|llvmpipe|lavapipe|softpipe|\bwarp\b|microsoft basic render/i;
const WORDS = ["vendor", "architecture", "device", "description"] as const;
/** Those that only some browsers tell, and Chromium only with its developer features. */
const MORE_WORDS = ["type", "backend", "driver"] as const;
const LIMITS = [
  "maxBufferSize",
  "maxStorageBufferBindingSize",
  "maxStorageBuffersPerShaderStage",
  "maxComputeWorkgroupStorageSize",
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupsPerDimension",
] as const;

/** What an adapter tells of itself, as plain values. */
export interface AdapterWords {
  readonly vendor: string;
  readonly architecture: string;
  readonly device: string;
  readonly description: string;
  readonly fallback: boolean;
  readonly type?: string;
  readonly backend?: string;
  readonly driver?: string;
}

/** Reads what an adapter tells of itself. */
export function adapterWords(adapter: GPUAdapter): AdapterWords {
  const info = adapter.info as unknown as Record<string, unknown> | undefined;
  // Older browsers say it of the adapter, newer ones of its info.
  const old = (adapter as unknown as { isFallbackAdapter?: boolean }).isFallbackAdapter;
  const text = (name: string) => String(info?.[name] ?? "");
  const [vendor, architecture, device, description] = WORDS.map(text) as Words;
  const told = MORE_WORDS.filter(text).map((name) => [name, text(name)]);
  const fallback = Boolean(info?.isFallbackAdapter ?? old);
  return { vendor, architecture, device, description, fallback, ...Object.fromEntries(told) };
}

type Words = [string, string, string, string];

/** Whether an adapter is a program on the CPU. No wish at its request excludes one: only this does. */
export function isSoftware(words: AdapterWords): boolean {
  const texts = Object.values(words).join(" ");
  return words.fallback || words.type?.toUpperCase() === "CPU" || SOFTWARE.test(texts);
}

/** An adapter's own words, in a line. */
export function adapterLine(words: AdapterWords): string {
  const texts = WORDS.map((name) => words[name]).filter(Boolean);
  if (texts.length) return [...new Set(texts)].join(" ");
  return "an adapter that tells nothing of itself";
}

/** The limits that models meet; the wire's integers end at 2^53. */
export function limitsOf({ limits }: GPUAdapter): Record<string, number> {
  const entries = LIMITS.filter((name) => name in limits).map((name) => [
    name,
    Math.min(limits[name], Number.MAX_SAFE_INTEGER),
  ]);
  return Object.fromEntries(entries);
}
