import { useState } from 'react';
import { Link } from 'wouter';
import { errorDetails, errorToast } from '../../api/errors.ts';
import { session } from '../../api/session.ts';
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

/** `stopped` has the token that sets a new password. */
type Outcome = { kind: 'asking' | 'over' } | { kind: 'stopped'; resetToken: string };

/** Changes nothing before the button is pressed, because mail programs open links too. */
function StopEmailChange({ token }: { token: string | null }) {
  const [outcome, setOutcome] = useState<Outcome>({ kind: token === null ? 'over' : 'asking' });
  const [isStopping, setStopping] = useState(false);

  async function stop(): Promise<void> {
    if (token === null || isStopping) return;
    setStopping(true);
    try {
      const { trpcClient } = await import('../../api/trpc.ts');
      const { resetToken } = await trpcClient.auth.stopEmailChange.mutate({ token });
      setOutcome({ kind: 'stopped', resetToken });
      session.signOut();
    } catch (error) {
      const { code, fieldErrors } = errorDetails(error);
      if (code === 'token_invalid' || fieldErrors?.token !== undefined) setOutcome({ kind: 'over' });
      else showToast(errorToast('The change was not stopped', error));
    } finally {
      setStopping(false);
    }
  }

  if (outcome.kind === 'asking') {
    return (
      <AuthCard
        title="Stop the change of address?"
        subtitle="Your account keeps this e-mail address, or gets it back. You are signed out everywhere, every API token is revoked, and you choose a new password."
      >
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
    <AuthCard {...TEXTS[outcome.kind]}>
      <Button asChild variant="primary" className="w-full">
        <Link to={outcome.kind === 'stopped' ? `${paths.authReset}#token=${outcome.resetToken}` : paths.authReset}>
          Choose a new password
        </Link>
      </Button>
    </AuthCard>
  );
}

const TEXTS = {
  stopped: {
    title: 'The change was stopped',
    subtitle:
      'Your account has your address. Whoever asked for the change knows your password, so it no longer works: choose a new one now.',
  },
  over: {
    title: 'This link no longer works',
    subtitle:
      'It works once, for 7 days. If you did not ask for the change, choose a new password, and write to us if no link for it arrives at your address.',
  },
} as const;
