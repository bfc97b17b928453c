import type { Locator, Page } from '@playwright/test';
import { expect, newCredentials, test } from '../browser/fixtures.ts';
import { personOf, seenBefore } from './accounts.ts';
import { callsOf, fail, watchCalls } from './calls.ts';
import { stepUntilVisible, stopClock } from './still-clock.ts';
import { expectShown, toasts, watchToasts } from './toasts.ts';

// Whether it opens by itself is what is asked here.
test.use({ isFeedbackAsked: false });

const TITLE = 'Rate Your Experience';
const SENT = { title: 'Thank you for your feedback!', description: 'Your feedback helps us improve the product.' };

function button(page: Page): Locator {
  return page.getByRole('button', { name: TITLE });
}

function dialog(page: Page): Locator {
  return page.getByRole('dialog', { name: TITLE });
}

function stars(page: Page): Locator {
  return dialog(page).getByRole('radio');
}

/** Returns how many stars are drawn full, chosen or only pointed at. */
async function filled(page: Page): Promise<number> {
  return dialog(page).locator('[data-filled="true"]').count();
}

test('the floating button opens the dialog, and the stars are chosen by pointer and by keyboard', async ({
  page,
  app,
}) => {
  const shown = await watchToasts(page);
  await seenBefore(page.context(), app.url);
  await page.goto('/about');
  await test.step('it floats at the bottom right', async () => {
    const box = await button(page).boundingBox();
    const size = page.viewportSize() ?? { width: 0, height: 0 };
    expect(box?.x).toBeGreaterThan(size.width / 2);
    expect(box?.y).toBeGreaterThan(size.height / 2);
    await button(page).click();
    await expect(dialog(page)).toBeVisible();
    await expect(
      dialog(page).getByText('Help us improve by sharing your experience with the product.', { exact: true }),
    ).toBeVisible();
    await expect(stars(page)).toHaveCount(5);
  });
  await test.step('pointing previews, leaving takes it back', async () => {
    await stars(page).nth(3).hover();
    await expect.poll(() => filled(page)).toBe(4);
    await page.mouse.move(0, 0);
    await expect.poll(() => filled(page)).toBe(0);
    await stars(page).nth(1).click();
    await stars(page).nth(4).hover();
    await expect.poll(() => filled(page)).toBe(5);
    await page.mouse.move(0, 0);
    await expect.poll(() => filled(page)).toBe(2);
  });
  await test.step('arrow keys choose', async () => {
    await stars(page).nth(1).focus();
    await page.keyboard.press('ArrowRight');
    await expect(stars(page).nth(2)).toBeChecked();
    await expect.poll(() => filled(page)).toBe(3);
  });
  await test.step('sent, it thanks, closes and takes the button away', async () => {
    const calls = watchCalls(page);
    await dialog(page).getByRole('textbox', { name: 'Comment' }).fill('Fair winds.');
    await dialog(page).getByRole('button', { name: 'Send feedback' }).click();
    await expectShown(shown, SENT.title, SENT.description);
    await expect(dialog(page)).toHaveCount(0);
    await expect(button(page)).toHaveCount(0);
    const body = callsOf(calls, /feedback/)[0]?.body ?? '';
    expect(body).toContain('"rating":3');
    expect(body).toContain('"comment":"Fair winds."');
    expect(body).toContain('"deploymentId":"main-app"');
  });
});

test('without a star nothing is sent, and a failure keeps what was typed', async ({ page, app, complaints }) => {
  complaints.allow(/Failed to load resource/);
  const shown = await watchToasts(page);
  await seenBefore(page.context(), app.url);
  await page.goto('/about');
  const calls = watchCalls(page);
  await button(page).click();
  const comment = dialog(page).getByRole('textbox', { name: 'Comment' });
  const send = dialog(page).getByRole('button', { name: 'Send feedback' });
  await comment.fill('A storm is coming.');
  await send.click();
  await expectShown(shown, 'Please select a rating', 'Let us know what you think by selecting a star rating.');
  expect(callsOf(calls, /feedback/)).toEqual([]);
  await stars(page).nth(0).click();

  // The real server does not fail on demand.
  for (const [message, description] of [
    ['The log book is full.', 'The log book is full.'],
    ['', 'Please try again later.'],
  ] as const) {
    await test.step(`failed: ${description}`, async () => {
      await page.route(/\/api\/.*feedback/, (route) => fail(route, message));
      const before = callsOf(calls, /feedback/).length;
      await send.click();
      await expectShown(shown, 'Failed to submit feedback', description, 'either');
      expect(callsOf(calls, /feedback/)).toHaveLength(before + 1);
      await expect(comment).toHaveValue('A storm is coming.');
      await expect(stars(page).nth(0)).toBeChecked();
      await page.unroute(/\/api\/.*feedback/);
    });
  }
  await test.step('and can be sent again', async () => {
    await send.click();
    await expectShown(shown, SENT.title, SENT.description);
    await expect(dialog(page)).toHaveCount(0);
  });
});

test('the dialog opens by itself after 60000 ms, once a browser session', async ({ page, app }) => {
  await page.clock.install();
  await seenBefore(page.context(), app.url);
  // A stopped clock before the app starts: what passes is known to the millisecond.
  await stopClock(page);
  await page.goto('/about');
  const startedAt = await page.evaluate(() => Date.now());
  await stepUntilVisible(page, button(page));
  const passed = (await page.evaluate(() => Date.now())) - startedAt;
  await test.step('after 60000 ms', async () => {
    await page.clock.runFor(59_900 - passed);
    await expect(dialog(page)).toHaveCount(0);
    await page.clock.runFor(200);
    await stepUntilVisible(page, dialog(page));
  });
  await test.step('once', async () => {
    await page.clock.resume();
    await dialog(page).getByRole('button', { name: 'Not now' }).click();
    await page.reload();
    await button(page).waitFor();
    await page.clock.fastForward(120_000);
    await expect(button(page)).toBeVisible();
    await expect(dialog(page)).toHaveCount(0);
  });
});

test('it waits while somebody types, and comes when they have done', async ({ page, app }) => {
  await page.clock.install();
  await seenBefore(page.context(), app.url);
  await page.goto('/about');
  // The minute begins with the button.
  await expect(button(page)).toBeVisible();
  const name = page.getByLabel('Name');
  await name.click();
  await page.keyboard.type('Ada');
  await expect(name).toHaveValue('Ada');
  await page.clock.fastForward(61_000);
  await page.clock.fastForward(30_000);
  await expect(name).toBeFocused();
  await expect(dialog(page)).toHaveCount(0);
  await name.blur();
  await page.clock.fastForward(60_000);
  await expect(dialog(page)).toBeVisible();
});

test('the X takes the button away for good, remembered under main-app', async ({ page, app }) => {
  await page.clock.install();
  await seenBefore(page.context(), app.url);
  await page.goto('/about');
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(button(page)).toHaveCount(0);
  const kept = await page.evaluate(() => JSON.stringify(localStorage));
  expect(kept).toContain('main-app');
  await page.evaluate(() => sessionStorage.clear());
  await page.goto('/faq');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.clock.fastForward(61_000);
  await expect(button(page)).toHaveCount(0);
  await expect(dialog(page)).toHaveCount(0);
  await expect(toasts(page)).toHaveCount(0);
});

test("the server takes a rating for the product or for a deployment of one's own, and for no other", async ({
  page,
  app,
}) => {
  const headers = { origin: app.url };
  const post = (data: unknown, extra = {}) =>
    page.request.post(`${app.url}/api/feedback`, { headers: { ...headers, ...extra }, data });
  expect((await post({ rating: 1, comment: 'So far.', deploymentId: 'main-app' })).ok()).toBe(true);
  const stranger = await post({ rating: 1, deploymentId: 'of-nobody-at-all' });
  expect([400, 404]).toContain(stranger.status());

  const owner = await personOf(page, app.url);
  const bearer = { authorization: `Bearer ${owner.accessToken}` };
  const created = await page.request.post(`${app.url}/api/trpc/deployments.create`, {
    headers: { ...headers, ...bearer },
    data: { json: { name: 'Rated', platform: 'built-in' } },
  });
  const { id: deploymentId } = (await created.json()).result.data.json;
  expect((await post({ rating: 5, deploymentId }, bearer)).ok()).toBe(true);

  const other = newCredentials();
  const registered = await page.request.post(`${app.url}/api/register`, { headers, data: other });
  const { accessToken } = await registered.json();
  const refused = await post({ rating: 5, deploymentId }, { authorization: `Bearer ${accessToken}` });
  expect(refused.status()).toBe(404);
});
