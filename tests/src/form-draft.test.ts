import { beforeEach, expect, test } from 'vitest';
import { session } from '../../src/api/session/session.ts';
import { followSession } from '../../src/follow-session.ts';
import { storeDraft } from '../../src/lib/storage/draft-storage.ts';
import { forgetFormDraft, readFormDraft } from '../../src/lib/storage/form-draft.ts';
import { formDraftKey } from '../../src/lib/storage/storage.ts';

followSession();

const empty = { name: '', message: '' };
const store = (text: string) => sessionStorage.setItem(formDraftKey('contact'), text);

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
});

test('what was typed is there again, field by field', () => {
  store(JSON.stringify({ name: 'Ada', message: 'Hello', password: 'never asked for' }));
  expect(readFormDraft('contact', empty)).toEqual({ name: 'Ada', message: 'Hello' });
  forgetFormDraft('contact');
  expect(readFormDraft('contact', empty)).toEqual(empty);
});

test.each(['', '{', 'null', '7', '{"name":7}', '[]'])('anything else counts as empty: %s', (stored) => {
  store(stored);
  expect(readFormDraft('contact', empty)).toEqual(empty);
});

const signIn = (accountId: string) =>
  session.signIn({ accessToken: accountId, expiresAt: new Date('2100-01-01') }, accountId);
const type = () => storeDraft('contact', JSON.stringify({ name: 'Ada', message: 'Hello' }));
const kept = () => readFormDraft('contact', empty).name;

test('who logs out takes away what was typed, here and in every other tab', () => {
  signIn('ada');
  type();
  storeDraft('feedback', '{"rating":1,"comment":"Slow"}');
  sessionStorage.setItem('fairlead.lastPath', '/dashboard');
  session.signOut();
  expect({ ...sessionStorage }).toEqual({ 'fairlead.lastPath': '/dashboard' });

  signIn('ada');
  type();
  localStorage.setItem('fairlead.signedOut', '1');
  localStorage.removeItem('fairlead.accountId');
  session.hear({ kind: 'ended', reason: 'You logged out.' });
  expect(kept()).toBe('');
});

test('a session that ended by itself keeps it for the same account, and for no other', () => {
  signIn('ada');
  type();
  localStorage.clear();
  session.hear({ kind: 'ended', reason: 'It expired.' });
  expect(kept()).toBe('Ada');
  signIn('ada');
  expect(kept()).toBe('Ada');
  signIn('bob');
  expect(kept()).toBe('');
});

test('what a visitor typed, after a logout too, goes along through the registration and belongs to the account then', () => {
  signIn('ada');
  session.signOut();
  type();
  session.hear({ kind: 'ended', reason: 'It expired.' });
  signIn('bob');
  expect(kept()).toBe('Ada');
  signIn('cy');
  expect(kept()).toBe('');
});
