import superjson from 'superjson';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Session } from '../../routers/schemas/auth.ts';
import type { Subscription } from '../../routers/schemas/subscription.ts';
import type { ApiToken } from '../../routers/schemas/tokens.ts';
import { session } from '../../src/api/session/session.ts';
import { signInAs, useUser } from '../../src/api/user.ts';
import { toasts } from '../../src/components/overlays/toast-store.ts';
import { DeleteAccountDialog } from '../../src/features/account/delete-account-dialog.tsx';
import { ConfirmBanner } from '../../src/features/auth/confirm-banner.tsx';
import { AccountScreen } from '../../src/screens/account.tsx';
import { AuthDeleteAccountScreen } from '../../src/screens/auth/delete-account.tsx';
import { AuthResetScreen } from '../../src/screens/auth/reset.tsx';
import { AuthStopEmailChangeScreen } from '../../src/screens/auth/stop-email-change.tsx';
import { DeploymentsScreen } from '../../src/screens/deployments.tsx';
import { SettingsScreen } from '../../src/screens/settings.tsx';
import { type Answers, refusal, showScreen, submit, typeInto } from '../support/screen.tsx';
import { ada, allowanceOf, deploymentOf } from '../support/screen-fixtures.ts';

const at = new Date('2030-01-01T12:00:00Z');
const MAILED = 'A'.repeat(43);

const beta: Subscription = {
  status: 'active',
  plan: 'BETA',
  startedAt: at,
  endsAt: new Date('2030-07-01T12:00:00Z'),
  renews: false,
  cancelAtEnd: false,
  nextPlan: null,
};
const allowance = allowanceOf({ plan: 'BETA' });
const browser = (id: string, isCurrent: boolean): Session => ({
  id,
  device: `Browser ${id}`,
  address: '203.0.113.7',
  isCurrent,
  createdAt: at,
  lastUsedAt: at,
});
const buildServer: ApiToken = {
  id: 'token-1',
  name: 'Build server',
  prefix: 'flt_abcd',
  scopes: ['read'],
  createdAt: at,
  expiresAt: null,
  lastUsedAt: null,
};

const answers = (): Answers => ({
  'subscription.get': () => beta,
  'subscription.allowance': () => allowance,
  'auth.sessions': () => ({ items: [browser('one', true), browser('two', false)] }),
  'user.notifications': () => ({ releaseFailed: true, releaseLive: false }),
  'tokens.list': () => ({ items: [buildServer] }),
});

beforeEach(() => {
  localStorage.clear();
  vi.restoreAllMocks();
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    if (!String(input).includes('contact.get')) return new Response('{}', { status: 401 });
    const data = superjson.serialize({ supportEmail: 'support@localhost', keepsMail: false });
    return Response.json([{ result: { data } }]);
  });
  signInAs(ada);
});

const headings = (page: Element) => [...page.querySelectorAll('h1, h2')].map((heading) => heading.textContent);
const lastToast = () => toasts.get().at(-1);

test('the account says who, which plan with its badge, where signed in, and what happens to websites before the end', async () => {
  using shown = showScreen(<AccountScreen />, answers());
  await shown.sees('It runs until');
  await shown.sees('This browser');
  expect(headings(shown.page)).toEqual([
    'Account',
    'Identity',
    'Plan',
    'Receipts',
    'Password',
    'Logged-in browsers2',
    'Your data',
  ]);
  expect(shown.page.textContent).toContain('Beta Tester');
  expect(shown.linkTo('Change name')).toBe('/settings');
  expect(shown.page.textContent).toContain('API tokens keep working.');
  expect(shown.linkTo('Settings')).toBe('/settings');
  shown.button('Delete account').click();
  const losses = () => [...document.querySelectorAll('[role=alertdialog] li')].map(({ textContent }) => textContent);
  await vi.waitFor(() =>
    expect(losses()).toEqual([
      '2 deployments are deleted, and their websites taken down. Where you published by hand, and wherever Fairlead has no access, a website stays until you delete it there.',
      'Your files, releases, settings and API tokens are erased.',
      'An active plan ends at once, and its remaining time is lost.',
    ]),
  );
  expect(shown.button('Log out Browser two')).toBeDefined();
});

test('who deletes an account is told what becomes of a payment on its way', async () => {
  const comingPayment = { id: 'coming', plan: 'PRO' } as const;
  const paying = { ...answers(), 'subscription.allowance': () => allowanceOf({ comingPayment }) };
  using shown = showScreen(<AccountScreen />, paying);
  shown.button('Delete account').click();
  const dialog = await vi.waitFor(() => document.querySelector('[role=alertdialog]') ?? expect.fail());
  const text = 'Your payment for Pro is on its way: deleting the account neither stops nor refunds it.';
  await vi.waitFor(() => expect(dialog.textContent).toContain(text));
});

test('without the beta plan there is no badge, and lists that fail offer Retry', async () => {
  const failing: Answers = {
    ...answers(),
    'subscription.allowance': () => ({ ...allowance, plan: 'PRO' }),
    'auth.sessions': () => refusal('database_unavailable', 'The database is away.'),
  };
  using shown = showScreen(<AccountScreen />, failing);
  await shown.sees('Your sessions could not be loaded');
  await shown.sees('It runs until');
  expect(shown.page.textContent).not.toContain('Beta Tester');
  Object.assign(failing, { 'auth.sessions': answers()['auth.sessions'] });
  shown.button('Retry').click();
  await shown.sees('Browser two');
});

test('an export leads the browser to its link, is busy until then, and says when it cannot be made', async () => {
  const opened: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    opened.push(`${this.getAttribute('href')} as ${this.download}`);
  });
  let answer = (_link: unknown): void => {};
  const made = new Promise((resolve) => {
    answer = resolve;
  });
  const exporting: Answers = { ...answers(), 'account.export': () => made };
  using shown = showScreen(<AccountScreen />, exporting);
  const button = shown.button('Export everything');
  const isBusy = () => (button.ariaBusy ?? button.getAttribute('aria-busy')) === 'true';
  button.click();
  await vi.waitFor(() => expect(isBusy()).toBe(true));
  expect(opened).toEqual([]);
  answer({ url: '/api/account/export?ticket=x', fileName: 'fairlead-export-2030-01-01.zip', expiresAt: at });
  await vi.waitFor(() => expect(opened).toEqual(['/api/account/export?ticket=x as fairlead-export-2030-01-01.zip']));
  expect(lastToast()?.title).toBe('Export started');

  exporting['account.export'] = () => refusal('database_unavailable', 'The database is away.');
  // A busy button takes no press.
  await vi.waitFor(() => expect(isBusy()).toBe(false));
  button.click();
  await vi.waitFor(() => expect(lastToast()).toMatchObject({ title: 'Could not export', variant: 'destructive' }));
});

test('settings hold profile, appearance, notifications and API tokens', async () => {
  using shown = showScreen(<SettingsScreen />, answers());
  await shown.sees('Build server');
  await shown.sees('A release is live');
  expect(headings(shown.page)).toEqual([
    'Settings',
    'Profile',
    'Appearance',
    'Notifications',
    'Hosting connections',
    'DNS connections',
    'API tokens1',
  ]);
  expect(shown.page.textContent).toContain('flt_abcd… · Reads only');
  expect(shown.page.textContent).toContain('Never used · works until it is revoked');
  expect(shown.button('Revoke Build server')).toBeDefined();
  expect(shown.page.textContent).not.toContain('Beta Tester');
});

test.each([
  [true, 1],
  [false, 0],
])(
  'profile and deployments carry the badge while the person takes part in the beta: %s',
  async (isBetaTester, count) => {
    signInAs({ ...ada, isBetaTester });
    const badges = (page: HTMLElement) => page.textContent?.match(/Beta Tester/g)?.length ?? 0;
    using profile = showScreen(<SettingsScreen />, answers());
    await profile.sees('API tokens');
    expect(badges(profile.page)).toBe(count);
    const list = () => ({ items: [deploymentOf({ name: 'Harbour' })], nextCursor: null });
    using deployments = showScreen(<DeploymentsScreen />, { ...answers(), 'deployments.list': list });
    await deployments.sees('Harbour');
    expect(badges(deployments.page)).toBe(count);
  },
);

test('a change of address shows what is wrong on its field, and where the link went', async () => {
  let answer: unknown = refusal('validation_failed', 'The current password is not right.', {
    fieldErrors: { currentPassword: 'The current password is not right' },
  });
  using shown = showScreen(<AccountScreen />, { ...answers(), 'auth.changeEmail': () => answer });
  shown.button('Change email').click();
  const form = await vi.waitFor(() => document.querySelector<HTMLFormElement>('[role=dialog] form') ?? expect.fail());
  const write = (label: string, text: string) => {
    const id = [...form.querySelectorAll('label')].find((one) => one.textContent === label)?.htmlFor ?? '';
    const field = document.getElementById(id);
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text);
    field?.dispatchEvent(new Event('input', { bubbles: true }));
  };
  const sees = (text: string) => vi.waitFor(() => expect(form.textContent).toContain(text));
  write('New email', 'nobody');
  await submit(form);
  await sees('Please enter a valid email address');
  write('New email', 'new@example.com');
  write('Current password', 'Anchor weigh 1');
  await submit(form);
  await sees('The current password is not right');
  answer = { done: true };
  write('Current password', 'Anchor weigh 2');
  await vi.waitFor(() => expect(document.querySelector('[aria-busy]')).toBeNull());
  await submit(form);
  await vi.waitFor(() => expect(lastToast()?.title).toBe('Link sent'));
  expect(lastToast()?.description).toContain('new@example.com');
  expect(document.querySelector('[role=dialog]')).toBeNull();
});

test('an address that waits to be confirmed is named beside the one way to its link, and can be given up', async () => {
  signInAs({ ...ada, emailConfirmed: false, pendingEmail: 'new@example.com' });
  const withdraw = vi.fn(() => ({ done: true }));
  const place = { pattern: '/account', path: '/account' };
  using shown = showScreen(<Account />, { ...answers(), 'auth.withdrawEmailChange': withdraw }, place);
  await shown.sees('Link sent to new@example.com');
  expect(shown.page.textContent?.match(/Get a new link/g)).toHaveLength(1);
  shown.button('Keep the old address').click();
  await vi.waitFor(() => expect(lastToast()?.description).toBe('Your address stays ada@example.com.'));
  expect(withdraw).toHaveBeenCalledTimes(1);
});

/** The screen below the banner that its layout has. */
function Account() {
  const { user } = useUser();
  return (
    <>
      {user !== null && <ConfirmBanner user={user} />}
      <AccountScreen />
    </>
  );
}

function writeInto(page: Element, name: string, text: string): void {
  const field = page.querySelector<HTMLInputElement>(`input[name=${name}]`);
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text);
  field?.dispatchEvent(new Event('input', { bubbles: true }));
}

test('the current password is asked for where it is missing, and is no new one', async () => {
  const change = vi.fn(() => ({ done: true }));
  using shown = showScreen(<AccountScreen />, { ...answers(), 'auth.changePassword': change });
  const form = () => shown.page.querySelector('input[name=newPassword]')?.closest('form');
  await vi.waitFor(() => expect(form()).toBeTruthy());
  writeInto(shown.page, 'newPassword', 'Anchor weigh 1');
  writeInto(shown.page, 'confirmPassword', 'Anchor weigh 1');
  await submit(form());
  await shown.sees('Enter your current password');
  expect(shown.page.textContent).not.toContain('at least 6 characters');
  writeInto(shown.page, 'currentPassword', 'Anchor weigh 1');
  await submit(form());
  await shown.sees('Choose a password other than the current one');
  expect(change).not.toHaveBeenCalled();
  writeInto(shown.page, 'currentPassword', 'Anchor weigh 2');
  await vi.waitFor(() => expect(shown.page.textContent).not.toContain('other than the current one'));
  await submit(form());
  await vi.waitFor(() => expect(lastToast()?.title).toBe('Password changed'));
  expect(change).toHaveBeenCalledTimes(1);
});

test('a name that stays as it is asks the server nothing, and promises nothing new', async () => {
  const update = vi.fn(() => ({ ...ada, username: 'Grace' }));
  using shown = showScreen(<SettingsScreen />, { ...answers(), 'user.update': update });
  const form = () => shown.page.querySelector('input[name=username]')?.closest('form');
  await vi.waitFor(() => expect(form()).toBeTruthy());
  await submit(form());
  await vi.waitFor(() => expect(lastToast()?.title).toBe('Saved'));
  expect(update).not.toHaveBeenCalled();
  expect(shown.button('Save').dataset.variant).toBe('secondary');
  writeInto(shown.page, 'username', 'Grace');
  await vi.waitFor(() => expect(shown.button('Save').dataset.variant).toBe('primary'));
  {
    using again = showScreen(<SettingsScreen />, answers());
    const typed = () => again.page.querySelector<HTMLInputElement>('input[name=username]')?.value;
    await vi.waitFor(() => expect(typed(), 'what was typed is there again').toBe('Grace'));
  }
  await submit(form());
  await vi.waitFor(() => expect(lastToast()?.description).toBe('You log in as Grace from now on.'));
});

/** The screen of a mailed link, in front of a server that says this of it. */
function openLink(answer: () => Response, screen = <AuthResetScreen />) {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => answer());
  return showScreen(screen, {}, { pattern: '/', path: `/#token=${MAILED}` });
}

const linkIs = (isOpen: boolean) => () => Response.json({ result: { data: { json: { isOpen } } } });

test('a link that is spent or too old says so before anything is typed, and offers another', async () => {
  using shown = openLink(linkIs(false));
  await shown.sees('This link no longer works');
  await shown.sees('This link was already used or has expired.');
  expect(shown.page.querySelectorAll('input[type=password]')).toHaveLength(0);
  expect(shown.button('Get a link')).toBeDefined();
});

test('a good link shows the form, and so does one of which nobody can say anything now', async () => {
  using good = openLink(linkIs(true));
  await good.sees('Choose a new password');
  using unknown = openLink(() => new Response('Bad gateway', { status: 502 }));
  await unknown.sees('Choose a new password');
  expect(unknown.page.querySelectorAll('input[type=password]')).toHaveLength(2);
});

test('a change of address is stopped by a button, not by opening the link, and leads to a new password', async () => {
  // Who is logged in is asked as well.
  const json = { accountId: ada.id, resetToken: 'B'.repeat(43), id: 'other' };
  const answered = vi.fn(() => Response.json({ result: { data: { json } } }));
  session.signIn(ada, 'other');
  using shown = openLink(answered, <AuthStopEmailChangeScreen />);
  await shown.sees('Stop the change of your email address?');
  expect(location.hash).toBe('');
  expect(answered).not.toHaveBeenCalled();
  shown.button('Stop the change').click();
  await shown.sees('The change was stopped');
  expect(shown.linkTo('Choose a new password')).toBe(`/auth/reset#token=${'B'.repeat(43)}`);
  expect(session.accountId(), 'who is logged in to another account stays there').toBe('other');
});

test('the page of a mailed link knows its link after a reload, until it is used or left', async () => {
  const done = () => Response.json({ result: { data: { json: { done: true } } } });
  const again = { pattern: '/', path: '/' };
  const pageCameBy = (type: string) =>
    vi.spyOn(performance, 'getEntriesByType').mockReturnValue([Object.assign(performance.mark('load'), { type })]);
  pageCameBy('reload');
  {
    // A reload takes the page away as it is; here it stays beside the next.
    using shown = openLink(done, <AuthDeleteAccountScreen />);
    await shown.sees('Delete your account?');
    using reloaded = showScreen(<AuthDeleteAccountScreen />, {}, again);
    reloaded.button('Delete account').click();
    await reloaded.sees('Your account was deleted');
    using used = showScreen(<AuthDeleteAccountScreen />, {}, again);
    await used.sees('This link is incomplete');
  }
  {
    using left = openLink(linkIs(true));
    await left.sees('Choose a new password');
  }
  {
    using _shown = openLink(done, <AuthDeleteAccountScreen />);
    // The page was left by another page load, which takes it away as well, and somebody came to it later.
    pageCameBy('navigate');
    using later = showScreen(<AuthDeleteAccountScreen />, {}, again);
    await later.sees('This link is incomplete');
    expect(Object.values(sessionStorage).join(), 'it is not kept any longer').not.toContain(MAILED);
  }
  using forgot = showScreen(<AuthResetScreen />, {}, again);
  await forgot.sees('Forgot your password?');
});

test('a link that stops nothing any more says what may have happened', async () => {
  const data = { code: 'token_invalid', requestId: 'request-1' };
  const refused = () => Response.json({ error: { json: { code: -32600, message: 'Over', data } } }, { status: 400 });
  using shown = openLink(refused, <AuthStopEmailChangeScreen />);
  shown.button('Stop the change').click();
  await shown.sees('This link no longer works');
  await shown.sees('choose a new password. If the password link');
  expect(shown.linkTo('write to us')).toBe('/about#contact-form');
  expect(shown.linkTo('Back to Home')).toBe('/');
});

test('an account is deleted by a button, not by opening the link, and the link works once', async () => {
  // Who is logged in is asked as well.
  const json = () => ({ accountId: ada.id, id: session.accountId() });
  const answered = vi.fn(() => Response.json({ result: { data: { json: json() } } }));
  session.signIn(ada, 'other');
  using shown = openLink(answered, <AuthDeleteAccountScreen />);
  await shown.sees('This cannot be undone.');
  expect(shown.linkTo('Back to Home')).toBe('/');
  expect(answered).not.toHaveBeenCalled();
  shown.button('Delete account').click();
  await shown.sees('Your account was deleted');
  expect(session.accountId(), 'who is logged in to another account stays there').toBe('other');
  session.signIn(ada, ada.id);
  using own = openLink(answered, <AuthDeleteAccountScreen />);
  own.button('Delete account').click();
  await own.sees('Your account was deleted');
  expect(session.accountId()).toBe(null);

  const data = { code: 'token_invalid', requestId: 'request-1' };
  const refused = () => Response.json({ error: { json: { code: -32600, message: 'Over', data } } }, { status: 400 });
  using spent = openLink(refused, <AuthDeleteAccountScreen />);
  spent.button('Delete account').click();
  await spent.sees('This link no longer works');
  expect(spent.linkTo('Go to Account')).toBe('/account');

  using cut = showScreen(<AuthDeleteAccountScreen />, {}, { pattern: '/', path: '/' });
  await cut.sees('This link is incomplete');
  expect(cut.linkTo('Go to Account')).toBe('/account');
});

test('who has proved no address is told before that the password alone deletes the account, and what stays where', async () => {
  const nothing = () => undefined;
  const props = { user: { ...ada, emailConfirmed: false }, onMailed: nothing, onClose: nothing };
  const destinations = (['built-in', 'replit', 'netlify'] as const).map((platform) => ({
    ...{ id: platform, platform, url: `https://${platform}.example`, state: 'live' as const, error: null },
  }));
  using _shown = showScreen(<DeleteAccountDialog {...props} />, {
    'connections.list': () => ({ items: [], signIn: [], tokenPages: {} }),
    'deployments.list': () => ({ items: [deploymentOf({ destinations })], nextCursor: null }),
  });
  const dialog = document.querySelector('[role=alertdialog]') ?? expect.fail();
  expect(dialog.textContent).toContain(`This deletes the account ${ada.username} (${ada.email}).`);
  expect(dialog.textContent).toContain(
    'Your email address is not confirmed, so your password alone deletes the account.',
  );
  await expect
    .poll(() => dialog.textContent)
    .toContain(
      'replit.example stays until you delete the app at Replit yourself.' +
        'netlify.example stays at Netlify, which Fairlead can no longer reach: take it down there.' +
        'For up to 30 days nobody can use the addresses of your live sites on the built-in host, not even you with a new account.' +
        'Your files',
    );
});

test('an account whose address is proved stays until its link is opened, and says which address gets it', async () => {
  const to = 'earlier@example.com';
  using shown = showScreen(<AccountScreen />, { ...answers(), 'account.delete': () => ({ mailedTo: to }) });
  shown.button('Delete account').click();
  const dialog = await vi.waitFor(() => document.querySelector('[role=alertdialog]') ?? expect.fail());
  expect(dialog.textContent).toContain(
    `The link that deletes your account goes to ${ada.email}, or for 7 days after a change of email to your earlier address if that was confirmed.`,
  );
  typeInto(dialog, 'currentPassword', 'Correct horse 1');
  dialog.querySelector('input')?.setAttribute('name', 'typed');
  typeInto(dialog, 'typed', ada.username);
  await submit(dialog.querySelector('form'));
  await expect.poll(() => lastToast()?.description).toContain(`the link we sent to ${to}`);
  expect(document.querySelector('[role=alertdialog]')).toBeNull();
  await shown.sees(`Link sent to ${to}`);
});

test('a token is made with the password, and what is wrong with it stands on its field', async () => {
  const fieldErrors = { currentPassword: 'The current password is not right' };
  const create = vi.fn((_input: unknown) =>
    refusal('validation_failed', 'The current password is not right.', { fieldErrors }),
  );
  using shown = showScreen(<SettingsScreen />, { ...answers(), 'tokens.create': create });
  shown.button('New token').click();
  const form = await vi.waitFor(() => document.querySelector<HTMLFormElement>('[role=dialog] form') ?? expect.fail());
  const sees = (text: string) => vi.waitFor(() => expect(document.body.textContent).toContain(text));
  writeInto(form, 'name', 'CI');
  await submit(form);
  await sees('Enter your current password');
  expect(create).not.toHaveBeenCalled();
  writeInto(form, 'currentPassword', 'Anchor weigh 1');
  await submit(form);
  await sees('The current password is not right');
  expect(create.mock.calls[0]?.[0]).toEqual({
    name: 'CI',
    scopes: ['read', 'write'],
    expiresInDays: 90,
    currentPassword: 'Anchor weigh 1',
  });
});

test('settings warn where the page is reached over plain http from another machine, and nowhere else', async () => {
  for (const isSecure of [true, false]) {
    vi.stubGlobal('isSecureContext', isSecure);
    using shown = showScreen(<SettingsScreen />, answers());
    await shown.sees('Profile');
    expect(shown.page.textContent?.includes('This connection is not encrypted')).toBe(!isSecure);
  }
  vi.unstubAllGlobals();
});

test('a new password that holds the user name is hinted at, and not refused', async () => {
  const change = vi.fn(() => ({ done: true }));
  using shown = showScreen(<AccountScreen />, { ...answers(), 'auth.changePassword': change });
  const form = () => shown.page.querySelector('input[name=newPassword]')?.closest('form');
  await vi.waitFor(() => expect(form()).toBeTruthy());
  writeInto(shown.page, 'currentPassword', 'Anchor weigh 1');
  writeInto(shown.page, 'newPassword', 'Adas boat 22');
  writeInto(shown.page, 'confirmPassword', 'Adas boat 22');
  await shown.sees('It contains your username');
  await submit(form());
  await vi.waitFor(() => expect(change).toHaveBeenCalledTimes(1));
});
