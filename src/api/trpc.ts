import { createTRPCReact } from '@trpc/react-query';
import type { AppRouter } from '../../routers/_app.ts';
import { links } from './links.ts';

/**
 * The procedures as hooks. After every successful mutation all queries are stale at once and those on screen are fetched
 * again in one batch, before the hook's own `onSuccess` runs: a form closes when the new data are there (house, section 11).
 * A query that is expensive or fed by events opts out with `meta: { refresh: false }`.
 */
export const trpc = createTRPCReact<AppRouter>({
  overrides: {
    useMutation: {
      async onSuccess({ originalFn, queryClient, meta }) {
        if (meta.refresh !== false) {
          await queryClient.invalidateQueries({ predicate: (query) => query.meta?.refresh !== false });
        }
        await originalFn();
      },
    },
  },
});

export const trpcClient = trpc.createClient({ links });
