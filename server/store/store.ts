/**
 * The store holds the bytes of releases by content hash: a file that two releases share is stored once.
 *
 * - An artifact never changes. Writing one that is there already is a no-op that refreshes its age (garbage collection
 *   deletes only artifacts that no manifest names and that are older than a day).
 * - `write` makes the bytes durable before it resolves (temporary name, fsync, rename, fsync of the folder) and leaves
 *   nothing behind when it fails. It throws `hash_mismatch`, `body_too_large` or `storage_full`.
 * - `open` and `readWhole` throw `artifact_corrupted` when the bytes are missing or are not those of the hash: a
 *   reader never sees wrong bytes. `open` compares the hash once after the start and whenever the stored file has
 *   changed.
 * - Errors of the medium itself (no rights, read-only, input or output error) are `storage_unavailable`.
 * - `readStart` verifies nothing, however large the artifact is: its bytes may tell the kind of file, and are never
 *   served. It throws `artifact_corrupted` when there is no artifact.
 * - A manifest is an artifact as well (server/store/manifest.ts).
 */
export type ArtifactInfo = { sha256: string; sizeBytes: number; sha1: string };

export type OpenArtifact = {
  sizeBytes: number;
  /** Returns bytes [start, end), or fewer if there are no more. */
  read(start: number, end: number): Promise<Buffer>;
  stream(start?: number, end?: number): AsyncIterable<Buffer>;
  close(): Promise<void>;
};

/**
 * Many artifacts that become readable together, such as those of one archive. None of them can be read, and none
 * outlives a crash, before `commit` has resolved. The caller ends it by `commit` or `abandon`, once; `abandon` after a
 * failure of either is right as well. Calls of `add` may overlap.
 */
export type ArtifactIntake = {
  /** The caller has computed `info` over these very bytes, which may change once this has resolved. */
  add(bytes: Uint8Array, info: ArtifactInfo): Promise<void>;
  /**
   * Adds an artifact that is too large to be held, and computes its digests here. A source that throws adds nothing.
   */
  addStream(source: AsyncIterable<Uint8Array>): Promise<ArtifactInfo>;
  /** Makes everything durable and readable from now on. */
  commit(): Promise<void>;
  /** Leaves nothing behind. */
  abandon(): Promise<void>;
};

/** The input of a garbage collection (server/publishing/jobs/collect-garbage.ts). */
export type Collection = {
  /** Only artifacts that were neither written nor used since then are considered. */
  before: Date;
  /** Returns which of these old artifacts nothing needs any more. It is called for some at a time. */
  choose(sha256s: string[]): Promise<ReadonlySet<string>>;
  signal?: AbortSignal | undefined;
};
export type Collected = { artifacts: number; sizeBytes: number };

export interface ArtifactStore {
  /** Recorded in the database, so that an instance with another store refuses to start. */
  readonly id: string;
  has(sha256: string): Promise<boolean>;
  write(source: AsyncIterable<Uint8Array>, expected: { sha256: string; sizeBytes: number }): Promise<ArtifactInfo>;
  writeWhole(bytes: Buffer): Promise<ArtifactInfo>;
  intake(): Promise<ArtifactIntake>;
  open(sha256: string): Promise<OpenArtifact>;
  /** Reads the whole artifact and verifies its hash. For small ones: manifests, pages. */
  readWhole(sha256: string): Promise<Buffer>;
  /** Reads at most this many bytes from its beginning. */
  readStart(sha256: string, bytes: number): Promise<Buffer>;
  /** Reads it through and compares the hash, even if it was verified before; false when it is missing or corrupted. */
  verify(sha256: string): Promise<boolean>;
  remove(sha256: string): Promise<void>;
  /**
   * Removes the artifacts that `choose` returns, unless they are used again before; a write, by `write` or an intake,
   * is such a use. Some may stay if taking them out would cost more than it frees.
   */
  collect(collection: Collection): Promise<Collected>;
  /** Removes leftovers of writes that were interrupted more than an hour ago; returns how many. */
  sweep(): Promise<number>;
  /** Returns how many bytes can be written now before `storage_full`. */
  freeBytes(): Promise<number>;
  /** Writes and reads back a probe; throws a sentence for the start and for `/api/ready`. */
  check(): Promise<void>;
}

/** Called for each artifact that was requested and is missing or corrupted, possibly many times for the same one. */
export type OnCorruption = (sha256: string) => void;

/**
 * The time by which a store dates the last use of an artifact. Garbage collection compares it with the time of the
 * database, so the store uses that time wherever there is a database: the clock of a machine may be a day behind it.
 */
export type StoreClock = () => Date;

/** The value of ARTIFACTS_URL: a folder, or the database of everything else. */
export type StoreChoice = { kind: 'disk'; folder: string } | { kind: 'gridfs' };
