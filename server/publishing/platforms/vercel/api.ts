import * as z from 'zod/mini';
import { HOSTING_TITLES } from '../../../../routers/schemas/platforms/titles.ts';
import { listOf } from '../../../lib/egress/answer-json.ts';
import { AppError } from '../../../lib/errors.ts';
import { OTHER_NAME, type PlatformFailure, PUBLISH_ANEW } from '../failures.ts';
import { addressFrom, ask, LONG_LIST, makeOnce, type Vendor, type VendorRequest } from '../http.ts';
import type { ConnectionCall, PlatformCall, PlatformRelease, PlatformState } from '../platform.ts';
import { nullIfNotFound } from '../reference.ts';
import { stateOf } from '../wait-until-done.ts';

/** The calls of Vercel's REST API (vercel.com/docs/rest-api), typed; what is not named here is ignored. */
export const TITLE = HOSTING_TITLES.vercel;

const refusalSchema = z.object({
  error: z.object({
    code: z.optional(z.string()),
    message: z.optional(z.string()),
    invalidToken: z.optional(z.boolean()),
    limit: z.catch(z.optional(z.object({ resetMs: z.optional(z.number()) })), undefined),
  }),
});
type Refused = z.infer<typeof refusalSchema>['error'];

const LINKS: Partial<Record<PlatformFailure, string>> = {
  credentials_invalid: 'https://vercel.com/account/tokens',
  payment_required: 'https://vercel.com/account/billing',
  plan_limit: 'https://vercel.com/pricing',
};

/** Advice about refusals that are of no kind of their own. */
const REMEDIES: readonly { says: RegExp; remedy: string }[] = [
  {
    says: /deployment for the project was not successful/i,
    remedy: 'First publish a release on Vercel and wait until it is live, then add the domain again.',
  },
  { says: /deployment was deleted/i, remedy: PUBLISH_ANEW },
  {
    says: /\bSAML\b/i,
    remedy:
      'Log in to the team with single sign-on at Vercel, create a token for that team, and connect Vercel with it.',
  },
  { says: /\bdigest\b/i, remedy: 'A file was damaged on its way. Try again to send it once more.' },
  { says: /\bname contains invalid\b/i, remedy: OTHER_NAME },
];

/** Describes the API at its base address. */
export function vercelAt(apiUrl: string): Vendor {
  return {
    id: 'vercel',
    title: TITLE,
    apiUrl,
    sort: (status, body) => sort(status, refusalOf(body)),
    words: (body) => refusalOf(body).message ?? null,
    resetAt: (body) => refusalOf(body).limit?.resetMs,
    link: (failure) => LINKS[failure],
    remedy: (_status, body) => REMEDIES.find(({ says }) => says.test(refusalOf(body).message ?? ''))?.remedy,
  };
}

function refusalOf(body: unknown): Refused {
  return refusalSchema.safeParse(body).data?.error ?? {};
}

/**
 * Follows vercel.com/docs/rest-api/errors, and the distinctions of Vercel's own clients; the status decides the rest.
 */
function sort(status: number, { code = '', message = '', invalidToken }: Refused): PlatformFailure | undefined {
  // Vercel sends this with 403 as well, where no permission of the token would help.
  if (invalidToken === true) return 'credentials_invalid';
  // The quotas of a day are named after their unit: `api-upload-free`, `api-deployments-free-per-day`.
  if (/\bapi-(?:upload|deployments)-/.test(`${code} ${message}`)) return 'quota_exhausted';
  if (status === 428) return 'plan_limit';
  if (code === 'not_found') return 'platform_place_gone';
  if (code === 'size_limit_exceeded' || message.includes('`files` should NOT have')) return 'content_refused';
  return undefined;
}

/** Returns the same API for a request to which a status means something else. */
export function withFailures(vendor: Vendor, meanings: Readonly<Record<number, PlatformFailure>>): Vendor {
  return {
    ...vendor,
    sort: (status, body, headers) => meanings[status] ?? vendor.sort?.(status, body, headers),
  };
}

/** Adds the destination's team to a request: the same name means other things in another team. */
export function withTeam({ destination }: PlatformCall, request: VendorRequest): VendorRequest {
  const { target } = destination;
  const mark = request.url.includes('?') ? '&' : '?';
  const url = target === null ? request.url : `${request.url}${mark}teamId=${encodeURIComponent(target)}`;
  return { ...request, url, withToken: true };
}

export const anyObject = z.object({});

const userSchema = z.object({
  user: z.object({
    id: z.optional(z.string()),
    username: z.string(),
    email: z.optional(z.nullable(z.string())),
    limited: z.optional(z.boolean()),
    softBlock: z.optional(z.nullable(z.object({ reason: z.optional(z.string()) }))),
  }),
});

/** vercel.com/docs/rest-api, "Get the User". Throws `credentials_invalid`. */
export async function readUser(vendor: Vendor, call: ConnectionCall) {
  return (await ask(call, vendor, { url: '/v2/user', withToken: true }, userSchema)).user;
}

const tokenSchema = z.object({ token: z.object({ expiresAt: z.optional(z.nullable(z.number())) }) });

/** "Get Auth Token Metadata": returns the token's expiry, or null; a token need not be allowed to read it. */
export async function readTokenEnd(vendor: Vendor, call: ConnectionCall): Promise<Date | null> {
  const request = { url: '/v5/user/tokens/current', withToken: true } as const;
  try {
    const { token } = await ask(call, vendor, request, tokenSchema);
    return token.expiresAt ? new Date(token.expiresAt) : null;
  } catch (error) {
    const isHidden = error instanceof AppError && ['permission_missing', 'platform_place_gone'].includes(error.code);
    if (isHidden) return null;
    throw error;
  }
}

const teamsSchema = z.object({
  teams: listOf(z.object({ id: z.string(), slug: z.string(), name: z.optional(z.nullable(z.string())) })),
  pagination: z.optional(z.object({ next: z.optional(z.nullable(z.number())) })),
});
const TEAM_PAGES_MAX = 20;

/** "List all teams": reads all pages. */
export async function readTeams(vendor: Vendor, call: ConnectionCall) {
  const teams: { id: string; name: string }[] = [];
  let until = '';
  for (let page = 0; page < TEAM_PAGES_MAX; page += 1) {
    const request = { url: `/v2/teams?limit=100${until}`, withToken: true } as const;
    const answer = await ask(call, vendor, request, teamsSchema);
    teams.push(...answer.teams.map(({ id, slug, name }) => ({ id, name: name || slug })));
    const next = answer.pagination?.next ?? null;
    if (next === null) break;
    until = `&until=${next}`;
  }
  return teams;
}

const deploymentSchema = z.object({
  id: z.string(),
  readyState: z.optional(z.nullable(z.string())),
  readySubstate: z.optional(z.nullable(z.string())),
  // This is a time in some answers, true in others.
  aliasAssigned: z.optional(z.nullable(z.union([z.boolean(), z.number()]))),
  // An object in the documentation, and a text in Vercel's own client.
  aliasError: z.optional(z.nullable(z.union([z.string(), z.object({ message: z.optional(z.string()) })]))),
  alias: z.optional(z.nullable(listOf(z.string()))),
  url: z.optional(z.nullable(z.string())),
  errorMessage: z.optional(z.nullable(z.string())),
  errorLink: z.optional(z.nullable(z.string())),
  checks: z.catch(
    z.optional(z.object({ 'deployment-alias': z.optional(z.object({ state: z.optional(z.string()) })) })),
    undefined,
  ),
});
export type Deployment = z.infer<typeof deploymentSchema>;

/** "Get a deployment by ID or URL". Throws `platform_place_gone`. */
export async function readDeployment(vendor: Vendor, call: PlatformCall, id: string): Promise<Deployment> {
  return ask(call, vendor, withTeam(call, { url: `/v13/deployments/${encodeURIComponent(id)}` }), deploymentSchema);
}

const STATES: Readonly<Record<string, PlatformState>> = {
  READY: 'verifying',
  ERROR: 'failed',
  CANCELED: 'cancelled',
  DELETED: 'cancelled',
};

/**
 * Translates a deployment into the product's states. A built one is done only when the public addresses point to it.
 */
export function toPlatformRelease(vendor: Vendor, deployment: Deployment): PlatformRelease {
  const { readyState = null, aliasAssigned, aliasError, errorMessage, errorLink, checks, alias, url } = deployment;
  const addresses = {
    url: publicAddress(vendor, alias ?? [], url ?? ''),
    ownUrl: url ? addressFrom(vendor, url) : null,
  };
  if (aliasError) {
    const message = typeof aliasError === 'string' ? aliasError : aliasError.message;
    return { ...addresses, state: 'failed', text: message ?? 'its addresses could not be assigned' };
  }
  if (checks?.['deployment-alias']?.state === 'failed') {
    return { ...addresses, state: 'failed', text: 'a check of the project did not let it go public' };
  }
  const state = stateOf(STATES, readyState);
  if (state === 'failed') {
    return { ...addresses, state, text: [errorMessage, errorLink].filter(Boolean).join(' ') || null };
  }
  if (state === 'verifying' && !aliasAssigned) {
    return { ...addresses, state: 'processing', text: `${TITLE} points its addresses to this release` };
  }
  return { ...addresses, state, text: readyState === null ? null : `${TITLE}: ${readyState.toLowerCase()}` };
}

/**
 * Returns the platform's own address: custom names may not point there yet, and of its own the shortest is the site's.
 */
function publicAddress(vendor: Vendor, alias: readonly string[], url: string): string | null {
  const zone = url.slice(url.indexOf('.'));
  const own = alias.filter((name) => zone.startsWith('.') && name.endsWith(zone));
  const [shortest = alias[0]] = own.toSorted((a, b) => a.length - b.length);
  return shortest === undefined ? null : addressFrom(vendor, shortest);
}

const deploymentsSchema = z.object({
  deployments: listOf(z.object({ uid: z.string(), meta: z.optional(z.nullable(z.record(z.string(), z.unknown()))) })),
});
const LATEST = 20;
/** Our key in the metadata of each deployment. */
export const RELEASE_MARK = 'fairleadRelease';

/** "List deployments": returns the one of this release, if an earlier run has made it. */
export async function findDeployment(
  vendor: Vendor,
  call: PlatformCall,
  projectId: string,
  releaseId: string,
): Promise<string | null> {
  const url = `/v6/deployments?projectId=${encodeURIComponent(projectId)}&limit=${LATEST}`;
  const { deployments } = await ask(call, vendor, withTeam(call, { url }), deploymentsSchema);
  return deployments.find(({ meta }) => meta?.[RELEASE_MARK] === releaseId)?.uid ?? null;
}

/** "Cancel a deployment"; one that is over, or gone, is left as it is. */
export async function cancelDeployment(vendor: Vendor, call: PlatformCall, id: string): Promise<void> {
  await nullIfNotFound(
    makeOnce(call, vendor, {
      look: async () => (isOver(await readDeployment(vendor, call, id)) ? {} : null),
      request: withTeam(call, { method: 'PATCH', url: `/v12/deployments/${encodeURIComponent(id)}/cancel` }),
      shape: anyObject,
    }),
  );
}

function isOver({ readyState = null }: Deployment): boolean {
  return stateOf(STATES, readyState) !== 'processing';
}

const lineSchema = z.nullable(
  z.object({
    text: z.optional(z.nullable(z.string())),
    payload: z.optional(z.nullable(z.object({ text: z.optional(z.nullable(z.string())) }))),
  }),
);
const logSchema = z.nullable(listOf(lineSchema));

/** "Get deployment events": returns the build's log so far. */
export async function readEvents(vendor: Vendor, call: PlatformCall, id: string): Promise<string> {
  const url = `/v3/deployments/${encodeURIComponent(id)}/events?follow=0&limit=-1&builds=1`;
  const lines = await ask(call, vendor, withTeam(call, { url, answersWith: LONG_LIST }), logSchema);
  return (lines ?? []).flatMap((line) => line?.payload?.text ?? line?.text ?? []).join('\n');
}
