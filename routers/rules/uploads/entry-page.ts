/** Returns the page that people see first, or null: hosts look for exactly this name. */
export function entryPageIn(paths: { has(path: string): boolean }): string | null {
  return paths.has('index.html') ? 'index.html' : null;
}
