import { afterEach, expect, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { toasts } from '../../src/components/overlays/toast-store.ts';
import { refusal } from '../support/screen.tsx';
import { ada } from '../support/screen-fixtures.ts';
import {
  arrivesAt,
  atOnce,
  browserOf,
  noSession,
  openApp,
  press,
  serve,
  shown,
  watchToasts,
} from '../support/shown-app.tsx';

const { accessToken, expiresAt: _end, ...user } = ada;

afterEach(() => {
  vi.useRealTimers();
  session.signOut();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

test('an ended session is told after 100 ms, leads to /auth after 1.5 s, and is explained there once', async () => {
  serve({ 'user.get': () => user, 'releases.list': noSession, 'refresh-token': noSession });
  browserOf(ada);
  const told = watchToasts();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  {
    using app = openApp('/deployment-history?state=failed');
    await atOnce(session.state, 'ending');
    await vi.advanceTimersByTimeAsync(99);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(toasts.get()).toMatchObject([
      {
        title: 'Session Expired',
        description: 'Session expired. Please log in again.',
        variant: 'destructive',
        durationMs: 5_000,
      },
    ]);
    await vi.advanceTimersByTimeAsync(1_399);
    expect(location.pathname).toBe('/deployment-history');
    await vi.advanceTimersByTimeAsync(1);
    expect(location.pathname + location.search).toBe('/auth?redirect=%2Fdeployment-history%3Fstate%3Dfailed');
    await vi.waitFor(() =>
      expect(app.page.querySelector('main')?.textContent).toContain('Session expired. Please log in again.'),
    );
  }
  using later = openApp('/login');
  await shown('a', 'Forgot your password?');
  expect(later.page.querySelector('main')?.textContent).not.toContain('Session expired');
  expect(told).toHaveLength(1);
});

test.each([
  ['as it should be', () => ({ done: true }), 'Logged out', 'You have been logged out successfully'],
  [
    'with the words of the server',
    () => refusal('internal', 'The tide is out.'),
    'Logout completed with warnings',
    'The tide is out.',
  ],
  [
    'without a word of the server',
    () => refusal('internal', ''),
    'Logout completed with warnings',
    "There was an issue with the logout process, but you've been logged out locally",
  ],
])('a logout ends the session here whatever the server says: %s', async (_name, logout, title, description) => {
  serve({ 'user.get': () => user, 'auth.logout': logout });
  browserOf(ada);
  {
    using _app = openApp('/help');
    await press('a', 'Logout');
    await arrivesAt('/login');
    await vi.waitFor(() => expect(toasts.get()).toMatchObject([{ title, description }]));
    await shown('[role="tab"]', 'Register');
  }
  expect(Object.values({ ...localStorage, ...sessionStorage })).not.toContain(accessToken);
  using _app = openApp('/dashboard');
  await arrivesAt('/auth?redirect=%2Fdashboard');
});
