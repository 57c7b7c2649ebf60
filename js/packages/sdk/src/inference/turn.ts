/** The part of the Prioritized Task Scheduling API that is used here; Safari lacks it. */
interface Scheduling {
  scheduler?: { postTask(task: () => void, options: { priority: "background" }): Promise<void> };
}

/**
 * Lets the event loop do all that waits, so that a message which lies behind a run (a cancel) is
 * read. One turn is not enough: a socket's message takes several tasks to come through.
 */
export function nextTurn(): Promise<void> {
  const { scheduler } = globalThis as Scheduling;
  if (scheduler) return scheduler.postTask(() => undefined, { priority: "background" });
  return new Promise((resolve) => setTimeout(resolve, 0));
}
