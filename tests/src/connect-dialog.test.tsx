import { flushSync } from 'react-dom';
import { afterEach, expect, test, vi } from 'vitest';
import { clearToasts, toasts } from '../../src/components/overlays/toast-store.ts';
import { ConnectDialog } from '../../src/features/connections/connect-dialog.tsx';
import { type Answers, refusal, showScreen } from '../support/screen.tsx';

afterEach(() => {
  clearToasts();
  document.body.replaceChildren();
});

function there<Value>(value: Value | null | undefined): Value {
  return value ?? expect.fail('It is not on the page.');
}

function button(name: string): HTMLButtonElement {
  const all = [...document.querySelectorAll('button')];
  return there(all.find((one) => one.textContent === name || one.ariaLabel === name));
}

/** Opens the dialog over a server that gives these answers, and sends a token. */
function sendToken(answers: Answers, onClose: () => void) {
  const shown = showScreen(<ConnectDialog providers={['netlify', 'vercel']} onClose={onClose} />, answers);
  const field = there(document.querySelector('input'));
  // Past the setter of React, which would take the value for one that it knows.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, 'nfp_1234567890');
  flushSync(() => field.dispatchEvent(new Event('input', { bubbles: true })));
  flushSync(() => there(document.querySelector('form')).requestSubmit());
  return shown;
}

test('what the platform answers stays in the form, beside the token', async () => {
  const down = refusal('platform_down', 'Netlify did not respond as expected.', { hint: 'Try again.' });
  using _shown = sendToken({ 'connections.connect': () => down }, () => expect.fail('It closed.'));
  await vi.waitFor(
    () => expect(document.querySelector('[role="alert"]')?.textContent).toContain('did not respond as expected.'),
    { timeout: 5_000 },
  );
  expect(document.querySelector('[role="alert"]')?.textContent).toBe(
    'Could not connectNetlify did not respond as expected. Try again.',
  );
  expect(there(document.querySelector('input')).value).toBe('nfp_1234567890');
  expect(toasts.get()).toEqual([]);
});

test('Cancel ends a test that runs, and nothing is said of it afterwards', async () => {
  let running: AbortSignal | null | undefined;
  const hanging: Answers = {
    'connections.connect': (_input, signal) => {
      running = signal;
      return new Promise(() => undefined);
    },
  };
  const onClose = vi.fn<() => void>();
  using _shown = sendToken(hanging, onClose);
  await vi.waitFor(() => expect(running).toBeDefined(), { timeout: 5_000 });
  expect(document.querySelector('[role=combobox]'), 'nothing is tested for another platform').toHaveProperty(
    'disabled',
    true,
  );
  button('Cancel').click();
  expect(running?.aborted).toBe(true);
  expect(onClose).toHaveBeenCalledOnce();
  expect(toasts.get()).toEqual([]);
});

test('the token can be shown', () => {
  using _shown = showScreen(<ConnectDialog providers={['netlify']} onClose={() => undefined} />, {});
  flushSync(() => button('Show token').click());
  expect(document.querySelector('input')?.type).toBe('text');
  expect(button('Hide token')).toBeDefined();
});
