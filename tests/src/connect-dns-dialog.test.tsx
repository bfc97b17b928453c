import { flushSync } from 'react-dom';
import { afterEach, expect, test, vi } from 'vitest';
import { clearToasts } from '../../src/components/overlays/toast-store.ts';
import { ConnectDialog } from '../../src/features/connections/connect-dialog.tsx';
import { type Answers, refusal, showScreen } from '../support/screen.tsx';

afterEach(() => {
  clearToasts();
  document.body.replaceChildren();
});

function showDialog(answers: Answers) {
  return showScreen(<ConnectDialog providers={['rfc2136']} onClose={() => undefined} />, answers);
}

function fieldOf(label: string): HTMLInputElement {
  const labels = [...document.querySelectorAll('label')];
  const id = labels.find((one) => one.textContent === label)?.htmlFor ?? '';
  const field = document.getElementById(id);
  return field instanceof HTMLInputElement ? field : expect.fail(`There is no field ${label}.`);
}

function type(label: string, text: string): void {
  const field = fieldOf(label);
  // Past the setter of React, which would take the value for one that it knows.
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text);
  flushSync(() => field.dispatchEvent(new Event('input', { bubbles: true })));
}

function typeAll(): void {
  type('Primary name server', 'ns1.example.com');
  type('Port (optional)', '5353');
  type('Zone', 'Example.com.');
  type('Key name', 'fairlead');
  type('Secret', 'c2VjcmV0');
}

function send(): void {
  flushSync(() => document.querySelector('form')?.requestSubmit());
}

function messageOf(label: string): string {
  const field = fieldOf(label);
  return document.getElementById(field.getAttribute('aria-describedby') ?? '')?.textContent ?? '';
}

test('what is missing or wrong is said at its field, and nothing is sent', async () => {
  using _shown = showDialog({ 'connections.connect': () => expect.fail('It was sent.') });
  typeAll();
  type('Zone', 'not a zone');
  type('Port (optional)', 'dns');
  send();
  await vi.waitFor(() => expect(messageOf('Zone')).toBe('Enter the name of the zone, such as example.com'));
  expect(messageOf('Port (optional)')).toBe('Enter the port as a number');
});

test('the fields are sent as the provider takes them, and its refusal is said at the one that it means', async () => {
  const sent: unknown[] = [];
  const wrong = refusal('credentials_invalid', 'The secret of this key is wrong.', {
    fieldErrors: { 'fields.secret': 'The secret of this key is wrong.' },
  });
  using _shown = showDialog({
    'connections.connect': (input) => {
      sent.push(input);
      return wrong;
    },
  });
  typeAll();
  send();
  await vi.waitFor(() => expect(messageOf('Secret')).toBe('The secret of this key is wrong.'), { timeout: 5_000 });
  expect(sent).toEqual([
    {
      provider: 'rfc2136',
      fields: {
        server: 'ns1.example.com',
        port: 5353,
        zone: 'example.com',
        keyName: 'fairlead',
        algorithm: 'hmac-sha256',
        secret: 'c2VjcmV0',
      },
    },
  ]);
});
