import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { errorDetails, errorToast } from '../../api/errors.ts';
import { session } from '../../api/session/session.ts';
import { Button, type ButtonProps } from '../../components/button.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { paths } from '../../lib/paths/paths.ts';
import { AuthCard } from './auth-card.tsx';
import { LINK_INCOMPLETE, LINK_OVER_TITLE } from './link-expiry.ts';
import { useKeptLink, useLinkToken } from './use-link-token.ts';

/** The browser may be logged in to another account than the one that the act is about. */
type OfAccount = { accountId: string };

export type MailedActProps<Done extends OfAccount> = {
  title: string;
  subtitle: string;
  button: Required<Pick<ButtonProps, 'variant' | 'children' | 'busyLabel'>>;
  /** The title of the toast after a failure that leaves the link usable. */
  failure: string;
  act: (token: string) => Promise<Done>;
  /** The text for the other tabs when the session of this browser was one of the account. */
  reason?: string;
  children: (done: Done) => ReactNode;
  /** Shown when the link no longer works: the reason, and the way on, which an incomplete link has as well. */
  over: { reason: ReactNode; way: ReactNode };
};

/**
 * The page of a mailed link that changes the account and ends its sessions. Nothing is changed before the button is
 * pressed, because mail programs open links too.
 */
export function MailedAct<Done extends OfAccount>(props: MailedActProps<Done>) {
  const token = useLinkToken();
  return <Act key={token} token={token} {...props} />;
}

type Outcome<Done> = { kind: 'asking' | 'incomplete' | 'over' } | { kind: 'done'; done: Done };

function Act<Done extends OfAccount>({
  token,
  title,
  subtitle,
  button,
  failure,
  act,
  reason,
  children,
  over,
}: MailedActProps<Done> & { token: string | null }) {
  const [outcome, setOutcome] = useState<Outcome<Done>>({ kind: token === null ? 'incomplete' : 'asking' });
  const [isActing, setActing] = useState(false);
  useKeptLink(token, outcome.kind === 'asking');

  async function press(): Promise<void> {
    if (token === null || isActing) return;
    setActing(true);
    try {
      const done = await act(token);
      setOutcome({ kind: 'done', done });
      if (done.accountId === session.accountId()) session.signOut(reason);
    } catch (error) {
      const { code, fieldErrors } = errorDetails(error);
      if (fieldErrors?.token !== undefined) setOutcome({ kind: 'incomplete' });
      else if (code === 'token_invalid') setOutcome({ kind: 'over' });
      else showToast(errorToast(failure, error));
    } finally {
      setActing(false);
    }
  }

  if (outcome.kind === 'done') return children(outcome.done);
  if (outcome.kind === 'asking') {
    return (
      <AuthCard title={title} subtitle={subtitle}>
        <Button {...button} className="w-full" isBusy={isActing} onClick={() => void press()} />
        <HomeLink />
      </AuthCard>
    );
  }
  const refusal = outcome.kind === 'incomplete' ? LINK_INCOMPLETE : { title: LINK_OVER_TITLE, reason: over.reason };
  return (
    <AuthCard title={refusal.title} subtitle={refusal.reason}>
      {over.way}
      <HomeLink />
    </AuthCard>
  );
}

function HomeLink() {
  return (
    <Button asChild variant="quiet" className="mt-2 w-full">
      <Link to={paths.home}>Back to Home</Link>
    </Button>
  );
}
