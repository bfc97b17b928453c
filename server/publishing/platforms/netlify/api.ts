import * as z from 'zod/mini';
import { listOf } from '../../../lib/egress/answer-json.ts';
import { meaningOf, OTHER_DOMAIN, type PlatformFailure, type RefusalRow, remedyOf } from '../failures.ts';
import { addressFrom, ask, LONG_LIST, type Vendor } from '../http.ts';
import type { ConnectionCall, ConnectionInfo, PlatformCall, PlatformRelease, PlatformState } from '../platform.ts';
import { bodyOf, type Content } from '../send-files.ts';
import { stateOf } from '../wait-until-done.ts';

/**
 * Netlify's API, typed: open-api.netlify.com, version 2.60.0 of May 2026. Its servers send more fields than
 * documented, and null for missing values, so every field is optional that the work can do without.
 */
export const TITLE = 'Netlify';

const text = z.nullish(z.string());
export const siteSchema = z.object({
  id: z.string(),
  name: z.string(),
  default_domain: text,
  custom_domain: text,
  domain_aliases: z.nullish(listOf(z.string())),
  published_deploy: z.nullish(z.object({ id: text, locked: z.nullish(z.boolean()) })),
  prevent_non_git_prod_deploys: z.nullish(z.boolean()),
});
const deploySchema = z.object({
  id: z.string(),
  state: text,
  title: text,
  url: text,
  ssl_url: text,
  deploy_url: text,
  deploy_ssl_url: text,
  error_message: text,
  published_at: text,
  required: z.nullish(listOf(z.string())),
});
const userSchema = z.object({ id: text, email: text, full_name: text });
const accountsSchema = listOf(z.object({ slug: z.string(), name: text }));
/** Accepts any object, but not a gateway's page. */
const anything = z.object({});

export type NetlifySite = z.infer<typeof siteSchema>;
export type NetlifyDeploy = z.infer<typeof deploySchema>;

const errorSchema = z.object({
  message: text,
  error: text,
  errors: z.nullish(z.union([z.string(), listOf(z.string()), z.record(z.string(), listOf(z.string()))])),
});

/** Returns the words of a refusal, in any of the four shapes of Netlify's errors; null for a gateway's page. */
function wordsOf(body: unknown): string | null {
  const { errors, message, error } = errorSchema.safeParse(body).data ?? {};
  if (typeof errors === 'string') return errors;
  if (Array.isArray(errors)) return errors.join(', ');
  const fields = Object.entries(errors ?? {}).map(([field, said]) => `${field} ${said.join(', ')}`);
  return fields.length > 0 ? fields.join('; ') : (message ?? error ?? null);
}

const ODD_NAMES =
  'Netlify does not say what is wrong. Rename files that have unusual characters in their names, then publish again.';

const REFUSALS: readonly RefusalRow[] = [
  { statuses: [422], says: /^(subdomain|name)\b.*\b(unique|taken)/i, means: 'name_taken' },
  {
    statuses: [409, 422],
    says: /^(custom_domain|domain_aliases|domain)\b.*\b(unique|taken|in use|already)/i,
    means: 'domain_taken',
  },
  {
    statuses: [400, 422],
    says: /^(custom_domain|domain_aliases|domain)\b.*\b(valid|invalid)\b/i,
    means: 'platform_failed',
    remedy: OTHER_DOMAIN,
  },
  { statuses: [400], says: /^invalid_request$/i, means: 'platform_failed', remedy: ODD_NAMES },
  { statuses: [422], says: /did not match|already done|not ready/i, means: 'out_of_sync' },
  { statuses: [400, 422], says: /file ?name|too large|too many files|illegal/i, means: 'content_refused' },
  { statuses: [402, 403, 422], says: /\b(billing|payment|card|invoice|unpaid)\b/i, means: 'payment_required' },
  { statuses: [402, 403, 422], says: /\b(plan|credits?|bandwidth|usage|upgrade|paused|limit)\b/i, means: 'plan_limit' },
];

const LINKS: Partial<Record<PlatformFailure, string>> = {
  credentials_invalid: 'https://app.netlify.com/user/applications#personal-access-tokens',
  payment_required: 'https://app.netlify.com/teams',
  plan_limit: 'https://app.netlify.com/teams',
};

/** Describes Netlify at the address of its API. */
export function netlifyAt(apiUrl: string, silenceMs?: number): Vendor {
  return {
    id: 'netlify',
    title: TITLE,
    apiUrl,
    sort(status, body) {
      return meaningOf(REFUSALS, status, wordsOf(body));
    },
    words: wordsOf,
    remedy: (status, body) => remedyOf(REFUSALS, status, wordsOf(body)),
    link: (failure) => LINKS[failure],
    ...(silenceMs !== undefined && { silenceMs }),
  };
}

/** Calls `getCurrentUser`, which names the token's account. */
export async function readUser(
  vendor: Vendor,
  call: ConnectionCall,
): Promise<Pick<ConnectionInfo, 'identity' | 'subject'>> {
  const { id, email, full_name: name } = await ask(call, vendor, { withToken: true, url: '/user' }, userSchema);
  const identity = name && email ? `${name} (${email})` : name || email || 'A Netlify account';
  return { identity, subject: id ?? email };
}

/** Calls `listAccountsForUser`, which lists a person's teams. */
export async function readTeams(vendor: Vendor, call: ConnectionCall): Promise<z.infer<typeof accountsSchema>> {
  return ask(call, vendor, { withToken: true, url: '/accounts' }, accountsSchema);
}

/** Calls `listSites` or `listSitesForAccount`, by name. */
export async function findSite(vendor: Vendor, call: PlatformCall, name: string): Promise<NetlifySite | null> {
  const url = `${sitesUrl(call)}?name=${encodeURIComponent(name)}&per_page=100`;
  const sites = await ask(call, vendor, { withToken: true, url, answersWith: LONG_LIST }, listOf(siteSchema));
  return sites.find((site) => site.name === name) ?? null;
}

/** Builds the request `createSite` or `createSiteInTeam`, for `makeOnce`. */
export function createSiteRequest(call: PlatformCall, name: string) {
  return {
    request: { withToken: true, method: 'POST', url: sitesUrl(call), json: { name } },
    shape: siteSchema,
  } as const;
}

function sitesUrl({ destination: { target } }: PlatformCall): string {
  return target === null ? '/sites' : `/${encodeURIComponent(target)}/sites`;
}

/** Calls `getSite`. Throws `platform_place_gone`. */
export async function readSite(vendor: Vendor, call: PlatformCall, siteId: string): Promise<NetlifySite> {
  return ask(call, vendor, { withToken: true, url: `/sites/${siteId}` }, siteSchema);
}

/**
 * Builds the request `updateSite`, for `makeOnce`. It sends both fields whole, since Netlify replaces the old values.
 */
export function changeSiteRequest(siteId: string, domains: { custom_domain: string | null; domain_aliases: string[] }) {
  return { withToken: true, method: 'PATCH', url: `/sites/${siteId}`, json: domains } as const;
}

/** Calls `deleteSite`. Throws `platform_place_gone` when it is gone already. */
export async function removeSite(vendor: Vendor, call: PlatformCall, siteId: string): Promise<void> {
  await ask(call, vendor, { withToken: true, method: 'DELETE', url: `/sites/${siteId}` }, z.unknown());
}

/** `createSiteDeploy`, for `makeOnce`: a draft leaves the public address as it is. */
export function createDeployRequest(
  siteId: string,
  title: string,
  manifest: { files: Readonly<Record<string, string>>; async: boolean },
) {
  const url = `/sites/${siteId}/deploys?title=${encodeURIComponent(title)}`;
  const json = { ...manifest, draft: true };
  return { request: { withToken: true, method: 'POST', url, json }, shape: deploySchema } as const;
}

/** Calls `listSiteDeploys`, newest first. Throws `platform_place_gone`. */
export async function readDeploys(vendor: Vendor, call: PlatformCall, siteId: string): Promise<NetlifyDeploy[]> {
  const url = `/sites/${siteId}/deploys?per_page=100`;
  return ask(call, vendor, { withToken: true, url, answersWith: LONG_LIST }, listOf(deploySchema));
}

/** Calls `getSiteDeploy`. Throws `platform_place_gone` when it went with its site. */
export async function readDeploy(vendor: Vendor, call: PlatformCall, deploy: DeployRef): Promise<NetlifyDeploy> {
  return ask(call, vendor, { withToken: true, url: deployUrl(deploy) }, deploySchema);
}

export type DeployRef = { siteId: string; deployId: string };

function deployUrl({ siteId, deployId }: DeployRef): string {
  return `/sites/${siteId}/deploys/${deployId}`;
}

/** `uploadDeployFile`: sends one content, opened again for each try. A generated file is not in the store. */
export async function sendFile(
  vendor: Vendor,
  call: PlatformCall,
  deployId: string,
  content: Content & { bytes?: Uint8Array },
): Promise<void> {
  const path = content.path.split('/').map(encodeURIComponent).join('/');
  const request = {
    withToken: true,
    method: 'PUT',
    url: `/deploys/${deployId}/files/${path}`,
    headers: { 'content-type': 'application/octet-stream' },
    body: async () => content.bytes ?? bodyOf(call, content),
  } as const;
  await ask(call, vendor, request, anything);
}

/** `restoreSiteDeploy`: makes it the public one; repeating it is harmless. */
export async function publishDeploy(vendor: Vendor, call: PlatformCall, deploy: DeployRef): Promise<NetlifyDeploy> {
  return ask(call, vendor, { withToken: true, method: 'POST', url: `${deployUrl(deploy)}/restore` }, deploySchema);
}

/** Calls `cancelSiteDeploy`. Throws `out_of_sync` when it is over already. */
export async function cancelDeploy(vendor: Vendor, call: PlatformCall, deployId: string): Promise<void> {
  await ask(call, vendor, { withToken: true, method: 'POST', url: `/deploys/${deployId}/cancel` }, anything);
}

const STATES: Readonly<Record<string, PlatformState>> = {
  new: 'preparing',
  preparing: 'preparing',
  prepared: 'uploading',
  uploading: 'uploading',
  uploaded: 'uploading',
  ready: 'verifying',
  error: 'failed',
  rejected: 'failed',
  cancelled: 'cancelled',
  canceled: 'cancelled',
};

/** Translates a deploy into the product's states. The API has no state for cancelled ones: only the reason shows it. */
export function toPlatformRelease(vendor: Vendor, deploy: NetlifyDeploy): PlatformRelease {
  const { state = null, error_message: message } = deploy;
  const known = stateOf(STATES, state);
  const address = (answered: string | null | undefined) => (answered ? addressFrom(vendor, answered) : null);
  return {
    state: known === 'failed' && /\bcancell?ed\b/i.test(message ?? '') ? 'cancelled' : known,
    text: message || (state === null ? null : `${TITLE}: ${state}`),
    url: address(deploy.ssl_url ?? deploy.url),
    ownUrl: address(deploy.deploy_ssl_url ?? deploy.deploy_url),
  };
}
