import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, test } from 'vitest';
import { FailedPanel } from '../../src/features/releases/release-panels.tsx';
import { releaseDetailOf } from '../support/screen-fixtures.ts';

function show(raw: string | null) {
  const page = document.createElement('main');
  const root = createRoot(page);
  const error = { code: 'platform_down', message: 'It does not answer.', hint: 'It is tried again.', raw };
  const release = releaseDetailOf({ state: 'failed', error, servingNumber: 2 });
  flushSync(() => root.render(<FailedPanel release={release} action={<p>Try again</p>} />));
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
