import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { expect, test, vi } from 'vitest';
import { ErrorBoundary } from '../../src/layouts/error-boundary.tsx';

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
  expect(page.textContent).toContain('This screen could not be fetched');
  root.unmount();
});
