import { useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import type { RegisterInput } from '../../../routers/schemas/auth.ts';
import { ACCOUNT_CREATED_TOAST_DELAY_MS, REGISTER_REDIRECT_DELAY_MS } from '../../../routers/schemas/limits.ts';
import { applyFieldErrors, serverMessage } from '../../api/errors.ts';
import { session } from '../../api/session.ts';
import { signInAs } from '../../api/user.ts';
import { showToast } from '../../components/toast-store.ts';
import { paths } from '../../lib/paths.ts';
import { useDelayed } from './use-delayed.ts';

export type RegisterFormValues = RegisterInput & { confirmPassword: string };

/** Registration with its two toasts and its timers (specification, sections 4 and 8; product page, section 11, Sign-in). */
export function useRegister({ reset, setError }: { reset: () => void; setError: UseFormSetError<RegisterFormValues> }) {
  const later = useDelayed();
  /** Stays so until the timer leads away: nobody signs in twice. */
  const [isPending, setPending] = useState(false);

  async function register({ username, email, password }: RegisterFormValues): Promise<void> {
    setPending(true);
    try {
      // Fetched while the form is filled in; the screen itself goes without tRPC (performance facts, section 8).
      const { trpcClient } = await import('../../api/trpc.ts');
      signInAs(await trpcClient.auth.register.mutate({ username, email, password }));
    } catch (error) {
      setPending(false);
      session.dropToken();
      applyFieldErrors(error, ['username', 'email', 'password'], setError);
      showToast({
        title: 'Registration failed',
        description: serverMessage(error) ?? 'Please try a different username',
        variant: 'destructive',
      });
      return;
    }
    reset();
    showToast({ title: 'Registration successful', description: 'Your account has been created' });
    later(ACCOUNT_CREATED_TOAST_DELAY_MS, () =>
      showToast({
        title: 'Account created successfully',
        description: "Now let's choose a subscription plan to get started.",
      }),
    );
    later(REGISTER_REDIRECT_DELAY_MS, (navigate) => navigate(paths.subscriptionPricing));
  }

  return { register, isPending };
}
