import { AppError } from '../../../lib/errors.ts';
import { neverMade, platformError } from '../failures.ts';
import { makeOnce, type Vendor } from '../http.ts';
import type {
  PlatformCall,
  PlatformRef,
  PlatformRelease,
  PublishEvent,
  PublishRequest,
  RestoreEvent,
} from '../platform.ts';
import { stringField } from '../reference.ts';
import { sendFiles } from '../send-files.ts';
import { waitUntilDone } from '../wait-until-done.ts';
import {
  createDeployRequest,
  type DeployRef,
  type NetlifyDeploy,
  publishDeploy,
  readDeploy,
  readDeploys,
  readSite,
  readUser,
  sendFile,
  TITLE,
  toPlatformRelease,
} from './api.ts';
import { filesOf, type NetlifyContent } from './files.ts';
import { makeSite } from './site.ts';

/** Netlify's own command sends five at once; its limit is 500 requests a minute, which answers 429. */
const AT_ONCE = 20;
/**
 * Above this number Netlify's own command has the manifest compared in the background: a large one takes longer than
 * the gateway allows.
 */
const SYNC_MAX_FILES = 100;
const UPLOAD_TRIES = 5;
const UPLOAD_WAIT_MS = 1_000;

/**
 * Publishes a release as a deploy: it announces the digests of all files, sends those that Netlify has nowhere in its
 * store, and waits for the end. The deploy is a draft, at an address of its own, until `restore` makes it public.
 *
 * The site records a release before its deploy is requested: only a run that finds its own record there may have a
 * predecessor whose deploy it has to look for, by its title.
 */
export async function* publish(
  vendor: Vendor,
  call: PlatformCall,
  request: PublishRequest,
): AsyncGenerator<PublishEvent, PlatformRef> {
  call.signal.throwIfAborted();
  const { manifest, contents } = await filesOf(call, request);
  const siteId = stringField(call.destination.site, 'siteId') ?? (yield* makeSite(vendor, call));
  const known = stringField(request.ref, 'siteId') === siteId ? stringField(request.ref, 'deployId') : null;
  const first =
    known === null
      ? yield* announce(vendor, call, { siteId, request, manifest })
      : await readDeploy(vendor, call, { siteId, deployId: known });
  const ref = { siteId, deployId: first.id };
  const compared = yield* waitUntilCompared(vendor, call, ref, first);
  yield* sendRequired(vendor, call, ref, { contents, required: new Set(compared.required) });
  yield* waitUntilDone(call, TITLE, async () => toPlatformRelease(vendor, await readDeploy(vendor, call, ref)));
  return ref;
}

type Announcement = { siteId: string; request: PublishRequest; manifest: Readonly<Record<string, string>> };

async function* announce(
  vendor: Vendor,
  call: PlatformCall,
  { siteId, request, manifest }: Announcement,
): AsyncGenerator<PublishEvent, NetlifyDeploy> {
  const { id, number } = request.release;
  let mayBeThere = stringField(call.destination.site, 'askedFor') === id;
  if (!mayBeThere) yield { type: 'site', site: { siteId, askedFor: id } };
  const deploy = await makeOnce(call, vendor, {
    look: async () => {
      const isLookedFor = mayBeThere;
      mayBeThere = true;
      if (!isLookedFor) return null;
      const found = (await readDeploys(vendor, call, siteId)).find(({ title }) => title?.includes(id));
      return found === undefined ? null : readDeploy(vendor, call, { siteId, deployId: found.id });
    },
    ...createDeployRequest(siteId, `Release ${number} (${id})`, {
      files: manifest,
      async: Object.keys(manifest).length > SYNC_MAX_FILES,
    }),
  });
  yield { type: 'ref', ref: { siteId, deployId: deploy.id } };
  return deploy;
}

const BEFORE_COMPARED: ReadonlySet<string> = new Set(['new', 'preparing', 'pending_review', 'accepted', 'enqueued']);

/** Returns whether `required` is known: during a comparison in the background it is missing. */
function isCompared({ required, state }: NetlifyDeploy): boolean {
  return Array.isArray(required) || !BEFORE_COMPARED.has(state ?? 'new');
}

async function* waitUntilCompared(
  vendor: Vendor,
  call: PlatformCall,
  ref: DeployRef,
  first: NetlifyDeploy,
): AsyncGenerator<PublishEvent, NetlifyDeploy> {
  let deploy = first;
  if (isCompared(deploy)) return deploy;
  const look = async (): Promise<PlatformRelease> => {
    deploy = await readDeploy(vendor, call, ref);
    const seen = toPlatformRelease(vendor, deploy);
    return isCompared(deploy) && seen.state !== 'failed' ? { ...seen, state: 'verifying' } : seen;
  };
  const looks = waitUntilDone(call, TITLE, look, 'the comparison');
  for (let next = await looks.next(); !next.done; next = await looks.next()) {
    // Nothing was sent yet: uploads come before processing.
    if (next.value.type === 'waiting') yield next.value;
  }
  return deploy;
}

type Required = { contents: readonly NetlifyContent[]; required: ReadonlySet<string> };

async function* sendRequired(
  vendor: Vendor,
  call: PlatformCall,
  ref: DeployRef,
  { contents, required }: Required,
): AsyncGenerator<PublishEvent, void> {
  const missing = contents.filter(({ sha1 }) => required.has(sha1));
  if (missing.length < required.size) {
    throw platformError('platform_failed', TITLE, {
      said: 'it asks for files that are not part of this release',
      remedy: 'Something else publishes to this site at Netlify. Stop it, then publish again.',
    });
  }
  const bySha256 = new Map(contents.map((content) => [content.sha256, content]));
  try {
    yield* sendFiles(call, {
      contents,
      missing,
      atOnce: AT_ONCE,
      send: (content, inner) => sendPatiently(vendor, inner, ref, { ...content, ...bySha256.get(content.sha256) }),
    });
  } catch (error) {
    // Another run has sent the last file meanwhile, so that this deploy accepts no more.
    const isOver = error instanceof AppError && error.code === 'out_of_sync';
    if (!isOver || (await readDeploy(vendor, call, ref)).required?.length !== 0) throw error;
  }
}

/**
 * Sends a file with patience: Netlify refuses upload tokens at random, and its own command tries again. So the account
 * is checked before the token is reported as refused.
 */
async function sendPatiently(
  vendor: Vendor,
  call: PlatformCall,
  { deployId }: DeployRef,
  content: Parameters<typeof sendFile>[3],
): Promise<void> {
  const lenient: Vendor = {
    ...vendor,
    sort: (status, ...rest) => (status === 401 ? 'out_of_sync' : vendor.sort?.(status, ...rest)),
  };
  for (let tried = 1; ; tried += 1) {
    try {
      return await sendFile(lenient, call, deployId, content);
    } catch (error) {
      const isRefused = error instanceof AppError && error.raw?.startsWith('HTTP 401') === true;
      if (!isRefused || tried === UPLOAD_TRIES) throw error;
    }
    await readUser(vendor, call);
    await call.wait(UPLOAD_WAIT_MS * tried, call.signal);
  }
}

/** Makes a deploy the public one. */
export async function* restore(
  vendor: Vendor,
  call: PlatformCall,
  ref: PlatformRef,
): AsyncGenerator<RestoreEvent, PlatformRef> {
  const deploy = deployRefOf(ref);
  yield { type: 'processing', text: `${TITLE} makes it public` };
  const answered = await publishDeploy(vendor, call, deploy);
  // Not every answer says when it became public; otherwise the site says which deploy it shows.
  if (!answered.published_at) yield* waitUntilPublic(vendor, call, deploy);
  return ref;
}

async function* waitUntilPublic(vendor: Vendor, call: PlatformCall, deploy: DeployRef): AsyncGenerator<RestoreEvent> {
  yield* waitUntilDone(call, TITLE, async () => {
    const site = await readSite(vendor, call, deploy.siteId);
    const isLive = site.published_deploy?.id === deploy.deployId;
    const obstacle = isLive ? null : obstacleOf(site);
    const state = isLive ? 'verifying' : obstacle === null ? 'processing' : 'failed';
    return { state, text: null, url: null, ownUrl: null, ...obstacle };
  });
}

/** Returns the obstacle that keeps the previous release public, and how to remove it; null when there is none. */
function obstacleOf(site: Awaited<ReturnType<typeof readSite>>): { text: string; remedy: string } | null {
  if (site.published_deploy?.locked) {
    return {
      text: 'publishing is locked there, so the previous release stays public',
      remedy: 'Unlock publishing at Netlify, under Deploys, then try again.',
    };
  }
  if (site.prevent_non_git_prod_deploys) {
    return {
      text: 'this site only takes releases that come from its Git repository',
      remedy: 'Allow other deploys in the build settings of the site at Netlify, then try again.',
    };
  }
  return null;
}

/** Throws `platform_failed` for a release that never got that far. */
export function deployRefOf(ref: PlatformRef): DeployRef {
  const [siteId, deployId] = [stringField(ref, 'siteId'), stringField(ref, 'deployId')];
  if (siteId !== null && deployId !== null) return { siteId, deployId };
  throw neverMade(TITLE);
}
