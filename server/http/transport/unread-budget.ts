/** A connection, weighed by the data that its reader leaves untaken and for how long. */
export type Burden = { weight: number; end(): void };

/** The connections of one protocol: all bytes that wait for readers, and the heaviest connection. */
export type Holders = { bytes(): number; heaviest(): Burden | undefined };

export type UnreadBudget = {
  add(holders: Holders): void;
  /** Must be called whenever the held amount grows. Ends connections until the rest is within the budget. */
  makeRoom(): void;
};

/** Limits the bytes that all connections of a port hold until their readers take them, over HTTP/1.1 and HTTP/2. */
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
