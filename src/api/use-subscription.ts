import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { getQueryKey } from '@trpc/react-query';
import type { Subscription } from '../../routers/schemas/subscription.ts';
import { isSignedOutError, wasAnswered } from './errors.ts';
import { trpc } from './trpc.ts';

/**
 * Returns the subscription of the signed-in person; `null` when there is none. An answer that is not OK or cannot be
 * read counts as none until a mutation or an event fetches it again. A missing answer does not, nor does the end of
 * the session, which redirects.
 */
export function useSubscription({ enabled = true } = {}): UseQueryResult<Subscription | null> {
  const { client } = trpc.useUtils();
  return useQuery({
    queryKey: getQueryKey(trpc.subscription.get, undefined, 'query'),
    queryFn: () => client.subscription.get.query().catch(noneAsAnswer),
    enabled,
  });
}

function noneAsAnswer(error: unknown): null {
  if (wasAnswered(error) && !isSignedOutError(error)) return null;
  throw error;
}
