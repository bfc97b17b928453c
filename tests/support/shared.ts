import { afterAll } from 'vitest';

/** Returns one for all tests of a file that only ask it something: the first makes it, and it ends with the file. */
export function share<Made extends AsyncDisposable>(make: () => Promise<Made>): () => Promise<Made> {
  let made: Promise<Made> | undefined;
  afterAll(async () => (await made)?.[Symbol.asyncDispose]());
  return () => {
    made ??= make();
    return made;
  };
}
