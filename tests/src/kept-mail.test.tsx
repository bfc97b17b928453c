import { flushSync } from 'react-dom';
import superjson from 'superjson';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { signInAs } from '../../src/api/user.ts';
import { ChangeEmailDialog } from '../../src/features/auth/change-email-dialog.tsx';
import { ConfirmBanner } from '../../src/features/auth/confirm-banner.tsx';
import { Identity } from '../../src/features/auth/identity.tsx';
import { ForgotPasswordForm } from '../../src/features/auth/password/forgot-password-form.tsx';
import { RoomNotice } from '../../src/features/deployments/select/room.tsx';
import { AuthConfirmScreen } from '../../src/screens/auth/confirm.tsx';
import { FaqScreen } from '../../src/screens/faq.tsx';
import { HelpScreen } from '../../src/screens/help.tsx';
import { SettingsScreen } from '../../src/screens/settings.tsx';
import { showScreen, submit, typeInto } from '../support/screen.tsx';
import { ada } from '../support/screen-fixtures.ts';

let known = Promise.resolve();

beforeEach(() => {
  known = Promise.resolve();
  localStorage.clear();
  session.signOut();
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    if (String(input).includes('contact.get')) await known;
    const data = String(input).includes('contact.get')
      ? { supportEmail: 'support@localhost', keepsMail: true }
      : { done: true };
    const answer = { result: { data: superjson.serialize(data) } };
    return Response.json(String(input).includes('batch=1') ? [answer] : answer);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Returns modules that have no answer yet: those of other tests never ask again. */
async function unanswered() {
  vi.resetModules();
  const [screen, faq, banner, store] = await Promise.all([
    import('../support/screen.tsx'),
    import('../../src/screens/faq.tsx'),
    import('../../src/features/auth/confirm-banner.tsx'),
    import('../../src/components/overlays/toast-store.ts'),
  ]);
  return { ...screen, ...faq, ...banner, ...store };
}

test('an article whose question where mail goes fails can be read', async () => {
  const { showScreen, FaqScreen } = await unanswered();
  vi.mocked(fetch).mockRejectedValue(new TypeError('Failed to fetch'));
  using shown = showScreen(<FaqScreen />, {});
  for (const article of shown.page.querySelectorAll('details')) {
    article.open = true;
    flushSync(() => article.dispatchEvent(new Event('toggle')));
  }
  expect(shown.page.querySelector('.invisible')).not.toBe(null);
  await vi.waitFor(() => expect(shown.page.querySelector('.invisible')).toBe(null));
  await shown.sees('it keeps a link that works once, within 30 minutes, in its outbox.');
});

test('a link that is asked for before it is known where mail goes is told of the outbox', async () => {
  const { showScreen, ConfirmBanner, toasts } = await unanswered();
  let tell = (): void => undefined;
  known = new Promise((resolve) => {
    tell = resolve;
  });
  using shown = showScreen(<ConfirmBanner user={{ ...ada, emailConfirmed: false }} />, {});
  expect(shown.page.querySelector('.invisible')?.textContent, 'its room').toContain('npx fairlead outbox show ada@');
  expect(shown.page.querySelector('[data-notice]'), 'no toast makes way for it').toBe(null);
  shown.button('Get a new link').click();
  await expect
    .poll(() =>
      vi
        .mocked(fetch)
        .mock.calls.map(([url]) => String(url))
        .join(),
    )
    .toContain('sendConfirmation');
  tell();
  // The page has the command already, and the toast would cover it.
  const description = 'It is in the outbox, on the computer where Fairlead runs.';
  await expect.poll(() => toasts.get().at(-1)).toMatchObject({ title: 'Link created', description });
});

test('of a link nobody says that it was sent while it is not known whether mail is', async () => {
  const { showScreen, ConfirmBanner, toasts } = await unanswered();
  known = Promise.reject(new TypeError('Failed to fetch'));
  known.catch(() => undefined);
  using shown = showScreen(<ConfirmBanner user={{ ...ada, emailConfirmed: false }} />, {});
  shown.button('Get a new link').click();
  await expect.poll(() => toasts.get().at(-1)).toMatchObject({ title: 'Link created', description: undefined });
});

test('where no mail is sent, a forgotten password is told of the outbox and not of a spam folder', async () => {
  using shown = showScreen(<ForgotPasswordForm />, {});
  await shown.sees('Get a link');
  typeInto(shown.page, 'email', 'nobody');
  await submit(shown.page.querySelector('form'));
  await shown.sees('Please enter a valid email address');
  typeInto(shown.page, 'email', 'ada@example.com');
  await submit(shown.page.querySelector('form'));
  await shown.sees('This Fairlead does not send email: it keeps messages in its outbox.');
  expect(shown.page.textContent).toContain(
    'npx fairlead outbox show ada@example.com reset-password on the computer where Fairlead runs.',
  );
  expect(shown.page.textContent).toContain('within 30 minutes');
  expect(shown.page.textContent).not.toMatch(/sent it|spam/);
});

test.each([
  ['ada@example.com', ' ada@example.com'],
  ["o'hara@example.com", ''],
  ['-ada@example.com', ''],
])('where no mail is sent, the banner names the command that shows the link to %s', async (email, named) => {
  using shown = showScreen(<ConfirmBanner user={{ ...ada, email, emailConfirmed: false }} />, {});
  await expect.poll(() => shown.page.querySelector('.invisible')).toBe(null);
  expect(shown.page.querySelector('p[title]')?.textContent).toBe(
    `Get the link on the computer where Fairlead runs: npx fairlead outbox show${named} confirm-email`,
  );
});

test('where no mail is sent, the command for a waiting address stands on the banner and stays on Account', async () => {
  const user = { ...ada, emailConfirmed: false, pendingEmail: 'new@example.com' };
  for (const screen of [<ConfirmBanner key="banner" user={user} />, <Identity key="identity" user={user} />]) {
    using shown = showScreen(screen, {});
    await expect.poll(() => shown.page.querySelector('.invisible')).toBe(null);
    const command = shown.page.querySelector('[data-notice] code')?.textContent;
    expect(command, 'that a toast makes way for').toBe('npx fairlead outbox show new@example.com confirm-email');
  }
});

test.each([
  ['/faq', <FaqScreen key="faq" />, 'in its outbox. To see it, run npx fairlead outbox show reset-password on the'],
  ['/help', <HelpScreen key="help" />, 'in its outbox. To see it, run npx fairlead outbox show on the'],
])('where no mail is sent, %s names the command that shows it, and promises none', async (_path, screen, text) => {
  using shown = showScreen(screen, {});
  for (const article of shown.page.querySelectorAll('details')) {
    article.open = true;
    article.dispatchEvent(new Event('toggle'));
  }
  await vi.waitFor(() => expect(shown.page.querySelector('.invisible')).toBe(null));
  await shown.sees(text);
  expect(shown.page.textContent).not.toMatch(/you get an email|goes to the email address/);
});

test('where no mail is sent, a change of the address promises no notice', async () => {
  const nothing = () => undefined;
  using shown = showScreen(<ChangeEmailDialog user={ada} onClose={nothing} />, {});
  const notice = `it keeps the link in its outbox, along with a notice to ${ada.email}.`;
  await expect.poll(() => document.body.textContent).toContain(notice);
  expect(document.body.textContent).not.toContain('We also notify');
  shown[Symbol.dispose]();
  using _unproved = showScreen(<ChangeEmailDialog user={{ ...ada, emailConfirmed: false }} onClose={nothing} />, {});
  await expect.poll(() => document.body.textContent).toContain('it keeps the link in its outbox.');
});

test('where no mail is sent, settings and a confirmed address do not promise any', async () => {
  signInAs(ada);
  const confirm = { pattern: '/auth/confirm', path: '/auth/confirm#token=x' };
  for (const [screen, place, text] of [
    [<SettingsScreen key="settings" />, undefined, 'it keeps these messages to ada@example.com in its outbox.'],
    [
      <AuthConfirmScreen key="confirm" />,
      confirm,
      'This Fairlead does not send email: it keeps messages in its outbox.',
    ],
  ] as const) {
    using shown = showScreen(screen, {}, place);
    await shown.sees(text);
    expect(shown.page.querySelector('.invisible')).toBe(null);
    expect(shown.page.textContent).not.toMatch(/We’ll send|What we email/);
  }
});

test.each([
  ['to a visitor', null],
  ['to whoever is logged in', { ...ada, emailConfirmed: false }],
])('a link of which a part is missing is called incomplete %s, wherever its mail is', async (_to, user) => {
  if (user !== null) signInAs(user);
  using shown = showScreen(<AuthConfirmScreen />, {}, { pattern: '/auth/confirm', path: '/auth/confirm' });
  await shown.sees('This link is incomplete');
  expect(shown.page.textContent).toContain('Open the whole link again, or ask for a new one.');
  expect(shown.page.textContent).toContain(user === null ? 'Log in to get another link' : 'Get a new link');
});

test('who has forgotten the password goes back to where the question was', () => {
  {
    using visitor = showScreen(<ForgotPasswordForm />, {});
    expect(visitor.linkTo('Back to login')).toBe('/login');
  }
  signInAs(ada);
  using shown = showScreen(<ForgotPasswordForm />, {});
  expect(shown.linkTo('Back to Account')).toBe('/account');
});

test.each([
  [360, false],
  [1280, true],
])('at a width of %i the place of the link is open on the banner: %s', (width, isOpen) => {
  vi.stubGlobal('innerWidth', width);
  using shown = showScreen(<ConfirmBanner user={{ ...ada, emailConfirmed: false }} />, {});
  expect(shown.page.querySelector('details')?.open).toBe(isOpen);
  expect(shown.page.querySelector('details button'), 'its act is never behind it').toBeNull();
  vi.unstubAllGlobals();
});

test('the banner is put away until the next day, on every page', async () => {
  const unconfirmed = { ...ada, emailConfirmed: false };
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2030-01-01T12:00:00') });
  const isShown = (path: string, user = unconfirmed) => {
    using shown = showScreen(<ConfirmBanner user={user} />, {}, { pattern: path, path });
    return shown.page.textContent?.includes('Confirm your email');
  };
  {
    using shown = showScreen(<ConfirmBanner user={unconfirmed} />, {});
    flushSync(() => shown.button('Confirm later').click());
    expect(shown.page.textContent).toBe('');
  }
  expect(['/deployments', '/settings', '/account'].map((path) => isShown(path))).toEqual([false, false, false]);
  expect(isShown('/deployments', { ...unconfirmed, id: 'grace' }), 'another account').toBe(true);
  vi.setSystemTime(new Date('2030-01-02T08:00:00'));
  expect(isShown('/deployments')).toBe(true);
  vi.useRealTimers();
});

test('where there is no room before the address is confirmed the command is said again', async () => {
  signInAs({ ...ada, emailConfirmed: false });
  const refusal = { message: 'It is full.', hint: 'Confirm your address.', isCertain: true, asksToConfirm: true };
  const room = { refusal, isAsked: false };
  using shown = showScreen(<RoomNotice room={room} selection={{ name: 'harbour', files: [] }} />, {});
  await shown.sees('Get the link on the computer where Fairlead runs: npx fairlead outbox show ada@example.com');
});
