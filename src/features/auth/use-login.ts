import type { UseFormSetError } from 'react-hook-form';
import type { LoginInput } from '../../../routers/schemas/auth.ts';
import { LOGIN_REDIRECT_DELAY_MS } from '../../../routers/schemas/limits.ts';
import { applyFieldErrors } from '../../api/errors.ts';
import { session } from '../../api/session.ts';
import { trpc } from '../../api/trpc.ts';
import { signInAs } from '../../api/user.ts';
import { showToast } from '../../components/toast-store.ts';
import { serverMessage } from './server-message.ts';
import { useDelayed } from './use-delayed.ts';

/** Login with its toasts and its timer (specification, sections 4 and 8). */
export function useLogin({ redirect, setError }: { redirect: string; setError: UseFormSetError<LoginInput> }) {
  const later = useDelayed();
  // The new session drops every query by itself; refreshing them first would ask as the visitor of before.
  const mutation = trpc.auth.login.useMutation({ meta: { refresh: false } });

  async function login(input: LoginInput): Promise<void> {
    try {
      signInAs(await mutation.mutateAsync(input));
    } catch (error) {
      session.dropToken();
      applyFieldErrors(error, ['username', 'password'], setError);
      showToast({
        title: 'Login failed',
        description: serverMessage(error) ?? 'Please check your credentials',
        variant: 'destructive',
      });
      return;
    }
    showToast({ title: 'Login successful', description: 'Welcome back!' });
    later(LOGIN_REDIRECT_DELAY_MS, (navigate) => navigate(redirect));
  }

  return { login, isPending: mutation.isPending || mutation.isSuccess };
}
