import { afterEach, expect, test, vi } from 'vitest';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { readManifestBody } from '../../server/http/manifest-body.ts';
import { manifestOf } from '../support/publishing.ts';
import { refusalOf } from '../support/refusal.ts';
import { countTurns } from '../support/turns.ts';

/** Far more of each than anything holds. A body has room for millions, and parsing them takes seconds. */
const MANY = 100_000;
const keys = (count: number): string => Array.from({ length: count }, (_, at) => `"k${at}":0`).join();
const list = (entry: string, count: number): string => `[${`${entry},`.repeat(count - 1)}${entry}]`;

afterEach(() => vi.restoreAllMocks());

test.each([
  ['keys at the top', `{${keys(MANY)}}`, 'bad_request'],
  ['keys in an entry', `{"files":[{${keys(MANY)}}]}`, 'bad_request'],
  ['keys where a list belongs', `{"files":{${keys(MANY)}}}`, 'bad_request'],
  ['one key too many in an entry', `{"files":[{${keys(5)}}]}`, 'bad_request'],
  ['names of fields', `{"files":${list('{"k":0}', 5)}}`, 'bad_request'],
  ['files', `{"files":${list('{}', MANY)}}`, 'upload_refused'],
  ['one file too many', `{"files":${list('{}', UPLOAD_LIMITS.maxFiles + 1)}}`, 'upload_refused'],
  ['paths', `{"files":[],"publishAnyway":${list('""', MANY)}}`, 'upload_refused'],
  ['elements in an entry', `{"files":[${list('0', MANY)}]}`, 'bad_request'],
  ['elements at the top', list('0', MANY), 'bad_request'],
  ['brackets', '['.repeat(MANY), 'bad_request'],
  ['closing brackets', ']'.repeat(MANY), 'bad_request'],
])('too many %s are refused before anything is parsed', async (_what, text, code) => {
  const body = Buffer.from(text);
  const parse = vi.spyOn(JSON, 'parse');

  const refusal = await refusalOf(readManifestBody(body));

  expect(refusal).toMatchObject({ code });
  expect(parse).not.toHaveBeenCalled();
});

test('as many files as are allowed pass, and what stands in a name counts for nothing', async () => {
  const file = JSON.stringify(manifestOf({ 'a,b,c,d,e,f{[,"\\",]}.txt': 'x' })[0]);
  const body = Buffer.from(`{"files":${list(file, UPLOAD_LIMITS.maxFiles)},"publishAnyway":[]}`);
  expect((await readManifestBody(body)).files).toHaveLength(UPLOAD_LIMITS.maxFiles);
});

test('while a long list is looked at other calls have their turns', async () => {
  const body = Buffer.from(`{"files":[],"publishAnyway":["${'x'.repeat(UPLOAD_LIMITS.maxManifestBytes - 40)}"]}`);
  using turns = countTurns();
  // One name of 16 MB is refused in the end, which does not matter here.
  await refusalOf(readManifestBody(body));
  expect(turns.count()).toBeGreaterThan(16);
});

const pathsOf = (count: number): string[] => Array.from({ length: count }, (_, at) => `${'x'.repeat(300)}${at}`);

test('of a long list no more than some kilobytes are parsed at once, and nothing of it is lost', async () => {
  const files = manifestOf(Object.fromEntries(pathsOf(UPLOAD_LIMITS.maxFiles).map((path) => [path, 'x'])));
  const publishAnyway = pathsOf(3_000);
  const body = Buffer.from(JSON.stringify({ files, publishAnyway }, null, 1));
  const parse = vi.spyOn(JSON, 'parse');

  expect(await readManifestBody(body)).toEqual({ files, publishAnyway });

  const lengths = parse.mock.calls.map(([text]) => text.length);
  expect(lengths.length).toBeGreaterThan(body.length / (128 * 1024));
  expect(Math.max(...lengths)).toBeLessThan(128 * 1024);
});

/** More than the server parses at once. */
const PART = ' '.repeat(100 * 1024);

test.each([
  ['a comma before the first entry', `{"files":[${PART},${PART},{}]}`],
  ['a comma behind the last entry', `{"files":[{},${PART},${PART}]}`],
  ['two commas', `{"files":[{},${PART},${PART},{}]}`],
  ['entries without a comma', `{"files":[{}${PART}{},{}]}`],
  ['a list without an end', `{"files":[{},{}`],
  ['a list that ends in another bracket', `{"files":[{},{}}}`],
  ['something behind the end', '{"files":[]} x'],
  ['an entry that is too long', `{"files":[],"publishAnyway":["${PART}${PART}"]}`],
  ['a number that is too long', `{"files":[${'1'.repeat(200 * 1024)}]}`],
  ['too much around the lists', `{"files":[]${PART}${PART}}`],
])('%s is refused', async (_what, text) => {
  expect(await refusalOf(readManifestBody(Buffer.from(text)))).toMatchObject({ code: 'bad_request' });
});
