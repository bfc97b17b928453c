import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { certIdOf } from '../../../server/domains/certificates/authority/acme/ari.ts';
import { type ChallengeSolver, txtSetsOf } from '../../../server/domains/certificates/authority/challenges.ts';
import { createRequest, makeKey, requireServable } from '../../../server/domains/certificates/authority/x509.ts';
import { authorizeNames } from '../../../server/domains/certificates/challenges/authorize.ts';
import { acmeClient, issueWith, openAccount, problemOf, startZone, validate } from '../../support/acme.ts';
import { startChallengeServer } from '../../support/challenge-server.ts';
import type { PowerDns } from '../../support/name-servers.ts';
import { startPebble } from '../../support/pebble.ts';

const ZONE = 'harbour.test';
const HOUR_MS = 60 * 60_000;
const signal = new AbortController().signal;

/** Writes the TXT sets where the authority's resolver finds them. */
function dnsSolver(authority: PowerDns): ChallengeSolver {
  return {
    type: 'dns-01',
    async put(answers) {
      const sets = [...txtSetsOf(answers)].map(([name, values]) => [
        `${name} TXT`,
        values.map((value) => `"${value}"`),
      ]);
      await authority.writeSets(ZONE, Object.fromEntries(sets));
    },
    async remove(answers) {
      const names = [...txtSetsOf(answers).keys()].map((name) => [`${name} TXT`, []]);
      await authority.writeSets(ZONE, Object.fromEntries(names));
    },
  };
}

test('a name is validated over HTTP, and the certificate fits its key and chains to the root', async () => {
  await using zone = await startZone(ZONE);
  await using web = await startChallengeServer();
  await using pebble = await startPebble({ dnsServer: zone.dnsServer, httpPort: web.port });
  const authority = acmeClient(pebble);
  const names = [ZONE, `www.${ZONE}`];
  const { chain, key } = await issueWith(authority, await openAccount(authority), web.solver, { names });
  const facts = requireServable(chain, key, names);
  const issuer = new X509Certificate(chain.slice(chain.indexOf('-----END CERTIFICATE-----') + 25));
  const lifetimeDays = (facts.notAfter.getTime() - facts.notBefore.getTime()) / HOUR_MS / 24;
  expect([Math.round(lifetimeDays), issuer.checkIssued(new X509Certificate(await pebble.root()))]).toEqual([90, true]);
  expect(new Set(web.asked.map((asked) => asked.split(':')[0]))).toEqual(new Set(names));
});

test('a name and its wildcard are validated over DNS in one order', async () => {
  await using zone = await startZone(ZONE);
  await using pebble = await startPebble({ dnsServer: zone.dnsServer });
  const authority = acmeClient(pebble);
  const names = [ZONE, `*.${ZONE}`];
  const { chain, key } = await issueWith(authority, await openAccount(authority), dnsSolver(zone.authority), { names });
  requireServable(chain, key, names);
});

test('an authority that refuses six in ten good nonces is served with patience', async () => {
  await using zone = await startZone(ZONE);
  await using web = await startChallengeServer();
  await using pebble = await startPebble({ dnsServer: zone.dnsServer, httpPort: web.port, nonceRejectPercent: 60 });
  const authority = acmeClient(pebble);
  const { chain, key } = await issueWith(authority, await openAccount(authority), web.solver, { names: [ZONE] });
  requireServable(chain, key, [ZONE]);
});

test('a validation that fails says which name and what was found', async () => {
  await using zone = await startZone(ZONE);
  await using web = await startChallengeServer({ wrong: true });
  await using pebble = await startPebble({ dnsServer: zone.dnsServer, httpPort: web.port });
  const authority = acmeClient(pebble);
  const call = await openAccount(authority);
  const problem = await problemOf(issueWith(authority, call, web.solver, { names: [ZONE] }));
  expect([problem.type, problem.detail]).toEqual(['unauthorized', expect.stringContaining('another server')]);
});

test('a name that leads nowhere fails as a fault of the connection', async () => {
  await using zone = await startZone(ZONE);
  await using web = await startChallengeServer();
  await using pebble = await startPebble({ dnsServer: zone.dnsServer, httpPort: web.port });
  const authority = acmeClient(pebble);
  const work = issueWith(authority, await openAccount(authority), web.solver, { names: ['elsewhere.test'] });
  expect((await problemOf(work)).type).toBe('connection');
});

test('a name that the authority blocks is named', async () => {
  await using pebble = await startPebble({ blocked: ['blocked.test'] });
  const authority = acmeClient(pebble);
  const work = authority.order(await openAccount(authority), { names: ['blocked.test'] });
  expect((await problemOf(work)).type).toBe('rejectedIdentifier');
});

test('an external account is bound with the right key and with no other', async () => {
  const eab = { kid: 'harbour', hmacKey: Buffer.alloc(32, 'a key').toString('base64url') };
  await using pebble = await startPebble({ eab: [eab] });
  await expect(openAccount(acmeClient(pebble, eab))).resolves.toMatchObject({
    accountUrl: expect.stringContaining('https:'),
  });
  const twice = { ...eab, hmacKey: Buffer.from(eab.hmacKey).toString('base64url') };
  await expect(openAccount(acmeClient(pebble, twice))).resolves.toMatchObject({ accountUrl: expect.any(String) });
  const wrong = { ...eab, hmacKey: Buffer.alloc(32, 'another').toString('base64url') };
  expect((await problemOf(openAccount(acmeClient(pebble, wrong)))).type).toBe('unauthorized');
  expect((await problemOf(openAccount(acmeClient(pebble)))).type).toBe('externalAccountRequired');
});

test('the same key finds the same account', async () => {
  await using pebble = await startPebble();
  const { pem } = await makeKey();
  const first = await acmeClient(pebble).register(pem, signal);
  expect(await acmeClient(pebble).register(pem, signal)).toBe(first);
});

test('an order that was signed before a crash is downloaded, not signed again', async () => {
  await using zone = await startZone(ZONE);
  await using web = await startChallengeServer();
  await using pebble = await startPebble({ dnsServer: zone.dnsServer, httpPort: web.port });
  const authority = acmeClient(pebble);
  const call = await openAccount(authority);
  const url = await authority.order(call, { names: [ZONE] });
  await validate(authority, call, web.solver, url);
  const csr = await createRequest([ZONE], (await makeKey()).pem);
  const chain = await authority.finish(call, url, csr);
  expect(await acmeClient(pebble).finish(call, url, csr)).toBe(chain);
});

test('a challenge that was settled since its order was read stops nothing', async () => {
  await using zone = await startZone(ZONE);
  await using web = await startChallengeServer();
  await using pebble = await startPebble({ dnsServer: zone.dnsServer, httpPort: web.port });
  const authority = acmeClient(pebble);
  const call = await openAccount(authority);
  const url = await authority.order(call, { names: [ZONE] });
  const before = await authority.read(call, url);
  await validate(authority, call, web.solver, url);
  if (before !== null) await authorizeNames({ authority }, call, web.solver, before);
  expect([before?.status, (await authority.read(call, url))?.status]).toEqual(['pending', 'ready']);
});

test('names that were validated a moment ago are not validated again', async () => {
  await using zone = await startZone(ZONE);
  await using web = await startChallengeServer();
  await using pebble = await startPebble({ dnsServer: zone.dnsServer, httpPort: web.port, authzReusePercent: 100 });
  const authority = acmeClient(pebble);
  const call = await openAccount(authority);
  await issueWith(authority, call, web.solver, { names: [ZONE] });
  const asked = web.asked.length;
  await issueWith(authority, call, web.solver, { names: [ZONE] });
  expect(web.asked.length).toBe(asked);
});

test('an authority that was stopped in the middle and forgot everything says so', async () => {
  const first = await startPebble();
  const authority = acmeClient(first);
  const call = await openAccount(authority);
  const url = await authority.order(call, { names: [ZONE] });
  await first[Symbol.asyncDispose]();
  expect((await problemOf(authority.read(call, url))).type).toBe('unreachable');
  await using again = await startPebble({ port: first.port });
  expect((await problemOf(authority.read(call, url))).type).toBe('accountDoesNotExist');
  const accountUrl = await acmeClient(again).register(call.accountKey, signal);
  expect(await authority.read({ ...call, accountUrl }, url)).toBe(null);
});

test('a certificate is replaced once by name, and once more without', async () => {
  await using zone = await startZone(ZONE);
  await using web = await startChallengeServer();
  await using pebble = await startPebble({ dnsServer: zone.dnsServer, httpPort: web.port, profiles: { short: 120 } });
  const authority = acmeClient(pebble);
  const call = await openAccount(authority);
  const { chain: replaces } = await issueWith(authority, call, web.solver, { names: [ZONE] });
  let asked = 0;
  const beforeNewOrder = async () => {
    asked += 1;
  };
  const request = { names: [ZONE], replaces, beforeNewOrder };
  const first = await issueWith(authority, call, web.solver, request);
  expect(asked).toBe(0);
  const second = await issueWith(authority, call, web.solver, request);
  expect(asked).toBe(1);
  expect(new Set(await Promise.all([replaces, first.chain, second.chain].map(certIdOf))).size).toBe(3);
});

test('renewal information in the past, in the future and malformed is told apart', async () => {
  await using zone = await startZone(ZONE);
  await using web = await startChallengeServer();
  await using pebble = await startPebble({ dnsServer: zone.dnsServer, httpPort: web.port });
  const authority = acmeClient(pebble);
  const { chain } = await issueWith(authority, await openAccount(authority), web.solver, { names: [ZONE] });
  const ofItself = await authority.renewalInfo(chain, signal);
  expect(ofItself?.start.getTime()).toBeGreaterThan(Date.now());
  const windowAt = (at: number) => ({
    suggestedWindow: { start: new Date(at).toISOString(), end: new Date(at + HOUR_MS).toISOString() },
  });
  const past = { ...windowAt(Date.now() - 24 * HOUR_MS), explanationURL: 'https://authority.test/why' };
  await pebble.setRenewalInfo(chain, JSON.stringify(past));
  expect(await authority.renewalInfo(chain, signal)).toMatchObject({
    start: new Date(past.suggestedWindow.start),
    explanationUrl: past.explanationURL,
  });
  await pebble.setRenewalInfo(chain, '{"suggestedWindow":{"start":"soon"}}');
  expect(await authority.renewalInfo(chain, signal)).toBe(null);
});

test('a certificate is revoked, and a second time is no error', async () => {
  await using zone = await startZone(ZONE);
  await using web = await startChallengeServer();
  await using pebble = await startPebble({ dnsServer: zone.dnsServer, httpPort: web.port });
  const authority = acmeClient(pebble);
  const call = await openAccount(authority);
  const { chain } = await issueWith(authority, call, web.solver, { names: [ZONE] });
  await authority.revoke(call, chain, 'keyCompromise');
  await authority.revoke(call, chain, 'keyCompromise');
  expect(await pebble.statusOf(new X509Certificate(chain).serialNumber)).toBe('Revoked');
  const info = await authority.renewalInfo(chain, signal);
  expect(info?.start.getTime()).toBeLessThan(Date.now());
});
