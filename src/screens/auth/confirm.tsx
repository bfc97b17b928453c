import { Link } from 'wouter';
import type { User } from '../../../routers/schemas/user.ts';
import { LinkPlace } from '../../api/link-place.tsx';
import { SendConfirmation, unconfirmedEmail } from '../../api/send-confirmation.tsx';
import { SentOrKept } from '../../api/sent-or-kept.tsx';
import { useUser } from '../../api/user.ts';
import { Button } from '../../components/button.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { AuthCard } from '../../features/auth/auth-card.tsx';
import { LINK_INCOMPLETE, type LinkRefusal } from '../../features/auth/link-expiry.ts';
import { useConfirmEmail } from '../../features/auth/use-confirm-email.ts';
import { useKeptLink, useLinkToken } from '../../features/auth/use-link-token.ts';
import { paths } from '../../lib/paths/paths.ts';

/** The target of the link in a confirmation mail. */
export function AuthConfirmScreen() {
  const token = useLinkToken();
  return <Confirm key={token} token={token} />;
}

function Confirm({ token }: { token: string | null }) {
  const confirmation = useConfirmEmail(token);
  const { user } = useUser();
  useKeptLink(token, confirmation.kind !== 'confirmed' && !(confirmation.kind === 'failed' && confirmation.isOver));

  if (confirmation.kind === 'confirming') return <Spinner label="Confirming your address…" />;
  if (confirmation.kind === 'confirmed') {
    return (
      <AuthCard
        title={`${confirmation.email} is confirmed`}
        subtitle={
          <SentOrKept
            sent="We’ll send account email there."
            kept="This Fairlead does not send email: it keeps messages in its outbox."
          />
        }
      >
        <Button asChild variant="primary" className="w-full">
          {user === null ? <Link to={paths.login}>Log in</Link> : <Link to={paths.dashboard}>Go to Dashboard</Link>}
        </Button>
      </AuthCard>
    );
  }
  const { refusal, isOver, retry } = confirmation;
  const unconfirmed = user && unconfirmedEmail(user);
  return (
    <AuthCard {...failureText(user, isOver, refusal)}>
      <div className="flex flex-col gap-2">
        {!isOver && (
          <Button variant="primary" className="w-full" onClick={retry}>
            Try again
          </Button>
        )}
        {isOver && unconfirmed !== null && (
          <>
            <SendConfirmation email={unconfirmed} variant="primary" className="w-full" />
            <p className="text-sm text-ink-muted">
              <LinkPlace to={unconfirmed} />
            </p>
          </>
        )}
        {isOver && user === null && (
          <Button asChild variant="primary" className="w-full">
            <Link to={paths.login}>Log in to get another link</Link>
          </Button>
        )}
        <Button asChild variant="quiet" className="w-full">
          <Link to={user === null ? paths.home : paths.dashboard}>
            {user === null ? 'Back to Home' : 'Go to Dashboard'}
          </Link>
        </Button>
      </div>
    </AuthCard>
  );
}

/** A link that was used before has done its work: a reload of the page finds it used. */
function failureText(user: User | null, isOver: boolean, refusal: LinkRefusal): { title: string; subtitle: string } {
  const email = user && unconfirmedEmail(user);
  if (isOver && user !== null && email === null) {
    return { title: 'Your address is already confirmed', subtitle: 'There is nothing left to do.' };
  }
  const isRefused = isOver && (user === null || refusal === LINK_INCOMPLETE);
  return {
    title: isRefused ? refusal.title : `${email ?? 'Your address'} is not confirmed yet`,
    subtitle: refusal.reason,
  };
}
