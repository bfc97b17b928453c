import * as z from 'zod/mini';
import { MINUTE_MS } from '../../../lib/durations.ts';
import { listOf } from '../../../lib/egress/answer-json.ts';
import { anyObject, TITLE } from '../git/api.ts';
import { ownAddress } from '../git/hosts.ts';
import { type Repository, urlIn } from '../git/repository.ts';
import { addressFrom, ask, makeOnce, type Vendor } from '../http.ts';
import type { PlatformCall, PlatformRef, PlatformRelease, PlatformState, PublishEvent } from '../platform.ts';
import { nullIfNotFound, numberField, stringField } from '../reference.ts';
import { stateOf, waitUntilDone } from '../wait-until-done.ts';

/** A build that has not appeared by then will not start by itself. */
const BUILD_STARTS_MS = 30_000;
/**
 * docs.github.com, "GitHub Pages limits" (2026-07): a deployment times out after 10 minutes, and another may come
 * first.
 */
const BUILD_MAX_MS = 25 * MINUTE_MS;
/** The builds that one check reads: those after ours were started by others. */
const BUILDS_MAX = 30;

const pageSchema = z.object({
  cname: z.optional(z.nullable(z.string())),
  html_url: z.optional(z.string()),
  build_type: z.optional(z.nullable(z.string())),
  source: z.optional(z.nullable(z.object({ branch: z.optional(z.string()), path: z.optional(z.string()) }))),
  https_enforced: z.optional(z.nullable(z.boolean())),
  https_certificate: z.optional(
    z.nullable(z.object({ state: z.optional(z.string()), expires_at: z.optional(z.nullable(z.string())) })),
  ),
});
export type PagesSite = z.infer<typeof pageSchema>;

/** `GET /pages`. Throws `platform_place_gone` where the repository publishes no website. */
export async function readPagesSite(vendor: Vendor, call: PlatformCall, repository: Repository): Promise<PagesSite> {
  return ask(call, vendor, { withToken: true, url: urlIn(repository, '/pages') }, pageSchema);
}

/** Returns the domain that GitHub has for the website; null without a domain or a website. */
export async function readCname(vendor: Vendor, call: PlatformCall, repository: Repository): Promise<string | null> {
  return (await nullIfNotFound(readPagesSite(vendor, call, repository)))?.cname ?? null;
}

/** `PUT /pages` changes the named fields, and leaves the rest. */
export function changeOf(repository: Repository, json: Record<string, unknown>) {
  return { withToken: true, method: 'PUT', url: urlIn(repository, '/pages'), json } as const;
}

/** Makes GitHub publish the branch as it is, and returns the address. */
export async function enablePages(vendor: Vendor, call: PlatformCall, repository: Repository): Promise<string> {
  const source = { branch: repository.branch, path: '/' };
  const wanted = { build_type: 'legacy', source };
  const page = await makeOnce(call, vendor, {
    look: () => nullIfNotFound(readPagesSite(vendor, call, repository)),
    request: { withToken: true, method: 'POST', url: urlIn(repository, '/pages'), json: wanted },
    shape: pageSchema,
  });
  const isOurs = page.source?.branch === source.branch && page.source.path === '/' && page.build_type !== 'workflow';
  if (!isOurs) await ask(call, vendor, changeOf(repository, wanted), anyObject);
  return addressOf(vendor, page, repository);
}

/**
 * Returns the website's address. A website with a domain reports that as its address, and redirects visitors of the
 * other one.
 */
function addressOf(vendor: Vendor, { cname, html_url: url }: PagesSite, { name }: Repository): string {
  if (!cname && url !== undefined) return addressFrom(vendor, url);
  return ownAddress(vendor.apiUrl, name);
}

/** Removes the website; a missing one is no error. */
export async function disablePages(vendor: Vendor, call: PlatformCall, repository: Repository): Promise<void> {
  const request = { withToken: true, method: 'DELETE', url: urlIn(repository, '/pages') } as const;
  await nullIfNotFound(ask(call, vendor, request, anyObject));
}

const buildsSchema = listOf(
  z.object({
    status: z.optional(z.nullable(z.string())),
    commit: z.optional(z.nullable(z.string())),
    error: z.optional(z.nullable(z.object({ message: z.optional(z.nullable(z.string())) }))),
  }),
);
const STATES: Readonly<Record<string, PlatformState>> = { built: 'verifying', errored: 'failed' };

type Seen = PlatformRelease & { isBuilding: boolean };

/**
 * `GET /pages/builds`: returns the state of the commit. Of several builds of one commit the first is the newest and
 * counts.
 */
export async function readRelease(
  vendor: Vendor,
  call: PlatformCall,
  repository: Repository,
  ref: PlatformRef,
): Promise<Seen> {
  const addresses = { url: stringField(ref, 'url'), ownUrl: null };
  const commit = stringField(ref, 'commit');
  if (commit === null) return { ...addresses, state: 'preparing', text: null, isBuilding: false };
  const url = urlIn(repository, `/pages/builds?per_page=${BUILDS_MAX}`);
  const builds = await ask(call, vendor, { withToken: true, url }, buildsSchema);
  const build = builds.find((one) => one.commit === commit);
  const state = stateOf(STATES, build?.status ?? null);
  const isLate = call.now().getTime() - (numberField(ref, 'landedAt') ?? Number.POSITIVE_INFINITY) > BUILD_MAX_MS;
  if (state === 'processing' && isLate) {
    return { ...addresses, state: 'failed', text: 'it did not build this release in time', isBuilding: true };
  }
  const waiting = `${TITLE}: ${build?.status ?? 'waiting for its build'}`;
  const text = state === 'failed' ? (build?.error?.message ?? 'its build failed') : waiting;
  return { ...addresses, state, text, isBuilding: build !== undefined };
}

/** Waits for the build of the commit; if it does not start by itself, it is requested once. */
export async function* waitForBuild(
  vendor: Vendor,
  call: PlatformCall,
  repository: Repository,
  landed: PlatformRef,
): AsyncGenerator<Extract<PublishEvent, { type: 'ref' | 'processing' | 'waiting' }>, PlatformRef> {
  let ref = landed;
  for (;;) {
    let isMissing = false;
    yield* waitUntilDone(call, TITLE, async () => {
      const seen = await readRelease(vendor, call, repository, ref);
      const waitedMs = call.now().getTime() - (numberField(ref, 'landedAt') ?? 0);
      isMissing = !seen.isBuilding && ref.isBuildAsked !== true && waitedMs > BUILD_STARTS_MS;
      return isMissing ? { ...seen, state: 'verifying' } : seen;
    });
    if (!isMissing) return ref;
    await ask(call, vendor, { withToken: true, method: 'POST', url: urlIn(repository, '/pages/builds') }, z.unknown());
    ref = { ...ref, isBuildAsked: true };
    yield { type: 'ref', ref };
  }
}
