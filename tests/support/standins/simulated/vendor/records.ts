import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import { createDurably, writeDurably } from '../../../../../server/durable-file.ts';

/**
 * What the simulated platform remembers: a file a thing, whole or absent at every moment, so that it outlives the
 * process that wrote it, and several processes may play it at once. A name is taken by the file that says so.
 */
const siteSchema = z.object({
  id: z.string(),
  name: z.string(),
  owner: z.string(),
  published: z.nullable(z.string()),
  /** The parent of the next commit. */
  head: z.nullable(z.string()),
});
const releaseSchema = z.object({
  id: z.string(),
  site: z.string(),
  /** The idempotency key of the caller. */
  key: z.string(),
  files: z.record(z.string(), z.string()),
  state: z.string(),
  /** States that it still goes through, one a look. */
  ahead: z.array(z.string()),
  /** Whether it becomes the public one by itself once it is ready. */
  goesPublic: z.boolean(),
});
const domainSchema = z.object({
  id: z.string(),
  site: z.string(),
  name: z.string(),
  /** The name that brought this one with it; null for one that was asked for. */
  counterpartOf: z.nullable(z.string()),
  /** The TXT record to be set first where another account has the name. */
  proof: z.nullable(z.string()),
  /** Whether records and certificate are those of a site through Git. */
  isFixed: z.boolean(),
  /** States that all that is said of it still goes through, one a look. */
  ahead: z.array(z.string()),
  certificate: z.enum(['none', 'ordered', 'issued']),
  expiresAt: z.nullable(z.string()),
  /** How often a certificate was asked for. */
  orders: z.number(),
});

export type SiteRecord = z.infer<typeof siteSchema>;
export type ReleaseRecord = z.infer<typeof releaseSchema>;
export type DomainRecord = z.infer<typeof domainSchema>;

const SCHEMAS = { sites: siteSchema, releases: releaseSchema, domains: domainSchema };
type Kind = keyof typeof SCHEMAS;
type RecordOf<K extends Kind> = z.infer<(typeof SCHEMAS)[K]>;

export type Records = ReturnType<typeof createRecords>;

/** What the vendor knows, one file a record below `folder`: it outlives the process. */
export function createRecords(folder: string) {
  const pathOf = (kind: string, id: string): string => join(folder, kind, encodeURIComponent(id));

  async function readAt<K extends Kind>(kind: K, id: string): Promise<RecordOf<K> | null> {
    const text = await readText(pathOf(kind, id));
    return text === null ? null : parsed(kind, text);
  }

  return {
    /** Makes the folders; once, before anything else. */
    async open(): Promise<void> {
      for (const kind of ['sites', 'names', 'releases', 'domains', 'blobs']) {
        await mkdir(join(folder, kind), { recursive: true });
      }
    },
    newId: (): string => randomBytes(8).toString('hex'),
    read: readAt,
    async all<K extends Kind>(kind: K): Promise<RecordOf<K>[]> {
      const names = (await readdir(join(folder, kind))).filter((name) => !name.includes('.'));
      const found = await Promise.all(names.map((name) => readAt(kind, decodeURIComponent(name))));
      return found.filter((record) => record !== null);
    },
    async write<K extends Kind>(kind: K, record: RecordOf<K>): Promise<void> {
      await writeDurably(pathOf(kind, record.id), (file) => file.writeFile(JSON.stringify(record)));
    },
    async remove(kind: Kind, id: string): Promise<void> {
      await rm(pathOf(kind, id), { force: true });
    },

    /** Whether the name was free, and is this site's now. */
    async takeName(name: string, site: string): Promise<boolean> {
      return createDurably(pathOf('names', name), site).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') return false;
          throw error;
        },
      );
    },
    async freeName(name: string): Promise<void> {
      await rm(pathOf('names', name), { force: true });
    },
    /** Whose the name is: a site's id, or what it was taken for. */
    holderOf: (name: string): Promise<string | null> => readText(pathOf('names', name)),
    async siteByName(name: string): Promise<SiteRecord | null> {
      const id = await readText(pathOf('names', name));
      return id === null ? null : readAt('sites', id);
    },

    async hasBlob(digest: string): Promise<boolean> {
      return (await readBytes(pathOf('blobs', digest))) !== null;
    },
    async writeBlob(digest: string, bytes: Buffer): Promise<void> {
      await writeDurably(pathOf('blobs', digest), (file) => file.writeFile(bytes));
    },
    readBlob: (digest: string): Promise<Buffer | null> => readBytes(pathOf('blobs', digest)),
  };
}

/** Holds since the schema of a kind gives what `RecordOf` takes from that very schema. */
function parsed<K extends Kind>(kind: K, text: string): RecordOf<K> {
  return SCHEMAS[kind].parse(JSON.parse(text)) as RecordOf<K>;
}

async function readBytes(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function readText(path: string): Promise<string | null> {
  return (await readBytes(path))?.toString('utf8') ?? null;
}

/** In hex, as paths and manifests name a content. */
export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
