import { useState } from 'react';
import { serverMessage, wasAnswered } from '../../api/errors.ts';
import { showToast } from '../../components/overlays/toast-store.ts';
import { useNavigate } from '../../lib/browser/location.ts';
import { paths } from '../../lib/paths/paths.ts';
import { writeDisclaimerSeen } from './disclaimer-seen.ts';
import type { WantedPage } from './wanted-page.ts';

/**
 * Accepts the disclaimer: sets flag and cookie here, records time and version on the server, then leads to
 * /beta-welcome, which receives `wanted`.
 */
export function useAcceptDisclaimer(wanted: WantedPage | null): {
  accept: () => void;
  isAccepting: boolean;
  hasAnswered: boolean;
} {
  const navigate = useNavigate();
  const [hasAnswered, setAnswered] = useState(false);
  const [isAccepting, setAccepting] = useState(false);

  async function accept() {
    setAnswered(true);
    setAccepting(true);
    const isStored = writeDisclaimerSeen();
    try {
      // It is loaded on demand: the page itself has no tRPC.
      const { refreshAll, trpcClient } = await import('../../api/trpc.ts');
      await trpcClient.disclaimer.accept.mutate();
      await refreshAll();
    } catch (error) {
      showToast({ title: 'Error', description: acceptanceFailure(error), variant: 'destructive' });
      if (isStored) navigate(paths.betaWelcome, { state: wanted });
      return;
    } finally {
      setAccepting(false);
    }
    showToast({ title: 'Welcome Aboard!', description: "You're now part of our beta program." });
    navigate(paths.betaWelcome, { state: wanted });
  }

  return { accept: () => void accept(), isAccepting, hasAnswered };
}

/** Returns the text about a failure: the server's own, one for an answer without text, and one for no answer. */
export function acceptanceFailure(error: unknown): string {
  const otherwise = wasAnswered(error) ? 'Failed to record your acceptance' : 'An error occurred. Please try again.';
  return serverMessage(error) ?? otherwise;
}
