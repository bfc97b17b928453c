import { useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import type { LoginInput } from '../../../routers/schemas/auth.ts';
import { LOGIN_REDIRECT_DELAY_MS } from '../../../routers/schemas/limits.ts';
import { applyFieldErrors, serverMessage } from '../../api/errors.ts';
import { session } from '../../api/session.ts';
import { signInAs } from '../../api/user.ts';
import { showToast } from '../../components/toast-store.ts';
import { useDelayed } from './use-delayed.ts';

/** Login with its toasts and its timer (specification, sections 4 and 8). */
export function useLogin({ redirect, setError }: { redirect: string; setError: UseFormSetError<LoginInput> }) {
  const later = useDelayed();
  /** Stays so until the timer leads away: nobody signs in twice. */
  const [isPending, setPending] = useState(false);

  async function login(input: LoginInput): Promise<void> {
    setPending(true);
    try {
      // Fetched while the form is filled in; the screen itself goes without tRPC (performance facts, section 8).
      const { trpcClient } = await import('../../api/trpc.ts');
      signInAs(await trpcClient.auth.login.mutate(input));
    } catch (error) {
      setPending(false);
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

  return { login, isPending };
}
