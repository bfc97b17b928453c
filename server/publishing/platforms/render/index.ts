import { renderCapabilities } from '../../../../routers/schemas/platforms/capabilities/render.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Manifest } from '../../../store/manifest.ts';
import { neverMade } from '../failures.ts';
import { anyObject, githubAt } from '../git/api.ts';
import { landedIn } from '../git/branch.ts';
import { push } from '../git/push.ts';
import {
  dropRepository,
  ensureRepository,
  pageOf,
  readRepository,
  repositoryIn,
  repositoryToDrop,
  siteOf,
} from '../git/repository.ts';
import type { Pushed } from '../git/tree.ts';
import { ask, makeOnce, type Vendor } from '../http.ts';
import type { Platform, PlatformCall, PlatformRef, PublishEvent, PublishRequest, RestoreEvent } from '../platform.ts';
import { nullIfNotFound, stringField } from '../reference.ts';
import { waitUntilDone } from '../wait-until-done.ts';
import { deploySchema, readIdentity, readOwners, renderAt, TITLE, toPlatformRelease } from './api.ts';
import { attachDomain, detachDomain, readDomain } from './domains.ts';
import { readBuildLog } from './log.ts';
import {
  dropService,
  findDeploy,
  makeService,
  PUBLISHED_FOLDER,
  readDeploy,
  serviceIn,
  serviceToDrop,
  startDeploy,
  urlIn,
  writeRoutes,
} from './service.ts';

const BRANCH_OF_CHOSEN = 'render';
const GITHUB = 'GitHub';

export type RenderOptions = { apiUrl: string; githubApiUrl: string; silenceMs?: number };

/**
 * Render, which builds static sites from Git alone: the files go into a public repository at GitHub, through the
 * connection that the options name, and a deploy of the commit is requested. Nothing is built there.
 */
export function render({ apiUrl, githubApiUrl, silenceMs }: RenderOptions): Platform {
  const vendor = renderAt(apiUrl, silenceMs);
  const github = githubAt(githubApiUrl, { title: GITHUB, silenceMs });
  return {
    id: 'render',
    capabilities: renderCapabilities,
    verify: async (call) => ({ ...(await readIdentity(vendor, call)), warnings: [] }),
    listTargets: (call) => readOwners(vendor, call),
    publish: (call, request) => publish({ vendor, github }, call, request),
    release: (call, ref) => look(vendor, call, ref),
    async cancel(call, ref) {
      const serviceId = stringField(ref, 'serviceId') ?? serviceIn(call.destination.site)?.serviceId ?? null;
      if (serviceId === null) return;
      const id = await nullIfNotFound(deployIn(vendor, call, serviceId, ref));
      const found = id === null ? null : await nullIfNotFound(readDeploy(vendor, call, serviceId, id));
      if (found === null || toPlatformRelease(vendor, found, null).state !== 'processing') return;
      const url = urlIn({ serviceId }, `/deploys/${found.id}/cancel`);
      await ask(call, vendor, { withToken: true, method: 'POST', url }, anyObject);
    },
    restore: (call, { ref, actId }) => restore(vendor, call, ref, actId),
    async readLog(call, ref) {
      const service = serviceIn(call.destination.site);
      const id = service === null ? null : await deployIn(vendor, call, service.serviceId, ref);
      return service === null || id === null ? '' : readBuildLog(vendor, call, service, id);
    },
    async remove(call) {
      const service = await serviceToDrop(vendor, call, (made) => nullIfNotFound(readRepository(github, call, made)));
      const repository = await repositoryToDrop(github, call);
      if (service !== null) await dropService(vendor, call, service);
      if (repository === null) return undefined;
      try {
        return await dropRepository(github, call, repository);
      } catch (error) {
        // The site is off by now. Only the repository is left, in an account that we can no longer open.
        if (!(error instanceof AppError) || error.code !== 'credentials_invalid') throw error;
        return pageOf(github, repository);
      }
    },
    attachDomain: (call, name) => attachDomain(vendor, call, name),
    domain: (call, name) => readDomain(vendor, call, name),
    detachDomain: (call, name) => detachDomain(vendor, call, name),
  };
}

async function* publish(
  { vendor, github }: { vendor: Vendor; github: Vendor },
  call: PlatformCall,
  request: PublishRequest,
): AsyncGenerator<PublishEvent, PlatformRef> {
  call.signal.throwIfAborted();
  const earlier = request.ref;
  const isNew = repositoryIn(call.destination.site) === null;
  const repository = yield* ensureRepository(github, call, BRANCH_OF_CHOSEN);
  let service = serviceIn(call.destination.site);
  const { isSinglePage } = call.destination;
  const named = (pushed: Pushed): PlatformRef => ({ ...siteOf(repository), ...service, ...pushed });
  const { previous } = request;
  const landedBefore = previous === null ? null : landedIn(previous.ref, repository);
  const landed = yield* push(
    github,
    call,
    { repository, named },
    {
      request,
      wanted: below(request.manifest),
      before:
        previous === null || landedBefore === null
          ? null
          : { manifest: below(previous.manifest), landed: landedBefore },
      isNew,
      texts: () => ({}),
    },
  );
  yield { type: 'ref', ref: { ...named(landed), deployId: deployKnown(earlier, landed.commit) } };
  const isRepeated = deployKnown(earlier, landed.commit) !== null || stringField(earlier, 'commit') === landed.commit;
  let isMade = false;
  if (service === null) {
    const address = await readRepository(github, call, repository);
    service = yield* makeService(vendor, call, { repository, address });
    isMade = true;
    yield { type: 'site', site: { ...siteOf(repository), ...service, isSinglePage } };
  } else if ((call.destination.site?.isSinglePage === true) !== isSinglePage) {
    await writeRoutes(vendor, call, service);
    yield { type: 'site', site: { ...siteOf(repository), ...service, isSinglePage } };
  }
  const mayBeThere = isMade || isRepeated;
  const deployId =
    deployKnown(earlier, landed.commit) ??
    (await startDeploy(vendor, call, service, { commit: landed.commit, mayBeThere }));
  const ref = { ...named(landed), deployId };
  yield { type: 'ref', ref };
  yield* waitUntilDone(call, TITLE, () => look(vendor, call, ref));
  return ref;
}

function deployKnown(ref: PlatformRef | null, commit: string): string | null {
  return stringField(ref, 'commit') === commit ? stringField(ref, 'deployId') : null;
}

/** Moves the site into a folder of its own, since the root of a repository may hold files that are not for visitors. */
function below(manifest: Manifest): Manifest {
  return new Map([...manifest].map(([path, entry]) => [`${PUBLISHED_FOLDER}/${path}`, entry]));
}

async function look(vendor: Vendor, call: PlatformCall, ref: PlatformRef) {
  const serviceId = stringField(ref, 'serviceId') ?? serviceIn(call.destination.site)?.serviceId ?? null;
  const id = serviceId === null ? null : await deployIn(vendor, call, serviceId, ref);
  if (serviceId === null || id === null) return { state: 'preparing', text: null, url: null, ownUrl: null } as const;
  return toPlatformRelease(vendor, await readDeploy(vendor, call, serviceId, id), stringField(ref, 'url'));
}

/** Returns the deploy's id, even if an earlier run had no time to record it; null when there is none. */
async function deployIn(vendor: Vendor, call: PlatformCall, serviceId: string, ref: PlatformRef) {
  const id = stringField(ref, 'deployId');
  const commit = stringField(ref, 'commit');
  if (id !== null || commit === null) return id;
  return (await findDeploy(vendor, call, { serviceId }, commit))?.id ?? null;
}

type RollBack = { serviceId: string; ref: PlatformRef; isRepeated: boolean };

/**
 * `POST /services/{id}/rollback`; after a try with an unclear result, a newer deploy of the commit than the one on record
 * is taken for its own.
 */
async function rollBack(vendor: Vendor, call: PlatformCall, { serviceId, ref, isRepeated }: RollBack): Promise<string> {
  const made = await makeOnce(call, vendor, {
    look: async (mayBeMade) => {
      const newest = mayBeMade || isRepeated ? await newestIn(vendor, call, serviceId, ref) : null;
      return newest?.id === stringField(ref, 'newestBefore') ? null : newest;
    },
    request: {
      withToken: true,
      method: 'POST',
      url: urlIn({ serviceId }, '/rollback'),
      json: { deployId: stringField(ref, 'deployId') },
    },
    shape: deploySchema,
  });
  return made.id;
}

/** Returns the newest deploy of the release's commit; null when there is none. */
async function newestIn(vendor: Vendor, call: PlatformCall, serviceId: string, ref: PlatformRef) {
  const commit = stringField(ref, 'commit');
  return commit === null ? null : findDeploy(vendor, call, { serviceId }, commit);
}

/**
 * Rolls back with a new deploy. The newest one before is recorded first: a run that goes on after a crash knows by it
 * whether there is a new one already.
 */
async function* restore(
  vendor: Vendor,
  call: PlatformCall,
  ref: PlatformRef,
  actId: string,
): AsyncGenerator<RestoreEvent, PlatformRef> {
  const [serviceId, deployId] = [stringField(ref, 'serviceId'), stringField(ref, 'deployId')];
  if (serviceId === null || deployId === null) {
    throw neverMade(TITLE);
  }
  yield { type: 'processing', text: `${TITLE} restores this release` };
  let next = ref;
  if (ref.actId !== actId) {
    const isRepeated = ref.askedFor === actId;
    if (!isRepeated) {
      const newest = await newestIn(vendor, call, serviceId, ref);
      next = { ...ref, askedFor: actId, newestBefore: newest?.id ?? null };
      yield { type: 'ref', ref: next };
    }
    next = { ...next, deployId: await rollBack(vendor, call, { serviceId, ref: next, isRepeated }), actId };
    yield { type: 'ref', ref: next };
  }
  yield* waitUntilDone(call, TITLE, () => look(vendor, call, next));
  return next;
}
