import { TRPCClientError } from '@trpc/client';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import superjson from 'superjson';
import { expect, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { signInAs } from '../../src/api/user.ts';
import { App } from '../../src/app.tsx';
import { clearToasts, toasts } from '../../src/components/overlays/toast-store.ts';
import { LOCAL_KEYS } from '../../src/lib/storage.ts';
import { refusal } from './screen.tsx';
import { ada } from './screen-fixtures.ts';

// happy-dom lays nothing out, and knows of no element at a point.
Object.defineProperty(document, 'elementsFromPoint', { value: () => [], configurable: true });

/** The answers of the server by procedure or path: data, a refusal, or a whole response; what is not named is refused. */
export type ServerAnswers = Record<string, () => unknown>;

export const noSession = () => refusal('unauthenticated', 'Log in to do this.');

/** Answers all requests of the app from now on. */
export function serve(answers: ServerAnswers): void {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const { pathname, searchParams } = new URL(String(input), location.href);
    const names = decodeURIComponent(pathname.replace(/^\/api\/(trpc\/)?/, '')).split(',');
    const given = await Promise.all(names.map((name) => answers[name]?.() ?? refusal('not_found', 'Not found.')));
    const whole = given.find((one) => one instanceof Response);
    if (whole instanceof Response) return whole;
    const bodies = given.map(bodyOf);
    const statuses = new Set(given.map(statusOf));
    const [status = 200] = statuses;
    const body = searchParams.has('batch') ? bodies : bodies[0];
    return Response.json(body, { status: statuses.size === 1 ? status : 207 });
  });
}

function statusOf(given: unknown): number {
  if (!(given instanceof TRPCClientError)) return 200;
  return given.data.code === 'unauthenticated' ? 401 : 500;
}

function bodyOf(given: unknown): object {
  if (!(given instanceof TRPCClientError)) return { result: { data: superjson.serialize(given) } };
  return { error: { json: { message: given.message, code: -32_603, data: given.data } } };
}

/** Waits without that time passes on the faked timers: what is put off to the next turn is done at once. */
export async function atOnce(look: () => unknown, expected: unknown): Promise<void> {
  const turn = async () => {
    await vi.advanceTimersByTimeAsync(0);
    return look();
  };
  await expect.poll(turn).toEqual(expected);
}

/** A browser in which Ada is signed in and has seen the disclaimer, or nobody is and was before. */
export function browserOf(user: typeof ada | null): void {
  localStorage.clear();
  sessionStorage.clear();
  clearToasts();
  signInAs(user ?? ada);
  if (user === null) session.signOut();
  localStorage.setItem('disclaimerSeen', 'true');
  localStorage.removeItem(LOCAL_KEYS.signedOut);
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

/** The whole app, opened at this address. */
export function openApp(path: string) {
  history.replaceState(null, '', path);
  const page = document.body.appendChild(document.createElement('div'));
  const root = createRoot(page);
  flushSync(() => root.render(<App />));
  return {
    page,
    sees: (text: string) => vi.waitFor(() => expect(page.textContent).toContain(text)),
    isAt: (address: string) => vi.waitFor(() => expect(location.pathname + location.search).toBe(address)),
    follow(name: string) {
      const links = [...page.querySelectorAll('a')];
      const link = links.find(({ textContent }) => textContent === name) ?? expect.fail(`There is no link ${name}`);
      flushSync(() => link.click());
    },
    [Symbol.dispose]: () => {
      root.unmount();
      page.remove();
    },
  };
}
