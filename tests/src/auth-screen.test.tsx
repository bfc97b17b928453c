import superjson from 'superjson';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { clearToasts, toasts } from '../../src/components/overlays/toast-store.ts';
import { SESSION_KEYS } from '../../src/lib/storage/storage.ts';
import { AuthScreen } from '../../src/screens/auth.tsx';
import { setWaiting } from '../../src/uploads/waiting-selection.ts';
import { showScreen, typeInto } from '../support/screen.tsx';
import { ada } from '../support/screen-fixtures.ts';
import { atOnce } from '../support/shown-app.tsx';

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

function show(path = '/auth?redirect=%2Fdomains') {
  const shown = showScreen(<AuthScreen />, {}, { pattern: path.replace(/\?.*/, ''), path });
  document.body.append(shown.page);
  return shown;
}

test('the folder that was dropped before there was an account is seen to wait', async () => {
  const paths = ['index.html', '.env', 'img/.DS_Store'];
  setWaiting({ name: 'harbour', files: paths.map((path) => ({ path, file: new File(['x'], path) })) });
  using shown = show();
  // What is left out of a release is not counted.
  await shown.sees('harbour, 1 fileIt waits here');
  setWaiting(null);
});

test('who signs in in another tab is led on from the form in this one', async () => {
  using shown = show();
  await shown.sees('Forgot your password?');
  session.signIn(ada, ada.id);
  await shown.sees('Elsewhere');
  expect(location.pathname).toBe('/domains');
});

test.each([
  ['/auth?redirect=%2Fdomains', '/domains'],
  ['/auth', '/dashboard'],
])('who signs in at %s is greeted, and led to %s after 500 ms', async (path, target) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  using shown = show(path);
  await shown.sees('Forgot your password?');
  typeInto(shown.page, 'username', 'Ada');
  typeInto(shown.page, 'password', 'correct horse battery');
  shown.button('Log In').click();
  const greeting = { title: 'Login successful', description: 'Welcome back!', variant: 'default' };
  await atOnce(
    () => toasts.get().map(({ title, description, variant }) => ({ title, description, variant })),
    [greeting],
  );
  expect(shown.page.textContent).toContain('Logging in...');
  await vi.advanceTimersByTimeAsync(499);
  expect(location.pathname).toBe('/auth');
  await vi.advanceTimersByTimeAsync(1);
  expect(location.pathname).toBe(target);
});

test('whoever never signed in on this browser finds the form to register, and the plans lead on from there', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  localStorage.clear();
  // The page before has asked whether a cookie is here.
  localStorage.setItem('fairlead.lastRefreshAt', String(Date.now()));
  localStorage.setItem('fairlead.refreshRefusedAt', String(Date.now()));
  using shown = show();
  await shown.sees('Confirm Password');
  const account = { username: 'Ada', email: 'ada@example.com', password: 'Correct horse 1' };
  const fields = Object.entries({ ...account, confirmPassword: account.password });
  const [username] = fields.map(([name, text]) => typeInto(shown.page, name, text));
  const button = [...shown.page.querySelectorAll('button')].find(({ type }) => type === 'submit');
  button?.click();
  const told = () => toasts.get().map(({ title, description }) => `${title}: ${description}`);
  await atOnce(told, ['Registration successful: Your account has been created']);
  expect(username?.value).toBe('');
  // An empty form that could be filled in again would look as if it had failed.
  await atOnce(() => username?.closest('fieldset')?.disabled, true);
  expect(button?.textContent).toBe('Registering...');
  const [, sent] = vi.mocked(fetch).mock.calls.find(([url]) => String(url).includes('register')) ?? [];
  expect(JSON.parse(String(sent?.body)), 'the second password stays in the form').toEqual({ json: account });
  expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain(account.password);
  await vi.advanceTimersByTimeAsync(400);
  expect(told()).toEqual(["Account created successfully: Now let's choose a subscription plan to get started."]);
  await vi.advanceTimersByTimeAsync(599);
  expect(location.pathname).toBe('/auth');
  await vi.advanceTimersByTimeAsync(1);
  expect(location.pathname + location.search).toBe('/subscription/pricing?redirect=%2Fdomains');
});

test.each(['/auth', '/login', '/register'])('%s tells once why a session ended, and begins a new one', async (path) => {
  sessionStorage.clear();
  const reason = 'Authentication failed. Please log in again.';
  sessionStorage.setItem(SESSION_KEYS.expiryMarker, JSON.stringify({ reason, at: Date.now() }));
  sessionStorage.setItem(SESSION_KEYS.expiredRedirectDone, 'true');
  using shown = show(path);
  expect(shown.page.textContent).toContain(reason);
  await vi.waitFor(() => expect({ ...sessionStorage }).toEqual({}));
});
