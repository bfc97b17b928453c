import type { Places, Tally } from './tally.ts';

/**
 * Does work in one of the places under this key, which is given back however it ends. Throws what `full` makes where
 * there is none.
 */
export async function inPlace<T>(
  tally: Pick<Tally, 'take'>,
  { key, full, ...places }: Places & { key: string; full: () => Error },
  work: () => Promise<T>,
): Promise<T> {
  const leave = await tally.take(key, places);
  if (leave === null) throw full();
  try {
    return await work();
  } finally {
    leave();
  }
}
