import { beforeEach, expect, test, vi } from 'vitest';
import type { License } from '../../routers/schemas/licenses.ts';
import type { Subscription } from '../../routers/schemas/subscription.ts';
import { signInAs } from '../../src/api/user.ts';
import { clearToasts, toasts } from '../../src/components/overlays/toast-store.ts';
import { LicenseManagementScreen } from '../../src/screens/license-management.tsx';
import { type Answers, refusal, showScreen, submit, typeInto } from '../support/screen.tsx';
import { allowanceOf, secondsLater, shownAt } from '../support/screen-fixtures.ts';

const KEY = 'FL-00000-00000-00000-00000-00000';
const YEAR = 365 * 86_400;

function licenseOf(fields: Partial<License> = {}): License {
  return {
    id: 'license-1',
    prefix: 'FL-ABCDE',
    plan: 'PRO',
    status: 'running',
    startsAt: shownAt,
    endsAt: secondsLater(YEAR),
    redeemedAt: shownAt,
    history: [
      { at: shownAt, what: 'created' },
      { at: shownAt, what: 'redeemed' },
    ],
    ...fields,
  };
}

const planOf = (plan: Subscription['plan']): Subscription => ({
  status: 'active',
  plan,
  startedAt: shownAt,
  endsAt: secondsLater(YEAR),
  renews: false,
  cancelAtEnd: false,
  nextPlan: null,
});

const answersWith = (items: License[], plan: Subscription['plan'] | null = 'PRO'): Answers => ({
  'subscription.allowance': () => allowanceOf({ plan: plan ?? 'free' }),
  'subscription.get': () => (plan === null ? refusal('not_found', 'There is none.') : planOf(plan)),
  'licenses.list': () => ({ items }),
});

const lastToast = () => toasts.get().at(-1);

/** Clicks a button of the dialog that asks, which stands outside of the screen. */
async function confirm(name: string): Promise<void> {
  const dialog = await vi.waitFor(() => document.querySelector('[role=alertdialog]') ?? expect.fail());
  const button = [...dialog.querySelectorAll('button')].find(({ textContent }) => textContent === name);
  (button ?? expect.fail(`There is no button ${name}`)).click();
}

beforeEach(() => {
  clearToasts();
  // The user stands beside the cache, and is asked for after each mutation.
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('{}', { status: 503 }));
  const more = { disclaimerAccepted: true, deploymentCount: 2, isBetaTester: false, createdAt: shownAt };
  const user = { id: 'ada', username: 'Ada', email: 'ada@example.com', emailConfirmed: true, pendingEmail: null };
  signInAs({ ...user, ...more, accessToken: 'token', expiresAt: secondsLater(YEAR) });
});

test('without a key the screen says where keys come from, and a list that fails offers Retry', async () => {
  const answers: Answers = { ...answersWith([], null), 'licenses.list': () => refusal('internal', 'It failed.') };
  using shown = showScreen(<LicenseManagementScreen />, answers);
  await shown.sees('Your license keys could not be loaded');
  answers['licenses.list'] = () => ({ items: [] });
  shown.button('Retry').click();
  await shown.sees('No license keys yet.');
  expect(shown.page.textContent).toContain('A key works once. Its plan starts when you redeem it.');
  expect(shown.page.textContent).not.toContain('History');
});

test('without a plan the screen says so, and counts no deployments of a plan', async () => {
  const none = { plan: 'free' as const, deploymentCount: 0, deploymentLimit: 0, isTrialAvailable: true };
  const answers = { ...answersWith([], null), 'subscription.allowance': () => allowanceOf(none) };
  using shown = showScreen(<LicenseManagementScreen />, answers);
  await shown.sees('No plan is activeThe 14-day trial of Pro is free and needs no card.');
  expect(shown.page.textContent).not.toContain('of 0');
  answers['subscription.allowance'] = () => allowanceOf({ ...none, deploymentCount: 2, isTrialAvailable: false });
  using ended = showScreen(<LicenseManagementScreen />, answers);
  await ended.sees('No plan is activeWhat is live stays live and cannot be changed.');
  expect(ended.page.textContent).not.toMatch(/of 0|Free/);
});

test('a key is checked in the form, refused in its words, and redeemed as it was made', async () => {
  const redeem = vi.fn((_input: unknown): unknown =>
    refusal('license_revoked', 'This license key was revoked.', {
      fieldErrors: { key: 'This license key was revoked.' },
    }),
  );
  const answers: Answers = { ...answersWith([], null), 'licenses.redeem': redeem };
  using shown = showScreen(<LicenseManagementScreen />, answers);
  await shown.sees('No license keys yet.');
  const send = (text: string) => submit(typeInto(shown.page, 'key', text).form);
  await send('');
  await shown.sees('Enter a license key');
  await send(`${KEY.slice(0, -1)}1`);
  await shown.sees('This is not a whole license key.');
  expect(redeem).not.toHaveBeenCalled();

  await send('fl ooooo ooooo ooooo ooooo ooooo');
  await shown.sees('This license key was revoked.');
  expect(redeem.mock.calls.map(([input]) => input)).toEqual([{ key: KEY }]);
  await vi.waitFor(() => expect(shown.page.querySelector('[aria-busy]')).toBeNull());

  redeem.mockImplementation(() => licenseOf());
  await send(KEY);
  await vi.waitFor(() => expect(lastToast()?.title).toBe('Key redeemed'));
  expect(lastToast()?.description).toMatch(/^Pro runs until /);
  expect(shown.page.querySelector<HTMLInputElement>('input[name=key]')?.value).toBe('');
});

test('a plan that the key adds nothing to is told in a toast, with when to come back', async () => {
  const redeem = () =>
    refusal('conflict', 'Your Pro plan runs until then.', { hint: 'Choose Basic once your Pro plan has ended.' });
  using shown = showScreen(<LicenseManagementScreen />, { ...answersWith([]), 'licenses.redeem': redeem });
  await shown.sees('A key for Pro extends your plan.');
  typeInto(shown.page, 'key', KEY).form?.requestSubmit();
  await vi.waitFor(() => expect(lastToast()?.title).toBe('The key was not redeemed'));
  expect(lastToast()?.description).toBe('Your Pro plan runs until then. Choose Basic once your Pro plan has ended.');
});

test('a key for a higher plan is said to start at once, extended by what is left of the lower one', async () => {
  using shown = showScreen(<LicenseManagementScreen />, answersWith([], 'BASIC'));
  await shown.sees('A key for a larger plan starts that plan at once, and what is left of Basic extends it.');
});

test('whoever tries Pro reads before that another plan ends the trial', async () => {
  const trial = () => ({ ...planOf('PRO'), status: 'trialing' });
  using shown = showScreen(<LicenseManagementScreen />, { ...answersWith([]), 'subscription.get': trial });
  await shown.sees('A key for Pro extends your trial; a key for another plan replaces the trial at once.');
});

test('each license says how it stands, and the history has the newest first', async () => {
  const items = [
    licenseOf({ id: 'two', status: 'waiting', startsAt: secondsLater(YEAR), endsAt: secondsLater(2 * YEAR) }),
    licenseOf(),
    licenseOf({ id: 'three', status: 'ended' }),
    licenseOf({ id: 'four', status: 'replaced', plan: 'BASIC' }),
    licenseOf({ id: 'five', status: 'transferred' }),
    licenseOf({ id: 'six', status: 'revoked', history: [{ at: secondsLater(60), what: 'revoked' }] }),
  ];
  using shown = showScreen(<LicenseManagementScreen />, answersWith(items));
  await shown.sees('Runs from Jan 1, 2031 until Jan 1, 2032.');
  const words = shown
    .rows('License keys')
    .map((row) => /Active|Next|Ended|Replaced|Transferred|Revoked/.exec(row)?.[0]);
  expect(words).toEqual(['Next', 'Active', 'Ended', 'Replaced', 'Transferred', 'Revoked']);
  expect(
    [...shown.page.querySelectorAll('button')].filter(({ textContent }) => textContent === 'Transfer'),
  ).toHaveLength(2);
  expect(shown.rows('History')).toHaveLength(10);
  expect(shown.rows('History')[0]).toContain('Revoked');
  shown.button('Show all 11').click();
  await vi.waitFor(() => expect(shown.rows('History')).toHaveLength(11));
});

test('a transfer is asked once, says what ends, and shows its key once', async () => {
  const license = licenseOf();
  const transfer = vi.fn((_input: unknown) => ({ license: { ...license, status: 'transferring' }, key: KEY }));
  const answers: Answers = { ...answersWith([license]), 'licenses.transfer': transfer };
  using shown = showScreen(<LicenseManagementScreen />, answers);
  await shown.sees('Active');
  shown.button('Transfer FL-ABCDE').click();
  await vi.waitFor(() => expect(document.body.textContent).toContain('your deployments stay live and become'));
  expect(transfer).not.toHaveBeenCalled();
  await confirm('Transfer');
  await vi.waitFor(() => expect(document.querySelector('[role=dialog]')?.textContent).toContain(KEY));
  expect(transfer.mock.calls.map(([input]) => input)).toEqual([{ licenseId: 'license-1' }]);
  const done = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'I have copied it');
  done?.click();
  await vi.waitFor(() => expect(document.body.textContent).not.toContain(KEY));
});

test('a transfer is revoked after one question, or says why it is too late', async () => {
  const license = licenseOf({ status: 'transferring' });
  const revoke = vi.fn((): unknown => refusal('conflict', 'Its key was redeemed.'));
  using shown = showScreen(<LicenseManagementScreen />, {
    ...answersWith([license], null),
    'licenses.revoke': revoke,
  });
  await shown.sees('Nobody has redeemed the new key yet.');
  shown.button('Revoke the transfer of FL-ABCDE').click();
  await confirm('Revoke transfer');
  await vi.waitFor(() => expect(lastToast()?.title).toBe('The transfer was not revoked'));
  expect(lastToast()?.description).toBe('Its key was redeemed.');
  revoke.mockImplementation(() => licenseOf());
  shown.button('Revoke the transfer of FL-ABCDE').click();
  await confirm('Revoke transfer');
  await vi.waitFor(() => expect(lastToast()?.title).toBe('Transfer revoked'));
});
