import { initTRPC, type TrackedEnvelope } from '@trpc/server';
import * as z from 'zod/mini';
import { endWhenAway, requireAwaited } from '../server/database/mongo.ts';
import { AppError } from '../server/lib/errors.ts';
import { requireAccount, requireDatabaseRoom, requireWriter, requireWriteScope } from './access.ts';
import { inTurn } from './call-turns.ts';
import type { Context } from './context.ts';
import { formatError, logFault, toTRPCError } from './error-shape.ts';
import { trackShared, transformer } from './shared-items.ts';

// Rules without a text of their own have English texts on the server; the forms have theirs.
z.config(z.locales.en());

const t = initTRPC.context<Context>().create({
  transformer,
  errorFormatter: formatError,
  // Events go over the WebSocket, which closes with its session.
  sse: { enabled: false },
});

export const router = t.router;
export const createCaller = t.createCallerFactory;

/**
 * Accepts anybody, and is the base of all others. It translates a service's error into its code once, for HTTP, log,
 * caller and test alike, and ends a call within 3 s while the database does not answer. One layer does both: tRPC
 * copies a call's options at each layer, which is a tenth of the cost of a small call.
 */
export const publicProcedure = t.procedure.use(async ({ ctx, path, type, next }) => {
  if (ctx.connection !== undefined && type !== 'subscription') {
    throw new AppError(
      'method_not_allowed',
      'This connection carries subscriptions only. Call the procedure over HTTP.',
    );
  }
  const run = async () => {
    requireAwaited();
    if (type === 'mutation') await requireDatabaseRoom(ctx, path);
    const result = await next();
    if (!result.ok) throw result.error;
    return result;
  };
  const { actor, providers } = ctx;
  const runInTurn = () =>
    'accountId' in actor ? inTurn(actor.accountId, providers.limits.longestCallTurnMs, run) : run();
  try {
    return await (type === 'subscription' ? run() : endWhenAway(runInTurn));
  } catch (error) {
    logFault(providers.log, { requestId: ctx.requestId, path }, error);
    throw toTRPCError(error);
  }
});

/** Accepts anybody; an API token needs the scope `write`. */
export const publicWriteProcedure = publicProcedure.use(({ ctx, next }) => {
  requireWriteScope(ctx);
  return next();
});

/** Accepts a signed-in browser, or an API token of any scope. */
export const protectedProcedure = publicProcedure.use(({ ctx, next }) => next({ ctx: requireAccount(ctx) }));

/** Accepts a signed-in browser, or an API token with the scope `write`. */
export const writeProcedure = publicProcedure.use(({ ctx, next }) => next({ ctx: requireWriter(ctx) }));

/** Accepts only a signed-in browser: passwords, sessions and tokens are out of an API token's reach. */
export const sessionProcedure = protectedProcedure.use(({ ctx, next }) => {
  if (ctx.actor.kind !== 'account') throw new AppError('session_required', 'Log in with your password to do this.');
  return next({ ctx: { ...ctx, actor: ctx.actor } });
});

/**
 * Turns a subscription's items into those that tRPC tracks by their ids, and counts the subscription against its
 * connection while it runs. Its errors never pass the middleware, so they get their code here. It is no generator
 * around a generator, since a thousand sockets would wait for each of its promises.
 */
export function trackedItems<Data extends object>(
  { connection }: Context,
  open: () => Required<Pick<AsyncIterator<{ id: string; data: Data }, void>, 'next' | 'return'>>,
): AsyncIterable<TrackedEnvelope<Data>> {
  const withCode = (error: unknown): never => {
    throw toTRPCError(error);
  };
  const toTracked = (
    result: IteratorResult<{ id: string; data: Data }, void>,
  ): IteratorResult<TrackedEnvelope<Data>> =>
    result.done ? { done: true, value: undefined } : { value: trackShared(result.value.id, result.value.data) };
  return {
    [Symbol.asyncIterator]: () => {
      const uncount = connection?.countSubscription();
      const items = open();
      return {
        next: () => items.next().then(toTracked, withCode),
        return: () => items.return().then(toTracked, withCode).finally(uncount),
      };
    },
  };
}
