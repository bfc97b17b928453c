import { Link } from 'wouter';
import { Button } from '../../components/button.tsx';
import { AuthCard } from '../../features/auth/auth-card.tsx';
import { MailedAct } from '../../features/auth/mailed-act.tsx';
import { ContactLink } from '../../features/contact/support-email.tsx';
import { paths } from '../../lib/paths/paths.ts';

/** The target of the link that is mailed to the old address when a change of address is requested. */
export function AuthStopEmailChangeScreen() {
  return (
    <MailedAct
      title="Stop the change of your email address?"
      subtitle="Your account keeps this email address, or gets it back. You are logged out everywhere, every API token is revoked, and you choose a new password."
      button={{ variant: 'primary', children: 'Stop the change', busyLabel: 'Stopping…' }}
      failure="The change was not stopped"
      act={async (token) => (await import('../../api/trpc.ts')).trpcClient.auth.stopEmailChange.mutate({ token })}
      over={{
        reason: (
          <>
            It works once, within 7 days. If you did not ask for the change, choose a new password. If the password link
            does not reach your address, <ContactLink>write to us</ContactLink>.
          </>
        ),
        way: <NewPassword to={paths.authReset} />,
      }}
    >
      {({ resetToken }) => (
        <AuthCard
          title="The change was stopped"
          subtitle="Your account has your email address again. Whoever asked for the change knows your old password, so that password no longer works: choose a new one now."
        >
          <NewPassword to={`${paths.authReset}#token=${resetToken}`} />
        </AuthCard>
      )}
    </MailedAct>
  );
}

function NewPassword({ to }: { to: string }) {
  return (
    <Button asChild variant="primary" className="w-full">
      <Link to={to}>Choose a new password</Link>
    </Button>
  );
}
