import { session } from '../../api/session/session.ts';
import { showToast } from '../../components/overlays/toast-store.ts';
import { useNavigate } from '../../lib/browser/location.ts';
import { paths } from '../../lib/paths/paths.ts';

const WARNING = {
  title: 'Logout completed with warnings',
  description: "There was an issue with the logout process, but you've been logged out locally",
};

/** Logs out: this browser forgets the session whatever the server answers. While files are sent, it asks first. */
export function useLogout(): { logout: () => void } {
  const navigate = useNavigate();

  async function logout() {
    const toast = await import('./end-session.ts').then(
      ({ endSession }) => endSession(WARNING),
      () => WARNING,
    );
    if (toast === null) return;
    // Leaving the page comes first: a guard that sees the session gone would lead to /auth with the page as redirect.
    navigate(paths.login);
    session.signOut();
    showToast(toast);
  }

  return { logout: () => void logout() };
}
