import { createSecureContext, type SecureContext } from 'node:tls';
import { LRUCache } from 'lru-cache';
import type { Providers } from '../context.ts';
import { rowsOf } from '../database/cursor-rows.ts';
import { CertificateModel, type CertificateRow } from '../database/models/domains/certificate.ts';
import { openKey } from '../domains/certificates/authority/sealed-key.ts';
import { MINUTE_MS } from '../lib/durations.ts';
import { defaultCacheBytes } from './responses/file-cache.ts';
import { createNameIndex } from './routing/name-index.ts';
import { createQueuedFlight } from './single-flight.ts';

/**
 * A context takes some 30 KB with its key and a chain of two, each certificate of which it holds both as text and
 * parsed.
 */
const CONTEXT_BYTES = 24 * 1_024;
const BYTES_PER_CHARACTER = 2;
/** Contexts have a quarter of the memory of files: 64 MB, or a 32nd of all memory if that is less. */
const PART_OF_CACHE = 1 / 4;
const BATCH = 500;
/** A change stream that loses a wake-up says so; this is for the day when it does not. */
const RELOAD_EVERY_MS = 10 * MINUTE_MS;

export type SiteCertificates = {
  /** Returns the certificate for a server name; undefined, at once, for one that has none. */
  contextFor(name: string): SecureContext | undefined | Promise<SecureContext | undefined>;
  has(name: string): boolean;
  start(): Promise<void>;
  stop(): void;
};

type HolderRow = {
  _id: string;
  issued?: (Pick<Holder, 'names' | 'serial'> & { notBefore: Date }) | null;
};
type Holder = { id: string; names: readonly string[]; serial: string; notBefore: number };

const FIELDS = { 'issued.names': 1, 'issued.serial': 1, 'issued.notBefore': 1 } as const;
/** The fields that a handshake needs. */
const READ = { 'issued.serial': 1, 'issued.chain': 1, 'issued.key': 1 } as const;
/** Uses the index of their ends. */
const SERVED = { 'issued.notAfter': { $gt: new Date(0) }, state: { $ne: 'revoked' as const } };

async function* readHolders(ids: 'all' | readonly string[]): AsyncGenerator<Holder> {
  const rows = CertificateModel.find({ ...(ids !== 'all' && { _id: { $in: [...ids] } }), ...SERVED }, FIELDS)
    .setOptions({ acrossAccounts: 'host' })
    .lean()
    .cursor({ batchSize: BATCH });
  for await (const { _id: id, issued } of rowsOf<HolderRow>(rows)) {
    if (!issued) continue;
    yield { id, names: [...issued.names], serial: issued.serial, notBefore: issued.notBefore.getTime() };
  }
}

/** Returns the memory of a context. */
export function weightOf(chain: string): number {
  return CONTEXT_BYTES + chain.length * BYTES_PER_CHARACTER;
}

/**
 * Holds the certificates of domains for handshakes. The names are in memory, so that a name without a certificate
 * costs nothing and asks nobody. Keys and chains are read on the first visit and held while there is memory for them;
 * the longest unused goes first. When the change feed reports a new certificate, the old one is dropped: no restart,
 * and no connection that ends.
 */
export function createSiteCertificates(
  { changes, secrets, log, rateCounters }: Pick<Providers, 'changes' | 'secrets' | 'log' | 'rateCounters'>,
  { weightMaxBytes = Math.floor(defaultCacheBytes() * PART_OF_CACHE) }: { weightMaxBytes?: number } = {},
): SiteCertificates {
  const holders = createNameIndex<Holder>(log, {
    read: readHolders,
    precedes: (one, other) => one.notBefore >= other.notBefore,
  });
  /** Keyed by serial as well, so that a late read of a replaced certificate is not taken for the new one. */
  const contexts = new LRUCache<string, SecureContext>({ maxSize: weightMaxBytes });
  const lookups = createQueuedFlight<SecureContext | undefined>(rateCounters, 'certificates');
  let stopListening = (): void => undefined;
  let reloading: NodeJS.Timeout | undefined;

  /** The name itself goes before a wildcard, which stands for one label (RFC 9525, section 6.3). */
  const find = (name: string): Holder | undefined =>
    holders.byName(name) ?? holders.byName(`*${name.slice(name.indexOf('.'))}`);

  async function read({ id, serial }: Holder): Promise<SecureContext | undefined> {
    const row = await CertificateModel.findOne({ _id: id, ...SERVED })
      .select({ accountId: 1, ...READ })
      .setOptions({ acrossAccounts: 'host' })
      .lean<Pick<CertificateRow, 'accountId' | 'issued'>>();
    if (!row?.issued) return undefined;
    const { issued, accountId } = row;
    const key = openKey(secrets, { _id: id, accountId }, issued.key);
    const context = createSecureContext({ cert: issued.chain, key });
    if (issued.serial === serial) contexts.set(`${id} ${serial}`, context, { size: weightOf(issued.chain) });
    return context;
  }

  return {
    has: (name) => find(name) !== undefined,
    contextFor(asked) {
      const holder = find(asked.toLowerCase());
      if (holder === undefined) return undefined;
      const key = `${holder.id} ${holder.serial}`;
      return contexts.get(key) ?? lookups.once(key, () => read(holder));
    },
    async start() {
      stopListening = changes.subscribe(['certificates'], {
        onChange: ({ id }) => void holders.refresh([id]),
        onReopened: () => void holders.refresh('all'),
      });
      await holders.refresh('all');
      reloading = setInterval(() => void holders.refresh('all'), RELOAD_EVERY_MS).unref();
    },
    stop() {
      stopListening();
      clearInterval(reloading);
      holders.stop();
    },
  };
}
