import { createStore, useStore } from '../lib/store.ts';

/** Null until the server has answered; if it cannot be reached, no mail was sent or kept either. */
const current = createStore<boolean | null>(null, askOnce);
let asked: Promise<boolean | null> | null = null;

/** Returns whether this Fairlead keeps mail in its outbox and sends none; null while that is not known. */
export function useKeepsMail(): boolean | null {
  return useStore(current);
}

function askOnce(): () => void {
  void askKeepsMail();
  return () => undefined;
}

/** Fetches the answer of useKeepsMail once, and resolves with it. Never rejects. */
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
    // The next caller asks again.
    asked = null;
    return null;
  }
}
