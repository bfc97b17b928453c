import type { Page } from '@playwright/test';
import { expect, testWithOwn } from '../browser/fixtures.ts';
import { startRealApp } from '../support/real-app.ts';
import { type Person, personOf, seenBefore } from './accounts.ts';
import { callsOf, watchCalls } from './calls.ts';
import { type Socket, watchSockets } from './sockets.ts';
import { runTo, stepUntil, stepUntilVisible, stopClock } from './still-clock.ts';
import { expectShown, expectToast, toasts, watchToasts } from './toasts.ts';

/** The first of these kills it. */
const test = testWithOwn(() => startRealApp());

const RECONNECT_MS = 10_000;
const CONNECTED = { title: 'Connected', description: 'Real-time updates are now active.' };
const DISCONNECTED = { title: 'Disconnected', description: 'Real-time updates are temporarily unavailable.' };

const DEPLOYMENT = { deploymentId: 'a-deployment', releaseId: 'a-release' };

type Variant = 'default' | 'destructive' | 'either';
type Told = { title: string; description: string; variant: Variant };

const EVENTS: { name: string; event: Record<string, unknown>; toast: Told }[] = [
  {
    name: 'deployment_status success',
    event: { type: 'deployment_status', ...DEPLOYMENT, status: 'success', message: 'Harbour is live.' },
    toast: { title: 'Deployment Successful', description: 'Harbour is live.', variant: 'default' },
  },
  {
    name: 'deployment_status of another kind',
    event: { type: 'deployment_status', ...DEPLOYMENT, status: 'failed', message: 'Harbour is closed.' },
    toast: { title: 'Deployment Failed', description: 'Harbour is closed.', variant: 'either' },
  },
  {
    name: 'ssl_status of a valid certificate',
    event: { type: 'ssl_status', domain: 'harbour.example', sslStatus: 'issued', isValid: true },
    toast: {
      title: 'SSL Status Updated',
      description: 'SSL status for harbour.example is issued',
      variant: 'default',
    },
  },
  {
    name: 'ssl_status of one that is not',
    event: { type: 'ssl_status', domain: 'harbour.example', sslStatus: 'expired', isValid: false },
    toast: {
      title: 'SSL Status Updated',
      description: 'SSL status for harbour.example is expired',
      variant: 'destructive',
    },
  },
  {
    name: 'a notification with a title and a variant',
    event: { type: 'notification', title: 'Ahoy', message: 'Rocks ahead.', variant: 'destructive' },
    toast: { title: 'Ahoy', description: 'Rocks ahead.', variant: 'destructive' },
  },
  {
    name: 'a notification with neither',
    event: { type: 'notification', message: 'All is calm.' },
    toast: { title: 'Notification', description: 'All is calm.', variant: 'default' },
  },
];

/** Changes an event on its way from the real server to the page. */
type Change = (event: Record<string, unknown>) => Record<string, unknown>;

async function leadSocket(page: Page): Promise<{ change: Change | undefined }> {
  const line: { change: Change | undefined } = { change: undefined };
  await page.routeWebSocket(/\/api\/trpc/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage((message) => socket.send(changed(message, line.change)));
  });
  return line;
}

/** Replaces the payload of a stored event in its envelope; everything else passes as it is. */
function changed(message: string | Buffer, change: Change | undefined): string | Buffer {
  if (change === undefined || typeof message !== 'string') return message;
  const envelope = JSON.parse(message);
  const event = envelope?.result?.data?.json?.data;
  if (event?.type !== 'notification') return message;
  envelope.result.data.json.data = change(event);
  return JSON.stringify(envelope);
}

async function sendMyself(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send' }).click();
}

function headersOf(url: string, { accessToken }: Person): Record<string, string> {
  return { origin: url, authorization: `Bearer ${accessToken}` };
}

test('the connection is told of only when it flips, and is tried again after 10 s', async ({
  page,
  ownApp,
  complaints,
}) => {
  // What was on its way when the app was killed.
  complaints.allow(/WebSocket connection to .* failed|Failed to load resource: net::ERR_/);
  await page.clock.install();
  const shown = await watchToasts(page);
  const sockets = await watchSockets(page);
  await personOf(page, ownApp.url);
  await page.goto('/websocket-demo');
  await expect(page.getByText('ready')).toBeVisible();
  await stopClock(page);
  await test.step('the first opening is no flip', async () => {
    await page.clock.runFor(3_000);
    // What shows toasts comes after the first paint: without the server it would come no more.
    const area = page.getByRole('region', { name: /^Notifications/ });
    await stepUntil(page, async () => (await area.count()) > 0, 'the place of the toasts', 10);
    expect(shown).toEqual([]);
    expect(await sockets()).toHaveLength(1);
  });
  await ownApp.kill();
  try {
    await test.step('lost', async () => {
      await closeOf(sockets, 1);
      await expectToast(page, DISCONNECTED.title, DISCONNECTED.description);
      await expect(page.getByRole('main').getByText('Disconnected', { exact: true })).toBeVisible();
    });
    await test.step('tried after 10 s, in vain, and nothing is said again', async () => {
      const tried = await attemptAfter(page, sockets, await closeOf(sockets, 1), 2);
      expect(tried.openedAt).toBeNull();
      await closeOf(sockets, 2);
      await page.clock.runFor(5_000);
      expect(shown).toHaveLength(1);
    });
  } finally {
    await ownApp.restart();
  }
  await test.step('tried after 10 s more, and there again', async () => {
    await attemptAfter(page, sockets, await closeOf(sockets, 2), 3);
    await expect.poll(async () => (await sockets())[2]?.openedAt ?? null).not.toBeNull();
    await stepUntilVisible(page, toasts(page).filter({ hasText: CONNECTED.description }));
    await expectToast(page, CONNECTED.title, CONNECTED.description);
    expect(shown).toHaveLength(2);
  });
});

/**
 * Returns when the page was told that its so manieth socket is closed: a server that is gone is seen beside the stopped
 * clock.
 */
async function closeOf(sockets: () => Promise<Socket[]>, number: number): Promise<number> {
  const closedAt = async (): Promise<number> => (await sockets())[number - 1]?.closedAt ?? 0;
  await expect.poll(closedAt, `socket ${number} is closed`).toBeGreaterThan(0);
  return closedAt();
}

/** The next attempt is made 10 s after the socket before was closed, and not before. */
async function attemptAfter(
  page: Page,
  sockets: () => Promise<Socket[]>,
  closedAt: number,
  number: number,
): Promise<Socket> {
  await runTo(page, closedAt + RECONNECT_MS - 100);
  expect(await sockets()).toHaveLength(number - 1);
  await runTo(page, closedAt + RECONNECT_MS + 100);
  await expect.poll(async () => (await sockets()).length, `attempt ${number}`).toBe(number);
  const [attempt] = (await sockets()).slice(-1);
  if (attempt === undefined) throw new Error('No socket was made.');
  expect(attempt.madeAt).toBeGreaterThanOrEqual(closedAt + RECONNECT_MS);
  return attempt;
}

test('each of the five events says what it has to say and refreshes what it is about', async ({ page, app }) => {
  const line = await leadSocket(page);
  const shown = await watchToasts(page);
  const person = await personOf(page, app.url, { withTrial: false });
  const headers = headersOf(app.url, person);
  await page.goto('/websocket-demo');
  await expect(page.getByText('ready')).toBeVisible();

  await test.step('notification, as the server sends it', async () => {
    await page.getByRole('textbox', { name: 'Send yourself a notification' }).fill('Land in sight');
    await sendMyself(page);
    await expect
      .poll(() => shown.some(({ title, description }) => `${title}${description}`.includes('Land in sight')))
      .toBe(true);
    await expect(page.getByRole('main').getByRole('listitem').filter({ hasText: 'notification' })).toBeVisible();
  });

  // No command brings the server to these within a test: its own notification carries them.
  for (const { name, event, toast } of EVENTS) {
    await test.step(name, async () => {
      line.change = () => event;
      await sendMyself(page);
      await expectShown(shown, toast.title, toast.description, toast.variant);
    });
  }
  line.change = undefined;

  await test.step('subscription_update, from a trial started elsewhere', async () => {
    await page.goto('/account');
    await expect(page.getByText('This browser')).toBeVisible();
    const calls = watchCalls(page);
    const before = shown.length;
    const trial = await page.request.post(`${app.url}/api/trpc/subscription.startTrial`, { headers, data: {} });
    expect(trial.ok()).toBe(true);
    await expect(page.getByText('The trial runs until')).toBeVisible();
    expect(callsOf(calls, /^subscription\./).length).toBeGreaterThan(0);
    expect(shown).toHaveLength(before);
  });
  await test.step('analytics_update, from a deployment made elsewhere', async () => {
    await page.goto('/deployments');
    await expect(page.getByText('No deployments yet.')).toBeVisible();
    const before = shown.length;
    const created = await page.request.post(`${app.url}/api/trpc/deployments.create`, {
      headers,
      data: { json: { name: 'Seen from afar', platform: 'built-in' } },
    });
    expect(created.ok(), await created.text()).toBe(true);
    await expect(page.getByText('Seen from afar').first()).toBeVisible();
    expect(shown).toHaveLength(before);
  });
});

test('signed out there is no channel: the page says so and offers Login', async ({ page, app }) => {
  await seenBefore(page.context(), app.url);
  let attempts = 0;
  page.on('websocket', () => {
    attempts += 1;
  });
  await page.goto('/websocket-demo');
  await expect(page.getByRole('main').getByRole('link', { name: /log ?in/i })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send' })).toHaveCount(0);
  expect(attempts).toBe(0);
});
