import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import { ErrorBoundary } from '../../src/components/page/error-boundary.tsx';

const cause = new TypeError('Failed to fetch dynamically imported module: /assets/menu.js');

function Absent(): never {
  throw cause;
}

test('what stands beside the screen and did not come leaves its place empty, and takes nothing else away', () => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const page = document.createElement('main');
  const root = createRoot(page);
  const failures: Error[] = [];
  flushSync(() =>
    root.render(
      <ErrorBoundary>
        <p>The screen</p>
        <ErrorBoundary onFailed={(error) => void failures.push(error)}>
          <Absent />
        </ErrorBoundary>
      </ErrorBoundary>,
    ),
  );
  expect(page.innerHTML).toBe('<p>The screen</p>');
  expect(failures).toEqual([cause]);

  flushSync(() => root.render(<ErrorBoundary>{<Absent />}</ErrorBoundary>));
  expect(page.textContent).toContain('This screen could not be loaded');
  root.unmount();
});

/** A screen that fails once for this reason, and what is left of it once the network is back. */
function afterOnline(reason: Error) {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  let isHere = false;
  function Screen() {
    if (!isHere) throw reason;
    return <p>The screen</p>;
  }
  const fetchAgain = () => {
    isHere = true;
  };
  const page = document.createElement('main');
  const root = createRoot(page);
  flushSync(() =>
    root.render(
      <ErrorBoundary onFetchAgain={fetchAgain}>
        <Screen />
      </ErrorBoundary>,
    ),
  );
  const before = page.textContent;
  flushSync(() => window.dispatchEvent(new Event('online')));
  const after = page.textContent;
  root.unmount();
  return { before, after };
}

test('a screen that was opened offline comes by itself when the network does', () => {
  const { before, after } = afterOnline(cause);
  expect(before).toContain('This screen could not be loaded');
  expect(after).toBe('The screen');
});

test('a screen that failed by itself is left alone by the network', () => {
  const { before, after } = afterOnline(new Error('It broke.'));
  expect(before).toContain('It broke.');
  expect(after).toBe(before);
});
