/**
 * One change stream a process, fanned out in memory: a wake-up, never the truth. Whoever subscribes reads the
 * collection again when woken, so a missed or doubled wake-up does no harm (security facts, 8.2; stack facts, f).
 */
export type Change = {
  collection: string;
  operation: 'insert' | 'update' | 'replace' | 'delete';
  id: string;
  /** Of inserts only. */
  document?: Record<string, unknown>;
};

export type ChangeListener = {
  onChange(change: Change): void;
  /** The stream broke and stands again: anything may have happened in between. */
  onReopened(): void;
};

export interface ChangeFeed {
  /** Returns how to stop listening. */
  subscribe(collections: readonly string[], listener: ChangeListener): () => void;
  start(): Promise<void>;
  stop(): Promise<void>;
}
