import { useState } from 'react';
import { Link } from 'wouter';
import { errorDetails, errorToast } from '../../api/errors.ts';
import { session } from '../../api/session.ts';
import { Button } from '../../components/button.tsx';
import { showToast } from '../../components/toast-store.ts';
import { AuthCard } from '../../features/auth/auth-card.tsx';
import { useLinkToken } from '../../features/auth/use-link-token.ts';
import { paths } from '../../lib/paths.ts';

/** Where the link ends that is mailed when the account is to be deleted. */
export function AuthDeleteAccountScreen() {
  const token = useLinkToken();
  return <DeleteAccount key={token} token={token} />;
}

type Outcome = 'asking' | 'deleted' | 'over';

/** Deletes nothing before the button is pressed, because mail programs open links too. */
function DeleteAccount({ token }: { token: string | null }) {
  const [outcome, setOutcome] = useState<Outcome>(token === null ? 'over' : 'asking');
  const [isDeleting, setDeleting] = useState(false);

  async function confirm(): Promise<void> {
    if (token === null || isDeleting) return;
    setDeleting(true);
    try {
      const { trpcClient } = await import('../../api/trpc.ts');
      await trpcClient.account.confirmDeletion.mutate({ token });
      setOutcome('deleted');
      session.signOut();
    } catch (error) {
      const { code, fieldErrors } = errorDetails(error);
      if (code === 'token_invalid' || fieldErrors?.token !== undefined) setOutcome('over');
      else showToast(errorToast('The account was not deleted', error));
    } finally {
      setDeleting(false);
    }
  }

  if (outcome === 'asking') {
    return (
      <AuthCard
        title="Delete your account?"
        subtitle="Its websites are taken down, and your files, releases, settings and API tokens are erased. This cannot be undone."
      >
        <Button
          variant="danger"
          className="w-full"
          isBusy={isDeleting}
          busyLabel="Deleting…"
          onClick={() => void confirm()}
        >
          Delete account
        </Button>
      </AuthCard>
    );
  }
  const { to, action, ...texts } = TEXTS[outcome];
  return (
    <AuthCard {...texts}>
      <Button asChild variant="primary" className="w-full">
        <Link to={to}>{action}</Link>
      </Button>
    </AuthCard>
  );
}

const TEXTS = {
  deleted: {
    title: 'Your account was deleted',
    subtitle: 'Its websites are being taken down.',
    to: paths.home,
    action: 'Go to the start page',
  },
  over: {
    title: 'This link no longer works',
    subtitle: 'It works once, for 30 minutes. If the account is still there, ask for another one in Account.',
    to: paths.account,
    action: 'Go to Account',
  },
} as const;
