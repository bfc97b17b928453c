/** A connection, by what its reader leaves lying: by how much and for how long. */
export type Burden = { weight: number; end(): void };

/** The connections of one protocol: what waits for their readers, and the one that leaves most lying. */
export type Holders = { bytes(): number; heaviest(): Burden | undefined };

export type UnreadBudget = {
  add(holders: Holders): void;
  /** Must be called when more is held than before. Ends connections until the rest is within the budget. */
  makeRoom(): void;
};

/** Bounds what all connections of a port together may hold until their readers take it, over HTTP/1.1 and HTTP/2. */
export function createUnreadBudget(maxBytes: number): UnreadBudget {
  const all: Holders[] = [];
  const isOver = (): boolean => all.reduce((sum, { bytes }) => sum + bytes(), 0) > maxBytes;
  return {
    add: (holders) => void all.push(holders),
    makeRoom() {
      while (isOver()) {
        const candidates = all.flatMap(({ heaviest }) => heaviest() ?? []);
        if (candidates.length === 0) return;
        candidates.reduce((most, one) => (one.weight > most.weight ? one : most)).end();
      }
    },
  };
}
