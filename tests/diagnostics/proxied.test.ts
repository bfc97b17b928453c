import { expect, test } from 'vitest';
import type { Subject, Tools, Visit } from '../../server/diagnostics/checks/check.ts';
import { proxied } from '../../server/diagnostics/checks/served/proxied.ts';

const URL_OF_SITE = 'https://harbour.example/';
const subject = { name: 'harbour.example', url: URL_OF_SITE } as Subject;

/** Returns the answers that a visitor of a site behind Cloudflare gets. */
function behindCloudflare(answer: (url: string) => { status: number; location?: string }): Tools {
  const visit = async (url: string): Promise<Visit> => {
    const { status, location } = answer(url);
    const headers = new Headers({ 'cf-ray': '8f-AMS', ...(location !== undefined && { location }) });
    return { fault: null, status, headers, text: '', sha256: '', firstByteMs: 1, server: '104.16.0.1' };
  };
  return { serversOf: async () => [{ address: '104.16.0.1', family: 4 }], visit } as unknown as Tools;
}

test.each([
  ['leads to itself', () => ({ status: 301, location: URL_OF_SITE }), 'fail', /Full \(strict\)/],
  [
    'leads on to a page',
    (url: string) => (url === URL_OF_SITE ? { status: 301, location: '/home' } : { status: 200 }),
    'warn',
    /grey/,
  ],
  ['answers', () => ({ status: 200 }), 'warn', /grey/],
  ['is not reached', () => ({ status: 522 }), 'fail', /grey/],
] as const)('a site behind Cloudflare that %s', async (_, answer, verdict, fix) => {
  const finding = await proxied.run(subject, behindCloudflare(answer));
  expect(finding).toMatchObject({ verdict, fix: expect.stringMatching(fix) });
});
