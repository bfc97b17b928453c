import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { ada } from '../support/screen-fixtures.ts';
import { atOnce, browserOf, openApp, serve, watchToasts } from '../support/shown-app.tsx';

/** A socket that opens and breaks when a test says so, to a server that starts each stream. */
class Line extends EventTarget {
  static OPEN = 1;
  readyState = 0;
  constructor() {
    super();
    lines.push(this);
  }
  opens(): void {
    this.readyState = Line.OPEN;
    this.dispatchEvent(new Event('open'));
  }
  breaks(): void {
    if (this.readyState === 0) this.dispatchEvent(new Event('error'));
    this.readyState = 3;
    this.dispatchEvent(new CloseEvent('close', { code: 1006 }));
  }
  send(message: string): void {
    for (const { id, method } of [JSON.parse(message)].flat()) {
      const data = JSON.stringify({ id, result: { type: 'started' } });
      if (method === 'subscription') this.dispatchEvent(new MessageEvent('message', { data }));
    }
  }
  close(): void {
    this.breaks();
  }
}

let lines: Line[] = [];

beforeEach(() => {
  lines = [];
  serve({ 'user.get': () => ada });
});

afterEach(() => {
  vi.useRealTimers();
  session.signOut();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test('the connection is told of only when it flips, and is tried again after 10 s', async () => {
  browserOf(ada);
  vi.stubGlobal('WebSocket', Line);
  const told = watchToasts();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  using app = openApp('/websocket-demo');
  const state = () => /Connected|Connecting|Disconnected/.exec(app.page.textContent ?? '')?.[0];
  await atOnce(() => lines.length, 1);
  lines[0]?.opens();
  await atOnce(state, 'Connected');
  expect(told, 'the first opening is no flip').toEqual([]);

  const lost = 'Disconnected: Real-time updates are temporarily unavailable.';
  lines[0]?.breaks();
  await atOnce(state, 'Disconnected');
  expect(told).toEqual([lost]);
  for (const attempt of [2, 3]) {
    await vi.advanceTimersByTimeAsync(9_999);
    expect(lines).toHaveLength(attempt - 1);
    await vi.advanceTimersByTimeAsync(1);
    await atOnce(() => lines.length, attempt);
    if (attempt === 2) lines[1]?.breaks();
    await vi.advanceTimersByTimeAsync(0);
    expect(told, 'said once').toEqual([lost]);
  }
  lines[2]?.opens();
  await atOnce(state, 'Connected');
  expect(told).toEqual([lost, 'Connected: Real-time updates are now active.']);
});

test('signed out there is no channel: the page says so and offers to log in', async () => {
  browserOf(null);
  vi.stubGlobal('WebSocket', Line);
  using app = openApp('/websocket-demo');
  await vi.waitFor(() => expect(app.page.textContent).toContain('No connection is open'));
  expect(app.page.querySelector('main a')?.textContent).toBe('Log in');
  expect([...app.page.querySelectorAll('button')].map(({ textContent }) => textContent)).not.toContain('Send');
  // All that could open one has come.
  await vi.dynamicImportSettled();
  expect(lines).toEqual([]);
});
