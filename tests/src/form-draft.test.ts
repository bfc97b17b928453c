import { beforeEach, expect, test } from 'vitest';
import { forgetFormDraft, readFormDraft } from '../../src/lib/form-draft.ts';
import { formDraftKey } from '../../src/lib/storage.ts';

const empty = { name: '', message: '' };
const store = (text: string) => sessionStorage.setItem(formDraftKey('contact'), text);

beforeEach(() => sessionStorage.clear());

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
