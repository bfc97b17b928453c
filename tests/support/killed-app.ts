import type { ChildProcess } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { TRPCClientError } from '@trpc/client';
import { expect } from 'vitest';
import { clientOf, openAccount, publishSite } from './api-account.ts';
import { startDnsLab } from './dns-lab.ts';
import { freePort } from './free-ports.ts';
import { startPowerDns } from './name-servers.ts';
import { type OwnMongod, startOwnMongod } from './own-mongod.ts';
import { startPebble } from './pebble.ts';
import { faultyEntry, type RealApp, startRealApp } from './real-app.ts';
import { IS_FULL } from './size.ts';
import { startLyingAuthority } from './standins/lying-acme.ts';
import { makeFolder } from './start.ts';
import { askHttp1, handshake } from './tls-visitor.ts';

export const PATIENCE = { timeout: IS_FULL ? 90_000 : 30_000, interval: 250 };

const faultOf = (runs: number) => `killArmed:${runs}` as const;
/** Nothing ends it before it is armed, and so many runs have come there. */
const killedAt = (boundaries: readonly string[], runs: number): readonly string[] =>
  faultyEntry(Object.fromEntries(boundaries.map((boundary) => [boundary, faultOf(runs)])));

/** The address of the zones that the DNS connection of the account opens; those of other names are at the registry. */
const HELD_AT = '127.0.0.3';

/**
 * The built product as it looks after domains: with real name servers, an authority that counts what it is asked for, a
 * published site, and an account with a DNS connection that opens the zones that are `held`. It ends itself at a boundary of
 * its work, at first at whichever of these `runs` have come to, and is started again.
 */
export async function startKilledApp({
  ends,
  runs,
  held,
}: {
  ends: readonly string[];
  runs: number;
  held: readonly string[];
}) {
  const parts: AsyncDisposable[] = [];
  const use = <Part extends AsyncDisposable>(part: Part): Part => {
    parts.unshift(part);
    return part;
  };
  const lab = use(await startDnsLab({ stubs: Object.fromEntries(held.map((zone) => [zone, [HELD_AT]])) }));
  const server = use(await startPowerDns({ address: HELD_AT, port: lab.port }));
  for (const zone of held) await lab.delegate(zone, { [`ns1.${zone}`]: HELD_AT });
  const mongod = use(await startOwnMongod());
  const folder = use(await makeFolder());
  const [sitesPort, tlsPort] = [await freePort(), await freePort()];
  const pebble = use(await startPebble({ dnsServer: lab.dnsServer, httpPort: sitesPort }));
  const authority = use(await startLyingAuthority(pebble));
  const caFile = join(folder.path, 'ca.pem');
  await writeFile(caFile, authority.apiCa);
  const settings = {
    ...{ MONGODB_URI: mongod.uri, SITES_PORT: String(sitesPort), SITES_TLS_PORT: String(tlsPort) },
    ...{ ACME_CA_FILE: caFile, ACME_DIRECTORY_URL: authority.directoryUrl, EGRESS_ALLOW: '127.0.0.0/8' },
    ...{ DNS_RESOLVERS: lab.dnsServer, DNS_AUTHORITY_PORT: String(lab.port), SITES_ADDRESSES: '127.0.0.1' },
  };
  const app = use(await startRealApp(settings, killedAt(ends, runs)));
  const account = await openAccount(app.url, 'harbour');
  const { deploymentId } = await publishSite(account, 'harbour', { 'index.html': 'PAGE' });
  // A signed-in person's token would run out in the middle.
  const { secret: token } = await clientOf(account).tokens.create.mutate({
    ...{ name: 'kills', scopes: ['read', 'write'], expiresInDays: 1, currentPassword: account.password },
  });
  const client = clientOf({ ...account, token });
  const fields = { url: server.apiUrl, apiKey: server.apiKey };
  await clientOf(account).connections.connect.mutate({ provider: 'powerdns', fields });
  const trusting = { ca: await pebble.root(), rejectUnauthorized: true };
  return {
    client,
    deploymentId,
    registry: lab.registry,
    /** Has the zones that the connection opens. */
    server,
    heldAt: HELD_AT,
    /** Orders that the authority took, and certificates that it signed. */
    count: () => ({ orders: authority.count('POST /order-plz'), signed: authority.count('POST /finalize-order') }),
    /** Proofs that the authority was told to look at. */
    validations: () => authority.count('POST /chalZ'),
    problems: authority.problems,
    async serialServed(name: string): Promise<string> {
      const socket = await handshake(tlsPort, name, trusting);
      const { serialNumber } = socket.getPeerCertificate();
      socket.destroy();
      return serialNumber;
    },
    page: (name: string) => askHttp1(tlsPort, name, '/', trusting),
    /** Rows of the test's own look into the database. */
    rows: (collection: string) => mongod.database.collection(collection).countDocuments(),
    /**
     * Has it end itself once all that `acts` begin has come to this boundary, and starts it again, to end itself at `next`
     * then. Nobody waits for a lease, until a person may do as much again, or for a resolver to forget.
     */
    async killAt(boundary: string, acts: readonly Act[], next?: string): Promise<void> {
      const runs = acts.length;
      if (app.entry[app.entry.indexOf(boundary) - 1] !== faultOf(runs)) {
        app.entry = killedAt([boundary], runs);
        await app.kill();
        await app.restart();
      }
      // The authority asks it, and would be told what stood in the zone at the kill before.
      await lab.resolver.flush('.');
      app.child.kill('SIGUSR2');
      await expect.poll(() => app.output(), PATIENCE).toContain('"Armed"');
      await actUntilKilled(app, acts);
      // The next start knows that the holder of a job is dead. The lease of a zone ends by itself, after half a minute.
      await mongod.prolongLeases();
      for (const name of ['zone_leases', 'rate_limits']) await mongod.database.collection(name).deleteMany({});
      if (next !== undefined) app.entry = killedAt([next], runs);
      await app.restart();
    },
    /**
     * Has the order that `act` begins end itself at each of these boundaries, one start after the other, and starts it
     * again. Nobody waits for the end of the pause of a job that may be what ends the process.
     */
    async killThrough(boundaries: readonly string[], act: Act): Promise<void> {
      await app.kill();
      for (const [index, boundary] of boundaries.entries()) {
        app.entry = faultyEntry({ [boundary]: 'kill' });
        // What was begun goes on at once, maybe before the start has ended.
        await app.restart().catch((error: unknown) => {
          if (app.child.signalCode === null) throw error;
        });
        await actUntilKilled(app, [index === 0 ? act : () => endPauses(mongod, app.child)]);
        await mongod.prolongLeases();
      }
      app.entry = faultyEntry({});
      await app.restart();
    },
    async [Symbol.asyncDispose]() {
      for (const part of parts) await part[Symbol.asyncDispose]();
    },
  };
}

export type KilledApp = Awaited<ReturnType<typeof startKilledApp>>;

type Act = () => Promise<unknown>;

async function actUntilKilled(app: RealApp, acts: readonly Act[]): Promise<void> {
  await Promise.all(acts.map((act) => begin(app, act)));
  await untilKilled(app.child, 2 * PATIENCE.timeout);
  if (app.child.signalCode !== 'SIGKILL') throw new Error(`It was not killed:\n${app.output()}`);
}

/** Statuses after which the same request can be repeated. */
const FOR_NOW = [429, 503];

/**
 * An account may do so only so often in a minute, and where others keep the machine busy the database may be late. The
 * answer may be lost with the process, or with a connection that the server was closing: then the process lives on, and is
 * asked again.
 */
async function begin({ child, output }: RealApp, act: Act): Promise<void> {
  const giveUpAt = Date.now() + 2 * PATIENCE.timeout;
  while (child.signalCode === null) {
    if (Date.now() > giveUpAt) throw new Error(`It was not killed:\n${output()}`);
    const error: unknown = await act().then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error === null) return;
    const refusal = error instanceof TRPCClientError ? error.data : null;
    if (refusal && !FOR_NOW.includes(refusal.httpStatus)) throw error;
    if (refusal) await wait(refusal.retryAfterMs ?? 1_000);
    else await untilKilled(child, 2_000);
  }
}

async function endPauses({ database }: OwnMongod, child: ChildProcess): Promise<void> {
  const giveUpAt = Date.now() + 2 * PATIENCE.timeout;
  while (child.signalCode === null && Date.now() < giveUpAt) {
    const paused = { name: 'issue-certificate', status: 'queued', runAt: { $gt: new Date() } };
    await database.collection('jobs').updateMany(paused, { $set: { runAt: new Date() } });
    await untilKilled(child, 1_000);
  }
}

async function untilKilled(child: ChildProcess, atMostMs: number): Promise<void> {
  const giveUpAt = Date.now() + atMostMs;
  while (child.exitCode === null && child.signalCode === null && Date.now() < giveUpAt) await wait(50);
}
