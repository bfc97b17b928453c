/**
 * Where the bytes of releases live, by content hash: a file that two releases share is stored once.
 *
 * - An artifact never changes. Writing one that is there already is a no-op that refreshes its age
 *   (garbage collection takes only what no manifest names and is older than a day).
 * - `write` makes the bytes durable before it resolves (temporary name, fsync, rename, fsync of the folder) and leaves
 *   nothing behind when it fails. It throws `hash_mismatch`, `body_too_large` or `storage_full`.
 * - `open` and `readWhole` throw `artifact_corrupted` when the bytes are missing or are not those of the hash: a reader
 *   never sees wrong bytes. `open` compares the hash once after the start and whenever the stored file has changed.
 * - Trouble of the medium itself (no rights, read-only, input or output error) is `storage_unavailable`.
 * - `readStart` compares nothing, however large the artifact is: its bytes may judge what it is, and are never served.
 *   It throws `artifact_corrupted` when there is nothing.
 * - A manifest is an artifact as well (server/store/manifest.ts).
 */
export type ArtifactInfo = { sha256: string; sizeBytes: number; sha1: string };

export type OpenArtifact = {
  sizeBytes: number;
  /** Bytes [start, end): at most what is asked, exactly what is there. */
  read(start: number, end: number): Promise<Buffer>;
  stream(start?: number, end?: number): AsyncIterable<Buffer>;
  close(): Promise<void>;
};

/**
 * Many artifacts that become readable together: those of one archive. Nothing of it can be read, and nothing of it
 * outlives a crash, before `commit` has resolved. End it by `commit` or `abandon`, once; `abandon` after a failure of
 * either is right as well. Calls of `add` may overlap.
 */
export type ArtifactIntake = {
  /** `info` was computed by the caller over these very bytes; once this has resolved they may change. */
  add(bytes: Uint8Array, info: ArtifactInfo): Promise<void>;
  /** For what is too large to be held: its digests are computed here. A source that throws adds nothing. */
  addStream(source: AsyncIterable<Uint8Array>): Promise<ArtifactInfo>;
  /** Makes everything durable and readable from now on. */
  commit(): Promise<void>;
  /** Leaves nothing behind. */
  abandon(): Promise<void>;
};

/** The input of a garbage collection (server/jobs/collect-garbage.ts). */
export type Collection = {
  /** Only artifacts that were neither written nor used since then are looked at. */
  before: Date;
  /** Returns which of these old artifacts nothing needs any more. It is called for some at a time. */
  choose(sha256s: string[]): Promise<ReadonlySet<string>>;
  signal?: AbortSignal | undefined;
};
export type Collected = { artifacts: number; sizeBytes: number };

export interface ArtifactStore {
  /** Kept in the database, so that an instance with another store refuses to start. */
  readonly id: string;
  has(sha256: string): Promise<boolean>;
  write(source: AsyncIterable<Uint8Array>, expected: { sha256: string; sizeBytes: number }): Promise<ArtifactInfo>;
  writeWhole(bytes: Buffer): Promise<ArtifactInfo>;
  intake(): Promise<ArtifactIntake>;
  open(sha256: string): Promise<OpenArtifact>;
  /** The whole artifact, its hash verified. For small things: manifests, pages. */
  readWhole(sha256: string): Promise<Buffer>;
  /** At most so many bytes from its beginning. */
  readStart(sha256: string, bytes: number): Promise<Buffer>;
  /** Reads it through and compares the hash, whatever is known of it; false when it is missing or corrupted. */
  verify(sha256: string): Promise<boolean>;
  remove(sha256: string): Promise<void>;
  /**
   * Removes what `choose` gives up, unless it is used again before it goes: writing it, by `write` or an intake, is
   * such a use. May keep some of it, where taking it out would cost more than it frees.
   */
  collect(collection: Collection): Promise<Collected>;
  /** Takes away what interrupted writes left behind more than an hour ago; returns how many. */
  sweep(): Promise<number>;
  /** How many bytes more it takes now before it says `storage_full`. */
  freeBytes(): Promise<number>;
  /** Writes and reads back a probe; throws a sentence for the start and for `/api/ready`. */
  check(): Promise<void>;
}

/** Hears of each artifact that was asked for and is missing or corrupted; it may hear of one many times. */
export type OnCorruption = (sha256: string) => void;

/**
 * The time by which a store dates the last use of an artifact. Garbage collection compares it with the time of the
 * database, so it is that time wherever a database decides: the clock of a machine may be a day behind it.
 */
export type StoreClock = () => Date;

/** The value of ARTIFACTS_URL: a folder, or the database that everything else is in. */
export type StoreChoice = { kind: 'disk'; folder: string } | { kind: 'gridfs' };
