import { flushSync } from 'react-dom';
import { afterEach, expect, test, vi } from 'vitest';
import type { ListedRelease } from '../../routers/schemas/releases.ts';
import { ReleaseMenu } from '../../src/features/releases/acts/release-menu.tsx';
import { type Answers, showScreen } from '../support/screen.tsx';
import { deploymentOf, releaseOf } from '../support/screen-fixtures.ts';

afterEach(() => document.body.replaceChildren());

async function itemsOf(
  release: ListedRelease,
  answers: Answers = {},
  last = 'Download as ZIP',
  told = (item: Element): string | null | undefined => item.textContent?.trim(),
): Promise<(string | null | undefined)[]> {
  using shown = showScreen(<ReleaseMenu release={release} isReadOnly={false} onRollBack={null} />, answers);
  document.body.append(shown.page);
  const trigger = shown.button(`Actions for release ${release.number} of harbour`);
  flushSync(() => void trigger.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })));
  const items = () => [...document.body.querySelectorAll('[role="menuitem"]')];
  await vi.waitFor(() => expect(items().map(({ textContent }) => textContent?.trim())).toContain(last));
  return items().map(told);
}

test('a preview is opened where the release has an address of its own', async () => {
  expect(await itemsOf(releaseOf())).toContain('Open preview');
  expect(await itemsOf(releaseOf({ platform: 'heroku', previewUrl: '' }))).toEqual([
    'Open release',
    'Compare',
    'Edit files',
    'Download as ZIP',
  ]);
});

test('the first release is compared with the live one, as there is none before it', async () => {
  const hrefs = async (release: ListedRelease) => {
    const found = await itemsOf(release, {}, undefined, (item) => item.getAttribute('href'));
    return found.filter((href) => href?.endsWith('#changes'));
  };
  const page = '/deployments/harbour/releases';
  expect(await hrefs(releaseOf({ number: 2, state: 'superseded' }))).toEqual([`${page}/2#changes`]);
  expect(await hrefs(releaseOf({ number: 1, state: 'superseded' }))).toEqual([`${page}/1?against=3#changes`]);
  expect(await hrefs(releaseOf({ number: 1, servingNumber: 1 }))).toEqual([]);
  expect(await hrefs(releaseOf({ number: 1, state: 'failed', servingNumber: null }))).toEqual([]);
});

test('where the platform would refuse it, replacing the token stands before another try', async () => {
  const message = 'Netlify does not accept the token.';
  const lost = { destinationId: 'harbour-here', provider: 'netlify', connectionId: 'netlify-1', message } as const;
  const answers = { 'deployments.get': () => deploymentOf({ lostConnections: [lost] }) };
  const items = await itemsOf(releaseOf({ number: 4, state: 'failed' }), answers, 'Replace token');
  expect(items.slice(-2)).toEqual(['Replace token', 'Try again']);
});
