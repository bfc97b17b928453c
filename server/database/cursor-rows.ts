/** A cursor of Mongoose, or anything else that yields rows. */
export type Rows<Row> = AsyncIterable<Row> & { close?: () => Promise<unknown> };

/**
 * Yields the rows one by one. Mongoose's own iterator has no `return`; this one closes the cursor also when the reader
 * stops or fails early, where the database would keep it open until its idle timeout.
 */
export async function* rowsOf<Row>(rows: Rows<Row>): AsyncGenerator<Row, void> {
  try {
    yield* rows;
  } finally {
    await rows.close?.();
  }
}
