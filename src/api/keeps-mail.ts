import { createStore, useStore } from '../lib/store.ts';

/** Null until the server has said; where it cannot be reached nothing was sent or kept either. */
const current = createStore<boolean | null>(null, askOnce);
let hasAsked = false;

/** Whether this Fairlead sends no mail and keeps it in its outbox; null while nobody knows yet. */
export function useKeepsMail(): boolean | null {
  return useStore(current);
}

function askOnce(): () => void {
  void askKeepsMail();
  return () => undefined;
}

/** Asks once for what useKeepsMail returns. Never rejects. */
export async function askKeepsMail(): Promise<void> {
  if (hasAsked) return;
  hasAsked = true;
  try {
    const { trpcClient } = await import('./trpc.ts');
    const { keepsMail } = await trpcClient.contact.get.query();
    current.set(keepsMail);
  } catch {
    hasAsked = false;
  }
}
