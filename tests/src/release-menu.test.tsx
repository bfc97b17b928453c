import { flushSync } from 'react-dom';
import { afterEach, expect, test, vi } from 'vitest';
import type { ListedRelease } from '../../routers/schemas/releases.ts';
import { ReleaseMenu } from '../../src/features/releases/acts/release-menu.tsx';
import { showScreen } from '../support/screen.tsx';
import { releaseOf } from '../support/screen-fixtures.ts';

afterEach(() => document.body.replaceChildren());

async function itemsOf(release: ListedRelease): Promise<(string | undefined)[]> {
  using shown = showScreen(<ReleaseMenu release={release} isReadOnly={false} onRollBack={null} />, {});
  document.body.append(shown.page);
  const trigger = shown.button(`Actions for release ${release.number} of harbour`);
  flushSync(() => void trigger.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true })));
  const items = () => [...document.body.querySelectorAll('[role="menuitem"]')];
  await vi.waitFor(() => expect(items()).not.toHaveLength(0), { timeout: 30_000 });
  return items().map((item) => item.textContent?.trim());
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
