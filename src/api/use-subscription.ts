import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { getQueryKey } from '@trpc/react-query';
import type { Subscription } from '../../routers/schemas/subscription.ts';
import { isSignedOutError, wasAnswered } from './errors.ts';
import { trpc } from './trpc.ts';

/**
 * The subscription of whoever is signed in; `null` where there is none. An answer that is not OK or cannot be read counts
 * as none, and holds until a mutation or an event asks again. No answer at all is not the same, nor is the end of the
 * session, which leads elsewhere.
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
