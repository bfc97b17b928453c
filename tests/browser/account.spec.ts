import { join } from 'node:path';
import { readOutbox } from '../../server/account/mail/outbox.ts';
import { holdCalls } from '../specification/held-network.ts';
import { expectFits, SMALL } from './fits.ts';
import { ASKED_TOO_LATE, type Credentials, expect, logInHere, newcomer, refusedCall, test } from './fixtures.ts';
import type { SharedApp } from './shared-app.ts';

const NEW_PASSWORD = 'Another anchor 2';
/** A name of the greatest length, without a space to break at. */
const LONG_NAME = 'build-server-'.padEnd(60, 'x');

/** The link of the newest mail of a kind to somebody, once it is there. */
async function mailedLink(app: SharedApp, kind: string, to: string): Promise<string> {
  const link = async () => {
    const mails = (await readOutbox(join(app.dataDir, 'outbox'))).filter(
      (mail) => mail.kind === kind && mail.to === to,
    );
    return /^http\S+#token=\S+$/m.exec(mails.at(-1)?.text ?? '')?.[0] ?? '';
  };
  await expect.poll(link, { timeout: 30_000 }).not.toBe('');
  return link();
}

test('an address is confirmed by its mailed link, and a forgotten password is replaced by one that works once', async ({
  page,
  app,
  complaints,
}) => {
  complaints.allow(ASKED_TOO_LATE);
  complaints.allow(refusedCall(400, '/api/trpc/auth.confirmEmail'));
  const credentials = await newcomer(page);
  await page.goto('/dashboard');
  const banner = page.getByText('Confirm your email');
  await expect(banner).toBeVisible();
  await page.getByRole('button', { name: 'Get a new link' }).click();
  await expect(page.locator('[data-toast]')).toContainText('It is in the outbox, on the computer where Fairlead runs.');
  await expect(page.locator('[data-notice] code')).toContainText('npx fairlead outbox show');
  const confirming = await mailedLink(app, 'confirm-email', credentials.email);
  await page.goto(confirming);
  await expect(page.getByRole('heading', { name: `${credentials.email} is confirmed` })).toBeVisible();
  await page.getByRole('link', { name: 'Go to Dashboard' }).click();
  await expect(page.getByRole('heading', { name: 'Dashboard' })).toBeVisible();
  await expect(banner).toHaveCount(0);
  await page.goto(confirming);
  await expect(page.getByRole('heading', { name: 'Your address is already confirmed' })).toBeVisible();

  await page.getByRole('link', { name: 'Go to Dashboard' }).click();
  await page.getByRole('link', { name: 'Logout' }).click();
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByLabel('Email').fill('nobody-at-all@example.com');
  await page.getByRole('button', { name: 'Get a link' }).click();
  const answer = page.getByText('belongs to an account, a link is ready');
  await expect(answer).toBeVisible();
  await page.getByRole('button', { name: 'Use another address' }).click();
  await page.getByLabel('Email').fill(credentials.email);
  await page.getByRole('button', { name: 'Get a link' }).click();
  await expect(answer).toBeVisible();

  const link = await mailedLink(app, 'reset-password', credentials.email);
  await page.goto(link);
  await expect(page.getByRole('heading', { name: 'Choose a new password' })).toBeVisible();
  await expect(page, 'the token is out of the address').not.toHaveURL(/token/);
  await page.getByLabel('New password').fill(NEW_PASSWORD);
  await page.getByLabel('Confirm Password').fill('something else 3');
  await page.getByRole('button', { name: 'Save the new password' }).click();
  await expect(page.getByText("Passwords don't match")).toBeVisible();
  await page.getByLabel('Confirm Password').fill(NEW_PASSWORD);
  await page.getByRole('button', { name: 'Save the new password' }).click();
  await expect(page.getByText('every API token was revoked')).toBeVisible();
  await page.getByRole('link', { name: 'Log in with the new password' }).click();
  await logInHere(page, { username: credentials.username, password: NEW_PASSWORD });
  await page.waitForURL('**/dashboard');

  await page.goto(link);
  await expect(page.getByText('This link no longer works'), 'said before anything is typed').toBeVisible();
  await expect(page.getByLabel('New password')).toHaveCount(0);
});

test('a token is shown once and works until it is revoked; another browser is logged out, and the account deleted with its name typed', async ({
  page,
  app,
  complaints,
}) => {
  complaints.allow(ASKED_TOO_LATE);
  complaints.allow(refusedCall(400, '/api/trpc/account.delete'));
  const credentials = await newcomer(page);
  const letGo = await holdCalls(page, /\/api\/trpc\/[^?]*\.list/);
  await page.goto('/settings');
  const make = page.getByRole('button', { name: 'New token' });
  await expect(make).toBeVisible();
  const before = await make.boundingBox();
  letGo();
  await expect(page.getByText('No tokens yet')).toBeVisible();
  expect(await make.boundingBox(), 'the empty lists above do not move it').toEqual(before);
  await make.click();
  await page.getByRole('dialog').getByLabel('Name').fill(LONG_NAME);
  await page.getByRole('dialog').getByLabel('Current password').fill(credentials.password);
  await page.getByRole('button', { name: 'Create token' }).click();
  const secret = (await page.locator('code', { hasText: /^flt_[\w-]{49}$/ }).textContent()) ?? '';
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'I have copied it' }).click();
  const whoAmI = () => fetch(`${app.url}/api/user`, { headers: { authorization: `Bearer ${secret}` } });
  expect((await whoAmI()).status).toBe(200);
  await expect(page.getByText(secret)).toHaveCount(0);
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  await page.setViewportSize(SMALL);
  await expectFits(page, 'a token with a long name');
  await page.setViewportSize({ width, height });
  await page.getByRole('button', { name: `Revoke ${LONG_NAME}` }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await expect(page.getByText('No tokens yet')).toBeVisible();
  expect((await whoAmI()).status).toBe(401);

  expect((await logInElsewhere(app, credentials)).status).toBe(200);
  await page.goto('/account');
  // What comes above the buttons moves them, also between a press and its release.
  await expect(page.getByText('The trial runs until')).toBeVisible();
  await expect(page.getByText('This browser')).toHaveCount(1);
  const logOut = page.getByRole('button', { name: /^Log out / });
  await logOut.click();
  await expect(logOut).toHaveCount(0);

  await page.getByRole('button', { name: 'Delete account' }).click();
  const dialog = page.getByRole('alertdialog');
  const confirm = dialog.getByRole('button', { name: 'Delete account' });
  await expect(dialog).toContainText('This cannot be undone');
  await dialog.getByLabel(/^Type /).fill('somebody else');
  await dialog.getByLabel('Current password').fill('Not this one 1');
  await expect(confirm).toBeDisabled();
  await dialog.getByLabel(/^Type /).fill(credentials.username);
  await confirm.click();
  await expect(dialog.getByText('The current password is not right')).toBeVisible();
  await dialog.getByLabel('Current password').fill(credentials.password);
  await confirm.click();
  await page.waitForURL((url) => url.pathname === '/');
  await expect(page.locator('[data-toast]')).toContainText('Account deleted');
  expect((await logInElsewhere(app, credentials)).status).toBe(401);
});

function logInElsewhere(app: SharedApp, { username, password }: Credentials): Promise<Response> {
  return fetch(`${app.url}/api/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password }),
  });
}
