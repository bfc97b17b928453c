import { createTRPCReact } from '@trpc/react-query';
import type { AppRouter } from '../../routers/_app.ts';
import { refreshOutsideOfCache } from './after-mutation.ts';
import { links } from './links.ts';
import { queryClient } from './query-client.ts';

/**
 * The procedures as hooks. After every successful mutation all queries are stale at once, and those on screen are
 * fetched again in one batch, before the hook's own `onSuccess` runs: a form closes when the new data are there. A
 * query that is expensive or fed by events opts out with `meta: { refresh: false }`.
 */
export const trpc = createTRPCReact<AppRouter>({
  overrides: {
    useMutation: {
      async onSuccess({ originalFn, meta }) {
        if (meta.refresh !== false) await refreshAll();
        await originalFn();
      },
    },
  },
});

/** The client without hooks, for calls outside of a screen with data. */
export const trpcClient = trpc.createClient({ links });

/** Fetches everything on screen again; call it after a change that was sent without a hook. */
export async function refreshAll(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ predicate: (query) => query.meta?.refresh !== false }),
    refreshOutsideOfCache(),
  ]);
}
