import { afterEach, expect, test, vi } from 'vitest';
import { clearToasts, toasts } from '../../src/components/overlays/toast-store.ts';
import { CreateTokenDialog } from '../../src/features/tokens/create-token-dialog.tsx';
import { type Answers, refusal, showScreen, typeInto } from '../support/screen.tsx';

afterEach(() => {
  clearToasts();
  document.body.replaceChildren();
});

const button = (name: string) => [...document.querySelectorAll('button')].find((one) => one.textContent === name);

test('two clicks before anything is rendered make one token, and one that was refused can be made again', async () => {
  const made: unknown[] = [];
  const answers: Answers = {
    'tokens.create': (input) => {
      made.push(input);
      return made.length === 1 ? refusal('rate_limited', 'Not so fast.') : { secret: 'flt_secret' };
    },
  };
  using _shown = showScreen(<CreateTokenDialog onClose={() => expect.fail('It closed.')} />, answers);
  typeInto(document, 'name', 'Build server');
  typeInto(document, 'currentPassword', 'correct horse');
  button('Create token')?.click();
  button('Create token')?.click();
  await vi.waitFor(() => expect(toasts.get()).not.toEqual([]));
  expect(made).toHaveLength(1);
  await vi.waitFor(() => {
    button('Create token')?.click();
    expect(document.body.textContent).toContain('Copy your token now');
  });
  expect(made).toHaveLength(2);
});
