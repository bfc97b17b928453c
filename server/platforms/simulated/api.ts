import * as z from 'zod/mini';
import type { PlatformFailure } from '../failures.ts';
import { ask, makeOnce, type Vendor } from '../http.ts';
import type { PlatformCall, PlatformRelease, PlatformState } from '../platform.ts';
import { bodyOf, type Content } from '../send-files.ts';
import { stateOf } from '../wait-until-done.ts';

/** The calls of the simulated platform's API (vendor/api.ts), typed; what is not named here is ignored. */
export const ORIGIN = 'http://api.simulated.localhost';
export const TITLE = 'Simulated platform';

/** A minute there is a fraction of a second here: nobody waits for a platform that is played. */
const TIMEOUT_MS = 2_000;

const refusalSchema = z.object({ code: z.optional(z.string()), message: z.optional(z.string()) });
const FAILURES: Readonly<Record<string, PlatformFailure>> = {
  name_taken: 'name_taken',
  domain_taken: 'domain_taken',
  plan_limit: 'plan_limit',
  quota_exhausted: 'quota_exhausted',
  content_refused: 'content_refused',
};

export const vendor: Vendor = {
  title: TITLE,
  timeoutMs: TIMEOUT_MS,
  sort: (_status, body) => FAILURES[refusalSchema.safeParse(body).data?.code ?? ''],
  words: (body) => refusalSchema.safeParse(body).data?.message ?? null,
};

const siteSchema = z.object({ id: z.string(), name: z.string(), owner: z.string(), url: z.string() });
const sitesSchema = z.object({ sites: z.array(siteSchema) });
const releaseSchema = z.object({
  id: z.string(),
  state: z.nullable(z.string()),
  url: z.nullable(z.string()),
  own_url: z.nullable(z.string()),
  required: z.array(z.string()),
});
const releasesSchema = z.object({ releases: z.array(releaseSchema) });
const treeSchema = z.object({ head: z.nullable(z.string()), files: z.record(z.string(), z.string()) });
const accountSchema = z.object({ name: z.string() });
const teamsSchema = z.object({ teams: z.array(z.object({ id: z.string(), name: z.string() })) });
export const anything = z.object({});

export type SimulatedSite = z.infer<typeof siteSchema>;
export type SimulatedRelease = z.infer<typeof releaseSchema>;

const STATES: Readonly<Record<string, PlatformState>> = {
  uploading: 'uploading',
  queued: 'processing',
  building: 'processing',
  ready: 'verifying',
  error: 'failed',
  cancelled: 'cancelled',
};

/** In the product's states; one that is not in the table means to wait. */
export function toPlatformRelease(release: SimulatedRelease): PlatformRelease {
  const { state, url, own_url: ownUrl } = release;
  return { state: stateOf(STATES, state), text: state === null ? null : `${TITLE}: ${state}`, url, ownUrl };
}

/** The name of whose token it is. Throws `credentials_invalid`. */
export async function readAccount(call: PlatformCall): Promise<string> {
  return (await ask(call, vendor, { url: `${ORIGIN}/api/account` }, accountSchema)).name;
}

/** What can be published under; none where there is no choice. */
export async function readTeams(call: PlatformCall) {
  return (await ask(call, vendor, { url: `${ORIGIN}/api/teams` }, teamsSchema)).teams;
}

/** The site of this name, whosever it is; null when nobody has it. */
export async function findSite(call: PlatformCall, name: string): Promise<SimulatedSite | null> {
  const url = `${ORIGIN}/api/sites?name=${encodeURIComponent(name)}`;
  return (await ask(call, vendor, { url }, sitesSchema)).sites[0] ?? null;
}

/** Throws `site_missing`. */
export async function readSite(call: PlatformCall, siteId: string): Promise<SimulatedSite> {
  return ask(call, vendor, { url: `${ORIGIN}/api/sites/${siteId}` }, siteSchema);
}

/** Throws `name_taken` when somebody else's site has this name. */
export async function makeSite(call: PlatformCall, name: string): Promise<SimulatedSite> {
  const owner = call.deployment.id;
  return makeOnce(call, vendor, {
    look: async () => {
      const found = await findSite(call, name);
      return found?.owner === owner ? found : null;
    },
    request: { method: 'POST', url: `${ORIGIN}/api/sites`, json: { name, owner } },
    shape: siteSchema,
  });
}

/** Throws `site_missing` when it is gone already. */
export async function removeSite(call: PlatformCall, siteId: string): Promise<void> {
  await ask(call, vendor, { method: 'DELETE', url: `${ORIGIN}/api/sites/${siteId}` }, anything);
}

/** By the key that we gave it; null when it was never made there. */
export async function findRelease(call: PlatformCall, siteId: string, key: string): Promise<SimulatedRelease | null> {
  const url = `${ORIGIN}/api/sites/${siteId}/releases?key=${key}`;
  return (await ask(call, vendor, { url }, releasesSchema)).releases[0] ?? null;
}

/** Announces the files (path to SHA-256); the answer names in `required` what it does not have. */
export async function makeRelease(
  call: PlatformCall,
  siteId: string,
  key: string,
  files: Record<string, string>,
): Promise<SimulatedRelease> {
  return makeOnce(call, vendor, {
    look: () => findRelease(call, siteId, key),
    request: { method: 'POST', url: `${ORIGIN}/api/sites/${siteId}/releases`, json: { key, files } },
    shape: releaseSchema,
  });
}

/** Throws `site_missing` when it went with its site. */
export async function readRelease(call: PlatformCall, id: string): Promise<SimulatedRelease> {
  return ask(call, vendor, { url: `${ORIGIN}/api/releases/${id}` }, releaseSchema);
}

/** One content by its hash, opened anew for each try. */
export async function sendFile(call: PlatformCall, releaseId: string, content: Content): Promise<void> {
  const url = `${ORIGIN}/api/releases/${releaseId}/files/${content.sha256}`;
  await ask(call, vendor, { method: 'PUT', url, body: () => bodyOf(call, content) }, anything);
}

/** Finishing what is finished changes nothing, so it may be asked for again. */
export async function finishRelease(call: PlatformCall, id: string): Promise<void> {
  await ask(call, vendor, { method: 'POST', url: `${ORIGIN}/api/releases/${id}/finish` }, anything);
}

/** Throws `out_of_sync` when it is done already. */
export async function cancelRelease(call: PlatformCall, id: string): Promise<void> {
  await ask(call, vendor, { method: 'POST', url: `${ORIGIN}/api/releases/${id}/cancel` }, anything);
}

/** Makes it the public one. */
export async function publishRelease(call: PlatformCall, id: string): Promise<void> {
  await ask(call, vendor, { method: 'POST', url: `${ORIGIN}/api/releases/${id}/publish` }, anything);
}

/** The newest commit with its files (path to the hash that Git gives a blob); `head` is null before the first one. */
export async function readTree(call: PlatformCall, siteId: string) {
  return ask(call, vendor, { url: `${ORIGIN}/api/sites/${siteId}/tree` }, treeSchema);
}

/** One content, kept by the hash that Git gives it. */
export async function sendBlob(call: PlatformCall, siteId: string, content: Content): Promise<void> {
  const url = `${ORIGIN}/api/sites/${siteId}/blobs`;
  await ask(call, vendor, { method: 'POST', url, body: () => bodyOf(call, content) }, anything);
}

/** Throws `out_of_sync` when `parent` is no longer the newest commit. */
export async function makeCommit(
  call: PlatformCall,
  siteId: string,
  commit: { key: string; parent: string | null; files: Record<string, string> },
): Promise<SimulatedRelease> {
  return makeOnce(call, vendor, {
    look: () => findRelease(call, siteId, commit.key),
    request: { method: 'POST', url: `${ORIGIN}/api/sites/${siteId}/commits`, json: commit },
    shape: releaseSchema,
  });
}

/** Makes an earlier commit the public one. */
export async function moveHead(call: PlatformCall, siteId: string, commit: string): Promise<void> {
  await ask(call, vendor, { method: 'PUT', url: `${ORIGIN}/api/sites/${siteId}/head`, json: { commit } }, anything);
}
