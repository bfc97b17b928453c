import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { TRPCClientError } from '@trpc/client';
import { expect, test } from 'vitest';
import { clientOf, openAccount, publishSite } from '../support/api-account.ts';
import { CERTIFICATE_BOUNDARIES } from '../support/boundaries.ts';
import { startDnsLab } from '../support/dns-lab.ts';
import { freePort } from '../support/free-ports.ts';
import { startOwnMongod } from '../support/own-mongod.ts';
import { startPebble } from '../support/pebble.ts';
import { faultyEntry, type RealApp, startRealApp } from '../support/real-app.ts';
import { IS_FULL } from '../support/size.ts';
import { startLyingAuthority } from '../support/standins/lying-acme.ts';
import { makeFolder } from '../support/start.ts';
import { askHttp1, handshake } from '../support/tls-visitor.ts';

const TIMES = IS_FULL ? 20 : 1;
/** Where a second certificate would come of it most easily: the authority has signed, and we have kept nothing of it. */
const WORST = ['certificate:signed'] as const;
const KILLED_AT = IS_FULL ? CERTIFICATE_BOUNDARIES : WORST;
/**
 * The authority has taken the order and we do not know where it is, or has looked while nobody was there to answer: no
 * certificate comes of such an order, and another is placed.
 */
const ORDERED_AGAIN: readonly string[] = ['certificate:placed', 'certificate:answered'];
const NAME = 'harbour.test';
const PATIENCE = { timeout: IS_FULL ? 90_000 : 30_000, interval: 100 };

test(`killed at ${TIMES * KILLED_AT.length} steps of a renewal: one certificate comes of it, and the one before serves on`, async () => {
  await using lab = await startDnsLab();
  await using mongod = await startOwnMongod();
  await using folder = await makeFolder();
  const [sitesPort, tlsPort] = [await freePort(), await freePort()];
  const dnsServer = `${lab.resolver.address}:${lab.resolver.port}`;
  await using pebble = await startPebble({ dnsServer, httpPort: sitesPort });
  await using authority = await startLyingAuthority(pebble);
  const caFile = join(folder.path, 'ca.pem');
  await writeFile(caFile, authority.apiCa);
  const boundaries = Array.from({ length: TIMES }, () => KILLED_AT).flat();
  await using app = await startRealApp(
    {
      ...{ MONGODB_URI: mongod.uri, SITES_PORT: String(sitesPort), SITES_TLS_PORT: String(tlsPort) },
      ...{ ACME_CA_FILE: caFile, ACME_DIRECTORY_URL: authority.directoryUrl, EGRESS_ALLOW: '127.0.0.0/8' },
      ...{ DNS_RESOLVERS: dnsServer, DNS_AUTHORITY_PORT: String(lab.port), SITES_ADDRESSES: '127.0.0.1' },
    },
    killedAt(boundaries[0] ?? KILLED_AT[0]),
  );
  const account = await openAccount(app.url, 'harbour');
  const { deploymentId } = await publishSite(account, 'harbour', { 'index.html': 'PAGE' });
  // A signed-in person's token would run out in the middle.
  const { secret: token } = await clientOf(account).tokens.create.mutate({
    ...{ name: 'kills', scopes: ['read', 'write'], expiresInDays: 1, currentPassword: account.password },
  });
  const client = clientOf({ ...account, token });
  const { id: domainId, proof } = await client.domains.add.mutate({ deploymentId, name: NAME });
  await lab.registry.createZone(NAME, {
    [`${NAME} NS`]: ['ns.test.'],
    [`${NAME} A`]: ['127.0.0.1'],
    [`${proof.name} TXT`]: [`"${proof.value}"`],
  });
  await expect.poll(async () => (await client.domains.check.mutate({ domainId })).state, PATIENCE).toBe('active');
  const find = async () => (await client.certificates.list.query({ domainId })).items[0];
  await expect.poll(async () => (await find())?.state, PATIENCE).toBe('issued');
  const { id: certificateId = '' } = (await find()) ?? {};
  const trusting = { ca: await pebble.root(), rejectUnauthorized: true };
  const serialServed = async () => {
    const socket = await handshake(tlsPort, NAME, trusting);
    const { serialNumber } = socket.getPeerCertificate();
    socket.destroy();
    return serialNumber;
  };
  const count = () => ({ orders: authority.count('POST /order-plz'), signed: authority.count('POST /finalize-order') });
  const first = count();
  let serial = (await find())?.serial;
  await expect.poll(serialServed, PATIENCE).toBe(serial);

  for (const [index, boundary] of boundaries.entries()) {
    const before = count();
    app.child.kill('SIGUSR2');
    await expect.poll(() => app.output(), PATIENCE).toContain('"Armed"');
    await renewUntilKilled(app, () => client.certificates.renew.mutate({ certificateId }));
    // The next start knows that whoever held the job is dead: nobody waits for its lease.
    await mongod.prolongLeases();
    // It ends what the one before began, and is the one that is killed next.
    app.entry = killedAt(boundaries[index + 1] ?? boundary);
    await app.restart();
    const servedAtOnce = await serialServed();
    await expect.poll(async () => (await find())?.serial, PATIENCE).not.toBe(serial);
    await expect.poll(async () => (await find())?.state, PATIENCE).toBe('issued');
    const renewed = (await find())?.serial;
    expect([serial, renewed], `killed at ${boundary}`).toContain(servedAtOnce);
    await expect.poll(serialServed, PATIENCE).toBe(renewed);
    expect(await askHttp1(tlsPort, NAME, '/', trusting)).toMatch(/PAGE$/);
    const after = count();
    expect([boundary, after.signed - before.signed]).toEqual([boundary, 1]);
    const orders = after.orders - before.orders;
    expect([boundary, orders <= (ORDERED_AGAIN.includes(boundary) ? 2 : 1)]).toEqual([boundary, true]);
    serial = renewed;
  }
  const [last, kills] = [count(), TIMES * KILLED_AT.length];
  console.log(`${kills} kills: ${last.orders - first.orders} orders, ${last.signed - first.signed} certificates`);
  const { history } = await client.certificates.get.query({ certificateId });
  const told = history.filter(({ what }) => what === 'issued');
  expect(told.length).toBe(Math.min(50, history.length));
});

/** Nothing ends it before it is armed. */
const killedAt = (boundary: string): readonly string[] => faultyEntry({ [boundary]: 'killArmed' });

/**
 * An account may do so only so often in a minute. The answer may be lost with the process, or with a connection that the
 * server was closing: then the process lives on, and is asked again.
 */
async function renewUntilKilled({ child, output }: RealApp, renew: () => Promise<unknown>): Promise<void> {
  const giveUpAt = Date.now() + 2 * PATIENCE.timeout;
  while (child.signalCode === null) {
    if (Date.now() > giveUpAt) throw new Error(`It was not killed:\n${output()}`);
    const error: unknown = await renew().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    const refusal = error instanceof TRPCClientError ? error.data : null;
    if (refusal && refusal.code !== 'rate_limited') throw error;
    if (refusal) await wait(refusal.retryAfterMs ?? 1_000);
    else await untilKilled(child, error === null ? PATIENCE.timeout : 2_000);
  }
  expect(child.signalCode).toBe('SIGKILL');
}

async function untilKilled(child: ChildProcess, atMostMs: number): Promise<void> {
  const giveUpAt = Date.now() + atMostMs;
  while (child.exitCode === null && child.signalCode === null && Date.now() < giveUpAt) await wait(50);
}
