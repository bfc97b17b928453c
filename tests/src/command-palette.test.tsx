import { flushSync } from 'react-dom';
import { afterEach, expect, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { signInAs } from '../../src/api/user.ts';
import { Palette } from '../../src/layouts/command-palette.tsx';
import { readTheme } from '../../src/lib/storage/storage.ts';
import { domainOf } from '../support/domain-fixtures.ts';
import { showScreen, typeInto } from '../support/screen.tsx';
import { ada, deploymentOf, releaseRefOf } from '../support/screen-fixtures.ts';
import { arrivesAt, press, showApp, shown, textsOf, typeTo } from '../support/shown-app.tsx';

afterEach(() => {
  session.signOut();
  localStorage.clear();
});

/** Shows it to a person with one deployment; `first` types a text and returns the first match. */
function showPalette(items = [deploymentOf()]) {
  signInAs(ada);
  const list = vi.fn((input: unknown) => {
    const search = String(Reflect.get(Object(input), 'search') ?? '');
    const isFound = ({ name }: { name: string }) => `${name}.localhost hârbour`.includes(search);
    return { items: items.filter(isFound), nextCursor: null };
  });
  const shown = showScreen(
    <Palette onClose={() => {}} />,
    { 'deployments.list': list, 'domains.list': () => ({ items: [], nextCursor: null }) },
    { pattern: '/:rest*', path: '/dashboard' },
  );
  const first = (text: string) => {
    typeInto(shown.page, 'command', text);
    return shown.page.querySelector('[role=option]');
  };
  return { first, page: shown.page, [Symbol.dispose]: () => shown[Symbol.dispose]() };
}

test.each([
  ['publish', 'New Deployment', '/new-deployment'],
  ['account', 'Account', '/account'],
  ['faq', 'Frequently Asked Questions', '/faq'],
  ['subscription', 'Pricing & Trial', '/pricing'],
  ['password', 'Account', '/account'],
  ['roll back', 'Roll back harbour', '/deployments/harbour?tab=releases'],
  ['rollback', 'Roll back harbour', '/deployments/harbour?tab=releases'],
  ['delete harbour', 'Delete harbour', '/deployments/harbour?tab=settings#delete'],
  ['remove', 'Delete harbour', '/deployments/harbour?tab=settings#delete'],
  ['roll', 'Roll back harbour', '/deployments/harbour?tab=releases'],
  ['undo', 'Roll back harbour', '/deployments/harbour?tab=releases'],
  ['price', 'Pricing & Trial', '/pricing'],
  ['cost', 'Pricing & Trial', '/pricing'],
  ['billing', 'Pricing & Trial', '/pricing'],
  ['trial', 'Pricing & Trial', '/pricing'],
  ['token', 'API tokens', '/settings#api-tokens'],
  ['connections', 'Hosting connections', '/settings#hosting-connections'],
  ['vercel', 'Deploy to Vercel', '/deploy/vercel'],
  ['netlify', 'Deploy to Netlify', '/deploy/netlify'],
  ['github', 'Deploy to GitHub Pages', '/deploy/github-pages'],
  ['hârbour', 'harbour', '/deployments/harbour'],
  ['harbour.localhost', 'harbour', '/deployments/harbour'],
  ['delete harbour.localhost', 'Delete harbour', '/deployments/harbour?tab=settings#delete'],
])('“%s” leads to %s', async (text, label, place) => {
  using palette = showPalette();
  await vi.waitFor(() => expect(palette.first(text)?.textContent).toContain(label));
  flushSync(() => (palette.first(text) as HTMLElement).click());
  expect(location.pathname + location.search + location.hash).toBe(place);
});

test('a way back is offered where there is one', async () => {
  const oldest = deploymentOf({ name: 'quay', currentRelease: releaseRefOf({ number: 1 }) });
  const latestRelease = releaseRefOf({ number: 2, state: 'failed' });
  const mole = { ...oldest, name: 'mole', releaseCount: 2, latestRelease };
  using palette = showPalette([deploymentOf(), deploymentOf({ name: 'atlas', releaseCount: 1 }), oldest, mole]);
  await vi.waitFor(() => expect(palette.first('delete')?.textContent).toContain('Delete harbour'));
  expect(palette.page.textContent).toContain('Delete atlas');
  palette.first('roll back');
  expect(palette.page.textContent).toContain('Roll back harbour');
  expect(palette.page.textContent).not.toContain('Roll back atlas');
  expect(palette.page.textContent).toContain('Bring back a later release of quay');
  expect(palette.page.textContent).not.toContain('Roll back quay');
  expect(palette.page.textContent, 'its later release never was live').not.toContain('later release of mole');
});

test('two deployments of one name are told apart', async () => {
  using palette = showPalette([deploymentOf(), deploymentOf({ id: 'other', slug: 'harbour-2' })]);
  await vi.waitFor(() => expect(palette.first('delete')?.textContent).toContain('Delete harbour'));
  const labels = [...palette.page.querySelectorAll('[role=option]')].map(({ textContent }) => textContent);
  expect(labels.slice(0, 2)).toEqual(['Delete harbourAction', 'Delete harbour (harbour-2)Action']);
});

test('“dark” is the dark theme', () => {
  using palette = showPalette();
  flushSync(() => (palette.first('dark') as HTMLElement).click());
  expect(readTheme()).toBe('dark');
});

/** Presses a key where the focus is. */
function pressKey(key: string, { ctrlKey = false } = {}): void {
  const pressed = new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true });
  flushSync(() => void (document.activeElement ?? document.body).dispatchEvent(pressed));
}

/** Waits until the palette is open and has the focus, and types there. */
async function typeThere(text: string): Promise<void> {
  const field = await shown('[role=dialog] input', 'Screen, deployment, domain or action');
  await vi.waitFor(() => expect(document.activeElement).toBe(field));
  typeTo(field as HTMLInputElement, text);
}

test('Ctrl K opens and closes it on any screen, and it is used by keyboard alone', async () => {
  const domain = domainOf({ name: 'xn--caf-dma.example', unicodeName: 'café.example' });
  const answers = {
    'deployments.list': () => ({ items: [], nextCursor: null }),
    'domains.list': () => ({ items: [domain], nextCursor: null }),
    'auth.logout': () => ({ done: true }),
  };
  await using _app = showApp('/settings', { user: ada, answers });
  await shown('aside button', 'Go to');
  pressKey('k', { ctrlKey: true });
  await typeThere('');
  pressKey('k', { ctrlKey: true });
  await vi.waitFor(() => expect(textsOf('[role=dialog]')).toEqual([]));

  await press('aside button', 'Go to');
  await typeThere('de');
  const marked = () => textsOf('[role=option]').indexOf(textsOf('[role=option][aria-selected=true]').join());
  pressKey('ArrowDown');
  expect(marked()).toBe(1);
  pressKey('ArrowUp');
  expect(marked()).toBe(0);
  await typeThere('nothing of that name');
  await shown('[role=dialog] [role=status]', 'Nothing matches “nothing of that name”.');
  await typeThere(domain.name);
  await vi.waitFor(() => expect(textsOf('[role=option]')).toEqual(['café.exampleDomain']));
  pressKey('Enter');
  await arrivesAt(`/domains/${domain.id}`);

  pressKey('k', { ctrlKey: true });
  await typeThere('Log out');
  pressKey('Enter');
  await arrivesAt('/login');
});
