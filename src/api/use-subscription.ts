import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { getQueryKey } from '@trpc/react-query';
import type { Subscription } from '../../routers/schemas/subscription.ts';
import { errorDetails } from './errors.ts';
import { trpc } from './trpc.ts';

/**
 * The subscription of whoever is signed in; `null` where there is none. The server says so by a 404, which
 * is an answer like any other: it holds until a mutation or an event asks again.
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
  if (errorDetails(error).code === 'not_found') return null;
  throw error;
}
