import { AppError } from '../../lib/errors.ts';
import type { DnsProviderCall, FoundRecordSet, RecordChange } from '../provider.ts';
import { pendingChanges } from '../record-plan/changes.ts';
import { repeated } from './http.ts';

/**
 * Writes at a provider that makes all changes of one request or none. Each try reads first: a try with an unclear
 * result may have been done. After a refusal it reads as well, since somebody else may have just written the obstacle.
 * Throws `records_changed` and the errors of `make`.
 */
export async function writeAtOnce<Found extends FoundRecordSet>(
  call: DnsProviderCall,
  changes: readonly RecordChange[],
  writing: {
    /** Reads the sets at the names of the changes, without repeating. */
    look(): Promise<readonly Found[]>;
    /** Sends these changes once; `found` are the existing sets. */
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
