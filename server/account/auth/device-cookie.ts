import { randomBytes } from 'node:crypto';
import type { ServiceContext } from '../../context.ts';
import { isSameText } from './refresh-token.ts';

/**
 * A signed mark in a browser that its owner has signed in on before. It signs nobody in; it lets the owner past the
 * counters that strangers can fill, so that nobody can lock somebody else out (ASVS 6.1.1).
 */
const FORM = /^([0-9a-z]{20})\.([A-Za-z0-9_-]{22})\.([0-9a-z]{1,32})-([A-Za-z0-9_-]{43})$/;
const DEVICE_ID_BYTES = 16;

/** Returns the id of this device if this account has signed in on it before, else null. */
export function knownDevice(ctx: ServiceContext, accountId: string | undefined): string | null {
  const [, owner = '', deviceId = '', keyId = '', mac = ''] = FORM.exec(ctx.jar.read('device') ?? '') ?? [];
  if (mac === '' || owner !== accountId) return null;
  return isSameText(mac, ctx.providers.secrets.mac('device', `${owner}.${deviceId}`, keyId)) ? deviceId : null;
}

/** Marks this browser as one that the account has signed in on; a marked one keeps its id. */
export function rememberDevice(ctx: ServiceContext, accountId: string): void {
  const { secrets } = ctx.providers;
  const deviceId = knownDevice(ctx, accountId) ?? randomBytes(DEVICE_ID_BYTES).toString('base64url');
  const text = `${accountId}.${deviceId}`;
  ctx.jar.write('device', `${text}.${secrets.currentKeyId}-${secrets.mac('device', text)}`);
}
