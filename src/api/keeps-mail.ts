import { createStore, useStore } from '../lib/store.ts';

/** Shows the newest mail of the outbox, on the computer that Fairlead runs on. */
export const OUTBOX_COMMAND = 'npx fairlead outbox show';

/** Null until the server has said; where it cannot be reached nothing was sent or kept either. */
const current = createStore<boolean | null>(null, askOnce);
let asked: Promise<boolean | null> | null = null;

/** Whether this Fairlead sends no mail and keeps it in its outbox; null while nobody knows yet. */
export function useKeepsMail(): boolean | null {
  return useStore(current);
}

function askOnce(): () => void {
  void askKeepsMail();
  return () => undefined;
}

/** Asks once for what useKeepsMail returns, and resolves with it. Never rejects. */
export function askKeepsMail(): Promise<boolean | null> {
  asked ??= ask();
  return asked;
}

async function ask(): Promise<boolean | null> {
  try {
    const { trpcClient } = await import('./trpc.ts');
    const { keepsMail } = await trpcClient.contact.get.query();
    current.set(keepsMail);
    return keepsMail;
  } catch {
    // Whoever needs it next asks again.
    asked = null;
    return null;
  }
}
