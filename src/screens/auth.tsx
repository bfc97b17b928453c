import { useEffect, useState } from 'react';
import { Redirect, useSearchParams } from 'wouter';
import { DEFAULT_ROUTE_AFTER_LOGIN } from '../../routers/schemas/limits.ts';
import { clearExpiry, recentExpiryReason } from '../api/session/session.ts';
import { useUser } from '../api/user.ts';
import { Notice } from '../components/notice.tsx';
import { AuthCard } from '../features/auth/auth-card.tsx';
import { AuthTabs } from '../features/auth/auth-tabs.tsx';
import { LoginForm } from '../features/auth/login-form.tsx';
import { RegisterForm } from '../features/auth/register-form.tsx';
import { WaitingNotice } from '../features/deployments/select/waiting-notice.tsx';
import { useAddress, useNavigate } from '../lib/browser/location.ts';
import { matchesPath, paths } from '../lib/paths/paths.ts';
import { wantedRedirect } from '../lib/paths/safe-redirect.ts';
import { LOCAL_KEYS } from '../lib/storage/storage.ts';
import { useLeft } from '../uploads/other-tabs/left-sendings.ts';

/** Serves /login, /register and /auth with one screen. */
export function AuthScreen() {
  const { pathname, search } = useAddress();
  const navigate = useNavigate();
  const [parameters] = useSearchParams();
  const [notice] = useState(recentExpiryReason);
  const { user } = useUser();
  /** Only its own timer moves a login on this screen. */
  const [isPending, setPending] = useState(false);
  const sending = { isPending, setPending };
  // Where nobody has ever signed in, the person most likely has no account yet.
  const [isNew] = useState(() => notice === null && localStorage.getItem(LOCAL_KEYS.accessExpiresAt) === null);
  const isRegister = matchesPath(paths.register, pathname) || (isNew && matchesPath(paths.auth, pathname));
  const tab = isRegister ? 'register' : 'login';
  const wanted = wantedRedirect(parameters.get('redirect'), location.origin);
  const redirect = wanted ?? DEFAULT_ROUTE_AFTER_LOGIN;

  useEffect(clearExpiry, []);
  useEffect(fetchClient, []);

  // Also when the person has signed in in another tab.
  if (user !== null && !isPending) return <Redirect to={redirect} replace />;
  return (
    <AuthCard
      title="Fairlead"
      subtitle="Manage your domain deployments with ease"
      notice={
        <>
          {notice !== null && (
            <Notice tone="warn" className="mb-4">
              <p role="status">{notice}</p>
            </Notice>
          )}
          <LeftSending />
          <WaitingNotice className="mb-4" />
        </>
      }
    >
      <AuthTabs
        value={tab}
        onChange={(next) => {
          // The timer ends with its form.
          setPending(false);
          navigate((next === 'register' ? paths.register : paths.login) + search, { replace: true });
        }}
      >
        {tab === 'login' ? (
          <LoginForm {...sending} redirect={redirect} />
        ) : (
          <RegisterForm {...sending} wanted={wanted} />
        )}
      </AuthTabs>
    </AuthCard>
  );
}

/** Names what this browser was sending when its owner was logged out. */
function LeftSending() {
  const { here, elsewhere } = useLeft();
  const left = [...here, ...elsewhere];
  if (left.length === 0) return null;
  const names = new Intl.ListFormat('en').format(left);
  return (
    <Notice tone="accent" title={`${names} ${left.length === 1 ? 'was' : 'were'} being sent`} className="mb-4">
      Log in to the same account to finish it. Keep {elsewhere.length === 0 ? 'this tab' : 'the tabs that send'} open
      until then.
    </Notice>
  );
}

/** The client of the procedures is loaded while the form is filled in; a failure shows when it is sent. */
function fetchClient(): void {
  import('../api/trpc.ts').catch(() => {});
}
