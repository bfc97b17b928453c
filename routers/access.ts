import { AppError, signedOut } from '../server/errors.ts';
import type { AccountContext, ServiceContext } from '../server/service-context.ts';

/** A signed-in browser, or an API token of any scope. Throws `unauthenticated`, `scope_missing`. */
export function requireAccount(ctx: ServiceContext): AccountContext {
  const { actor, origin } = ctx;
  if (actor.kind === 'anonymous') throw signedOut(origin.bearer);
  if (actor.kind === 'token' && !actor.scopes.includes('read') && !actor.scopes.includes('write')) {
    throw new AppError('scope_missing', 'This API token may not read.');
  }
  return { ...ctx, actor };
}

/** Accepts a signed-in browser, or an API token with the scope `write`. Throws `unauthenticated`, `scope_missing`. */
export function requireWriter(ctx: ServiceContext): AccountContext {
  const account = requireAccount(ctx);
  requireWriteScope(account);
  return account;
}

/** Accepts anybody; whoever calls with an API token needs the scope `write`. Throws `scope_missing`. */
export function requireWriteScope({ actor }: ServiceContext): void {
  if (actor.kind === 'token' && !actor.scopes.includes('write')) {
    throw new AppError('scope_missing', 'This API token may read only.', {
      hint: 'Make one with the scope "write" in Settings.',
    });
  }
}
