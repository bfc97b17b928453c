/** A cursor of Mongoose, or anything else that yields rows. */
export type Rows<Row> = AsyncIterable<Row> & { close?: () => Promise<unknown> };

/**
 * Its rows one by one. Unlike Mongoose's own iterator, which knows no `return`, it closes the cursor also when the reader
 * stops or fails before the end: the database would keep it open until its idle timeout.
 */
export async function* rowsOf<Row>(rows: Rows<Row>): AsyncGenerator<Row, void> {
  try {
    yield* rows;
  } finally {
    await rows.close?.();
  }
}
