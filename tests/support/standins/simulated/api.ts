import * as z from 'zod/mini';
import type { PlatformFailure } from '../../../../server/platforms/failures.ts';
import { ask, makeOnce, type Vendor } from '../../../../server/platforms/http.ts';
import type {
  ConnectionCall,
  PlatformCall,
  PlatformRelease,
  PlatformState,
} from '../../../../server/platforms/platform.ts';
import { bodyOf, type Content } from '../../../../server/platforms/send-files.ts';
import { stateOf } from '../../../../server/platforms/wait-until-done.ts';

/** The calls of the simulated platform's API (vendor/api.ts), typed; what is not named here is ignored. */
export const TITLE = 'Simulated platform';

/** A minute there is a fraction of a second here: nobody waits for a simulated platform. */
const SILENCE_MS = 2_000;

const refusalSchema = z.object({ code: z.optional(z.string()), message: z.optional(z.string()) });
const FAILURES: Readonly<Record<string, PlatformFailure>> = {
  name_taken: 'name_taken',
  domain_taken: 'domain_taken',
  plan_limit: 'plan_limit',
  quota_exhausted: 'quota_exhausted',
  content_refused: 'content_refused',
};

/** The platform at the address of its stand-in. */
export function vendorAt(apiUrl: string): Vendor {
  return {
    // No connection of a person opens it: any will do.
    id: 'netlify',
    title: TITLE,
    apiUrl,
    silenceMs: SILENCE_MS,
    sort: (_status, body) => FAILURES[refusalSchema.safeParse(body).data?.code ?? ''],
    words: (body) => refusalSchema.safeParse(body).data?.message ?? null,
  };
}

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

/** Returns the name of whose token it is. Throws `credentials_invalid`. */
export async function readAccount(vendor: Vendor, call: ConnectionCall): Promise<string> {
  return (await ask(call, vendor, { withToken: true, url: `/account` }, accountSchema)).name;
}

/** Returns what can be published under; none where there is no choice. */
export async function readTeams(vendor: Vendor, call: ConnectionCall) {
  return (await ask(call, vendor, { withToken: true, url: `/teams` }, teamsSchema)).teams;
}

/** The site of this name, whosever it is; null when nobody has it. */
export async function findSite(vendor: Vendor, call: ConnectionCall, name: string): Promise<SimulatedSite | null> {
  const url = `/sites?name=${encodeURIComponent(name)}`;
  return (await ask(call, vendor, { withToken: true, url }, sitesSchema)).sites[0] ?? null;
}

/** Throws `platform_place_gone`. */
export async function readSite(vendor: Vendor, call: PlatformCall, siteId: string): Promise<SimulatedSite> {
  return ask(call, vendor, { withToken: true, url: `/sites/${siteId}` }, siteSchema);
}

/** Throws `name_taken` when somebody else's site has this name. */
export async function makeSite(vendor: Vendor, call: PlatformCall, name: string): Promise<SimulatedSite> {
  const owner = call.destination.id;
  return makeOnce(call, vendor, {
    look: async () => {
      const found = await findSite(vendor, call, name);
      return found?.owner === owner ? found : null;
    },
    request: { withToken: true, method: 'POST', url: `/sites`, json: { name, owner } },
    shape: siteSchema,
  });
}

/** Throws `platform_place_gone` when it is gone already. */
export async function removeSite(vendor: Vendor, call: PlatformCall, siteId: string): Promise<void> {
  await ask(call, vendor, { withToken: true, method: 'DELETE', url: `/sites/${siteId}` }, anything);
}

/** By the key that we gave it; null when it was never made there. */
export async function findRelease(
  vendor: Vendor,
  call: PlatformCall,
  siteId: string,
  key: string,
): Promise<SimulatedRelease | null> {
  const url = `/sites/${siteId}/releases?key=${key}`;
  return (await ask(call, vendor, { withToken: true, url }, releasesSchema)).releases[0] ?? null;
}

/** Announces the files (path to SHA-256); the answer names in `required` what it does not have. */
export async function makeRelease(
  vendor: Vendor,
  call: PlatformCall,
  siteId: string,
  key: string,
  files: Record<string, string>,
): Promise<SimulatedRelease> {
  return makeOnce(call, vendor, {
    look: () => findRelease(vendor, call, siteId, key),
    request: { withToken: true, method: 'POST', url: `/sites/${siteId}/releases`, json: { key, files } },
    shape: releaseSchema,
  });
}

/** Throws `platform_place_gone` when it went with its site. */
export async function readRelease(vendor: Vendor, call: PlatformCall, id: string): Promise<SimulatedRelease> {
  return ask(call, vendor, { withToken: true, url: `/releases/${id}` }, releaseSchema);
}

/** One content by its hash, opened anew for each try. */
export async function sendFile(vendor: Vendor, call: PlatformCall, releaseId: string, content: Content): Promise<void> {
  const url = `/releases/${releaseId}/files/${content.sha256}`;
  await ask(call, vendor, { withToken: true, method: 'PUT', url, body: () => bodyOf(call, content) }, anything);
}

/** Finishing what is finished changes nothing, so it may be asked for again. */
export async function finishRelease(vendor: Vendor, call: PlatformCall, id: string): Promise<void> {
  await ask(call, vendor, { withToken: true, method: 'POST', url: `/releases/${id}/finish` }, anything);
}

/** Throws `out_of_sync` when it is done already. */
export async function cancelRelease(vendor: Vendor, call: PlatformCall, id: string): Promise<void> {
  await ask(call, vendor, { withToken: true, method: 'POST', url: `/releases/${id}/cancel` }, anything);
}

export async function publishRelease(vendor: Vendor, call: PlatformCall, id: string): Promise<void> {
  await ask(call, vendor, { withToken: true, method: 'POST', url: `/releases/${id}/publish` }, anything);
}

/** The newest commit with its files (path to the hash that Git gives a blob); `head` is null before the first one. */
export async function readTree(vendor: Vendor, call: PlatformCall, siteId: string) {
  return ask(call, vendor, { withToken: true, url: `/sites/${siteId}/tree` }, treeSchema);
}

/** One content, kept by the hash that Git gives it. */
export async function sendBlob(vendor: Vendor, call: PlatformCall, siteId: string, content: Content): Promise<void> {
  const url = `/sites/${siteId}/blobs`;
  await ask(call, vendor, { withToken: true, method: 'POST', url, body: () => bodyOf(call, content) }, anything);
}

/** Throws `out_of_sync` when `parent` is no longer the newest commit. */
export async function makeCommit(
  vendor: Vendor,
  call: PlatformCall,
  siteId: string,
  commit: { key: string; parent: string | null; files: Record<string, string> },
): Promise<SimulatedRelease> {
  return makeOnce(call, vendor, {
    look: () => findRelease(vendor, call, siteId, commit.key),
    request: { withToken: true, method: 'POST', url: `/sites/${siteId}/commits`, json: commit },
    shape: releaseSchema,
  });
}

/** Makes an earlier commit the public one. */
export async function moveHead(vendor: Vendor, call: PlatformCall, siteId: string, commit: string): Promise<void> {
  await ask(call, vendor, { withToken: true, method: 'PUT', url: `/sites/${siteId}/head`, json: { commit } }, anything);
}
