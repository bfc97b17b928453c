import { afterEach, expect, test, vi } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { ContactForm } from '../../src/features/contact/contact-form.tsx';
import { followSession } from '../../src/follow-session.ts';
import { readFormDraft } from '../../src/lib/storage/form-draft.ts';
import { type ShownScreen, showScreen, typeInto } from '../support/screen.tsx';

followSession();

afterEach(() => {
  vi.restoreAllMocks();
  document.body.replaceChildren();
});

const TYPED = 'The harbour is closed.';

/** Past React's own note of the value, as a key would. */
function type(field: HTMLTextAreaElement, text: string): void {
  Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value')?.set?.call(field, text);
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** Ada is signed in, and has begun to write. */
function write(): { shown: ShownScreen; message: HTMLTextAreaElement } {
  localStorage.clear();
  sessionStorage.clear();
  session.signIn({ accessToken: 'ada', expiresAt: new Date('2100-01-01') }, 'ada');
  const shown = showScreen(<ContactForm />, {});
  const message = shown.page.querySelector('textarea') ?? expect.fail('There is no field for the message.');
  type(message, TYPED);
  return { shown, message };
}

const kept = (): string => readFormDraft('contact', { message: '' }).message;

test('who logs out in another tab leaves nothing behind in the form of this one', async () => {
  const { shown, message } = write();
  using _ = shown;
  await vi.waitFor(() => expect(kept()).toBe(TYPED));
  localStorage.setItem('fairlead.signedOut', 'true');
  localStorage.removeItem('fairlead.accountId');
  session.hear({ kind: 'ended', reason: 'You logged out.' });
  await vi.waitFor(() => expect(message.value).toBe(''));
  expect(kept()).toBe('');
});

test('a session that expired takes nothing out of the form', async () => {
  const { shown, message } = write();
  using _ = shown;
  await vi.waitFor(() => expect(kept()).toBe(TYPED));
  localStorage.removeItem('fairlead.accountId');
  localStorage.removeItem('fairlead.accessToken');
  session.hear({ kind: 'ended', reason: 'It expired.' });
  expect(message.value).toBe(TYPED);
  expect(kept()).toBe(TYPED);
});

test('two clicks before anything is rendered send one message', async () => {
  const { shown } = write();
  using _ = shown;
  const sent: string[] = [];
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (input) => {
    const procedures = /\/api\/trpc\/([^?]+)/.exec(String(input))?.[1]?.split(',') ?? [];
    sent.push(...procedures);
    return Response.json(procedures.map(() => ({ result: { data: { json: { done: true } } } })));
  });
  document.body.append(shown.page);
  typeInto(shown.page, 'name', 'Ada');
  typeInto(shown.page, 'email', 'ada@example.com');
  shown.button('Send Message').click();
  shown.button('Send Message').click();
  await shown.sees('We have your message.');
  expect(sent.filter((name) => name === 'contact.send')).toHaveLength(1);
});
