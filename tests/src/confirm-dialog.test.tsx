import { act } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, expect, test, vi } from 'vitest';
import { ConfirmDialog } from '../../src/components/confirm-dialog.tsx';

Reflect.set(globalThis, 'IS_REACT_ACT_ENVIRONMENT', true);

afterEach(() => void vi.useRealTimers());

test('a dialog in the place of another is not confirmed by the second half of a double click', async () => {
  vi.useFakeTimers();
  const confirmed = vi.fn();
  const root = createRoot(document.createElement('div'));
  await act(async () =>
    root.render(
      <ConfirmDialog
        isOpen
        isSuccessor
        onOpenChange={() => undefined}
        title="Remove the site now?"
        description="It goes offline."
        confirmLabel="Remove"
        onConfirm={confirmed}
      />,
    ),
  );
  const press = () => act(async () => document.body.querySelector<HTMLButtonElement>('[type=submit]')?.click());
  await press();
  await act(async () => vi.advanceTimersByTime(900));
  await press();
  expect(confirmed).not.toHaveBeenCalled();
  await act(async () => vi.advanceTimersByTime(100));
  await press();
  expect(confirmed).toHaveBeenCalledOnce();
  await act(async () => root.unmount());
});
