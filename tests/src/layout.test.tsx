import { flushSync } from 'react-dom';
import { expect, onTestFinished, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { screenLinks } from '../../src/layouts/screen-links.ts';
import { lazyComponent } from '../../src/lib/lazy-component.tsx';
import { routes } from '../../src/routes.tsx';
import { UploadError } from '../../src/uploads/request.ts';
import { failureOf } from '../../src/uploads/sending-failure.ts';
import { sendings } from '../../src/uploads/sendings.ts';
import { ada, sendingOf, shownAt } from '../support/screen-fixtures.ts';
import { arrivesAt, follow, press, showApp, shown, textsOf } from '../support/shown-app.tsx';

const MAIN = ['Home /', 'Dashboard /dashboard', 'Analytics /analytics'];
const DEPLOYMENTS = [
  'Active Deployments /deployments',
  'Deployment History /deployment-history',
  'New Deployment /new-deployment',
];
const CONFIGURATION = ['Domains /domains', 'SSL Certificates /certificates', 'Settings /settings'];
const TOOLS = [
  'All-in-One DeploymentNew /unified-deployment',
  'Deploy to Netlify /deploy/netlify',
  'Guided Deployment /guided-deployment',
  'System DiagnosticsNew /diagnostics',
  'Test & Simulation /test-simulation',
  'License Management /license-management',
];
const FOOTER = ['Help & Documentation /help', 'Pricing & TrialBeta /pricing', 'About /about', 'Logout /login'];
const signedIn = { user: ada, answers: { 'auth.logout': () => ({ done: true }) } };

/** Name and address of every link of an area, in their order. */
function entriesOf(area: Element | null): string[] {
  const links = [...(area?.querySelectorAll('a') ?? [])];
  return links.map((link) => `${link.textContent?.trim()} ${link.getAttribute('href')}`);
}

function groupsOf(area: Element | null): [string | null | undefined, string[]][] {
  const groups = [...(area?.querySelectorAll('section') ?? [])];
  return groups.map((group) => [group.querySelector('h2')?.textContent, entriesOf(group)]);
}

async function openAccountMenu(area: string): Promise<string[]> {
  const opener = await vi.waitFor(() => {
    const buttons = [...document.querySelectorAll<HTMLElement>(`${area} button[aria-haspopup="menu"]`)];
    return (
      buttons.find((button) => /Account menu/.test(button.getAttribute('aria-label') ?? button.textContent ?? '')) ??
      expect.fail(`No account menu in ${area}`)
    );
  });
  flushSync(() => void opener.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })));
  await shown('[role="menuitem"]', 'Log out');
  return textsOf('[role="menuitem"]');
}

test('the sidebar has four groups and a footer, the slide-in three groups, and both the account menu with the tools', async () => {
  await using _app = showApp('/settings', signedIn);
  await shown('aside span', 'Fast domain deployment');
  const groups = [
    ['Main', MAIN],
    ['Deployments', DEPLOYMENTS],
    ['Configuration', CONFIGURATION],
    ['Tools', TOOLS],
  ];
  expect(groupsOf(document.querySelector('aside'))).toEqual(groups);
  expect(entriesOf(document.querySelector('aside nav[aria-label="More"]'))).toEqual(FOOTER);

  const items = [
    'Account',
    ...TOOLS.map((entry) => entry.replace(/(New)? \/.*$/, '')),
    'Pricing & Trial',
    'Help & Documentation',
    'Log out',
  ];
  for (const area of ['aside', 'header']) {
    expect(await openAccountMenu(area), area).toEqual(area === 'aside' ? items : items.toSpliced(1, 0, 'Go to'));
    expect(textsOf('[role="menu"]').join(), area).toContain('Tools');
    flushSync(
      () => void document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })),
    );
    await vi.waitFor(() => expect(textsOf('[role="menu"]')).toEqual([]));
  }

  await press('header button', 'Open menu');
  await shown('[role="dialog"] h2', 'Main');
  expect(groupsOf(document.querySelector('[role="dialog"]'))).toEqual(groups.slice(0, 3));
  expect(document.querySelector('[role="dialog"] a[href="/diagnostics"]')).toBeNull();
});

test('the sidebar Logout entry points to /login and logs out; signed out it reads the same, below Log in', async () => {
  await using app = showApp('/help', signedIn);
  await press('aside a', 'Logout');
  await arrivesAt('/login');
  await shown('button', 'Log In');
  expect(app.calls).toContain('auth.logout');
  expect(session.hasToken()).toBe(false);
  follow('/pricing');
  expect((await shown('aside a', 'Logout')).getAttribute('href')).toBe('/login');
  expect(textsOf('aside a').filter((text) => /^log/i.test(text))).toEqual(['Log in', 'Logout']);
});

test('logging out while files are sent is asked first, and the Login page names what was being sent', async () => {
  const sending = sendingOf();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  await using app = showApp('/help', signedIn);
  localStorage.setItem('fairlead.upload.a', 'a record');
  sendings.set([sending]);
  await press('aside a', 'Logout');
  const words =
    'Harbour is being sent. Logging out stops that. Log in again to finish it, and keep this tab open until then.';
  await shown('[role=alertdialog] p', words);
  await vi.waitFor(() => expect(document.activeElement?.textContent).toBe('Cancel'));
  await press('[role=alertdialog] button', 'Cancel');
  expect(document.querySelector('[role=alertdialog]')).toBeNull();
  // A logout would be sent by now.
  await vi.dynamicImportSettled();
  await new Promise((resolve) => setTimeout(resolve));
  expect(app.calls).not.toContain('auth.logout');
  expect(session.hasToken()).toBe(true);
  localStorage.setItem('fairlead.upload.a', 'a record');
  await press('aside a', 'Logout');
  await press('[role=alertdialog] button', 'Log out');
  await arrivesAt('/login');
  const failure = failureOf(new UploadError('unauthenticated', ''), false);
  sendings.set([{ ...sending, state: 'failed', failure }]);
  await shown('p', 'Harbour was being sent');
  await shown('main div', 'Log in to the same account to finish it. Keep this tab open until then.');
  const other = new BroadcastChannel('fairlead-left-sendings');
  other.postMessage(['Quay']);
  await shown('p', 'Harbour and Quay were being sent');
  await shown('main div', 'Log in to the same account to finish it. Keep the tabs that send open until then.');
  other.close();
  // It was closed: it gives no answer, and after the second question it is not named any more.
  flushSync(() => void vi.advanceTimersByTime(4_000));
  await shown('p', 'Harbour was being sent');
  sendings.set([]);
});

test('a link to a section of Settings, which was open before, leads to that section and not to the top', async () => {
  await using _app = showApp('/settings', signedIn);
  const sections = screenLinks.flatMap(({ path }) => path.split('/settings#')[1] ?? []);
  expect(sections).toHaveLength(4);
  await vi.waitFor(() =>
    expect([...document.querySelectorAll('h2')].map(({ id }) => id)).toEqual(expect.arrayContaining(sections)),
  );
  follow('/about');
  await shown('header a', 'About');
  const scrolled: string[] = [];
  vi.spyOn(window, 'scrollTo').mockImplementation(() => void scrolled.push('top'));
  vi.spyOn(Element.prototype, 'scrollIntoView').mockImplementation(function (this: Element) {
    scrolled.push(this.id);
  });
  follow('/settings#api-tokens');
  await vi.waitFor(() => expect(scrolled.at(-1)).toBe('api-tokens'));
  expect(scrolled).toContain('top');
});

test('the account menu of a phone opens the palette, leads to Help and logs out', async () => {
  await using app = showApp('/settings', signedIn);
  await shown('aside span', 'Fast domain deployment');
  await openAccountMenu('header');
  await press('[role="menuitem"]', 'Go to');
  await shown('[role=dialog] input', 'Screen, deployment, domain or action');
  await press('[role=dialog] button', 'Close');
  await openAccountMenu('header');
  await press('[role="menuitem"]', 'Help & Documentation');
  await arrivesAt('/help');
  await openAccountMenu('header');
  await press('[role="menuitem"]', 'Log out');
  await arrivesAt('/login');
  expect(app.calls).toContain('auth.logout');
});

const BAR = ['Fairlead /', 'Home /', 'Dashboard /dashboard', 'About /about'];

test('the top bar leads home, to the dashboard and to About, and visitors to Login and Register', async () => {
  await using _app = showApp('/about');
  for (const path of ['/', '/login', '/register', '/auth', '/about']) {
    follow(path);
    await shown('header a', 'Register');
    expect(entriesOf(document.querySelector('header')), path).toEqual([...BAR, 'Login /login', 'Register /register']);
    expect(document.querySelector('aside'), path).toBeNull();
  }
  expect(textsOf('header [aria-current="page"]')).toEqual(['About']);
  await press('header nav a', 'Home');
  await arrivesAt('/');
  expect(textsOf('header [aria-current="page"]')).toEqual(['Home']);
  await press('header button', 'Open menu');
  await shown('[role="dialog"] a', 'Register');
  expect(entriesOf(document.querySelector('[role="dialog"]'))).toEqual([
    ...BAR.slice(1),
    'Login /login',
    'Register /register',
  ]);
});

test('where somebody was going is kept by Login and Register, behind the disclaimer and on the sign-in screen', async () => {
  await using _app = showApp('/domains/xyz?tab=records', { hasSeenDisclaimer: false });
  const target = '?redirect=%2Fdomains%2Fxyz%3Ftab%3Drecords';
  const kept = [`Login /login${target}`, `Register /register${target}`];
  await shown('header a', 'Register');
  await arrivesAt('/disclaimer');
  expect(entriesOf(document.querySelector('header')).slice(-2)).toEqual(kept);
  await press('header button', 'Open menu');
  await shown('[role="dialog"] a', 'Register');
  expect(entriesOf(document.querySelector('[role="dialog"]')).slice(-2)).toEqual(kept);
  follow(`/auth${target}`);
  await shown('[role=tab]', 'Login');
  expect(entriesOf(document.querySelector('header')).slice(-2)).toEqual(kept);
});

test('who is signed in sees neither Login nor Register in the top bar', async () => {
  await using _app = showApp('/about', { user: ada });
  await shown('header button', 'Account menu of Ada');
  expect(entriesOf(document.querySelector('header'))).toEqual(BAR);
});

test('a screen that breaks leaves its error, folded details and a way to reload', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const { screen } = routes.faq;
  routes.faq.screen = lazyComponent<object>(() => Promise.reject(new Error('The keel is gone')));
  try {
    await using _app = showApp('/about');
    const reload = vi.spyOn(location, 'reload').mockImplementation(() => {});
    follow('/faq');
    await shown('[role="alert"] h1', 'Something went wrong');
    expect(textsOf('[role="alert"] p')).toEqual(['The keel is gone']);
    const details = document.querySelector('[role="alert"] details') ?? expect.fail('There are no details.');
    expect([details.hasAttribute('open'), details.textContent]).toEqual([
      false,
      expect.stringContaining('The keel is gone'),
    ]);
    await press('[role="alert"] button', 'Reload Page');
    expect(reload).toHaveBeenCalledOnce();
  } finally {
    routes.faq.screen = screen;
  }
});

test('a server that does not answer leaves no page empty', async () => {
  await using _app = showApp('/about', { user: ada });
  vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'));
  await shown('h2', 'Our Mission');
  follow('/settings');
  await shown('main button', 'Retry');
  await shown('h1', 'Settings');
});

test('while files are sent every bar says how much of them, the sidebar lists them, and both to keep the page open', async () => {
  const progress = {
    phase: 'sending',
    filesDone: 3,
    filesTotal: 7,
    bytesDone: 43,
    bytesTotal: 99,
    filesThere: 0,
    isWaiting: false,
  } as const;
  await using _app = showApp('/about', { user: ada });
  sendings.set([sendingOf({ progress })]);
  for (const path of ['/about', '/settings']) {
    follow(path);
    await shown('header a', 'Sending 43%Keep this tab open');
  }
  await shown('aside a', 'Harbour3 of 7 filesSending, 43 of 99 B');
  await shown('aside p', 'SendingKeep this tab open');
  sendings.set([]);
  await vi.waitFor(() => expect(textsOf('header, aside').join()).not.toContain('Sending'));
});

test('the bar of a public page says how long the trial lasts', async () => {
  const trial = { plan: 'PRO', status: 'trialing', startedAt: shownAt, endsAt: new Date('2100-01-01') };
  const answers = { 'subscription.get': () => ({ ...trial, renews: false, cancelAtEnd: false, nextPlan: null }) };
  await using app = showApp('/about', { user: ada, answers });
  await vi.waitFor(() => expect(app.page.querySelector('header')?.textContent).toMatch(/Trial: \d+\sdays\sleft/));
});
