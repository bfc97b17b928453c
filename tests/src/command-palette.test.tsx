import { flushSync } from 'react-dom';
import { afterEach, expect, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { signInAs } from '../../src/api/user.ts';
import { Palette } from '../../src/layouts/command-palette.tsx';
import { readTheme } from '../../src/lib/storage.ts';
import { showScreen, typeInto } from '../support/screen.tsx';
import { ada, deploymentOf } from '../support/screen-fixtures.ts';

afterEach(() => {
  session.signOut();
  localStorage.clear();
});

/** Shows it to a person with one deployment; `first` types a text and returns the first match. */
function showPalette() {
  signInAs(ada);
  const list = vi.fn((input: unknown) => {
    const search = String(Reflect.get(Object(input), 'search') ?? '');
    return { items: [deploymentOf()].filter(({ name }) => name.includes(search)), nextCursor: null };
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
  return { first, [Symbol.dispose]: () => shown[Symbol.dispose]() };
}

test.each([
  ['publish', 'New Deployment', '/new-deployment'],
  ['account', 'Account', '/account'],
  ['faq', 'Frequently Asked Questions', '/faq'],
  ['subscription', 'Pricing & Trial', '/pricing'],
  ['password', 'Account', '/account'],
  ['roll back', 'Roll back harbour', '/deployments/harbour?tab=releases'],
  ['rollback', 'Roll back harbour', '/deployments/harbour?tab=releases'],
  ['delete harbour', 'Delete harbour', '/deployments/harbour?tab=settings'],
  ['remove', 'Delete harbour', '/deployments/harbour?tab=settings'],
])('“%s” leads to %s', async (text, label, place) => {
  using palette = showPalette();
  await vi.waitFor(() => expect(palette.first(text)?.textContent).toContain(label));
  flushSync(() => (palette.first(text) as HTMLElement).click());
  expect(location.pathname + location.search).toBe(place);
});

test('“dark” is the dark theme', () => {
  using palette = showPalette();
  flushSync(() => (palette.first('dark') as HTMLElement).click());
  expect(readTheme()).toBe('dark');
});
