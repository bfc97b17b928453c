import type { AccountContext, ServiceContext } from '../server/context.ts';
import { AppError, signedOut } from '../server/lib/errors.ts';

/** Accepts a signed-in browser, or an API token of any scope. Throws `unauthenticated`, `scope_missing`. */
export function requireAccount(ctx: ServiceContext): AccountContext {
  const { actor, origin } = ctx;
  if (actor.kind === 'anonymous') throw signedOut(origin.bearer);
  if (actor.kind === 'token' && !actor.scopes.includes('read') && !actor.scopes.includes('write')) {
    throw new AppError('scope_missing', 'This API token is not allowed to read.');
  }
  return { ...ctx, actor };
}

/** Accepts a signed-in browser, or an API token with the scope `write`. Throws `unauthenticated`, `scope_missing`. */
export function requireWriter(ctx: ServiceContext): AccountContext {
  const account = requireAccount(ctx);
  requireWriteScope(account);
  return account;
}

/** Accepts anybody; a caller with an API token needs the scope `write`. Throws `scope_missing`. */
export function requireWriteScope({ actor }: ServiceContext): void {
  if (actor.kind === 'token' && !actor.scopes.includes('write')) {
    throw new AppError('scope_missing', 'This API token is read-only.', {
      hint: 'In Settings, create a token that can publish and make changes.',
    });
  }
}

/**
 * People may still make these calls when the database's disk is almost full: each frees room, or takes next to none.
 */
export const NEEDED_MUTATIONS: readonly string[] = [
  ...['auth.login', 'auth.refresh', 'auth.logout', 'auth.forgotPassword', 'auth.checkResetLink', 'auth.resetPassword'],
  ...['auth.changePassword', 'auth.confirmEmail', 'auth.stopEmailChange', 'auth.revokeSession', 'tokens.revoke'],
  ...[
    'account.delete',
    'account.confirmDeletion',
    'account.export',
    'disclaimer.accept',
    'subscription.cancel',
    'payments.portal',
  ],
  ...['deployments.remove', 'deployments.removeDestination', 'deployments.rollBack', 'connections.remove'],
  ...['releases.cancel', 'releases.download', 'releases.preview', 'analytics.download'],
  ...['domains.remove', 'certificates.revoke', 'diagnostics.stopSharing'],
];

/**
 * Refuses other calls before the disk of the database is full: after that not even calls that free room could be
 * written. Throws `storage_full`.
 */
export async function requireDatabaseRoom({ providers }: ServiceContext, path: string): Promise<void> {
  if (NEEDED_MUTATIONS.includes(path)) return;
  // Some databases do not say how much is free.
  const freeBytes = await providers.databaseSpace.freeBytes().catch(() => Number.NaN);
  if (!(freeBytes <= 0)) return;
  throw new AppError(
    'storage_full',
    'The disk of this Fairlead is almost full, so nothing new can be saved right now.',
    {
      hint: 'Live sites stay live, and deleting makes room. The operator has to add disk space.',
    },
  );
}
