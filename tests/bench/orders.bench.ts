import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readMongodSources } from '../../server/boot/env/env.ts';
import { clientOf, openAccount, publishSite } from '../support/api-account.ts';
import { unpackPackages } from '../support/debian-packages.ts';
import { type DnsLab, startDnsLab } from '../support/dns-lab.ts';
import { freePort } from '../support/free-ports.ts';
import { type Pebble, startPebble } from '../support/pebble.ts';
import { startRealApp } from '../support/real-app.ts';
import { handshake } from '../support/tls-visitor.ts';
import { printRatio, stopChild, unpin } from './harness.ts';

/**
 * Measures how long it takes until so many names, ordered at once, are served under certificates of a real authority: ours
 * from the first look at their records, Caddy from the start of its process. Each has an authority of its own. Neither is
 * told how long to wait between two looks: Pebble says so by a date half of the time, which Caddy 2.6 takes for an error and
 * waits a minute. Needs `dist/` (npm run build).
 */
const ZONE = 'bench.test';
const NAMES = Array.from({ length: 30 }, (_, index) => `n${index}.${ZONE}`);
const LOOK_EVERY_MS = 100;
const PATIENCE_MS = 180_000;
/** The number of checks of one account that run at once. */
const CHECKS_AT_ONCE = 2;

type World = { lab: DnsLab; pebble: Pebble; httpPort: number; tlsPort: number; folder: string; caFile: string };

/** Returns after so many milliseconds since `startedAt` all names answered a handshake under the authority's root. */
async function untilServed({ pebble, tlsPort }: World, startedAt: number): Promise<number> {
  const trusting = { ca: await pebble.root(), rejectUnauthorized: true };
  const served = async (name: string): Promise<void> => {
    for (;;) {
      const socket = await handshake(tlsPort, name, trusting).catch(() => null);
      socket?.destroy();
      if (socket !== null) return;
      if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`${name} is not served.`);
      await wait(LOOK_EVERY_MS);
    }
  };
  await Promise.all(NAMES.map(served));
  return performance.now() - startedAt;
}

async function orderHere(world: World): Promise<number> {
  const { lab, pebble, httpPort, tlsPort, caFile } = world;
  await using app = await startRealApp({
    ...{ SITES_PORT: String(httpPort), SITES_TLS_PORT: String(tlsPort), SITES_ADDRESSES: '127.0.0.1' },
    ...{ ACME_CA_FILE: caFile, ACME_DIRECTORY_URL: pebble.directoryUrl, EGRESS_ALLOW: '127.0.0.0/8' },
    ...{ DNS_RESOLVERS: lab.dnsServer, DNS_AUTHORITY_PORT: String(lab.port), LOG_LEVEL: 'warn' },
  });
  const account = await openAccount(app.url, 'bench');
  const { domains } = clientOf(account);
  const { deploymentId } = await publishSite(account, 'bench', { 'index.html': 'PAGE' });
  const added = [];
  for (const name of NAMES) added.push(await domains.add.mutate({ deploymentId, name }));
  const proofs = added.map(({ proof }): [string, string[]] => [`${proof.name} TXT`, [`"${proof.value}"`]]);
  await lab.registry.writeSets(ZONE, Object.fromEntries(proofs));
  const startedAt = performance.now();
  const queue = added.values();
  const check = async (): Promise<void> => {
    // A check by itself may be under way, which is as good.
    for (const { id: domainId } of queue) await domains.check.mutate({ domainId }).catch(() => undefined);
  };
  await Promise.all(Array.from({ length: CHECKS_AT_ONCE }, check));
  return await untilServed(world, startedAt);
}

async function findCaddy(): Promise<string | null> {
  const fetched = join(readMongodSources(process.env).cacheFolder, 'caddy');
  const places = ['caddy', '/usr/bin/caddy', join(fetched, 'usr/bin/caddy')];
  const find = () => places.find((program) => spawnSync(program, ['version']).status === 0) ?? null;
  const found = find();
  if (found !== null || existsSync(fetched)) return found;
  await unpackPackages(['caddy'], fetched).catch(() => undefined);
  return find();
}

async function orderByCaddy(program: string, world: World): Promise<number> {
  const { pebble, httpPort, tlsPort, folder, caFile } = world;
  const issuer = `issuer acme ${pebble.directoryUrl} {\n trusted_roots ${caFile}\n disable_tlsalpn_challenge\n }`;
  const config = `{\n admin off\n http_port ${httpPort}\n https_port ${tlsPort}\n}\n${NAMES.join(', ')} {\n tls {\n ${issuer}\n }\n respond PAGE\n}\n`;
  const file = join(folder, 'Caddyfile');
  await writeFile(file, config);
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const startedAt = performance.now();
  const args = ['run', '--config', file, '--adapter', 'caddyfile'];
  const child: ChildProcess = spawn(program, args, { stdio: 'ignore', env });
  try {
    return await untilServed(world, startedAt);
  } finally {
    await stopChild(child);
  }
}

async function inWorld(order: (world: World) => Promise<number>): Promise<number> {
  await using lab = await startDnsLab();
  const addresses = NAMES.map((name): [string, string[]] => [`${name} A`, ['127.0.0.1']]);
  await lab.registry.createZone(ZONE, { [`${ZONE} NS`]: ['ns.test.'], ...Object.fromEntries(addresses) });
  const [httpPort, tlsPort] = [await freePort(), await freePort()];
  await using pebble = await startPebble({ dnsServer: lab.dnsServer, httpPort, retryAfterSeconds: 0 });
  const folder = await mkdtemp(join(tmpdir(), 'orders-'));
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, pebble.apiCa);
  return await order({ lab, pebble, httpPort, tlsPort, folder, caFile });
}

unpin();
console.log(`${NAMES.length} names ordered at once, until each is served over TLS`);
const caddy = await findCaddy();
const ours = (await inWorld(orderHere)) / 1_000;
if (caddy === null) {
  console.log(`  ours ${ours.toFixed(1)} s; Caddy is not installed (apt install caddy): its row is left out.`);
} else {
  const peer = (await inWorld((world) => orderByCaddy(caddy, world))) / 1_000;
  printRatio('time until all are served, against Caddy', [{ ours, peer }], { unit: 's', goal: 'below 1' });
}
