import * as z from 'zod/mini';
import { HOSTING_TITLES } from '../../../../routers/schemas/platforms/titles.ts';
import { textWithinBudget } from '../../../lib/egress/answer-budget.ts';
import { listOf } from '../../../lib/egress/answer-json.ts';
import { type EgressBody, EgressError } from '../../../lib/egress/egress.ts';
import { OTHER_NAME, type PlatformFailure, PUBLISH_ANEW, UPDATE_FAIRLEAD } from '../failures.ts';
import { ask, LONG_LIST, makeOnce, type Vendor, type VendorRequest } from '../http.ts';
import type { ConnectionCall, PlatformCall } from '../platform.ts';
import { nullIfNotFound } from '../reference.ts';

/** The calls of Heroku's Platform API (devcenter.heroku.com, "Platform API Reference", version 3), typed. */
export const TITLE = HOSTING_TITLES.heroku;

const refusalSchema = z.object({ id: z.optional(z.string()), message: z.optional(z.string()) });

type Refusal = { id: string; says?: RegExp; means: PlatformFailure; remedy?: string };
/** The first row that fits decides; a refusal that fits none is sorted by its status. */
const REFUSALS: readonly Refusal[] = [
  ...['verification_needed', 'delinquent', 'suspended'].map((id): Refusal => ({ id, means: 'payment_required' })),
  { id: 'invalid_params', says: /\bconcurrent builds\b/i, means: 'rate_limited' },
  // The id for a taken name is not documented: both mean that somebody else has it.
  ...['invalid_params', 'conflict'].flatMap((id): Refusal[] => [
    { id, says: /\b(currently in use|already in use|already added)\b/i, means: 'domain_taken' },
    { id, says: /\b(is already|has already been) taken\b/i, means: 'name_taken' },
  ]),
  { id: 'invalid_params', says: /\b(subscri\w+|verify your account|payment)\b/i, means: 'payment_required' },
  { id: 'invalid_params', says: /\b(limit|maximum|quota|upgrade)\b/i, means: 'plan_limit' },
  { id: 'invalid_params', says: /\bchecksum\b/i, means: 'out_of_sync' },
  { id: 'invalid_params', says: /^name must\b/i, means: 'platform_failed', remedy: OTHER_NAME },
  { id: 'not_acceptable', means: 'platform_failed', remedy: UPDATE_FAIRLEAD },
  { id: 'invalid_params', says: /\broll ?back\b/i, means: 'platform_failed', remedy: PUBLISH_ANEW },
];

const LINKS: Partial<Record<PlatformFailure, string>> = {
  credentials_invalid: 'https://dashboard.heroku.com/account/applications',
  payment_required: 'https://dashboard.heroku.com/account/billing',
  plan_limit: 'https://dashboard.heroku.com/account/billing',
};

function rowOf(body: unknown) {
  const { id, message = '' } = refusalSchema.safeParse(body).data ?? {};
  return REFUSALS.find((row) => row.id === id && (row.says === undefined || row.says.test(message)));
}

/** Describes the API at its base address. */
export function herokuAt(apiUrl: string): Vendor {
  return {
    id: 'heroku',
    title: TITLE,
    apiUrl,
    // Without this version the API answers 406, or in an old form.
    headers: { accept: 'application/vnd.heroku+json; version=3' },
    sort: (_status, body) => rowOf(body)?.means,
    remedy: (_status, body) => rowOf(body)?.remedy,
    words: (body) => refusalSchema.safeParse(body).data?.message ?? null,
    link: (failure) => LINKS[failure],
  };
}

const anyObject = z.object({});
const text = z.nullish(z.string());
const one = z.nullish(z.object({ id: z.string() }));

const accountSchema = z.object({
  id: text,
  email: z.string(),
  name: text,
  verified: z.nullish(z.boolean()),
  suspended_at: text,
  delinquent_at: text,
});
const appSchema = z.object({
  id: z.string(),
  web_url: text,
  slug_size: z.nullish(z.number()),
  acm: z.nullish(z.boolean()),
});
const buildSchema = z.object({
  id: z.string(),
  status: text,
  output_stream_url: text,
  release: one,
  source_blob: z.nullish(z.object({ version: text })),
});
const releaseSchema = z.object({ id: z.string(), status: text, slug: one, current: z.nullish(z.boolean()) });
const domainSchema = z.object({ hostname: z.string(), cname: text, acm_status: text, acm_status_reason: text });

export type HerokuApp = z.infer<typeof appSchema>;
export type HerokuBuild = z.infer<typeof buildSchema>;
export type HerokuRelease = z.infer<typeof releaseSchema>;
export type HerokuDomain = z.infer<typeof domainSchema>;

function appUrl(app: string, path = ''): string {
  return `/apps/${encodeURIComponent(app)}${path}`;
}

/** "Account, Info": returns the token's account. */
export async function readAccount(vendor: Vendor, call: ConnectionCall): Promise<z.infer<typeof accountSchema>> {
  return ask(call, vendor, { withToken: true, url: '/account' }, accountSchema);
}

/** "Team, List". */
export async function readTeams(vendor: Vendor, call: ConnectionCall): Promise<{ name: string }[]> {
  return ask(call, vendor, { withToken: true, url: '/teams' }, listOf(z.object({ name: z.string() })));
}

/** "App, Info": returns null when there is no app of this name, or it is somebody else's. */
export async function findApp(vendor: Vendor, call: PlatformCall, app: string): Promise<HerokuApp | null> {
  const finding: Vendor = {
    ...vendor,
    sort: (status, body, headers) => {
      const isElsewhere = status === 403 && refusalSchema.safeParse(body).data?.id === 'forbidden';
      return isElsewhere ? 'platform_place_gone' : vendor.sort?.(status, body, headers);
    },
  };
  return nullIfNotFound(ask(call, finding, { withToken: true, url: appUrl(app) }, appSchema));
}

/** "App, Create" and "Team App, Create"; `isNoted`: an earlier run has requested this name. Throws `name_taken`. */
export async function makeApp(vendor: Vendor, call: PlatformCall, name: string, isNoted: boolean): Promise<HerokuApp> {
  const { target } = call.destination;
  return makeOnce(call, vendor, {
    look: async (mayBeMade) => {
      const found = await findApp(vendor, call, name);
      // An app has no field for a mark of ours: one on which nothing runs yet is taken for that of an earlier try.
      return (isNoted || mayBeMade) && found !== null && !found.slug_size ? found : null;
    },
    request: {
      withToken: true,
      method: 'POST',
      url: target === null ? '/apps' : '/teams/apps',
      json: target === null ? { name } : { name, team: target },
    },
    shape: appSchema,
  });
}

/** "App, Delete". Throws `platform_place_gone` when it is gone already. */
export async function removeApp(vendor: Vendor, call: PlatformCall, app: string): Promise<void> {
  await ask(call, vendor, { withToken: true, method: 'DELETE', url: appUrl(app) }, anyObject);
}

/** "Formation, Batch update": sets the number and kind of processes that serve the site. */
export async function setDynos(
  vendor: Vendor,
  call: PlatformCall,
  app: string,
  dynos: { quantity: number; size?: string },
): Promise<void> {
  const size = dynos.size === undefined ? {} : { dyno_size: { name: dynos.size } };
  const json = { updates: [{ type: 'web', quantity: dynos.quantity, ...size }] };
  await ask(
    call,
    vendor,
    { withToken: true, method: 'PATCH', url: appUrl(app, '/formation'), json },
    listOf(anyObject),
  );
}

const sourceSchema = z.object({ source_blob: z.object({ put_url: z.string(), get_url: z.string() }) });

/** "Source, Create": returns the addresses for uploading and for reading an archive, presigned for about an hour. */
export async function makeSource(vendor: Vendor, call: PlatformCall): Promise<{ putUrl: string; getUrl: string }> {
  const request = { withToken: true, method: 'POST', url: '/sources' } as const;
  const { source_blob: blob } = await ask(call, vendor, request, sourceSchema);
  return { putUrl: blob.put_url, getUrl: blob.get_url };
}

/**
 * Puts the archive at its presigned address: without the token, which the storage must not see and would refuse, and
 * without a media type, since the signature covers none.
 */
export async function putSource(
  vendor: Vendor,
  call: PlatformCall,
  putUrl: string,
  body: () => Promise<EgressBody>,
): Promise<void> {
  const storage: Vendor = {
    ...vendor,
    words: () => null,
    // The storage refuses in XML, usually because the address has expired: another one is requested.
    sort: (status, answered, headers) =>
      status === 403 && answered === undefined ? 'out_of_sync' : vendor.sort?.(status, answered, headers),
  };
  const request: VendorRequest = { method: 'PUT', url: putUrl, headers: { accept: '*/*' }, body };
  await ask(call, storage, request, anyObject);
}

/** "Build, Info". Throws `platform_place_gone`. */
export async function readBuild(vendor: Vendor, call: PlatformCall, app: string, id: string): Promise<HerokuBuild> {
  return ask(call, vendor, { withToken: true, url: appUrl(app, `/builds/${id}`) }, buildSchema);
}

/** "Build, List": returns the build of this release, if an earlier run has made it. */
export async function findBuild(
  vendor: Vendor,
  call: PlatformCall,
  app: string,
  version: string,
): Promise<HerokuBuild | null> {
  // Without a range a list ends after 200.
  const headers = { range: 'id ..; max=1000' };
  const request = { withToken: true, url: appUrl(app, '/builds'), headers, answersWith: LONG_LIST } as const;
  const builds = await ask(call, vendor, request, listOf(buildSchema));
  return builds.find(({ source_blob: blob }) => blob?.version === version) ?? null;
}

/** "Build, Create", for `makeOnce`. */
export function buildToMake(app: string, source: { url: string; checksum: string; version: string; title: string }) {
  const { url, checksum, version, title } = source;
  const json = {
    source_blob: { url, checksum, version, version_description: title },
    buildpacks: [{ name: 'heroku/nodejs' }],
  };
  return {
    request: { withToken: true, method: 'POST', url: appUrl(app, '/builds'), json },
    shape: buildSchema,
  } as const;
}

/** "Build, Cancel", for `makeOnce`. */
export function buildToCancel(app: string, id: string) {
  return {
    request: { withToken: true, method: 'DELETE', url: appUrl(app, `/builds/${id}`) },
    shape: buildSchema,
  } as const;
}

/** "Release, Info". Throws `platform_place_gone`. */
export async function readRelease(vendor: Vendor, call: PlatformCall, app: string, id: string): Promise<HerokuRelease> {
  return ask(call, vendor, { withToken: true, url: appUrl(app, `/releases/${id}`) }, releaseSchema);
}

/** "Release, List": returns the one that visitors see, or will see in a moment; null before the first. */
export async function readCurrent(vendor: Vendor, call: PlatformCall, app: string): Promise<HerokuRelease | null> {
  const headers = { range: 'version ..; max=20, order=desc' };
  const request = { withToken: true, url: appUrl(app, '/releases'), headers } as const;
  const releases = await ask(call, vendor, request, listOf(releaseSchema));
  return releases.find(({ current, status }) => current === true || status === 'pending') ?? null;
}

/** "Release, Rollback", for `makeOnce`: a new release with the content of an earlier one. */
export function releaseToMake(app: string, release: string) {
  return {
    request: { withToken: true, method: 'POST', url: appUrl(app, '/releases'), json: { release } },
    shape: releaseSchema,
  } as const;
}

/** "Domain, Info"; returns null when the app does not have it. */
export async function findDomain(
  vendor: Vendor,
  call: PlatformCall,
  app: string,
  name: string,
): Promise<HerokuDomain | null> {
  const request = { withToken: true, url: appUrl(app, `/domains/${encodeURIComponent(name)}`) } as const;
  return nullIfNotFound(ask(call, vendor, request, domainSchema));
}

/** "Domain, Create", for `makeOnce`: both fields are required, and null means the certificate that Heroku manages. */
export function domainToMake(app: string, hostname: string) {
  const json = { hostname, sni_endpoint: null };
  return {
    request: { withToken: true, method: 'POST', url: appUrl(app, '/domains'), json },
    shape: domainSchema,
  } as const;
}

/** "Domain, Delete". Throws `platform_place_gone` when the app does not have it. */
export async function removeDomain(vendor: Vendor, call: PlatformCall, app: string, name: string): Promise<void> {
  const url = appUrl(app, `/domains/${encodeURIComponent(name)}`);
  await ask(call, vendor, { withToken: true, method: 'DELETE', url }, anyObject);
}

/** "App, Enable ACM", for `makeOnce`: gives all names of the app certificates from then on. */
export function certificatesToTurnOn(app: string) {
  return { request: { withToken: true, method: 'POST', url: appUrl(app, '/acm') }, shape: appSchema } as const;
}

const OUTPUT_MAX_BYTES = 1024 * 1024;
/** The stream of a running build stays open: whatever has arrived by then is its log so far. */
const OUTPUT_MS = 5_000;

/** Returns a build's output, from an address that needs no token; empty when it cannot be read. Throws `overloaded`. */
export async function readOutput(call: ConnectionCall, url: string | null | undefined): Promise<string> {
  const printed: string[] = [];
  if (!url) return '';
  const request = { signal: call.signal, maxBytes: OUTPUT_MAX_BYTES, redirects: 1, wholeMs: OUTPUT_MS };
  try {
    await call.egress.request(url, request, async ({ status, body }) => {
      if (status < 300) await textWithinBudget(body, (piece) => printed.push(piece));
    });
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
  }
  return printed.join('');
}
