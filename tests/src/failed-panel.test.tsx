import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, test } from 'vitest';
import type { ReleaseDetail } from '../../routers/schemas/releases.ts';
import { FailedPanel } from '../../src/features/releases/release-panels.tsx';

const at = new Date('2030-01-01');
const failed: ReleaseDetail = {
  id: 'r',
  deploymentId: 'd',
  deploymentName: 'Harbour',
  deploymentSlug: 'harbour',
  platform: 'netlify',
  number: 3,
  state: 'failed',
  isCurrent: false,
  source: 'folder',
  createdBy: 'sailor',
  url: '',
  previewUrl: '',
  fileCount: 4,
  totalBytes: 1,
  changedFiles: 1,
  damagedFiles: [],
  error: { code: 'platform_down', message: 'It does not answer.', hint: 'It is tried again.', raw: null },
  createdAt: at,
  startedAt: at,
  finishedAt: at,
  steps: [],
  servingNumber: 2,
};

function show(raw: string | null) {
  const page = document.createElement('main');
  const root = createRoot(page);
  const error = failed.error === null ? null : { ...failed.error, raw };
  flushSync(() => root.render(<FailedPanel release={{ ...failed, error }} action={<p>Try again</p>} />));
  return { page, toggle: () => page.querySelector('button'), [Symbol.dispose]: () => root.unmount() };
}

test('what a platform answered is shown on demand, as text', () => {
  using panel = show('HTTP 502\nBad <b>gateway</b>');
  expect(panel.page.textContent).not.toContain('HTTP 502');
  flushSync(() => panel.toggle()?.click());
  const answer = panel.page.querySelector('pre');
  expect(answer?.textContent).toBe('HTTP 502\nBad <b>gateway</b>');
  expect(panel.toggle()?.getAttribute('aria-controls')).toBe(answer?.id);
  flushSync(() => panel.toggle()?.click());
  expect(panel.page.querySelector('pre')).toBe(null);
});

test('a failure without an answer offers none', () => {
  using panel = show(null);
  expect(panel.page.textContent).toContain('It does not answer.');
  expect(panel.toggle()).toBe(null);
});
