import { useState } from 'react';
import { errorToast } from '../../api/errors.ts';
import { Button, type ButtonProps } from '../../components/button.tsx';
import { showToast } from '../../components/toast-store.ts';
import { LINK_LIFETIME } from './link-expiry.ts';

/** Mails another link to the address that waits for its confirmation. */
export function SendConfirmation({
  email,
  ...look
}: { email: string } & Pick<ButtonProps, 'variant' | 'size' | 'className'>) {
  const [isPending, setPending] = useState(false);

  async function send(): Promise<void> {
    setPending(true);
    try {
      const { trpcClient } = await import('../../api/trpc.ts');
      await trpcClient.auth.sendConfirmation.mutate();
      showToast({ title: 'Link sent', description: `It is on its way to ${email} and works for ${LINK_LIFETIME}.` });
    } catch (error) {
      showToast(errorToast('The link was not sent', error));
    } finally {
      setPending(false);
    }
  }

  return (
    <Button {...look} isBusy={isPending} busyLabel="Sending…" onClick={() => void send()}>
      Send again
    </Button>
  );
}
