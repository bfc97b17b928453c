import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ChangeFeed, createChangeFeed } from '../../server/database/change-feed.ts';
import { DeploymentModel } from '../../server/database/models/publishing/deployment.ts';
import { ReleaseModel } from '../../server/database/models/publishing/release.ts';
import { newId } from '../../server/database/mongo.ts';
import { createHost, type Host, type HostOptions } from '../../server/host/listener.ts';
import type { HostProviders } from '../../server/host/serve.ts';
import type { Log } from '../../server/lib/log.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';
import { encodeManifest, type ManifestEntry } from '../../server/store/manifest.ts';
import { closeOf } from './close-of.ts';
import { type Answer, type Ask, get } from './get.ts';
import { share } from './shared.ts';
import { WIDE_LIMITS } from './wide-limits.ts';

export type LogLine = { level: keyof Log; message: string; fields: Record<string, unknown> };

export type TestHost = {
  folder: string;
  host: Host;
  providers: HostProviders;
  lines: LogLine[];
  hasFeed: boolean;
  /** Asks for `path` of `{name}.localhost`; the path goes out as it is. */
  get(name: string, path: string, ask?: Ask): Promise<Answer>;
  /** Sends bytes as they are and returns all that comes back until the connection ends. */
  raw(text: string): Promise<string>;
  /** A second host on the same folder, as after a restart. */
  restart(providers?: Partial<HostProviders>): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

export type TestHostOptions = {
  changes?: 'feed' | 'silent';
  providers?: Partial<HostProviders>;
  timeouts?: HostOptions['timeouts'];
  tls?: HostOptions['tls'];
  countsVisits?: HostOptions['countsVisits'];
};

function silentFeed(): ChangeFeed {
  return { subscribe: () => () => undefined, start: async () => undefined, stop: async () => undefined };
}

function collectingLog(lines: LogLine[]): Log {
  const write =
    (level: keyof Log) =>
    (message: string, fields: Record<string, unknown> = {}): void =>
      void lines.push({ level, message, fields });
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') };
}

/** Creates a running host on the test file's database, with a store of its own in a temporary folder. */
export async function createTestHost(options: TestHostOptions = {}): Promise<TestHost> {
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-host-'));
  const lines: LogLine[] = [];
  const log = collectingLog(lines);
  const changes = options.changes === 'feed' ? createChangeFeed(log) : silentFeed();
  const providers: HostProviders = {
    store: await createDiskStore({
      folder: join(folder, 'artifacts'),
      minFreeBytes: 0,
      rateCounters: createRateCounters(),
    }),
    databaseSpace: { freeBytes: async () => Number.POSITIVE_INFINITY },
    changes,
    log,
    addresses: {
      publicUrl: 'http://localhost:3000',
      sitesDomain: 'localhost',
      sitesUrl: 'http://{slug}.localhost:3001',
      sitesListener: { protocol: 'http:', host: '127.0.0.1', port: 0 },
      supportEmail: 'support@localhost',
      operatorEmail: 'operator@localhost',
    },
    limits: WIDE_LIMITS,
    rateCounters: createRateCounters(),
    now: () => new Date(),
    ...options.providers,
  };
  const make = (more: Partial<HostProviders> = {}): Host =>
    createHost(
      { ...providers, ...more },
      {
        port: 0,
        host: '127.0.0.1',
        dataDir: folder,
        tls: options.tls,
        ...(options.countsVisits !== undefined && { countsVisits: options.countsVisits }),
        ...(options.timeouts !== undefined && { timeouts: options.timeouts }),
      },
    );
  await changes.start();
  const test: TestHost = {
    folder,
    host: make(),
    providers,
    lines,
    hasFeed: options.changes === 'feed',
    get: (name, path, ask = {}) => get(test.host.address.port, `${name}.localhost`, path, ask),
    raw: (text) => raw(test.host.address.port, text),
    restart: async (more) => {
      await test.host.stop();
      test.host = make(more);
      await test.host.start();
    },
    [Symbol.asyncDispose]: async () => {
      await test.host.stop();
      await changes.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await test.host.start();
  return test;
}

/** Returns one host with these sites for all tests of a file that only ask it something. */
export function shareHost(sites: Record<string, SiteContent> = {}, options: TestHostOptions = {}) {
  return share(async () => {
    const test = await createTestHost(options);
    for (const [slug, content] of Object.entries(sites)) await publishSite(test, slug, content);
    return test;
  });
}

export async function raw(port: number, text: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let received = '';
  socket.on('data', (piece: Buffer) => {
    received += piece.toString('latin1');
  });
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  // Not `end`: Node drops an answer that is still on its way to a connection half closed.
  socket.write(Buffer.from(text, 'latin1'));
  await closeOf(socket);
  return received;
}

export type Published = {
  deploymentId: string;
  releaseId: string;
  number: number;
  manifestHash: string;
  hashes: Map<string, string>;
};
export type SiteContent = Record<string, string | Buffer>;

/** Stores the files and makes their release the live one of that name, as the switch does. */
export async function publishSite(test: TestHost, slug: string, content: SiteContent): Promise<Published> {
  const release = await addRelease(test, slug, content, 'live');
  await makeLive(release);
  // A host with a feed hears of it by itself: its tests look at exactly that.
  if (!test.hasFeed) await test.host.refresh();
  return release;
}

export async function makeLive({
  deploymentId,
  releaseId,
}: {
  deploymentId: string;
  releaseId: string;
}): Promise<void> {
  await DeploymentModel.updateOne(
    { _id: deploymentId },
    { $set: { currentReleaseId: releaseId, state: 'live' } },
  ).setOptions({ acrossAccounts: 'host' });
}

/** A release of the named deployment (made when it is new) that is not live yet. */
export async function addRelease(
  test: Pick<TestHost, 'providers'>,
  slug: string,
  content: SiteContent,
  state: 'queued' | 'processing' | 'verifying' | 'live' | 'failed' | 'superseded',
): Promise<Published> {
  const { store } = test.providers;
  const manifest = new Map<string, ManifestEntry>();
  const hashes = new Map<string, string>();
  for (const [path, text] of Object.entries(content)) {
    const { sha256, sizeBytes } = await store.writeWhole(Buffer.isBuffer(text) ? text : Buffer.from(text));
    manifest.set(path, { sha256, sizeBytes });
    hashes.set(path, sha256);
  }
  const { sha256: manifestHash } = await store.writeWhole(await encodeManifest(manifest));
  const { deploymentId, accountId, number } = await nextNumber(slug);
  const releaseId = newId();
  await ReleaseModel.create({
    _id: releaseId,
    accountId,
    deploymentId,
    number,
    state,
    source: 'folder',
    createdBy: 'test',
    manifestHash,
    fileCount: manifest.size,
    totalBytes: 0,
    changedFiles: manifest.size,
  });
  return { deploymentId, releaseId, number, manifestHash, hashes };
}

async function nextNumber(slug: string): Promise<{ deploymentId: string; accountId: string; number: number }> {
  const known = await DeploymentModel.findOneAndUpdate(
    { slug },
    { $inc: { releaseCount: 1 } },
    { returnDocument: 'after' },
  )
    .setOptions({ acrossAccounts: 'host' })
    .lean();
  if (known !== null) return { deploymentId: known._id, accountId: known.accountId, number: known.releaseCount };
  const made = { _id: newId(), accountId: newId(), releaseCount: 1 };
  await DeploymentModel.create({
    ...made,
    name: slug,
    nameKey: slug,
    slug,
    platform: 'built-in',
    primaryId: 'there',
    destinations: [{ _id: 'there', platform: 'built-in' }],
    state: 'deploying',
  });
  return { deploymentId: made._id, accountId: made.accountId, number: 1 };
}
