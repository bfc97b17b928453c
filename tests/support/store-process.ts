import { once } from 'node:events';
import { AppError } from '../../server/lib/errors.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { createDiskStore } from '../../server/store/disk/disk.ts';

/**
 * A process of its own that has a store open while its folder becomes read-only: `node --import tsx
 * store-process.ts {folder} {hash of an artifact}`. It says when the store is open, waits for a line, and tells what
 * went on then.
 */
const [, , folder = '', sha256 = ''] = process.argv;

/** Code and sentence of what refused the call. */
function refusalOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'went through',
    (error: unknown) => (error instanceof AppError ? `${error.code}: ${error.message}` : String(error)),
  );
}

const store = await createDiskStore({ folder, minFreeBytes: 0, rateCounters: createRateCounters() });
process.stdout.write('open\n');
await once(process.stdin, 'data');
const told = {
  uid: process.getuid?.(),
  write: await refusalOf(store.writeWhole(Buffer.from('new'))),
  read: String(await store.readWhole(sha256)),
  check: await refusalOf(store.check()),
  start: await refusalOf(createDiskStore({ folder, minFreeBytes: 0, rateCounters: createRateCounters() })),
};
process.stdout.write(JSON.stringify(told), () => process.exit());
