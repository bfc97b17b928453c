import { flushSync } from 'react-dom';
import { createRoot, type Root } from 'react-dom/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { TOOLTIP_DELAY_MS, TOOLTIP_SKIP_DELAY_MS } from '../../routers/schemas/limits.ts';
import { Tooltip } from '../../src/components/overlays/tooltip.tsx';

let root: Root;

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = '<main></main>';
  root = createRoot(document.querySelector('main') ?? document.body);
});

afterEach(() => {
  root.unmount();
  vi.useRealTimers();
});

function send(name: string, event: Event): void {
  flushSync(() => document.getElementById(name)?.dispatchEvent(event));
}

async function pointAt(name: string): Promise<void> {
  // React makes `onPointerEnter` of this one.
  send(name, new PointerEvent('pointerover', { bubbles: true, pointerType: 'mouse' }));
  send(name, new PointerEvent('pointermove', { bubbles: true, pointerType: 'mouse' }));
  await pass(0);
}

async function close(): Promise<void> {
  document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
  await pass(0);
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms);
  // What React has put off for a timer of its own.
  flushSync(() => undefined);
  await vi.advanceTimersByTimeAsync(0);
}

const shown = (): string[] => [...document.querySelectorAll('[role="tooltip"]')].map((tip) => tip.textContent ?? '');

test('another tooltip opens at once within 300 ms after one closed, and after the whole delay later', async () => {
  flushSync(() =>
    root.render(
      <>
        <Tooltip content="The first">
          <button type="button" id="one" />
        </Tooltip>
        <Tooltip content="The second">
          <button type="button" id="two" />
        </Tooltip>
      </>,
    ),
  );
  expect([TOOLTIP_DELAY_MS, TOOLTIP_SKIP_DELAY_MS]).toEqual([700, 300]);
  await pointAt('one');
  await pass(TOOLTIP_DELAY_MS - 1);
  expect(shown()).toEqual([]);
  await pass(2);
  expect(shown()).toEqual(['The first']);

  await close();
  expect(shown()).toEqual([]);
  await pass(TOOLTIP_SKIP_DELAY_MS - 10);
  await pointAt('two');
  await pass(1);
  expect(shown()).toEqual(['The second']);

  await close();
  await pass(TOOLTIP_SKIP_DELAY_MS);
  await pointAt('one');
  await pass(TOOLTIP_DELAY_MS - 10);
  expect(shown()).toEqual([]);
});
