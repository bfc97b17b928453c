import { readEdits } from '../../uploads/stored-edits.ts';
import type { Base, Changes } from './edit/draft.ts';

/** The form that the browser stores: the files of the release are fetched again. */
export type StoredDraft = Pick<Base, 'releaseId' | 'number'> & {
  changes: Changes;
  open: readonly string[];
  active: string | null;
};

/** Reads the draft of an earlier visit; null when there is none that this version understands. */
export async function readDraft(key: string): Promise<StoredDraft | null> {
  const edits = await readEdits(key);
  return isStored(edits) && edits.changes.size > 0 ? edits : null;
}

function isStored(edits: unknown): edits is StoredDraft {
  return typeof edits === 'object' && edits !== null && 'changes' in edits && edits.changes instanceof Map;
}
