import { expect, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { ada, shownAt } from '../support/screen-fixtures.ts';
import { arrivesAt, type ServerAnswers, showApp, shown } from '../support/shown-app.tsx';

const subscription = { plan: 'PRO', startedAt: shownAt, endsAt: shownAt, renews: false, cancelAtEnd: false };
const held = (status: string) => () => ({ ...subscription, status, nextPlan: null });

const PAID = '/payment-success';
const PLANS = '/subscription/pricing';

test('while it is not known who is there, the screen says so', async () => {
  let tell = (_user: unknown): void => undefined;
  const known = new Promise((resolve) => {
    tell = resolve;
  });
  await using app = showApp('/account', { user: ada, answers: { 'user.get': () => known } });
  // Another tab has changed the account: who that is must be asked for.
  session.rememberAccount('somebody else');
  session.hear({ kind: 'signed-in', accountId: 'somebody else' });
  await shown('[role="status"]', 'Verifying access...');
  expect(app.page.querySelector('h1')).toBeNull();
  tell(ada);
  await vi.waitFor(() => expect(app.page.querySelector('h1')?.textContent).toBe('Account'));
  expect(app.page.textContent).not.toContain('Verifying access...');
});

test('without a user it leads to /auth with the whole path, in place of it', async () => {
  const before = history.length;
  const path = '/deployments?platform=built-in&search=a%20b';
  await using _app = showApp(path);
  await arrivesAt(`/auth?redirect=${encodeURIComponent(path)}`);
  expect(history.length, 'a way back does not meet the redirect again').toBe(before);
});

test.each<[string, ServerAnswers[string], string]>([
  ['running', held('trialing'), PAID],
  ['over', held('past_due'), PLANS],
  ['not OK', () => Response.json({ status: 'active', plan: 'PRO' }, { status: 500 }), PLANS],
  ['cut off', () => new Response('[{"result":{"data":{"json":{"status":"active"'), PLANS],
])('a screen that requires a subscription, and one whose answer is %s', async (_name, answer, address) => {
  await using app = showApp(PAID, { user: ada, answers: { 'subscription.get': answer } });
  await vi.waitFor(() => expect(app.page.querySelector('h1')).not.toBeNull());
  await arrivesAt(address);
});
