import { clear, createStore, del, delMany, get, keys, set, type UseStore } from 'idb-keyval';
import { session } from '../api/session/session.ts';
import { LOCAL_KEYS, tryStorage } from '../lib/storage/storage.ts';

let opened: UseStore | null = null;

function database(): UseStore {
  opened ??= createStore('fairlead-edits', 'deployments');
  return opened;
}

/** The drafts of an account begin with its id, so that nobody else finds them. */
function keyOf(deploymentId: string): string {
  return `${session.accountId() ?? ''} ${deploymentId}`;
}

/**
 * Reads the unpublished edits of a deployment by this account in this browser, and removes those of others. The caller
 * validates the result, since another version may have written it.
 */
export async function readEdits(deploymentId: string): Promise<unknown> {
  try {
    const own = keyOf('');
    const foreign = (await keys<string>(database())).filter((key) => !key.startsWith(own));
    if (foreign.length > 0) await delMany(foreign, database());
    const edits = await get<unknown>(keyOf(deploymentId), database());
    // An earlier version stored them without the mark.
    if (edits !== undefined) markEdits();
    return edits;
  } catch {
    // Without a database nothing outlives the page.
    return undefined;
  }
}

function markEdits(): void {
  tryStorage(() => localStorage.setItem(LOCAL_KEYS.edits, '1'));
}

/** Stores edits, or removes them (null); returns whether the browser did. */
export async function writeEdits(deploymentId: string, edits: unknown): Promise<boolean> {
  try {
    if (edits === null) await del(keyOf(deploymentId), database());
    else {
      await set(keyOf(deploymentId), edits, database());
      markEdits();
    }
    return true;
  } catch {
    return false;
  }
}

/** Removes the drafts of this browser, as its owner logs out. */
export async function forgetEdits(): Promise<void> {
  try {
    localStorage.removeItem(LOCAL_KEYS.edits);
    await clear(database());
  } catch {
    // Without a database there is nothing to forget.
  }
}
