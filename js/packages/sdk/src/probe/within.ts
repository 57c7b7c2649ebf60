const STEP_LIMIT_S = 10;

/** Waits for one step of a probe, but not for ever: drivers and browsers do hang. */
export async function within<T>(
  step: string,
  pending: Promise<T>,
  limitS = STEP_LIMIT_S,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const why = `${step} took more than ${limitS} s, and was given up`;
    timer = setTimeout(() => reject(new Error(why)), limitS * 1000);
  });
  try {
    return await Promise.race([pending, late]);
  } finally {
    clearTimeout(timer);
  }
}
