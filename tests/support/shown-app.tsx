import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import superjson from 'superjson';
import { vi } from 'vitest';
import type { SignedIn } from '../../routers/schemas/auth.ts';
import { getCache } from '../../src/api/get-cache.ts';
import { queryClient } from '../../src/api/query-client.ts';
import { session } from '../../src/api/session/session.ts';
import { signInAs } from '../../src/api/user.ts';
import { App } from '../../src/app.tsx';
import { clearToasts } from '../../src/components/overlays/toast-store.ts';
import { feedbackDismissedKey, LOCAL_KEYS } from '../../src/lib/storage.ts';

export type AppSituation = {
  user?: SignedIn | null;
  hasSeenDisclaimer?: boolean;
  /** The answers of the server by procedure, which refuses one that is not named; a `Response` is answered as it is. */
  answers?: Record<string, () => unknown>;
};

const refusal = {
  error: { json: { message: 'Not here.', code: -32_603, data: { code: 'internal', requestId: '1' } } },
};

/** A channel that never opens. */
class SilentSocket extends EventTarget {
  readonly readyState = 0;
  send(): void {}
  close(): void {}
}

/** Shows the whole app at an address, to a visitor or a signed-in person. */
export function showApp(path: string, { user = null, hasSeenDisclaimer = true, answers = {} }: AppSituation = {}) {
  history.replaceState(null, '', path);
  localStorage.clear();
  sessionStorage.clear();
  // The button of the corner asks what stands under it, which needs a layout.
  localStorage.setItem(feedbackDismissedKey('main-app'), 'true');
  if (hasSeenDisclaimer) localStorage.setItem(LOCAL_KEYS.disclaimerSeen, 'true');
  vi.stubGlobal('WebSocket', SilentSocket);
  const calls: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (address) => {
    const { pathname, searchParams } = new URL(String(address), location.origin);
    if (!pathname.startsWith('/api/trpc/')) return Response.json({ message: 'No.' }, { status: 401 });
    const procedures = pathname.slice('/api/trpc/'.length).split(',');
    calls.push(...procedures);
    const all = await Promise.all(
      procedures.map(async (procedure) => {
        const answer = procedure === 'user.get' ? () => user : answers[procedure];
        return answer === undefined ? refusal : await answer();
      }),
    );
    const alone = all.find((one) => one instanceof Response);
    if (alone !== undefined) return alone;
    const told = all.map((one) => (one === refusal ? one : { result: { data: superjson.serialize(one) } }));
    return Response.json(searchParams.has('batch') ? told : told[0], { status: all.includes(refusal) ? 500 : 200 });
  });
  if (user === null) session.signOut();
  else signInAs(user);
  const page = document.createElement('div');
  document.body.append(page);
  const root = createRoot(page);
  flushSync(() => root.render(<App />));
  return {
    page,
    /** The procedures that were called, in their order. */
    calls,
    [Symbol.asyncDispose]: async () => {
      root.unmount();
      // What it was about to ask is still answered here.
      await vi.dynamicImportSettled();
      document.body.replaceChildren();
      session.signOut();
      getCache.clear();
      queryClient.clear();
      clearToasts();
      vi.unstubAllGlobals();
      vi.restoreAllMocks();
    },
  };
}

/** Goes to an address of the app as a link would. */
export function follow(address: string): void {
  flushSync(() => history.pushState(null, '', address));
}

const textOf = (element: Element): string => (element.textContent ?? '').trim();

export function textsOf(selector: string): string[] {
  return [...document.querySelectorAll(selector)].map(textOf);
}

/** Waits until the page shows an element of this kind with this text alone, and returns it. */
export function shown(selector: string, text: string): Promise<HTMLElement> {
  return vi.waitFor(
    () => {
      const all = [...document.querySelectorAll<HTMLElement>(selector)];
      const found = all.find((one) => textOf(one) === text || one.getAttribute('aria-label') === text);
      if (found === undefined)
        throw new Error(`No ${selector} “${text}” on ${location.pathname}: ${all.map(textOf).join(' | ')}`);
      return found;
    },
    { interval: 5 },
  );
}

/** Past React's own note of the value, as a key would. */
export function typeTo(field: HTMLInputElement | HTMLTextAreaElement, text: string): void {
  Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')?.set?.call(field, text);
  flushSync(() => field.dispatchEvent(new Event('input', { bubbles: true })));
}

export async function press(selector: string, text: string): Promise<void> {
  const found = await shown(selector, text);
  flushSync(() => found.click());
}

export async function arrivesAt(address: string): Promise<void> {
  await vi.waitFor(
    () => {
      const here = location.pathname + location.search;
      if (here !== address) throw new Error(`It is at ${here} and not at ${address}.`);
    },
    { interval: 5 },
  );
}
