import { expect, test } from 'vitest';
import type { Subject, Tools, Visit } from '../../server/diagnostics/checks/check.ts';
import { urlUp } from '../../server/diagnostics/checks/served/url-up.ts';

const PAGE = 'https://harbour.example/';
const subject = {
  ...{ name: 'harbour.example', url: PAGE, own: null, entrySha256: 'page' },
  witness: { path: 'img/a%20boat.png', sha256: 'boat' },
} as unknown as Subject;

/** Returns the served pages by their hashes; any other address is silent. */
function served(hashes: Record<string, string>, isProxied = false): Tools {
  const visit = async (url: string): Promise<Visit> => {
    const sha256 = hashes[new URL(url).pathname];
    if (sha256 === undefined) return { fault: 'silent', detail: 'No answer', server: '104.16.0.1' };
    const headers = new Headers(isProxied ? { 'cf-ray': '8f-AMS' } : {});
    return { fault: null, status: 200, headers, text: '', sha256, firstByteMs: 1, server: '104.16.0.1' };
  };
  return { visit } as unknown as Tools;
}

const BOAT = '/img/a%20boat.png';
test.each([
  ['the release', { '/': 'page', [BOAT]: 'boat' }, true, 'pass', /with exactly the start page of the release\.$/],
  [
    'the release, its page changed by a proxy',
    { '/': 'other', [BOAT]: 'boat' },
    true,
    'warn',
    /changes the page on the way/,
  ],
  ['another release behind that proxy', { '/': 'other', [BOAT]: 'old' }, true, 'fail', /files that are not those/],
  ['another release', { '/': 'other', [BOAT]: 'old' }, false, 'fail', /files that are not those/],
  ['another page', { '/': 'other', [BOAT]: 'boat' }, false, 'warn', /content that is not that/],
  ['another page, and a file that nobody answers for', { '/': 'other' }, true, 'warn', /content that is not that/],
] as const)('where %s is served', async (_, hashes, isProxied, verdict, seen) => {
  expect(await urlUp.run(subject, served(hashes, isProxied))).toMatchObject({
    verdict,
    seen: expect.stringMatching(seen),
  });
});

test('a release without a start page is named as the cause of its 404', async () => {
  const visit = { fault: null, status: 404, headers: new Headers(), text: '', sha256: '', firstByteMs: 1, server: '' };
  const tools = { visit: async () => visit } as unknown as Tools;
  expect(await urlUp.run({ ...subject, lacksStartPage: true }, tools)).toMatchObject({
    verdict: 'fail',
    seen: `${PAGE} answers 404: the release has no start page.`,
    fix: 'Add an index.html at the top and publish again.',
  });
  expect(await urlUp.run(subject, tools)).toMatchObject({ seen: `${PAGE} answers 404.` });
});
