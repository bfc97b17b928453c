import { afterEach, expect, test, vi } from 'vitest';
import { decodeAddress } from '../../../routers/rules/hosting/address-pattern.ts';
import { checkLinks } from '../../../routers/rules/uploads/upload-links.ts';
import { pathRefusal, readUpload, uploadReadingSteps } from '../../../routers/rules/uploads/upload-rules.ts';
import { UPLOAD_LIMITS } from '../../../routers/schemas/limits.ts';
import { NORMALISED_MAX, normalForm, normalisePath } from '../../../routers/schemas/normal-form.ts';
import { slugFromName } from '../../../routers/schemas/slug.ts';
import { readRequestPath } from '../../../server/host/responses/request-path.ts';
import { readManifestBody } from '../../../server/http/manifest-body.ts';
import { refusalOf } from '../../support/refusal.ts';

afterEach(() => vi.restoreAllMocks());

/** Returns two classes in turn, which every engine has to sort: what costs the most for its length. */
const marks = (count: number): string => `a${'\u0301\u0316'.repeat(count)}`;
const LONG = marks(100_000);
const SHA256 = 'ab'.repeat(32);

/** Returns the longest text that was normalised meanwhile. */
function longestNormalised(work: () => void): number {
  const spy = vi.spyOn(String.prototype, 'normalize').mockImplementation(String);
  work();
  const lengths = spy.mock.contexts.map((text) => String(text).length);
  spy.mockRestore();
  return Math.max(0, ...lengths);
}

test.each<[string, () => void]>([
  ['a path of an upload', () => normalisePath(LONG)],
  ['a list of files', () => readUpload([{ path: LONG, sizeBytes: 1 }], { publishAnyway: [LONG] })],
  ['an address of a rule', () => decodeAddress(LONG)],
  ['an address of a request', () => readRequestPath(`/${LONG}`)],
  [
    'a link in a page',
    () =>
      checkLinks('a.html', [{ target: LONG, line: 1, isPage: true }], {
        paths: new Set(),
        folded: new Map(),
        below: null,
      }),
  ],
  ['a name of a deployment', () => slugFromName(LONG)],
])('however long, no more than a bounded text is normalised: %s', (_what, work) => {
  expect(longestNormalised(work)).toBeLessThanOrEqual(NORMALISED_MAX);
});

test('a path beyond the bound is refused as too long, and one within it in any form is taken', () => {
  expect(pathRefusal(normalisePath(LONG))).toBe('path_too_long');
  expect(readUpload([{ path: LONG, sizeBytes: 1 }]).refusal?.reason).toBe('path_too_long');
  const composed = `${'\u1f82'.repeat(85)}/`.repeat(3) + '\u1f82'.repeat(85);
  expect(pathRefusal(composed)).toBeNull();
  expect(normalisePath(composed.normalize('NFD'))).toBe(composed);
  expect(composed.normalize('NFD').length).toBeGreaterThan(UPLOAD_LIMITS.maxPathBytes);
  expect(normalForm(LONG)).toBeNull();
});

/** An entry of the greatest length in a list of files. */
const LONG_ENTRY = marks(30_000);

test.each([
  ['files', { files: [{ path: LONG_ENTRY, sha256: SHA256, sizeBytes: 1 }] }],
  ['publishAnyway', { files: [], publishAnyway: [LONG_ENTRY] }],
])('a manifest with such a path in %s is refused before it is read any further', async (_list, manifest) => {
  const body = Buffer.from(JSON.stringify(manifest));
  expect(await refusalOf(readManifestBody(body))).toMatchObject({ code: 'validation_failed' });
});

function stepsOf(files: number, publishAnyway: number): number {
  const path = marks(NORMALISED_MAX / 2 - 1);
  const offered = Array.from({ length: files }, () => ({ path, sizeBytes: 1 }));
  const steps = uploadReadingSteps(offered, { publishAnyway: Array.from({ length: publishAnyway }, () => path) });
  let count = 0;
  for (const _ of steps) count += 1;
  return count;
}

test('normalising pauses after a few thousand characters, in both lists', () => {
  vi.spyOn(String.prototype, 'normalize').mockImplementation(String);
  expect(stepsOf(300, 0)).toBeGreaterThanOrEqual(100);
  expect(stepsOf(1, 300)).toBeGreaterThanOrEqual(100);
});
