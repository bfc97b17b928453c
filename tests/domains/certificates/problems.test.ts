import { expect, test } from 'vitest';
import { createLocalAuthority } from '../../../server/domains/certificates/authority/local-ca.ts';
import { classifyProblem, mayBeOver, parseProblem } from '../../../server/domains/certificates/authority/problems.ts';
import { createRequest, makeKey } from '../../../server/domains/certificates/authority/x509.ts';
import { createSecrets, newKeys } from '../../../server/lib/crypto/secrets.ts';
import { acmeClient, openAccount, problemOf } from '../../support/acme.ts';
import { ownRoots } from '../../support/local-roots.ts';
import { share } from '../../support/shared.ts';
import { type Refusal, startRefusingAuthority } from '../../support/standins/acme.ts';

const NOW = new Date('2026-11-23T12:00:00Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A client with an account. */
const shared = share(async () => {
  const standin = await startRefusingAuthority();
  const authority = acmeClient(standin);
  return { ...standin, authority, call: await openAccount(authority) };
});

async function refusedWith(refusal: Refusal) {
  const { authority, call, refuseWith } = await shared();
  refuseWith(refusal);
  return await problemOf(authority.order(call, { names: ['harbour.test'] }));
}

const classified = async (refusal: Refusal) => classifyProblem(await refusedWith(refusal), NOW);

test('a domain that is mended has its order tried at once, but never for a limit, nor for a fourth validation a day', () => {
  const types = ['rehearsal', 'dnsConnection', 'dnsUnseen', 'dnsZone', 'unauthorized', 'connection', 'caa'];
  expect(types.map((type) => [mayBeOver(type, 2), mayBeOver(type, 3)])).toEqual(
    types.map((_type, index) => [true, index < 4]),
  );
  const others = ['rateLimited', 'budget', 'unreachable', 'rejectedIdentifier', 'externalAccountRequired', 'unheardOf'];
  expect(others.filter((type) => mayBeOver(type, 1))).toEqual([]);
});

test('a limit waits for the time that the header names', async () => {
  const problem = await classified({ status: 429, type: 'rateLimited', headers: { 'retry-after': '7200' } });
  expect(problem).toMatchObject({ kind: 'retry', retryAfterMs: 2 * HOUR_MS });
});

test.each<[string, number | null]>([
  ['120', 120_000],
  ['0', 1_000],
  ['99999999999999999999', 7 * 24 * HOUR_MS],
  ['Mon, 23 Nov 2026 13:00:02 GMT', 2_000],
  ['Mon, 23 Nov 2026 12:00:00 GMT', 1_000],
  ['', null],
  ['-1', null],
  ['1e9', null],
  ['abc', null],
  ['2026-11-23', null],
  ['120, 120', null],
])('a header that says %j asks for %s ms, by the clock of who says it', async (value, ms) => {
  const headers = { 'retry-after': value, date: 'Mon, 23 Nov 2026 13:00:00 GMT' };
  expect((await refusedWith({ status: 429, type: 'rateLimited', headers })).retryAfterMs).toBe(ms);
});

test('a limit without a header waits for the time at the end of its text', async () => {
  const detail = 'too many certificates (5) already issued, retry after 2026-11-23 15:00:00 UTC: see the docs';
  const problem = await classified({ status: 429, type: 'rateLimited', detail });
  expect(problem).toMatchObject({ kind: 'retry', retryAfterMs: 3 * HOUR_MS });
});

test('a pause is final, and its link is kept for the operator', async () => {
  const detail = 'Your account is paused. Visit https://portal.authority.test/unpause?jwt=abc to unpause.';
  const problem = await refusedWith({ status: 429, type: 'rateLimited', detail });
  expect([classifyProblem(problem, NOW).kind, problem.link]).toEqual([
    'final',
    'https://portal.authority.test/unpause?jwt=abc',
  ]);
});

test('a plain 503 is a limit as well', async () => {
  const problem = await refusedWith({ status: 503, headers: { 'retry-after': '90' }, body: 'Service busy' });
  expect(classifyProblem(problem, NOW)).toMatchObject({ kind: 'retry', retryAfterMs: 90_000 });
});

test.each([
  [409, 'alreadyReplaced', 1],
  [400, 'malformed', 1],
  [500, 'serverInternal', 1],
  [503, 'serverInternal', 0],
  [429, 'rateLimited', 0],
])(
  'an order that is refused with %s %s is placed %s times more without what it replaces',
  async (status, type, more) => {
    const local = createLocalAuthority({ roots: ownRoots(), secrets: createSecrets(newKeys()), now: () => new Date() });
    const unsigned = { accountKey: '', accountUrl: '', signal: new AbortController().signal };
    const request = await createRequest(['harbour.test'], (await makeKey()).pem);
    const replaces = await local.finish(unsigned, 'local:harbour.test', request);
    const { authority, call, refuseWith } = await shared();
    refuseWith({ status, type });
    let asked = 0;
    const beforeNewOrder = async () => {
      asked += 1;
    };
    await problemOf(authority.order(call, { names: ['harbour.test'], replaces, beforeNewOrder }));
    expect(asked).toBe(more);
  },
);

test('a CAA record that forbids needs a change, and the name is told', async () => {
  const subproblem = {
    type: 'urn:ietf:params:acme:error:caa',
    detail: 'CAA record for harbour.test prevents issuance',
    identifier: { type: 'dns', value: 'harbour.test' },
  };
  const body = { type: 'urn:ietf:params:acme:error:caa', detail: 'CAA', subproblems: [subproblem] };
  const problem = await refusedWith({ status: 403, body });
  expect([classifyProblem(problem, NOW).kind, problem.subproblems[0]?.name]).toEqual(['change', 'harbour.test']);
});

test('new terms are the matter of the operator, with their link', async () => {
  const headers = { link: '<https://authority.test/terms>;rel="terms-of-service"' };
  const problem = await refusedWith({ status: 403, type: 'userActionRequired', headers });
  expect([classifyProblem(problem, NOW).kind, problem.link]).toEqual(['operator', 'https://authority.test/terms']);
});

test('an address that is no directory is told as such', async () => {
  await using standin = await startRefusingAuthority();
  standin.showDirectory({ hello: 'world' });
  const problem = await problemOf(openAccount(acmeClient(standin)));
  expect([problem.type, problem.detail]).toEqual([
    'unreachable',
    'This address is not the directory of a certificate authority.',
  ]);
});

test('an authority that sends nonsense instead of a problem has trouble of its own', async () => {
  expect(await classified({ status: 500, body: '<html>' })).toMatchObject({ kind: 'retry' });
  expect(await classified({ status: 400, body: [1, 2] })).toMatchObject({ kind: 'final' });
});

test.each([
  ['connection', 'change'],
  ['dns', 'change'],
  ['tls', 'change'],
  ['unauthorized', 'change'],
  ['incorrectResponse', 'change'],
  ['rejectedIdentifier', 'final'],
  ['unsupportedIdentifier', 'final'],
  ['badCSR', 'final'],
  ['badPublicKey', 'final'],
  ['malformed', 'final'],
  ['orderNotReady', 'retry'],
  ['serverInternal', 'retry'],
  ['externalAccountRequired', 'operator'],
  ['accountDoesNotExist', 'new_account'],
  ['alreadyReplaced', 'final'],
  ['invalidProfile', 'final'],
])('%s is sorted as %s', (type, kind) => {
  const problem = parseProblem({ type: `urn:ietf:params:acme:error:${type}` }, { status: 400 });
  expect(classifyProblem(problem, NOW).kind).toBe(kind);
});
