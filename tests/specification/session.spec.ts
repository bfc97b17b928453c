import type { Page, Route } from '@playwright/test';
import { endOtherSessions, expect, logIn, logInHere, newCredentials, refusedCall, test } from '../browser/fixtures.ts';
import { IS_FULL } from '../support/size.ts';
import { type Person, personOf, seenBefore } from './accounts.ts';
import { callsOf, expectHeadersRead, fail, muteRealtime, REFRESH, watchAnswers, watchCalls } from './calls.ts';
import { follow } from './navigation.ts';
import { pathOf, runTo, stepUntil, stepUntilVisible, stopClock, timeOf } from './still-clock.ts';
import { expectShown, expectToast, toasts, watchToasts } from './toasts.ts';

// The clock of each is its own: the tests of this long file run beside each other.
test.describe.configure({ mode: 'parallel' });

const ENDED = 'Session expired. Please log in again.';
const REFUSED_AGAIN = 'Authentication failed. Please log in again.';
const ALTERED = 'fla_of_yesterday';
const NEW_PASSWORD = 'Anchor weigh 2';

/**
 * Returns a person on a screen whose next filter asks the server; the clock is the test's. The realtime channel stays
 * silent: it would tell of an ended session first, at a moment that no test can name.
 */
async function personAtHistory(page: Page, url: string): Promise<Person> {
  await page.clock.install();
  await muteRealtime(page);
  const person = await personOf(page, url);
  await openHistory(page);
  return person;
}

/** The filter's list comes after the first paint; its button takes keys only from then on. */
async function openHistory(page: Page): Promise<void> {
  await page.goto('/deployment-history');
  await expect(page.getByText('No releases yet.')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'State' })).toHaveAttribute('dir');
}

/** Something that asks the server and changes the address: the list of one state, chosen by its first letter. */
async function filter(page: Page, letter: 'F' | 'L' | 'Q'): Promise<void> {
  await page.getByRole('combobox', { name: 'State' }).press(letter);
}

test('an ended session is told after 100 ms, leads to /auth after 1.5 s, and back to where it was', async ({
  page,
  app,
  complaints,
}) => {
  complaints.allow(refusedCall(401, '/api/'));
  const shown = await watchToasts(page);
  const answeredAt = await watchAnswers(page);
  const person = await personAtHistory(page, app.url);
  await endOtherSessions(app.url, person, NEW_PASSWORD);
  await stopClock(page);
  await filter(page, 'F');
  const refused = /^401 .*refresh-token/;
  await stepUntil(page, async () => (await answeredAt(refused)) !== null, 'the refresh is refused');
  const refusedAt = (await answeredAt(refused)) ?? 0;

  await test.step('the notice comes 100 ms after the refusal', async () => {
    await stepUntil(page, () => toasts(page).isVisible(), 'the notice', 5);
    expectAbout((await timeOf(page)) - refusedAt, 100);
    await expectToast(page, 'Session Expired', ENDED, 'destructive');
  });
  await test.step('the way to /auth is taken after about 1.5 s, with path and query', async () => {
    await runTo(page, refusedAt + 1_400);
    expect(pathOf(page)).toMatch(/^\/deployment-history/);
    await stepUntil(page, () => pathOf(page).startsWith('/auth?'), 'the way to /auth', 5);
    expectAbout((await timeOf(page)) - refusedAt, 1_500);
    expect(new URL(page.url()).searchParams.get('redirect')).toBe('/deployment-history?state=failed');
  });
  await test.step('the auth screen tells the reason once', async () => {
    await stepUntilVisible(page, page.getByRole('main').getByText(ENDED));
    await page.clock.runFor(10_000);
    expect(pathOf(page)).toMatch(/^\/auth/);
    await page.clock.resume();
    await page.reload();
    await expect(page.getByRole('button', { name: 'Log In', exact: true })).toBeVisible();
    await expect(page.getByRole('main').getByText(ENDED)).toHaveCount(0);
  });
  await test.step('a login leads back', async () => {
    await logInHere(page, { ...person, password: NEW_PASSWORD });
    await page.waitForURL('**/deployment-history?state=failed');
  });
  expect(shown.filter(({ title }) => title === 'Session Expired')).toHaveLength(1);
});

test('an expired token is refreshed before a request, by one call however many requests wait', async ({
  page,
  app,
}) => {
  await personAtHistory(page, app.url);
  const calls = watchCalls(page);
  await page.clock.fastForward(16 * 60_000);
  await page.getByRole('button', { name: /Account menu/ }).click();
  await page.getByRole('menuitem', { name: 'Account' }).click();
  await expect(page.getByText('This browser')).toBeVisible();
  await expect(page.getByText('The trial runs until')).toBeVisible();
  expect(calls.length, 'the screen asks by several calls').toBeGreaterThan(2);
  expect(calls.map(({ names }) => names[0]).indexOf(REFRESH)).toBe(0);
  expect(callsOf(calls, REFRESH)).toHaveLength(1);
  await expectHeadersRead(calls);
  const tokens = new Set(calls.slice(1).map(({ headers }) => headers.authorization));
  expect(tokens.size).toBe(1);
});

test('a token that the server takes no longer is refreshed once, and what it refused is asked once more', async ({
  page,
  app,
  complaints,
}) => {
  complaints.allow(refusedCall(401, '/api/trpc/'));
  await personAtHistory(page, app.url);
  await alterToken(page);
  await page.clock.fastForward(3_000);
  const calls = watchCalls(page);
  await page.reload();
  await expect(page.getByText('No releases yet.')).toBeVisible();
  expect(callsOf(calls, REFRESH)).toHaveLength(1);
  await expectHeadersRead(calls);
  const [refused, refresh, repeated] = calls;
  expect(refresh?.names).toEqual([REFRESH]);
  expect(repeated?.path).toBe(refused?.path);
  expect(refused?.headers.authorization).toBe(`Bearer ${ALTERED}`);
  for (const { headers, names } of calls.slice(2)) expect(headers.authorization, names.join()).not.toContain(ALTERED);
  expect(new Set(calls.slice(2).map(({ headers }) => headers.authorization)).size).toBe(1);
  expect(new Set(calls.slice(2).map(({ path }) => path)).size, 'nothing is asked twice').toBe(calls.length - 2);
  await expect(toasts(page)).toHaveCount(0);
});

test('a refresh is tried at most once in 2 s, and no answer to it ends nothing', async ({ page, app, complaints }) => {
  complaints.allow(/Failed to load resource/);
  await personAtHistory(page, app.url);
  await page.clock.fastForward(16 * 60_000);
  await stopClock(page);
  // The real server does not fall silent on demand.
  let attempts = 0;
  let retryAfter = '';
  await page.route('**/api/refresh-token', (route) => {
    attempts += 1;
    return route.fulfill({ status: 503, headers: retryAfter === '' ? {} : { 'retry-after': retryAfter }, body: '' });
  });
  await test.step('one attempt in 2 s', async () => {
    await filter(page, 'F');
    await stepUntil(page, () => attempts === 1, 'the first attempt');
    await page.clock.runFor(900);
    await filter(page, 'L');
    await page.clock.runFor(900);
    expect(attempts).toBe(1);
  });
  await test.step('the next after 2 s, and after Retry-After where that is longer', async () => {
    retryAfter = '10';
    await page.clock.runFor(300);
    await filter(page, 'Q');
    await stepUntil(page, () => attempts === 2, 'the second attempt');
    await page.clock.runFor(9_000);
    await filter(page, 'F');
    await page.clock.runFor(500);
    expect(attempts).toBe(2);
  });
  await test.step('nobody is signed out by it', async () => {
    await expect(toasts(page).filter({ hasText: 'Session Expired' })).toHaveCount(0);
    expect(pathOf(page)).toMatch(/^\/deployment-history/);
    await page.unroute('**/api/refresh-token');
    await page.clock.runFor(2_000);
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await stepUntilVisible(page, page.getByText('Drop a folder or a ZIP to publish it'));
  });
});

test('each way in which a session ends has its words, and they are told for 5 minutes', async ({
  page,
  app,
  complaints,
}) => {
  complaints.allow(/Failed to load resource/);
  const person = await personAtHistory(page, app.url);
  // The real server never refuses the token that it has just given.
  await test.step('what was refreshed is refused again; a screen that opens before 5 minutes are over tells it', async () => {
    await page.route('**/api/trpc/releases.list*', (route) => refuse(route));
    const calls = watchCalls(page);
    await page.clock.fastForward(3_000);
    await stopClock(page);
    await filter(page, 'F');
    await stepUntilVisible(page, toasts(page).filter({ hasText: 'Session Expired' }));
    await expectToast(page, 'Session Expired', REFUSED_AGAIN, 'destructive');
    expect(callsOf(calls, REFRESH)).toHaveLength(1);
    expect(callsOf(calls, 'releases.list')).toHaveLength(2);
    await page.clock.fastForward(4 * 60_000 + 55_000);
    await stepUntilVisible(page, page.getByRole('main').getByText(REFUSED_AGAIN));
    await page.unroute('**/api/trpc/releases.list*');
  });
  await test.step('a refresh that answers nonsense; a screen that opens after 5 minutes tells nothing', async () => {
    await page.clock.resume();
    await logInByCall(page, app.url, person);
    await openHistory(page);
    await page.clock.fastForward(16 * 60_000);
    await stopClock(page);
    await page.route('**/api/refresh-token', (route) => route.fulfill({ status: 200, body: 'nonsense' }));
    await filter(page, 'F');
    const notice = toasts(page).filter({ hasText: 'Session Expired' });
    await stepUntilVisible(page, notice);
    await expect(notice).toContainText(/Authentication (error: .+|failed due to an error\. Please log in again\.)/);
    await page.clock.fastForward(5 * 60_000);
    await stepUntilVisible(page, page.getByRole('button', { name: 'Log In', exact: true }));
    await expect(page.getByRole('main').getByText(/Authentication (error|failed)|expired/)).toHaveCount(0);
  });
});

test('it happens once a browser session; opening /auth, /login or /register begins a new one', async ({
  page,
  app,
  complaints,
}) => {
  complaints.allow(refusedCall(401, '/api/'));
  const shown = await watchToasts(page);
  const person = await personAtHistory(page, app.url);
  const notice = toasts(page).filter({ hasText: 'Session Expired' });
  // They are one screen: two of them are two turns.
  for (const [turn, route] of (IS_FULL ? ['/auth', '/login', '/register'] : ['/login', '/register']).entries()) {
    await test.step(route, async () => {
      await endOtherSessions(app.url, person, `Anchor weigh ${turn + 2}`);
      person.password = `Anchor weigh ${turn + 2}`;
      await stopClock(page);
      await filter(page, 'F');
      await stepUntilVisible(page, notice);
      await page.clock.runFor(500);
      await filter(page, 'L');
      await page.clock.runFor(200);
      await expect(toasts(page)).toHaveCount(1);
      await page.clock.resume();
      await page.goto(route);
      await expect(page.getByRole('tablist')).toBeVisible();
      // Nothing that was under way may move on from here, and a call that is refused here says nothing.
      await page.clock.fastForward(3_000);
      expect(pathOf(page)).toBe(route);
      await expect(toasts(page)).toHaveCount(0);
      const notices = shown.filter(({ title }) => title === 'Session Expired');
      expect(notices, 'one in each session so far').toHaveLength(turn + 1);
      await logInByCall(page, app.url, person);
      await openHistory(page);
    });
  }
});

test('two tabs that wake with an old token stay signed in both', async ({ page, context, app, complaints }) => {
  complaints.allow(refusedCall(401, '/api/trpc/'));
  await personOf(page, app.url);
  await page.goto('/dashboard');
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  const other = await context.newPage();
  await other.goto('/dashboard');
  await expect(other.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  await alterToken(page);
  await Promise.all([page.goto('/deployment-history'), other.goto('/account')]);
  await expect(page.getByText('No releases yet.')).toBeVisible();
  await expect(other.getByText('This browser')).toBeVisible();
  await other.close();
});

test('a login leads to the redirect after 500 ms, by default to the dashboard', async ({ page, app }) => {
  await page.clock.install();
  // Somebody was signed in here before: the form to log in stands first.
  await page.addInitScript(() => {
    if (location.origin !== 'null')
      localStorage.setItem('fairlead.accessExpiresAt', localStorage.getItem('fairlead.accessExpiresAt') ?? '0');
  });
  const answeredAt = await watchAnswers(page);
  const person = await personOf(page, app.url);
  for (const { query, target } of [
    { query: '?redirect=%2Fdeployments%3Fstate%3Dlive', target: '/deployments?state=live' },
    { query: '', target: '/dashboard' },
  ]) {
    await test.step(`/auth${query} leads to ${target}`, async () => {
      await page.clock.resume();
      await signOut(page, app.url);
      await page.goto(`/auth${query}`);
      await page.getByLabel('Username').waitFor();
      await stopClock(page);
      const answer = await holdAnswer(page, /\/api\/.*login/);
      await logInHere(page, person);
      await stepUntil(page, answer.isHere, 'the login is answered', 10);
      answer.letGo();
      const loggedInAt = await arrival(answeredAt, /^200 .*login/);
      await stepUntil(page, () => toasts(page).isVisible(), 'the toast', 5);
      await expectToast(page, 'Login successful', 'Welcome back!');
      await runTo(page, loggedInAt + 450);
      expect(pathOf(page)).toBe(`/auth${query}`);
      await stepUntil(page, () => pathOf(page) === target, `the way to ${target}`, 5);
      expectAbout((await timeOf(page)) - loggedInAt, 500);
    });
  }
  await test.step('who is signed in already is led on at once', async () => {
    await page.clock.resume();
    await page.goto('/login?redirect=%2Fdeployments');
    await page.waitForURL('**/deployments');
  });
});

test('a registration says both its toasts and leads to the plans after 1000 ms', async ({ page, app }) => {
  await page.clock.install();
  const answeredAt = await watchAnswers(page);
  await seenBefore(page.context(), app.url);
  await page.goto('/register');
  const { username, email, password } = newCredentials();
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByLabel('Confirm Password').fill(password);
  await stopClock(page);
  const answer = await holdAnswer(page, /\/api\/.*register/);
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await stepUntil(page, answer.isHere, 'the registration is answered', 10);
  answer.letGo();
  const registeredAt = await arrival(answeredAt, /^2\d\d .*register/);
  await stepUntil(page, () => toasts(page).isVisible(), 'the first toast', 5);
  await expectToast(page, 'Registration successful', 'Your account has been created');
  await expect(page.getByLabel('Username')).toHaveValue('');
  await stepUntilVisible(page, toasts(page).filter({ hasText: 'Account created successfully' }));
  expect((await timeOf(page)) - registeredAt).toBeGreaterThanOrEqual(400);
  await expectToast(page, 'Account created successfully', "Now let's choose a subscription plan to get started.");
  await expect(toasts(page)).toHaveCount(1);
  await runTo(page, registeredAt + 900);
  expect(pathOf(page)).toBe('/register');
  await stepUntil(page, () => pathOf(page) === '/subscription/pricing', 'the way to the plans', 5);
  expectAbout((await timeOf(page)) - registeredAt, 1_000);
});

test('a logout ends the session here whatever the server says', async ({ page, app, complaints }) => {
  complaints.allow(/Failed to load resource/);
  await page.clock.install();
  const shown = await watchToasts(page);
  const person = await personOf(page, app.url);
  const logOut = async (): Promise<void> => {
    await page.getByRole('button', { name: /Account menu/ }).waitFor();
    await page.getByRole('link', { name: 'Logout' }).click();
    await page.waitForURL('**/login');
  };
  const expectSignedOut = async (): Promise<void> => {
    await expect(page.getByRole('banner').getByRole('link', { name: 'Register' })).toBeVisible();
    const kept = await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }));
    expect(kept).not.toContain('fla_');
    await page.goto('/dashboard');
    await page.waitForURL('**/auth?redirect=%2Fdashboard');
  };
  await test.step('as it should be', async () => {
    await page.goto('/dashboard');
    await logOut();
    await expectShown(shown, 'Logged out', 'You have been logged out successfully');
    await expectSignedOut();
  });
  // The real server never fails to end a session.
  await test.step('with the words of the server where it failed', async () => {
    // Who has logged out here is signed in by nothing else.
    await logIn(page, person);
    await page.route(/\/api\/.*logout/, (route) => fail(route, 'The tide is out.'));
    await logOut();
    await expectShown(shown, 'Logout completed with warnings', 'The tide is out.');
    await expectSignedOut();
    await page.unroute(/\/api\/.*logout/);
  });
  await test.step('with its own words where there are none', async () => {
    await logIn(page, person);
    await page.route(/\/api\/.*logout/, (route) => fail(route, ''));
    await logOut();
    await expectShown(
      shown,
      'Logout completed with warnings',
      "There was an issue with the logout process, but you've been logged out locally",
    );
    await expectSignedOut();
  });
});

test('a visitor is asked for a session once, silently, and for nothing more', async ({ page, app }) => {
  await page.clock.install();
  const shown = await watchToasts(page);
  await seenBefore(page.context(), app.url);
  const calls = watchCalls(page);
  await page.goto('/pricing');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.clock.fastForward(10_000);
  await follow(page, '/about');
  await page.getByRole('banner').getByRole('link', { name: 'Login' }).click();
  await expect(page.getByRole('button', { name: 'Log In', exact: true })).toBeVisible();
  await page.clock.fastForward(10_000);
  expect(callsOf(calls, REFRESH)).toHaveLength(1);
  expect(shown).toEqual([]);
  expect(pathOf(page)).toBe('/login');
});

/** The real server's own refusal, as it answers who brings no token. */
async function refuse(route: Route): Promise<void> {
  const {
    authorization: _token,
    'x-auth-token': _sameToken,
    cookie: _cookie,
    ...headers
  } = await route.request().allHeaders();
  const response = await route.fetch({ headers });
  expect(response.status()).toBe(401);
  await route.fulfill({ response });
}

/** The stored token becomes one that the server does not know, its expiry stays. */
async function alterToken(page: Page): Promise<void> {
  await page.evaluate((altered) => {
    const held = Object.entries(localStorage).filter(([, value]) => value.startsWith('fla_'));
    for (const [key] of held) localStorage.setItem(key, altered);
    if (held.length === 0) throw new Error('No token is kept where one was expected.');
  }, ALTERED);
}

async function logInByCall(page: Page, url: string, { username, password }: Person): Promise<void> {
  const answer = await page.request.post(`${url}/api/login`, {
    headers: { origin: url },
    data: { username, password },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
}

/** Leaves the browser as one that was never signed in, but has seen the disclaimer. */
async function signOut(page: Page, url: string): Promise<void> {
  // A screen whose token vanishes under it would ask without one.
  await page.goto('about:blank');
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin: url, storageTypes: 'local_storage' });
  await session.detach();
  await page.context().clearCookies({ name: /^(?!disclaimerSeen)/ });
}

/** Waits for an answer beside the stopped clock; when it came is a moment of that clock. */
async function arrival(answeredAt: (name: RegExp) => Promise<number | null>, name: RegExp): Promise<number> {
  await expect.poll(() => answeredAt(name), `an answer ${name}`).not.toBeNull();
  return (await answeredAt(name)) ?? 0;
}

/**
 * Expects it not before that time, and after it by no more than the steps that the clock may have taken until it was
 * seen.
 */
function expectAbout(passedMs: number, expectedMs: number): void {
  expect(passedMs).toBeGreaterThanOrEqual(expectedMs);
  expect(passedMs).toBeLessThan(expectedMs + 150);
}

/** Keeps the real answer back until it is let go, so that the clock does not run on while nobody looks. */
async function holdAnswer(page: Page, url: RegExp): Promise<{ isHere: () => boolean; letGo: () => void }> {
  let letGo = (): void => {};
  const released = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let isHere = false;
  await page.route(
    url,
    async (route) => {
      const response = await route.fetch();
      isHere = true;
      await released;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  return { isHere: () => isHere, letGo };
}
