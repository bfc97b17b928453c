import type * as z from 'zod/mini';
import type { HostingPlatform } from '../../../routers/schemas/platforms/ids.ts';
import {
  type VendorRequest as AnyRequest,
  type Outcome,
  PASSING_STATUS,
  repeat,
  tryOnce,
  type VendorApi,
} from '../../lib/egress/vendor-requests.ts';
import { type PlatformFailure, platformError } from './failures.ts';
import type { ConnectionCall } from './platform.ts';

/**
 * All adapters call their platforms through this file. `ask` reads or uploads and is repeated; `makeOnce` creates, and
 * looks first before each try. When the platform asks for a wait of more than a minute, the job goes back to the
 * queue.
 */
const TRIES = 5;
const RULES = {
  sortByStatus,
  error: platformError,
  /** Twenty thousand digests, as many as a release has files, fit into this. */
  answerMaxBytes: 1024 * 1024,
  answerMaxValues: 100_000,
  exchangeMs: 5 * 60_000,
  redirects: 5,
};
/** The limits for lists with long items: a hundred sites with all their settings, or a log. */
export const LONG_LIST = { bytes: 4 * 1024 * 1024, values: 100_000 };
/** RFC 9110, section 4.1, recommends supporting this length. */
const ADDRESS_MAX = 8_000;

/** The API of one platform. */
export type Vendor = VendorApi<PlatformFailure> & { id: HostingPlatform };

export type VendorRequest = AnyRequest & {
  /** Sends the token of the connection. An address elsewhere, presigned or not, must never set this. */
  withToken?: true;
};

/**
 * Sends a request that may be repeated: a read or an upload. Throws the error that `platformError` makes of the last
 * answer.
 */
export async function ask<T>(
  call: ConnectionCall,
  vendor: Vendor,
  request: VendorRequest,
  shape: z.ZodMiniType<T>,
): Promise<T> {
  return repeat(call, TRIES, () => askOnce(call, vendor, request, shape));
}

/**
 * Creates a thing once, if `look` does not find it: after a try with an unclear result it looks again, and also after
 * a refusal, since the obstacle may be the result of an earlier run. `look` is told whether a try of this run may have
 * made it.
 */
export async function makeOnce<T>(
  call: ConnectionCall,
  vendor: Vendor,
  making: { look(mayBeMade: boolean): Promise<T | null>; request: VendorRequest; shape: z.ZodMiniType<T> },
): Promise<T> {
  let mayBeMade = false;
  return repeat(call, TRIES, async () => {
    const before = await making.look(mayBeMade);
    if (before !== null) return { value: before };
    const outcome = await askOnce(call, vendor, making.request, making.shape);
    if ('value' in outcome) return outcome;
    mayBeMade ||= outcome.error.code === 'platform_down' || outcome.error.code === 'overloaded';
    if (outcome.mayPass) return outcome;
    const after = await making.look(mayBeMade);
    return after === null ? outcome : { value: after };
  });
}

async function askOnce<T>(
  call: ConnectionCall,
  vendor: Vendor,
  request: VendorRequest,
  shape: z.ZodMiniType<T>,
): Promise<Outcome<T>> {
  const token = request.withToken === true ? await call.credentials.tokenOf(vendor.id) : null;
  const outcome = await tryOnce({ rules: RULES, call, vendor, request, token }, shape);
  if ('error' in outcome && outcome.error.code === 'credentials_invalid' && token !== null) {
    await call.credentials.refused(vendor.id, outcome.error);
  }
  return outcome;
}

function sortByStatus(status: number, waitMs: number): PlatformFailure {
  if (status === 401) return 'credentials_invalid';
  if (status === 402) return 'payment_required';
  // GitHub says "slow down" with 403 as well.
  if (status === 429 || (status === 403 && waitMs > 0)) return 'rate_limited';
  if (status === 403) return 'permission_missing';
  if (status === 404 || status === 410) return 'platform_place_gone';
  if (status === 409) return 'out_of_sync';
  if (status === 413) return 'content_refused';
  if (PASSING_STATUS.has(status) || status >= 500) return 'platform_down';
  return 'platform_failed';
}

/**
 * Returns an address from a platform's API in a form that can be opened. Without a scheme it gets that of the API's
 * base, which is https at every vendor. Throws `platform_failed` for anything that is not a web address.
 */
export function addressFrom(vendor: Vendor, answered: string): string {
  const { protocol } = new URL(vendor.apiUrl);
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(answered)
    ? answered
    : `${protocol}//${answered.replace(/^\/\//, '')}`;
  const url = address.length <= ADDRESS_MAX && URL.canParse(address) ? new URL(address) : null;
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url.href.replace(/\/$/, '');
  throw platformError('platform_failed', vendor.title, {
    said: 'it gave an address that cannot be opened',
    remedy: `Check at ${vendor.title} which address the site has. If the site opens at that address, tell the operator of this Fairlead.`,
  });
}
