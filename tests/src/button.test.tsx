import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { afterEach, expect, test, vi } from 'vitest';
import { Button } from '../../src/components/button.tsx';

afterEach(() => void vi.restoreAllMocks());

/** A button that came on the page at this time, and how often it was pressed. */
function showButton(atMs: number) {
  const now = vi.spyOn(performance, 'now').mockReturnValue(atMs);
  const onClick = vi.fn();
  const page = document.createElement('div');
  document.body.append(page);
  const root = createRoot(page);
  flushSync(() => root.render(<Button onClick={onClick}>Try again</Button>));
  const click = (detail: number, afterMs: number) => {
    now.mockReturnValue(atMs + afterMs);
    page.querySelector('button')?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, detail }));
  };
  return {
    onClick,
    click,
    [Symbol.dispose]() {
      root.unmount();
      page.remove();
    },
  };
}

test('the second click of a double click does not press what has just taken the place of the first', () => {
  using button = showButton(1_000);
  button.click(2, 120);
  expect(button.onClick).not.toHaveBeenCalled();
  button.click(1, 120);
  expect(button.onClick).toHaveBeenCalledTimes(1);
});

test('a button that was there before takes both clicks, and a keyboard is never refused', () => {
  using button = showButton(1_000);
  button.click(2, 600);
  button.click(0, 10);
  expect(button.onClick).toHaveBeenCalledTimes(2);
});
