import { Link } from 'wouter';
import { SentOrKept } from '../../api/sent-or-kept.tsx';
import { SESSION_TEXTS } from '../../api/session/session-errors.ts';
import { Button } from '../../components/button.tsx';
import { AuthCard } from '../../features/auth/auth-card.tsx';
import { MailedAct } from '../../features/auth/mailed-act.tsx';
import { paths } from '../../lib/paths/paths.ts';

/** The target of the link that is mailed to delete the account. */
export function AuthDeleteAccountScreen() {
  return (
    <MailedAct
      title="Delete your account?"
      subtitle="Its websites are taken down, and your files, releases, settings and API tokens are erased. This cannot be undone."
      button={{ variant: 'danger', children: 'Delete account', busyLabel: 'Deleting…' }}
      failure="The account was not deleted"
      act={async (token) => (await import('../../api/trpc.ts')).trpcClient.account.confirmDeletion.mutate({ token })}
      reason={SESSION_TEXTS.accountDeleted}
      over={{
        reason: 'The link works once, within 30 minutes. If your account still exists, ask for a new link in Account.',
        way: <Way to={paths.account} label="Go to Account" />,
      }}
    >
      {() => (
        <AuthCard
          title="Your account was deleted"
          subtitle={
            <SentOrKept
              sent="Its websites are being taken down. Our last email names those that may stay."
              kept="Its websites are being taken down. This Fairlead does not send email: a message in its outbox names those that may stay."
            />
          }
        >
          <Way to={paths.home} label="Go to Home" />
        </AuthCard>
      )}
    </MailedAct>
  );
}

function Way({ to, label }: { to: string; label: string }) {
  return (
    <Button asChild variant="primary" className="w-full">
      <Link to={to}>{label}</Link>
    </Button>
  );
}
