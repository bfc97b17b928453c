import { useState } from 'react';
import { CONFIRM_LINK_HOURS } from '../../routers/schemas/limits.ts';
import type { User } from '../../routers/schemas/user.ts';
import { Button, type ButtonProps } from '../components/button.tsx';
import { showToast } from '../components/overlays/toast-store.ts';
import { errorToast } from './errors.ts';

/** Returns the address that a link is to confirm, as the server chooses it: a waiting one first; null if none is. */
export function unconfirmedEmail({ email, emailConfirmed, pendingEmail }: User): string | null {
  return pendingEmail ?? (emailConfirmed ? null : email);
}

/** Mails another link to the unconfirmed address. */
export function SendConfirmation({
  email,
  ...look
}: { email: string } & Pick<ButtonProps, 'variant' | 'size' | 'className'>) {
  const [isPending, setPending] = useState(false);

  async function send(): Promise<void> {
    setPending(true);
    try {
      const { showLinkToast } = await import('./link-toast.ts');
      const { trpcClient } = await import('./trpc.ts');
      await trpcClient.auth.sendConfirmation.mutate();
      await showLinkToast(`We sent it to ${email}. It works for ${CONFIRM_LINK_HOURS} hours.`);
    } catch (error) {
      showToast(errorToast('The link was not created', error));
    } finally {
      setPending(false);
    }
  }

  return (
    <Button {...look} isBusy={isPending} busyLabel="Creating…" onClick={() => void send()}>
      Get a new link
    </Button>
  );
}
