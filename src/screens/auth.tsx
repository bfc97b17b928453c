import { useEffect, useState } from 'react';
import { Navigate, useLocation, useNavigate, useSearchParams } from 'react-router';
import { clearExpiry, recentExpiryReason } from '../api/session.ts';
import { useUser } from '../api/user.ts';
import { Card } from '../components/card.tsx';
import { Mark } from '../components/mark.tsx';
import { Notice } from '../components/notice.tsx';
import { Page } from '../components/page.tsx';
import { AuthTabs } from '../features/auth/auth-tabs.tsx';
import { LoginForm } from '../features/auth/login-form.tsx';
import { RegisterForm } from '../features/auth/register-form.tsx';
import { matchesPath, paths } from '../lib/paths.ts';
import { safeRedirect } from '../lib/safe-redirect.ts';

/** /login, /register and /auth: one screen (specification, section 2). */
export function AuthScreen() {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const [notice] = useState(recentExpiryReason);
  const wasSignedIn = useWasSignedIn();
  const tab = matchesPath(paths.register, pathname) ? 'register' : 'login';
  const redirect = safeRedirect(parameters.get('redirect'), location.origin);

  useEffect(clearExpiry, []);
  useEffect(fetchClient, []);

  if (wasSignedIn) return <Navigate to={redirect} replace />;
  return (
    <Page className="sm:pt-12">
      <div className="mx-auto flex max-w-form flex-col">
        <div className="mb-6 flex flex-col items-center text-center">
          <Mark className="mb-5 size-9" />
          <h1 className="text-xl font-semibold">Fairlead</h1>
          <p className="text-ink-muted">Manage your domain deployments with ease</p>
        </div>
        {notice !== null && (
          <Notice tone="warn" className="mb-4">
            <p role="status">{notice}</p>
          </Notice>
        )}
        <Card className="p-5 sm:p-6">
          <AuthTabs
            value={tab}
            onChange={(next) =>
              void navigate((next === 'register' ? paths.register : paths.login) + search, { replace: true })
            }
          >
            {tab === 'login' ? <LoginForm redirect={redirect} /> : <RegisterForm />}
          </AuthTabs>
        </Card>
      </div>
    </Page>
  );
}

/** The client of the procedures comes while the form is filled in; a failure shows when it is sent. */
function fetchClient(): void {
  import('../api/trpc.ts').catch(() => {});
}

/** Whether the person was signed in when the screen opened; a login on this screen moves by its own timer alone. */
function useWasSignedIn(): boolean {
  const { user, isLoading } = useUser();
  const [wasSignedIn, setWasSignedIn] = useState(isLoading ? null : user !== null);
  if (wasSignedIn === null && !isLoading) setWasSignedIn(user !== null);
  return wasSignedIn ?? false;
}
