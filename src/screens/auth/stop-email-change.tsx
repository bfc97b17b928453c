import { useState } from 'react';
import { Link } from 'wouter';
import { errorDetails, errorToast } from '../../api/errors.ts';
import { refreshUser } from '../../api/user.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/toast-store.ts';
import { AuthCard } from '../../features/auth/auth-card.tsx';
import { useLinkToken } from '../../features/auth/use-link-token.ts';
import { paths } from '../../lib/paths.ts';

/** Where the link ends that the old address is mailed when a change of address is asked for. */
export function AuthStopEmailChangeScreen() {
  const token = useLinkToken();
  return <StopEmailChange key={token} token={token} />;
}

type Outcome = 'asking' | 'stopped' | 'over';

/** Changes nothing before the button is pressed, because mail programs open links too. */
function StopEmailChange({ token }: { token: string | null }) {
  const [outcome, setOutcome] = useState<Outcome>(token === null ? 'over' : 'asking');
  const [isStopping, setStopping] = useState(false);

  async function stop(): Promise<void> {
    if (token === null || isStopping) return;
    setStopping(true);
    try {
      const { trpcClient } = await import('../../api/trpc.ts');
      await trpcClient.auth.stopEmailChange.mutate({ token });
      setOutcome('stopped');
      void refreshUser();
    } catch (error) {
      const { code, fieldErrors } = errorDetails(error);
      if (code === 'token_invalid' || fieldErrors?.token !== undefined) setOutcome('over');
      else showToast(errorToast('The change was not stopped', error));
    } finally {
      setStopping(false);
    }
  }

  if (outcome === 'asking') {
    return (
      <AuthCard title="Stop the change of address?" subtitle="Your account keeps the e-mail address that it has.">
        <Button
          variant="primary"
          className="w-full"
          isBusy={isStopping}
          busyLabel="Stopping…"
          onClick={() => void stop()}
        >
          Stop the change
        </Button>
      </AuthCard>
    );
  }
  return (
    <AuthCard {...TEXTS[outcome]}>
      <Button asChild variant="primary" className="w-full">
        <Link to={paths.authReset}>Choose a new password</Link>
      </Button>
    </AuthCard>
  );
}

const TEXTS = {
  stopped: {
    title: 'The change was stopped',
    subtitle: 'Your address stays. Whoever asked for the change knows your password, so choose a new one now.',
  },
  over: {
    title: 'This link no longer works',
    subtitle:
      'The change was stopped before, or the new address is already confirmed. If you did not ask for it, choose a new password, and write to us when no link arrives at your address.',
  },
} as const;
