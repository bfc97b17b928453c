import { useEffect, useRef, useState } from 'react';
import { errorDetails, errorMessage } from '../../api/errors.ts';
import { refreshUser } from '../../api/user.ts';
import { LINK_INCOMPLETE, LINK_OVER_TITLE, type LinkRefusal } from './link-expiry.ts';

export type Confirmation =
  | { kind: 'confirming' }
  | { kind: 'confirmed'; email: string }
  /** `isOver`: no other try with this link can succeed. */
  | { kind: 'failed'; refusal: LinkRefusal; isOver: boolean; retry: () => void };

/** Confirms the address that the link was mailed to, once: a second use of the same token would be refused. */
export function useConfirmEmail(token: string | null): Confirmation {
  const [state, setState] = useState<Confirmation>({ kind: 'confirming' });
  const hasStarted = useRef(false);

  useEffect(() => {
    async function confirm(): Promise<void> {
      if (token === null) return setState({ kind: 'failed', refusal: LINK_INCOMPLETE, isOver: true, retry: () => {} });
      setState({ kind: 'confirming' });
      try {
        const { trpcClient } = await import('../../api/trpc.ts');
        const { email } = await trpcClient.auth.confirmEmail.mutate({ token });
        setState({ kind: 'confirmed', email });
        void refreshUser();
      } catch (error) {
        const { code, fieldErrors } = errorDetails(error);
        const isIncomplete = fieldErrors?.token !== undefined;
        const refusal = isIncomplete ? LINK_INCOMPLETE : { title: LINK_OVER_TITLE, reason: errorMessage(error) };
        const isOver = code === 'token_invalid' || code === 'email_taken' || isIncomplete;
        setState({ kind: 'failed', refusal, isOver, retry: () => void confirm() });
      }
    }
    if (hasStarted.current) return;
    hasStarted.current = true;
    void confirm();
  }, [token]);

  return state;
}
