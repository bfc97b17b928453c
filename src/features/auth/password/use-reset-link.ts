import { useEffect, useState } from 'react';
import { errorDetails } from '../../../api/errors.ts';
import { LINK_INCOMPLETE, LINK_OVER_TITLE, type LinkRefusal, RESET_LINK_EXPIRED } from '../link-expiry.ts';

const OVER: LinkRefusal = {
  title: LINK_OVER_TITLE,
  reason: `This link was already used or has expired. ${RESET_LINK_EXPIRED}`,
};

export type ResetLink = { kind: 'checking' } | { kind: 'open' } | { kind: 'over'; refusal: LinkRefusal };

/**
 * Returns whether the mailed link can still be used, checked before anything is typed; the check does not use it up.
 */
export function useResetLink(token: string | null): ResetLink {
  const [link, setLink] = useState<ResetLink>({ kind: 'checking' });

  useEffect(() => {
    let isCurrent = true;
    async function check(): Promise<void> {
      if (token === null) return;
      const found = await ask(token);
      if (isCurrent) setLink(found);
    }
    void check();
    return () => {
      isCurrent = false;
    };
  }, [token]);

  return link;
}

async function ask(token: string): Promise<ResetLink> {
  try {
    const { trpcClient } = await import('../../../api/trpc.ts');
    const { isOpen } = await trpcClient.auth.checkResetLink.mutate({ token });
    return isOpen ? { kind: 'open' } : { kind: 'over', refusal: OVER };
  } catch (error) {
    if (errorDetails(error).fieldErrors?.token !== undefined) return { kind: 'over', refusal: LINK_INCOMPLETE };
    // There was no answer: the form is shown, and saving it will decide.
    return { kind: 'open' };
  }
}
