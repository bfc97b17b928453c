import { useState } from 'react';
import { useNavigate } from 'react-router';
import { serverMessage, wasAnswered } from '../../api/errors.ts';
import { showToast } from '../../components/toast-store.ts';
import { paths } from '../../lib/paths.ts';
import { writeDisclaimerSeen } from './disclaimer-seen.ts';
import type { WantedPage } from './wanted-page.ts';

/**
 * Accepting: flag and cookie here, time and version on the server, then on to /beta-welcome (specification, section 4),
 * which is told what was `wanted`.
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
    const isKept = writeDisclaimerSeen();
    try {
      // Fetched when it is wanted: the page itself goes without tRPC (performance facts, section 8).
      const { refreshAll, trpcClient } = await import('../../api/trpc.ts');
      await trpcClient.disclaimer.accept.mutate();
      await refreshAll();
    } catch (error) {
      showToast({ title: 'Error', description: acceptanceFailure(error), variant: 'destructive' });
      if (isKept) void navigate(paths.betaWelcome, { state: wanted });
      return;
    } finally {
      setAccepting(false);
    }
    showToast({ title: 'Welcome Aboard!', description: "You're now part of our beta program." });
    void navigate(paths.betaWelcome, { state: wanted });
  }

  return { accept: () => void accept(), isAccepting, hasAnswered };
}

/** The three texts of the specification, section 8: the server's own, an answer without one, no answer at all. */
export function acceptanceFailure(error: unknown): string {
  const otherwise = wasAnswered(error) ? 'Failed to record your acceptance' : 'An error occurred. Please try again.';
  return serverMessage(error) ?? otherwise;
}
