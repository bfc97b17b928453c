import { expect, test } from '../browser/fixtures.ts';
import { call, personOf } from './accounts.ts';
import { callsOf, watchCalls } from './calls.ts';
import { follow } from './navigation.ts';
import { expectShown, watchToasts } from './toasts.ts';

/** The words of each event are in tests/src/apply-event.test.ts, breaks of the connection in tests/src/realtime.test.tsx. */
test('events of the server say what they have to say and refresh what they are about', async ({ page, app }) => {
  const shown = await watchToasts(page);
  const person = await personOf(page, app.url, { withTrial: false });
  await page.goto('/websocket-demo');
  await expect(page.getByText('ready')).toBeVisible();

  await test.step('notification', async () => {
    await page.getByRole('textbox', { name: 'Send yourself a notification' }).fill('Land in sight');
    await page.getByRole('button', { name: 'Send' }).click();
    await expectShown(shown, 'Notification', 'Land in sight');
    await expect(page.getByRole('main').getByRole('listitem').filter({ hasText: 'notification' })).toBeVisible();
  });
  await test.step('subscription_update, from a trial started elsewhere', async () => {
    await follow(page, '/account');
    await expect(page.getByText('This browser')).toBeVisible();
    const calls = watchCalls(page);
    expect((await call(page.request, person, 'subscription.startTrial')).status).toBe(200);
    await expect(page.getByText('The trial runs until')).toBeVisible();
    expect(callsOf(calls, /^subscription\./).length).toBeGreaterThan(0);
  });
  await test.step('analytics_update, from a deployment made elsewhere', async () => {
    await page.getByRole('link', { name: 'Active Deployments' }).click();
    await expect(page.getByText('No deployments yet.')).toBeVisible();
    const deployment = { name: 'Seen from afar', platform: 'built-in' };
    expect((await call(page.request, person, 'deployments.create', deployment)).status).toBe(200);
    await expect(page.getByText('Seen from afar').first()).toBeVisible();
  });
  expect(shown, 'the updates say nothing').toHaveLength(1);
});
