import { githubPagesCapabilities } from '../../../../routers/schemas/platforms/capabilities/github-pages.ts';
import type { Manifest } from '../../../store/manifest.ts';
import { neverMade } from '../failures.ts';
import { githubAt, readIdentity, readOrganizations, TITLE } from '../git/api.ts';
import { landedIn, landOnTop } from '../git/branch.ts';
import { tokenPage } from '../git/hosts.ts';
import { push } from '../git/push.ts';
import {
  dropRepository,
  ensureRepository,
  type Repository,
  repositoryIn,
  repositoryToDrop,
  siteOf,
} from '../git/repository.ts';
import type { Pushed } from '../git/tree.ts';
import type { Vendor } from '../http.ts';
import type { Platform, PlatformCall, PlatformRef, PublishEvent, PublishRequest, RestoreEvent } from '../platform.ts';
import { stringField } from '../reference.ts';
import { attachDomain, detachDomain, readDomain } from './domains.ts';
import { disablePages, enablePages, readCname, readRelease, waitForBuild } from './pages.ts';

/** A repository that the person chose has other content as well, so the website gets a branch of its own. */
const BRANCH_OF_CHOSEN = 'gh-pages';
/**
 * GitHub reads these files: its API sets the domain, and without `.nojekyll` names that begin with an underscore
 * vanish.
 */
const CONTROL_FILES: readonly string[] = ['CNAME', '.nojekyll'];

/**
 * GitHub Pages. A release is a commit on a branch, from which GitHub builds the website in about a minute. The content
 * of the branch is known from the previous release, so only the differences are sent, and usually nothing is read. A
 * rollback commits the earlier tree on top of the others.
 */
export function githubPages({ apiUrl, silenceMs }: { apiUrl: string; silenceMs?: number }): Platform {
  const vendor = githubAt(apiUrl, { silenceMs });
  return {
    id: 'github-pages',
    capabilities: githubPagesCapabilities,
    tokenPage: tokenPage(apiUrl),
    verify: (call) => readIdentity(vendor, call),
    listTargets: (call) => readOrganizations(vendor, call),
    publish: (call, request) => publish(vendor, call, request),
    async release(call, ref) {
      const { state, text, url, ownUrl } = await readRelease(vendor, call, repositoryOf(ref), ref);
      return { state, text, url, ownUrl };
    },
    restore: (call, { ref }) => restore(vendor, call, ref),
    async remove(call) {
      const repository = await repositoryToDrop(vendor, call);
      if (repository === null) return undefined;
      await disablePages(vendor, call, repository);
      return dropRepository(vendor, call, repository);
    },
    attachDomain: (call, name) => attachDomain(vendor, call, name),
    domain: (call, name) => readDomain(vendor, call, name),
    detachDomain: (call, name) => detachDomain(vendor, call, name),
  };
}

async function* publish(
  vendor: Vendor,
  call: PlatformCall,
  request: PublishRequest,
): AsyncGenerator<PublishEvent, PlatformRef> {
  call.signal.throwIfAborted();
  const isNew = repositoryIn(call.destination.site) === null;
  const repository = yield* ensureRepository(vendor, call, BRANCH_OF_CHOSEN);
  const site = siteOf(repository);
  const { isSinglePage } = call.destination;
  const named = (pushed: Pushed): PlatformRef => ({ ...site, isSinglePage, ...pushed });
  const landed = yield* push(
    vendor,
    call,
    { repository, named },
    {
      request,
      wanted: servedThere(request.manifest, isSinglePage),
      before: beforeOf(request.previous, repository),
      isNew,
      texts: (cname) => ({ '.nojekyll': '', ...(cname !== null && { CNAME: cname }) }),
      readCname: () => readCname(vendor, call, repository),
    },
  );
  let url = stringField(call.destination.site, 'url');
  if (url === null) {
    url = await enablePages(vendor, call, repository);
    yield { type: 'site', site: { ...site, url } };
  }
  const isBuildAsked = request.ref?.isBuildAsked === true && request.ref.commit === landed.commit;
  const ref = { ...named(landed), url, ...(isBuildAsked && { isBuildAsked }) };
  yield { type: 'ref', ref };
  return yield* waitForBuild(vendor, call, repository, ref);
}

/**
 * Returns the files as GitHub serves them: it shows `404.html` for missing files, which makes a single-page
 * application work.
 */
function servedThere(manifest: Manifest, isSinglePage: boolean): Manifest {
  const files = new Map([...manifest].filter(([path]) => !CONTROL_FILES.includes(path)));
  const entry = files.get('index.html');
  if (isSinglePage && entry !== undefined && !files.has('404.html')) files.set('404.html', entry);
  return files;
}

function beforeOf(previous: PublishRequest['previous'], repository: Repository) {
  const landed = previous === null ? null : landedIn(previous.ref, repository);
  if (previous === null || landed === null) return null;
  return { manifest: servedThere(previous.manifest, previous.ref.isSinglePage === true), landed };
}

async function* restore(
  vendor: Vendor,
  call: PlatformCall,
  ref: PlatformRef,
): AsyncGenerator<RestoreEvent, PlatformRef> {
  const repository = repositoryOf(ref);
  const before = landedIn(ref, repository);
  if (before === null) throw neverMade(TITLE);
  yield { type: 'processing', text: `${TITLE} restores the files of this release` };
  const landed = await landOnTop(vendor, call, repository, {
    pushed: before,
    message: `Roll back to ${before.commit.slice(0, 7)}`,
    parent: null,
    readCname: () => readCname(vendor, call, repository),
  });
  const { isBuildAsked, ...known } = ref;
  const isAsked = isBuildAsked === true && landed.commit === before.commit;
  const next = { ...known, ...landed, ...(isAsked && { isBuildAsked }) };
  yield { type: 'ref', ref: next };
  return yield* waitForBuild(vendor, call, repository, next);
}

function repositoryOf(ref: PlatformRef): Repository {
  const repository = repositoryIn(ref);
  if (repository === null) throw neverMade(TITLE);
  return repository;
}
