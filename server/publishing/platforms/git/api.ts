import * as z from 'zod/mini';
import { HOSTING_TITLES } from '../../../../routers/schemas/platforms/titles.ts';
import { MINUTE_MS } from '../../../lib/durations.ts';
import { listOf } from '../../../lib/egress/answer-json.ts';
import { meaningOf, OTHER_DOMAIN, type PlatformFailure, type RefusalRow, remedyOf } from '../failures.ts';
import { ask, type Vendor } from '../http.ts';
import type { ConnectionCall, ConnectionInfo, Target } from '../platform.ts';
import { webOrigin } from './hosts.ts';

/**
 * GitHub's REST API, version 2022-11-28 (docs.github.com/rest). A missing right gives 403, or 404 as if the thing did
 * not exist, and an exhausted limit 403 as well as 429: the words and the headers tell them apart.
 */
export const TITLE = HOSTING_TITLES['github-pages'];

const LIMITED = /rate limit|abuse detection|submitted too quickly/i;

const refusalSchema = z.object({
  message: z.catch(z.optional(z.string()), undefined),
  errors: z.catch(
    z.optional(listOf(z.union([z.string(), z.object({ message: z.optional(z.nullable(z.string())) })]))),
    undefined,
  ),
});

function wordsOf(body: unknown): string | null {
  const { message, errors = [] } = refusalSchema.safeParse(body).data ?? {};
  const details = errors.map((one) => (typeof one === 'string' ? one : (one.message ?? '')));
  const all = [message ?? '', ...details].map((text) => text.trim()).filter((text) => text !== '');
  return all.length === 0 ? null : [...new Set(all)].join(' ');
}

const SAML = 'Authorize the token for the organization (Configure SSO, beside the token), then try again.';
const BLOCKED =
  'GitHub has blocked the repository, and says why in an email to its owner. Settle it with GitHub, or publish elsewhere.';

const LOST_TREE =
  'Somebody rewrote the history of the repository at GitHub. Delete the repository there and try again, so that it is created again, or choose another.';

const REFUSALS: readonly RefusalRow[] = [
  { statuses: [403, 429], says: LIMITED, means: 'rate_limited' },
  { statuses: [403], says: /\bSAML\b/i, means: 'permission_missing', remedy: SAML },
  { statuses: [451], says: /^/, means: 'platform_failed', remedy: BLOCKED },
  {
    statuses: [400, 422],
    says: /not properly formatted|invalid (?:custom )?domain/i,
    means: 'platform_failed',
    remedy: OTHER_DOMAIN,
  },
  { statuses: [422], says: /tree sha does not exist/i, means: 'platform_failed', remedy: LOST_TREE },
  { statuses: [403, 422], says: /billing|payment/i, means: 'payment_required' },
  { statuses: [403, 404, 422], says: /upgrade|current plan|your plan|limit of repositories/i, means: 'plan_limit' },
  { statuses: [422], says: /already exists on this account/i, means: 'name_taken' },
  { statuses: [400, 409, 422], says: /already taken|already in use|is taken/i, means: 'domain_taken' },
  { statuses: [422], says: /fast.?forward|update failed|reference (?:already|does not)/i, means: 'out_of_sync' },
  // A repository that was just made, or a tree that took too long: both pass.
  { statuses: [409], says: /repository is empty/i, means: 'platform_down' },
  { statuses: [422], says: /timed out/i, means: 'platform_down' },
  { statuses: [409, 422], says: /secret|rule violation|push protection/i, means: 'content_refused' },
  { statuses: [422], says: /too large|too big|exceeds|malformed path/i, means: 'content_refused' },
];

const PAGES: Partial<Record<PlatformFailure, string>> = {
  credentials_invalid: '/settings/tokens',
  permission_missing: '/settings/tokens',
  payment_required: '/settings/billing',
  plan_limit: '/settings/billing',
};

/** Describes GitHub at the address of its API, which may have a path, as an Enterprise Server's has (`/api/v3`). */
export function githubAt(apiUrl: string, { title = TITLE, silenceMs }: GithubOptions = {}): Vendor {
  return {
    id: 'github-pages',
    title,
    apiUrl,
    headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
    sort(status, body, headers) {
      const known = meaningOf(REFUSALS, status, wordsOf(body));
      return known ?? (status === 404 && lacksScope(headers) ? 'permission_missing' : undefined);
    },
    words(body, headers) {
      const needs = neededRights(headers);
      const words = wordsOf(body);
      return needs === null || words === null ? words : `${words} (it needs ${needs})`;
    },
    remedy: (status, body) => remedyOf(REFUSALS, status, wordsOf(body)),
    // docs.github.com, "Rate limits for the REST API": without a hint, wait a minute at least.
    resetAt: (body, now) => (LIMITED.test(wordsOf(body) ?? '') ? now.getTime() + MINUTE_MS : undefined),
    link: (failure) => (PAGES[failure] === undefined ? undefined : `${webOrigin(apiUrl)}${PAGES[failure]}`),
    ...(silenceMs !== undefined && { silenceMs }),
  };
}

export type GithubOptions = {
  /** The name of the platform in sentences, when it is not GitHub Pages. */
  title?: string | undefined;
  silenceMs?: number | undefined;
};

/**
 * Detects a classic token without the required scope: it lists its scopes, and an answer lists those of which one is
 * needed.
 */
function lacksScope(headers: Headers): boolean {
  const granted = headers.get('x-oauth-scopes');
  const accepted = scopesIn(headers.get('x-accepted-oauth-scopes'));
  if (granted === null || accepted.length === 0) return false;
  const held = scopesIn(granted);
  return !accepted.some((scope) => held.includes(scope));
}

function neededRights(headers: Headers): string | null {
  if (lacksScope(headers)) return `the scope ${scopesIn(headers.get('x-accepted-oauth-scopes')).join(' or ')}`;
  return headers.get('x-accepted-github-permissions');
}

function scopesIn(list: string | null): string[] {
  return (list ?? '')
    .split(',')
    .map((scope) => scope.trim())
    .filter((scope) => scope !== '');
}

const userSchema = z.object({
  id: z.optional(z.number()),
  login: z.string(),
  name: z.optional(z.nullable(z.string())),
});
const seenUserSchema = z.object({ body: userSchema, headers: z.record(z.string(), z.string()) });

/** `GET /user`: returns the token's account, whether it may write, and its expiry, which the headers hold. */
export async function readIdentity(vendor: Vendor, call: ConnectionCall): Promise<ConnectionInfo> {
  const request = { withToken: true, url: '/user', answersHeaders: true } as const;
  const { body, headers } = await ask(call, vendor, request, seenUserSchema);
  const scopes = headers['x-oauth-scopes'];
  const mayWrite =
    scopes === undefined || scopesIn(scopes).some((scope) => scope === 'repo' || scope === 'public_repo');
  return {
    identity: body.name ? `${body.name} (${body.login})` : body.login,
    subject: String(body.id ?? body.login),
    warnings: mayWrite ? [] : ['This token cannot write to repositories: create one with the scope repo.'],
    expiresAt: endIn(headers['github-authentication-token-expiration']),
  };
}

/** Parses `2027-01-31 10:20:30 UTC`, or a time with an offset instead of the zone. */
function endIn(text: string | undefined): Date | null {
  const at = Date.parse(text ?? '');
  return Number.isNaN(at) ? null : new Date(at);
}

/** `GET /user`: returns the account that owns repositories made without an organization. */
export async function readLogin(vendor: Vendor, call: ConnectionCall): Promise<string> {
  return (await ask(call, vendor, { withToken: true, url: '/user' }, userSchema)).login;
}

const ORGANIZATIONS_MAX = 100;

/** `GET /user/orgs`: returns the organizations of the account, which can own a repository as well. */
export async function readOrganizations(vendor: Vendor, call: ConnectionCall): Promise<Target[]> {
  const url = `/user/orgs?per_page=${ORGANIZATIONS_MAX}`;
  const found = await ask(call, vendor, { withToken: true, url }, listOf(z.object({ login: z.string() })));
  return found.map(({ login }) => ({ id: login, name: login }));
}

/** Accepts any object, but not a gateway's page. */
export const anyObject = z.object({});
