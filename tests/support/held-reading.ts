import type { TestApp } from './app.ts';

/** Gives the app a store that hands out nothing until it may, and tells how many have asked it for something at once. */
export function holdReading(app: TestApp): { most(): number; letGo(): void } {
  const { store } = app.providers;
  let [reading, most] = [0, 0];
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  app.providers.store = {
    ...store,
    async readWhole(sha256) {
      reading += 1;
      most = Math.max(most, reading);
      await held;
      const bytes = await store.readWhole(sha256);
      reading -= 1;
      return bytes;
    },
  };
  return { most: () => most, letGo: () => letGo() };
}
