import * as z from 'zod/mini';
import { HOSTING_TITLES } from '../../../../routers/schemas/platforms/titles.ts';
import { listOf } from '../../../lib/egress/answer-json.ts';
import { meaningOf, OTHER_DOMAIN, OTHER_NAME, type PlatformFailure, type RefusalRow, remedyOf } from '../failures.ts';
import { addressFrom, ask, type Vendor } from '../http.ts';
import type { ConnectionCall, PlatformRelease, PlatformState, Target } from '../platform.ts';
import { stateOf } from '../wait-until-done.ts';

/** Render's API (api-docs.render.com, description of 2026-08). Lists are pages of things, each with a cursor. */
export const TITLE = HOSTING_TITLES.render;

const errorSchema = z.object({ message: z.optional(z.nullable(z.string())) });
const wordsOf = (body: unknown): string | null => errorSchema.safeParse(body).data?.message ?? null;

const REPOSITORY =
  'Render reads the repository only if it is public at GitHub and has not been renamed. Change that at GitHub, then try again.';
const SUSPENDED = 'Resume the service at https://dashboard.render.com first. Then try again.';

const REFUSALS: readonly RefusalRow[] = [
  { statuses: [400, 409], says: /\bdomain (?:\S+ )?(?:is )?already\b/i, means: 'domain_taken' },
  { statuses: [400, 402, 403], says: /\b(?:payment|billing|card)\b/i, means: 'payment_required' },
  { statuses: [400, 403, 429], says: /\b(?:minutes|bandwidth)\b/i, means: 'quota_exhausted' },
  {
    statuses: [400, 409],
    says: /already (?:in use|taken|exists)|is taken|must be unique/i,
    means: 'name_taken',
  },
  { statuses: [400, 403, 409], says: /\b(?:plan|upgrade|limit)\b/i, means: 'plan_limit' },
  { statuses: [400], says: /^invalid domain/i, means: 'platform_failed', remedy: OTHER_DOMAIN },
  { statuses: [400], says: /^name must\b/i, means: 'platform_failed', remedy: OTHER_NAME },
  { statuses: [400], says: /\brepo(?:sitory)?\b/i, means: 'platform_failed', remedy: REPOSITORY },
  { statuses: [400], says: /\bsuspended\b/i, means: 'platform_failed', remedy: SUSPENDED },
  // GitHub has the commit, and Render has not fetched it yet.
  { statuses: [400], says: /\bcommit\b/i, means: 'out_of_sync' },
];
const LINKS: Partial<Record<PlatformFailure, string>> = {
  credentials_invalid: 'https://dashboard.render.com/settings#api-keys',
  payment_required: 'https://dashboard.render.com/billing',
  plan_limit: 'https://dashboard.render.com/billing',
  quota_exhausted: 'https://dashboard.render.com/billing',
};

/** Describes Render at the address of its API. */
export function renderAt(apiUrl: string, silenceMs?: number): Vendor {
  return {
    id: 'render',
    title: TITLE,
    apiUrl,
    sort(status, body) {
      return meaningOf(REFUSALS, status, wordsOf(body));
    },
    words: wordsOf,
    link: (failure) => LINKS[failure],
    remedy: (status, body) => remedyOf(REFUSALS, status, wordsOf(body)),
    ...(silenceMs !== undefined && { silenceMs }),
  };
}

/** `GET /users`: returns the key's account. */
export async function readIdentity(vendor: Vendor, call: ConnectionCall) {
  const user = z.object({ email: z.string(), name: z.optional(z.nullable(z.string())) });
  const { name, email } = await ask(call, vendor, { withToken: true, url: '/users' }, user);
  return { identity: name ? `${name} (${email})` : email, subject: email };
}

/** `GET /owners`: returns the workspaces, one of which owns every service. */
export async function readOwners(vendor: Vendor, call: ConnectionCall): Promise<Target[]> {
  const list = listOf(z.object({ owner: z.object({ id: z.string(), name: z.string() }) }));
  const found = await ask(call, vendor, { withToken: true, url: '/owners?limit=100' }, list);
  return found.map(({ owner: { id, name } }) => ({ id, name }));
}

export const deploySchema = z.object({
  id: z.string(),
  status: z.optional(z.nullable(z.string())),
  commit: z.optional(z.nullable(z.object({ id: z.optional(z.string()) }))),
  createdAt: z.optional(z.nullable(z.string())),
  finishedAt: z.optional(z.nullable(z.string())),
});
export type Deploy = z.infer<typeof deploySchema>;

const STATES: Readonly<Record<string, PlatformState>> = {
  live: 'verifying',
  // A later deploy replaced it, which is only possible after it was live.
  deactivated: 'verifying',
  build_failed: 'failed',
  update_failed: 'failed',
  pre_deploy_failed: 'failed',
  canceled: 'cancelled',
};

/** Translates a deploy into the product's states. */
export function toPlatformRelease(vendor: Vendor, { status = null }: Deploy, url: string | null): PlatformRelease {
  const text = status === null ? null : `${TITLE}: ${status.replaceAll('_', ' ')}`;
  return { state: stateOf(STATES, status), text, url: url === null ? null : addressFrom(vendor, url), ownUrl: null };
}
