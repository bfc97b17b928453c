import type { UseFormSetError } from 'react-hook-form';
import type { RegisterInput } from '../../../routers/schemas/auth.ts';
import { ACCOUNT_CREATED_TOAST_DELAY_MS, REGISTER_REDIRECT_DELAY_MS } from '../../../routers/schemas/limits.ts';
import { applyFieldErrors } from '../../api/errors.ts';
import { session } from '../../api/session.ts';
import { trpc } from '../../api/trpc.ts';
import { signInAs } from '../../api/user.ts';
import { showToast } from '../../components/toast-store.ts';
import { paths } from '../../lib/paths.ts';
import { serverMessage } from './server-message.ts';
import { useDelayed } from './use-delayed.ts';

export type RegisterFormValues = RegisterInput & { confirmPassword: string };

/** Registration with its two toasts and its timers (specification, sections 4 and 8; product page, section 11, Sign-in). */
export function useRegister({ reset, setError }: { reset: () => void; setError: UseFormSetError<RegisterFormValues> }) {
  const later = useDelayed();
  const mutation = trpc.auth.register.useMutation({ meta: { refresh: false } });

  async function register({ username, email, password }: RegisterFormValues): Promise<void> {
    try {
      signInAs(await mutation.mutateAsync({ username, email, password }));
    } catch (error) {
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

  return { register, isPending: mutation.isPending || mutation.isSuccess };
}
