import { serverMessage } from '../../api/errors.ts';
import { session } from '../../api/session/session.ts';
import { showToast } from '../../components/overlays/toast-store.ts';
import { useNavigate } from '../../lib/browser/location.ts';
import { paths } from '../../lib/paths/paths.ts';
import { hasUploadRecords } from '../../lib/storage/storage.ts';

/** A person who wants to leave does not wait longer for a silent server. */
const LOGOUT_TIMEOUT_MS = 8_000;
const WARNING = "There was an issue with the logout process, but you've been logged out locally";

/** Logs out: this browser forgets the session whatever the server answers. While files are sent, it asks first. */
export function useLogout(): { logout: () => void } {
  const navigate = useNavigate();

  async function logout() {
    if (hasUploadRecords() && !(await isWanted())) return;
    session.startSignOut();
    const failure = await endSession().then(
      () => null,
      (error: unknown) => ({ error }),
    );
    // Leaving the page comes first: a guard that sees the session gone would lead to /auth with the page as redirect.
    navigate(paths.login);
    session.signOut();
    if (failure === null) {
      showToast({ title: 'Logged out', description: 'You have been logged out successfully' });
    } else {
      showToast({ title: 'Logout completed with warnings', description: serverMessage(failure.error) ?? WARNING });
    }
  }

  return { logout: () => void logout() };
}

/** Without a network the question cannot be loaded, and leaving still works. */
async function isWanted(): Promise<boolean> {
  return import('./logout-question.tsx').then(
    ({ askToLogOut }) => askToLogOut(),
    () => true,
  );
}

/** Loading the client is part of it: without a network neither succeeds, and leaving still works. */
async function endSession(): Promise<void> {
  const { trpcClient } = await import('../../api/trpc.ts');
  await trpcClient.auth.logout.mutate(undefined, { signal: AbortSignal.timeout(LOGOUT_TIMEOUT_MS) });
}
