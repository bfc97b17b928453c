import { AppError } from '../../lib/errors.ts';
import type { DnsProviderCall, FoundRecordSet, RecordChange } from '../provider.ts';
import { pendingChanges } from '../record-plan/changes.ts';
import { repeated } from './http.ts';

/**
 * Writes at a provider that makes all changes of one request or none. Each try begins with a look: a try whose end is
 * unclear may have been done. A refusal is followed by a look as well, since what stood in the way may be what somebody
 * else has just written. Throws `records_changed` and what `make` throws.
 */
export async function writeAtOnce<Found extends FoundRecordSet>(
  call: DnsProviderCall,
  changes: readonly RecordChange[],
  writing: {
    /** Reads the sets at the names of the changes, without repeating. */
    look(): Promise<readonly Found[]>;
    /** Asks for these changes once, knowing what is there. */
    make(pending: readonly RecordChange[], found: readonly Found[]): Promise<void>;
  },
): Promise<void> {
  await repeated(call, async () => {
    const found = await writing.look();
    const pending = pendingChanges(changes, found);
    if (pending.length === 0) return;
    try {
      await writing.make(pending, found);
    } catch (error) {
      if (error instanceof AppError && error.code === 'records_refused') pendingChanges(changes, await writing.look());
      throw error;
    }
  });
}
