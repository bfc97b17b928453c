import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Route, Switch } from 'wouter';
import { session } from '../../src/api/session/session.ts';
import { toasts } from '../../src/components/overlays/toast-store.ts';
import { DisclaimerGate } from '../../src/features/disclaimer/disclaimer-gate.tsx';
import { readWantedPage } from '../../src/features/disclaimer/wanted-page.ts';
import { BetaWelcomeScreen } from '../../src/screens/beta-welcome.tsx';
import { DisclaimerScreen } from '../../src/screens/disclaimer.tsx';
import { setWaiting } from '../../src/uploads/waiting-selection.ts';
import { refusal } from '../support/screen.tsx';
import { ada } from '../support/screen-fixtures.ts';
import { browserOf, serve } from '../support/shown-app.tsx';

beforeEach(() => {
  localStorage.clear();
  // biome-ignore lint/suspicious/noDocumentCookie: as the app does
  document.cookie = 'disclaimerSeen=; Max-Age=0; Path=/';
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (path) =>
    String(path).includes('refresh-token')
      ? new Response('{}', { status: 401 })
      : Response.json([{ result: { data: {} } }]),
  );
});

/** The gate and the two screens behind it, entered at `path`. */
function enterAt(path: string, title: string) {
  const gate = (
    <DisclaimerGate title={title}>
      <Switch>
        <Route path="/disclaimer">
          <DisclaimerScreen />
        </Route>
        <Route path="/beta-welcome">
          <BetaWelcomeScreen />
        </Route>
        <Route>
          <p>Arrived</p>
        </Route>
      </Switch>
    </DisclaimerGate>
  );
  history.replaceState(null, '', path);
  const page = document.createElement('main');
  const root = createRoot(page);
  flushSync(() => root.render(gate));
  const names = () => [...page.querySelectorAll('button')].map((button) => button.textContent);
  const sees = (name: string) => vi.waitFor(() => expect(names()).toContain(name));
  return {
    place: () => location,
    names,
    text: () => page.textContent,
    sees,
    presses: async (name: string) => {
      await sees(name);
      const button = [...page.querySelectorAll('button')].find(({ textContent }) => textContent === name);
      // It opens in an effect that comes after the screen: a press before that does nothing.
      await vi.waitFor(() => expect(button?.disabled).toBe(false));
      button?.click();
    },
    [Symbol.dispose]: () => root.unmount(),
  };
}

const WAYS_ON = ['View Pricing Options', 'Go to Dashboard'];

test('who was going somewhere is offered the way there after the welcome, with query and hash, and told what waits', async () => {
  using visit = enterAt('/help?q=zip#folder', 'Help & Documentation');
  setWaiting({ name: 'harbour', files: [{ path: 'index.html', file: new File(['x'], 'index.html') }] });
  await visit.presses('Accept & Continue');
  await visit.sees('Continue to Help & Documentation');
  expect(visit.place().pathname).toBe('/beta-welcome');
  expect(visit.names()).toEqual(['Continue to Help & Documentation', ...WAYS_ON]);
  expect(visit.text()).toContain('harbour, 1 fileIt waits here');
  setWaiting(null);
  await visit.presses('Continue to Help & Documentation');
  await vi.waitFor(() =>
    expect([location.pathname, location.search, location.hash]).toEqual(['/help', '?q=zip', '#folder']),
  );
});

test('who came to Home is led to the place for the files there', async () => {
  using visit = enterAt('/', 'Home');
  await visit.presses('Accept & Continue');
  await visit.sees('Choose a folder');
  expect(visit.names()).toEqual(['Choose a folder', ...WAYS_ON]);
  expect(visit.text()).toContain('Who visits your sites, how your releases went, and all checks of each deployment.');
  await visit.presses('Choose a folder');
  await vi.waitFor(() => expect([location.pathname, location.hash]).toEqual(['/', '#publish']));
});

test('who came to Home on a phone chooses between a folder and a ZIP there', async () => {
  const query = window.matchMedia.bind(window);
  const touch = (wanted: string) => query(wanted.includes('hover: none') ? 'all' : wanted);
  const media = vi.spyOn(window, 'matchMedia').mockImplementation(touch);
  onTestFinished(() => media.mockRestore());
  using visit = enterAt('/', 'Home');
  await visit.presses('Accept & Continue');
  await visit.presses('Choose your files');
  await vi.waitFor(() => expect([location.pathname, location.hash]).toEqual(['/', '']));
});

test.each([
  ['/settings', '?redirect=%2Fsettings'],
  ['/', ''],
])('who came to %s and looks at the plans first goes on from there', async (path, search) => {
  using visit = enterAt(path, 'A title');
  await visit.presses('Accept & Continue');
  await visit.presses('View Pricing Options');
  await vi.waitFor(() => expect(location.pathname + location.search).toBe(`/subscription/pricing${search}`));
});

test.each(['/dashboard', '/dashboard/', '/nowhere'])('who came by %s has the two ways on', async (path) => {
  using visit = enterAt(path, 'A title');
  await visit.presses('Accept & Continue');
  await visit.sees('Go to Dashboard');
  expect(visit.names()).toEqual(WAYS_ON);
});

test('whom the server knows not to have accepted stays on the disclaimer though it was seen here, and can accept', async () => {
  browserOf({ ...ada, disclaimerAccepted: false });
  let disclaimerAccepted = false;
  const accept = () => {
    disclaimerAccepted = true;
    return { accepted: true };
  };
  serve({ 'user.get': () => ({ ...ada, disclaimerAccepted }), 'disclaimer.accept': accept });
  using visit = enterAt('/settings', 'Settings');
  await visit.presses('Accept & Continue');
  await visit.sees('Go to Dashboard');
  expect(toasts.get()).toMatchObject([
    { title: 'Welcome Aboard!', description: "You're now part of our beta program.", variant: 'default' },
  ]);
  expect(visit.place().pathname).toBe('/beta-welcome');
  await visit.presses('Continue to Settings');
  await vi.waitFor(() => expect(visit.text()).toBe('Arrived'));
  session.signOut();
});

test('when the acceptance cannot be recorded it is said, and the flag still leads on', async () => {
  serve({ 'disclaimer.accept': () => refusal('internal', 'The harbour is closed.') });
  using visit = enterAt('/dashboard', 'Dashboard');
  await visit.presses('Accept & Continue');
  await visit.sees('Go to Dashboard');
  expect(toasts.get()).toMatchObject([
    { title: 'Error', description: 'The harbour is closed.', variant: 'destructive' },
  ]);
  expect(visit.place().pathname).toBe('/beta-welcome');
});

test.each([null, 7, {}, { to: '/faq' }, { to: 7, title: 'FAQ' }, { to: 'https://example.com/faq', title: 'FAQ' }])(
  'anything else in the history is no wish: %j',
  (state) => {
    expect(readWantedPage(state)).toBe(null);
  },
);
