import type { HTTPLinkOptions, Operation, TRPCLink } from '@trpc/client';
import { TRPCClientError } from '@trpc/client';
import { httpBatchLink } from '@trpc/client/links/httpBatchLink';
import { httpLink } from '@trpc/client/links/httpLink';
import { splitLink } from '@trpc/client/links/splitLink';
import { observable } from '@trpc/server/observable';
import type { AppRouter } from '../../routers/_app.ts';
import { BATCH_MAX_CALLS } from '../../routers/schemas/limits.ts';
import { cacheKey, getCache } from './get-cache.ts';
import { isFirstLook } from './query-client.ts';
import { session, sessionFetch } from './session/session.ts';
import { transformer } from './transformer.ts';

type TRPCFetch = NonNullable<HTTPLinkOptions<AppRouter['_def']['_config']['$types']>['fetch']>;

/**
 * A call waits as long as the server gives a transaction (20 s, server/database/mongo.ts), and half of that for the
 * network. Without a limit, a network that drops everything would look like a page that is still loading.
 */
const ANSWER_TIMEOUT_MS = 30_000;

/** Leaves room for the token in headers of 16 KB at most; longer batches are split. */
const MAX_URL_LENGTH = 4_000;

const http = {
  url: '/api/trpc',
  transformer,
  fetch: fetchInSession,
};

/** The React binding adds its paging direction to an infinite query's input, which no procedure knows. */
const withoutDirectionLink: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    next({ ...op, input: withoutDirection(op.input) });

function withoutDirection(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('direction' in input)) return input;
  const { direction: _direction, ...rest } = input;
  return rest;
}

/** Queries that were answered within five minutes are not sent again; a Retry or a refresh bypasses the cache. */
const getCacheLink: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    observable((observer) => {
      const key = op.type === 'query' ? cacheKey(session, op.path, op.input) : null;
      const hit = key !== null && isFirstLook(op.path, op.input) ? getCache.get(key) : null;
      if (hit !== null) {
        observer.next({ result: { type: 'data', data: hit.value } });
        observer.complete();
        return;
      }
      const generation = getCache.generation();
      return next(op).subscribe({
        next: (envelope) => {
          if (key !== null && 'data' in envelope.result) getCache.set(key, envelope.result.data, generation);
          observer.next(envelope);
        },
        error: (error) => {
          // A failed mutation may have changed something first.
          if (op.type === 'mutation') getCache.clear();
          observer.error(error);
        },
        complete: () => {
          if (op.type === 'mutation') getCache.clear();
          observer.complete();
        },
      });
    });

/** The WebSocket client is loaded when the first subscription starts: no page needs it for its first paint. */
const webSocketLink: TRPCLink<AppRouter> =
  (runtime) =>
  ({ op, next }) =>
    observable((observer) => {
      let isStopped = false;
      let stop = (): void => {
        isStopped = true;
      };
      import('./socket.ts').then(
        ({ subscriptionLink }) => {
          if (isStopped) return;
          const running = subscriptionLink(runtime)({ op, next }).subscribe(observer);
          stop = () => running.unsubscribe();
        },
        (cause: unknown) => {
          const error = cause instanceof Error ? cause : new Error(String(cause));
          observer.error(new TRPCClientError<AppRouter>(error.message, { cause: error }));
        },
      );
      return () => stop();
    });

export const links: TRPCLink<AppRouter>[] = [
  splitLink({
    condition: (op) => op.type === 'subscription',
    true: webSocketLink,
    false: [
      withoutDirectionLink,
      getCacheLink,
      splitLink({
        condition: isUnbatched,
        true: httpLink(http),
        false: httpBatchLink({ ...http, maxItems: BATCH_MAX_CALLS, maxURLLength: MAX_URL_LENGTH }),
      }),
    ],
  }),
];

/** Returns whether a call must be sent alone: login, register and refresh carry no auth headers and set cookies. */
function isUnbatched(op: Operation): boolean {
  return op.path.startsWith('auth.');
}

/** Sends tRPC's requests through the session machine; tRPC only passes our paths and plain options. */
function fetchInSession(input: Parameters<TRPCFetch>[0], init?: Parameters<TRPCFetch>[1]): Promise<Response> {
  return sessionFetch(input instanceof Request ? input.url : String(input), {
    method: init?.method ?? 'GET',
    headers: init?.headers ?? {},
    body: init?.body ?? null,
    signal: init?.signal ?? null,
    timeoutMs: ANSWER_TIMEOUT_MS,
  });
}
