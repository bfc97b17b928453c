import { act, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { ConfirmDialog, type ConfirmDialogProps } from '../../src/components/overlays/confirm-dialog.tsx';
import { Dialog } from '../../src/components/overlays/dialog.tsx';
import { clearToasts, showToast, toasts } from '../../src/components/overlays/toast-store.ts';

Reflect.set(globalThis, 'IS_REACT_ACT_ENVIRONMENT', true);

afterEach(() => void vi.useRealTimers());

/** Shows one that is open; `press` clicks its button that confirms. */
async function showDialog(props: Pick<ConfirmDialogProps, 'isSuccessor' | 'nameToType'> = {}) {
  const confirmed = vi.fn();
  const root = createRoot(document.createElement('div'));
  await act(async () =>
    root.render(
      <ConfirmDialog
        isOpen
        {...props}
        onOpenChange={() => undefined}
        title="Remove the site?"
        description="It goes offline."
        confirmLabel="Remove"
        onConfirm={confirmed}
      />,
    ),
  );
  return {
    confirmed,
    press: (times = 1) =>
      act(async () => {
        const button = document.body.querySelector<HTMLButtonElement>('[type=submit]');
        for (let time = 0; time < times; time += 1) button?.click();
      }),
    [Symbol.asyncDispose]: () => act(async () => root.unmount()),
  };
}

test('what was said before a dialog opens does not lie on its fields', async () => {
  vi.useFakeTimers();
  const open = () => toasts.get().flatMap(({ title, isOpen }) => (isOpen ? [title] : []));
  showToast({ title: 'Export started' });
  await act(async () => vi.advanceTimersByTime(2_000));
  await using _dialog = await showDialog();
  expect(open()).toEqual([]);
  showToast({ title: 'Wrong password' });
  expect(open()).toEqual(['Wrong password']);
  clearToasts();
});

test('two clicks before anything is rendered confirm once', async () => {
  await using dialog = await showDialog();
  await dialog.press(2);
  expect(dialog.confirmed).toHaveBeenCalledOnce();
});

test('a dialog in the place of another is not confirmed by the second half of a double click', async () => {
  vi.useFakeTimers();
  await using dialog = await showDialog({ isSuccessor: true });
  await dialog.press();
  await act(async () => vi.advanceTimersByTime(900));
  await dialog.press();
  expect(dialog.confirmed).not.toHaveBeenCalled();
  await act(async () => vi.advanceTimersByTime(100));
  await dialog.press();
  expect(dialog.confirmed).toHaveBeenCalledOnce();
});

test.each([
  ['Cancel', undefined],
  ['the name to type', 'Harbour'],
])('the focus begins at %s', async (_, nameToType) => {
  await using _dialog = await showDialog({ nameToType });
  const focused = document.activeElement;
  expect(focused?.tagName).toBe(nameToType === undefined ? 'BUTTON' : 'INPUT');
  expect(focused?.closest('[role=alertdialog]')).not.toBeNull();
});

test.each([
  ['Café “Zur  Linde” ☕', 'cafe', false],
  ['Café “Zur Linde” ☕', 'CAFÉ "zur linde" ☕ ', true],
  ["Anna's", 'anna’s', true],
])('%s is confirmed by %s: %s', async (nameToType, typed, isSame) => {
  await using dialog = await showDialog({ nameToType });
  const field = document.body.querySelector<HTMLInputElement>('[role=alertdialog] input');
  await act(async () => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, typed);
    field?.dispatchEvent(new Event('input', { bubbles: true }));
  });
  await dialog.press();
  expect(dialog.confirmed).toHaveBeenCalledTimes(isSame ? 1 : 0);
});

test('the Back of a phone closes what is on top, and takes nothing away that must stay', async () => {
  const watchers: { onclose: (() => void) | null; destroy(): void }[] = [];
  class CloseWatcher {
    onclose: (() => void) | null = null;
    constructor() {
      watchers.push(this);
    }
    destroy(): void {
      if (watchers.includes(this)) watchers.splice(watchers.indexOf(this), 1);
    }
  }
  vi.stubGlobal('CloseWatcher', CloseWatcher);
  onTestFinished(() => void vi.unstubAllGlobals());
  const back = () => act(async () => watchers.pop()?.onclose?.());
  const closed = vi.fn();
  const root = createRoot(document.createElement('div'));
  onTestFinished(() => act(async () => root.unmount()));
  const shown = (isOpen: boolean, isBusy = false) =>
    act(async () =>
      root.render(
        <StrictMode>
          <Dialog isOpen title="Secret" />
          <ConfirmDialog
            isOpen={isOpen}
            isBusy={isBusy}
            onOpenChange={closed}
            title="Remove the site?"
            description="It goes offline."
            confirmLabel="Remove"
            onConfirm={vi.fn()}
          />
        </StrictMode>,
      ),
    );
  await shown(true, true);
  await back();
  expect(closed, 'it is busy').not.toHaveBeenCalled();
  await shown(true);
  await back();
  expect(closed.mock.calls).toEqual([[false]]);
  await shown(false);
  await back();
  expect(watchers, 'the dialog without a way to close it stays, and takes the next Back').toHaveLength(1);
});
