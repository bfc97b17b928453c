import { expect, test } from 'vitest';
import type { PlatformId } from '../../routers/schemas/platforms/ids.ts';
import { SupersededPanel } from '../../src/features/releases/progress/release-panels.tsx';
import { showScreen } from '../support/screen.tsx';
import { releaseDetailOf } from '../support/screen-fixtures.ts';

test.each<[PlatformId, string]>([
  ['built-in', 'This one is kept, and can go live again in about a second.'],
  ['vercel', 'can go live again in seconds, a minute at most.'],
  ['github-pages', 'can go live again in minutes, ten at most, since GitHub Pages builds it again.'],
  ['render', 'can go live again in minutes, five at most, since Render deploys it again.'],
  ['replit', 'To roll back, go to Replit'],
])('going back is said to take as long as it takes at %s', (platform, text) => {
  const release = releaseDetailOf({ platform, state: 'superseded' });
  using shown = showScreen(<SupersededPanel release={release} action={null} />, {});
  expect(shown.page.textContent).toContain(text);
});
