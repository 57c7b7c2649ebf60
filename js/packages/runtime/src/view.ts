/** Writes the page's state where a person can read it. */
export function show(state: string, models: readonly string[]): void {
  write("engine", navigator.userAgent);
  write("state", state);
  write("models", models.join(", ") || "none");
}

function write(id: string, text: string): void {
  const element = document.getElementById(id);
  if (element && element.textContent !== text) element.textContent = text;
}
