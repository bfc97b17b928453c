import { useState } from 'react';
import { Link } from 'wouter';
import { Button } from '../../components/button.tsx';
import { Notice } from '../../components/notice.tsx';
import { Spinner } from '../../components/spinner.tsx';
import { AuthCard } from '../../features/auth/auth-card.tsx';
import type { LinkRefusal } from '../../features/auth/link-expiry.ts';
import { ForgotPasswordForm } from '../../features/auth/password/forgot-password-form.tsx';
import { ResetPasswordForm } from '../../features/auth/password/reset-password-form.tsx';
import { useResetLink } from '../../features/auth/password/use-reset-link.ts';
import { useKeptLink, useLinkToken } from '../../features/auth/use-link-token.ts';
import { paths } from '../../lib/paths/paths.ts';

/** The page behind 'Forgot your password?', and the target of the link that it mails. */
export function AuthResetScreen() {
  const token = useLinkToken();
  return token === null ? <Forgot refusal={null} /> : <Reset key={token} token={token} />;
}

function Reset({ token }: { token: string }) {
  const link = useResetLink(token);
  const [isDone, setDone] = useState(false);
  const [refusal, setRefusal] = useState<LinkRefusal | null>(null);
  useKeptLink(token, !isDone && refusal === null && link.kind !== 'over');

  if (isDone) {
    return (
      <AuthCard title="Password changed" subtitle="You were logged out everywhere, and every API token was revoked.">
        <Button asChild variant="primary" className="w-full">
          <Link to={paths.login}>Log in with the new password</Link>
        </Button>
      </AuthCard>
    );
  }
  if (refusal !== null) return <Forgot refusal={refusal} />;
  if (link.kind === 'over') return <Forgot refusal={link.refusal} />;
  if (link.kind === 'checking') return <Spinner label="Checking your link…" />;
  return (
    <AuthCard
      title="Choose a new password"
      subtitle="You will be logged out everywhere, and every API token will be revoked."
    >
      <ResetPasswordForm token={token} onDone={() => setDone(true)} onLinkOver={setRefusal} />
    </AuthCard>
  );
}

/** `refusal` says why the link that was opened is no longer valid. */
function Forgot({ refusal }: { refusal: LinkRefusal | null }) {
  return (
    <AuthCard
      title="Forgot your password?"
      subtitle="Get a link to set a new one."
      notice={
        refusal !== null && (
          <Notice tone="warn" title={refusal.title} className="mb-4">
            <p role="alert">{refusal.reason}</p>
          </Notice>
        )
      }
    >
      <ForgotPasswordForm />
    </AuthCard>
  );
}
