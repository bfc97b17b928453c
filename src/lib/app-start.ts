/** When the app started, by the clock of the page; `main.tsx` brings it with its own file. */
export const appStartedAtMs = performance.now();
