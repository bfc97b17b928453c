import superjson from 'superjson';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { clearToasts, toasts } from '../../src/components/overlays/toast-store.ts';
import { AuthScreen } from '../../src/screens/auth.tsx';
import { setWaiting } from '../../src/uploads/waiting-selection.ts';
import { showScreen, typeInto } from '../support/screen.tsx';
import { ada } from '../support/screen-fixtures.ts';

beforeEach(() => {
  localStorage.clear();
  // Somebody was signed in here before, and finds the form to log in.
  session.signIn(ada, ada.id);
  session.signOut();
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    if (!/user\.get|auth\.(login|register)/.test(String(input))) return new Response('{}', { status: 401 });
    const { accessToken, expiresAt, ...user } = ada;
    const data = String(input).includes('user.get') ? user : { ...user, accessToken, expiresAt };
    return Response.json({ result: { data: superjson.serialize(data) } });
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  clearToasts();
  document.body.replaceChildren();
});

function show() {
  const shown = showScreen(<AuthScreen />, {}, { pattern: '/auth', path: '/auth?redirect=%2Fdomains' });
  document.body.append(shown.page);
  return shown;
}

test('the folder that was dropped before there was an account is seen to wait', async () => {
  setWaiting({ name: 'harbour', files: [{ path: 'index.html', file: new File(['x'], 'index.html') }] });
  using shown = show();
  await shown.sees('harbour, 1 file');
  setWaiting(null);
});

test('who signs in in another tab is led on from the form in this one', async () => {
  using shown = show();
  await shown.sees('Forgot your password?');
  session.signIn(ada, ada.id);
  await shown.sees('Elsewhere');
  expect(location.pathname).toBe('/domains');
});

test('who signs in with the form is led on by its timer, once the greeting was seen', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  using shown = show();
  await shown.sees('Forgot your password?');
  typeInto(shown.page, 'username', 'Ada');
  typeInto(shown.page, 'password', 'correct horse battery');
  shown.button('Log In').click();
  await vi.waitFor(() => expect(toasts.get().at(-1)?.title).toBe('Login successful'), { timeout: 30_000 });
  expect(shown.page.textContent).toContain('Logging in...');
  await shown.sees('Elsewhere');
  expect(location.pathname).toBe('/domains');
});

test('whoever never signed in on this browser finds the form to register, and the plans lead on from there', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  localStorage.clear();
  // The page before has asked whether a cookie is here.
  localStorage.setItem('fairlead.lastRefreshAt', String(Date.now()));
  localStorage.setItem('fairlead.refreshRefusedAt', String(Date.now()));
  using shown = show();
  await shown.sees('Confirm Password');
  typeInto(shown.page, 'username', 'Ada');
  typeInto(shown.page, 'email', 'ada@example.com');
  typeInto(shown.page, 'password', 'Correct horse 1');
  typeInto(shown.page, 'confirmPassword', 'Correct horse 1');
  const button = [...shown.page.querySelectorAll('button')].find(({ type }) => type === 'submit');
  button?.click();
  await shown.sees('Elsewhere');
  expect(location.pathname + location.search).toBe('/subscription/pricing?redirect=%2Fdomains');
});
