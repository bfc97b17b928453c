import { expect, test } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { leaveChosen, setChosen, useChosen } from '../../src/uploads/chosen-selections.ts';
import { showScreen } from '../support/screen.tsx';

// happy-dom names the locks and has none.
const locks = { request: (_name: string, _options: unknown, work: () => unknown) => Promise.resolve(work()) };
Object.defineProperty(navigator, 'locks', { value: locks, configurable: true });

const signIn = (accountId: string) =>
  session.signIn({ accessToken: 'token', expiresAt: new Date('2099-01-01') }, accountId);
const selection = { name: 'harbour', files: [{ path: 'index.html', file: new File(['hello'], 'index.html') }] };

function Chosen() {
  return <p>{useChosen('pier')?.name ?? 'nothing'}</p>;
}

function chosenNow(): string {
  using shown = showScreen(<Chosen />, {});
  return shown.page.textContent ?? '';
}

test('what was chosen for a deployment outlives a login that ended, and goes to no other account', () => {
  signIn('anna');
  setChosen('pier', selection);
  // The session is refused, and its owner led from the page to the login.
  localStorage.clear();
  leaveChosen('pier');
  expect(chosenNow()).toBe('nothing');
  signIn('anna');
  expect(chosenNow()).toBe('harbour');
  signIn('berta');
  signIn('anna');
  expect(chosenNow()).toBe('nothing');
});

test('what was chosen is forgotten when its page is left', () => {
  signIn('anna');
  setChosen('pier', selection);
  leaveChosen('pier');
  expect(chosenNow()).toBe('nothing');
});
