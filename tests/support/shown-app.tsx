import { TRPCClientError } from '@trpc/client';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import superjson from 'superjson';
import { expect, vi } from 'vitest';
import type { SignedIn } from '../../routers/schemas/auth.ts';
import { getCache } from '../../src/api/get-cache.ts';
import { queryClient } from '../../src/api/query-client.ts';
import { session } from '../../src/api/session/session.ts';
import { signInAs } from '../../src/api/user.ts';
import { App } from '../../src/app.tsx';
import { clearToasts, toasts } from '../../src/components/overlays/toast-store.ts';
import { feedbackDismissedKey, LOCAL_KEYS } from '../../src/lib/storage/storage.ts';
import { refusal } from './screen.tsx';

/** The answers of the server by procedure or path: data, a refusal, or a whole response; what is not named is refused. */
export type ServerAnswers = Record<string, () => unknown>;

export const noSession = () => refusal('unauthenticated', 'Log in to do this.');
const notHere = () => refusal('internal', 'Not here.');

/** Answers all requests of the app from now on, and returns the names of all that are asked, in their order. */
export function serve(answers: ServerAnswers): string[] {
  const asked: string[] = [];
  const all: ServerAnswers = { 'refresh-token': noSession, ...answers };
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const { pathname, searchParams } = new URL(String(input), location.href);
    const names = decodeURIComponent(pathname.replace(/^\/api\/(trpc\/)?/, '')).split(',');
    asked.push(...names);
    const given = await Promise.all(names.map((name) => (all[name] ?? notHere)()));
    const whole = given.find((one) => one instanceof Response);
    if (whole instanceof Response) return whole;
    const bodies = given.map(bodyOf);
    const statuses = new Set(given.map(statusOf));
    const [status = 200] = statuses;
    const body = searchParams.has('batch') ? bodies : bodies[0];
    return Response.json(body, { status: statuses.size === 1 ? status : 207 });
  });
  return asked;
}

function statusOf(given: unknown): number {
  if (!(given instanceof TRPCClientError)) return 200;
  return given.data.code === 'unauthenticated' ? 401 : 500;
}

function bodyOf(given: unknown): object {
  if (!(given instanceof TRPCClientError)) return { result: { data: superjson.serialize(given) } };
  return { error: { json: { message: given.message, code: -32_603, data: given.data } } };
}

/** A channel that never opens. */
class SilentSocket extends EventTarget {
  readonly readyState = 0;
  send(): void {}
  close(): void {}
}

/** Makes the browser one in which this person is signed in, or nobody. */
export function browserOf(user: SignedIn | null, { hasSeenDisclaimer = true } = {}): void {
  localStorage.clear();
  sessionStorage.clear();
  // biome-ignore lint/suspicious/noDocumentCookie: as the app does
  document.cookie = 'disclaimerSeen=; Max-Age=0; Path=/';
  clearToasts();
  // The button of the corner asks what stands under it, which needs a layout.
  localStorage.setItem(feedbackDismissedKey('main-app'), 'true');
  if (hasSeenDisclaimer) localStorage.setItem(LOCAL_KEYS.disclaimerSeen, 'true');
  vi.stubGlobal('WebSocket', SilentSocket);
  if (user === null) session.signOut();
  else signInAs(user);
}

/** The whole app, opened at this address. */
export function openApp(path: string) {
  history.replaceState(null, '', path);
  const page = document.body.appendChild(document.createElement('div'));
  const root = createRoot(page);
  flushSync(() => root.render(<App />));
  return {
    page,
    [Symbol.dispose]: () => {
      root.unmount();
      page.remove();
    },
  };
}

export type AppSituation = { user?: SignedIn | null; hasSeenDisclaimer?: boolean; answers?: ServerAnswers };

/** Shows the whole app at an address, to a visitor or a signed-in person. */
export function showApp(path: string, { user = null, hasSeenDisclaimer = true, answers = {} }: AppSituation = {}) {
  const calls = serve({ 'user.get': () => user, ...answers });
  browserOf(user, { hasSeenDisclaimer });
  const { page, [Symbol.dispose]: close } = openApp(path);
  return {
    page,
    calls,
    [Symbol.asyncDispose]: async () => {
      close();
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

/** Waits without that time passes on the faked timers: what is put off to the next turn is done at once. */
export async function atOnce(look: () => unknown, expected: unknown): Promise<void> {
  const turn = async () => {
    await vi.advanceTimersByTimeAsync(0);
    return look();
  };
  await expect.poll(turn).toEqual(expected);
}

/** Returns the texts of all toasts from now on, each once. */
export function watchToasts(): string[] {
  const seen = new Set<number>();
  const told: string[] = [];
  toasts.subscribe(() => {
    for (const { id, title, description } of toasts.get()) {
      if (!seen.has(id)) told.push(`${title}: ${description}`);
      seen.add(id);
    }
  });
  return told;
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
