import { serverMessage } from '../../api/errors.ts';
import { session } from '../../api/session/session.ts';
import type { ToastOptions } from '../../components/overlays/toast-store.ts';
import { hasUploadRecords } from '../../lib/storage/storage.ts';

/** A person who wants to leave does not wait longer for a silent server. */
const LOGOUT_TIMEOUT_MS = 8_000;

let isEnding = false;

/**
 * Ends the session at the server, and returns the toast about it: `warning`, in the server's words if it has any, after
 * a failure. Returns null when the person stays, because files are being sent, and for the second press of a double one.
 */
export async function endSession(warning: ToastOptions): Promise<ToastOptions | null> {
  if (isEnding) return null;
  isEnding = true;
  try {
    return await end(warning);
  } finally {
    isEnding = false;
  }
}

async function end(warning: ToastOptions): Promise<ToastOptions | null> {
  if (hasUploadRecords() && !(await isWanted())) return null;
  session.startSignOut();
  try {
    // Loading the client is part of it: without a network neither succeeds, and leaving still works.
    const { trpcClient } = await import('../../api/trpc.ts');
    await trpcClient.auth.logout.mutate(undefined, { signal: AbortSignal.timeout(LOGOUT_TIMEOUT_MS) });
    return { title: 'Logged out', description: 'You have been logged out successfully' };
  } catch (error) {
    return { ...warning, description: serverMessage(error) ?? warning.description };
  }
}

/** Asks the person; where that fails, or nobody knows what is sent, the press is the answer. */
function isWanted(): Promise<boolean> {
  return import('./logout-question.tsx').then(({ askToLogOut }) => askToLogOut()).catch(() => true);
}
