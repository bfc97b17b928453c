import { afterAll, vi } from 'vitest';
import { clearToasts } from '../../src/components/overlays/toast-store.ts';
import './patient-wait.ts';

// happy-dom names the locks and has none.
const request = async (_name: string, options: object, work = options) =>
  typeof work === 'function' ? work() : undefined;
if (typeof document !== 'undefined')
  Object.defineProperty(navigator, 'locks', { value: { request }, configurable: true });

/** The files of a worker share its modules: each leaves the page and what it remembers as it found them. */
afterAll(async () => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  // What a screen has begun to fetch would break off with the file, and could not be imported by the next one either.
  await vi.dynamicImportSettled();
  // A file may ask for an environment without a page.
  if (typeof document === 'undefined') return;
  document.body.replaceChildren();
  localStorage.clear();
  sessionStorage.clear();
  clearToasts();
  // Imported only now, after tests have replaced parts of their imports.
  const { setWaiting } = await import('../../src/uploads/waiting-selection.ts');
  const { sendings } = await import('../../src/uploads/sendings.ts');
  setWaiting(null);
  for (const { control } of sendings.get()) control.forget();
});
