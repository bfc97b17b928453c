import { vercelCapabilities } from '../../../../routers/schemas/platforms/capabilities/vercel.ts';
import { neverMade } from '../failures.ts';
import type { Vendor } from '../http.ts';
import type {
  ConnectionCall,
  ConnectionInfo,
  Platform,
  PlatformCall,
  PlatformRef,
  PlatformRelease,
  PublishEvent,
  PublishRequest,
} from '../platform.ts';
import { nullIfNotFound, stringField } from '../reference.ts';
import { waitUntilDone } from '../wait-until-done.ts';
import {
  cancelDeployment,
  type Deployment,
  findDeployment,
  readDeployment,
  readEvents,
  readTeams,
  readTokenEnd,
  readUser,
  TITLE,
  toPlatformRelease,
  vercelAt,
} from './api.ts';
import { attachDomain, detachDomain, readDomain } from './domains.ts';
import { makeProject, removeProject } from './project.ts';
import { makePublic } from './public.ts';
import { makeDeployment } from './publish.ts';

/**
 * Vercel, in its prebuilt form (Build Output API 3): the files are built already, so nothing is detected or built
 * again, and they are served as `config.json` says. A project is a site; a production deployment is a release, found
 * again by the release's id in its metadata. Its own id exists only once all files are there: until then the reference
 * holds our release's id.
 */
export function vercel({ apiUrl, silenceMs }: { apiUrl: string; silenceMs?: number }): Platform {
  const vendor = { ...vercelAt(apiUrl), ...(silenceMs !== undefined && { silenceMs }) };
  return {
    id: 'vercel',
    capabilities: vercelCapabilities,
    verify: (call) => verify(vendor, call),
    listTargets: (call) => readTeams(vendor, call),
    publish: (call, request) => publish(vendor, call, request),

    async release(call, ref) {
      const id = await deploymentIn(vendor, call, ref);
      if (id !== null) return toPlatformRelease(vendor, await readDeployment(vendor, call, id));
      return { state: 'preparing', text: null, url: null, ownUrl: null };
    },
    async cancel(call, ref) {
      const id = await nullIfNotFound(deploymentIn(vendor, call, ref));
      if (id !== null) await cancelDeployment(vendor, call, id);
    },
    async *restore(call, { ref }) {
      yield* makePublic(vendor, call, { projectId: idIn(ref, 'projectId'), id: idIn(ref) });
      return ref;
    },
    readLog: (call, ref) => readEvents(vendor, call, idIn(ref)),
    remove: (call) => removeProject(vendor, call),
    attachDomain: (call, name) => attachDomain(vendor, call, name),
    domain: (call, name) => readDomain(vendor, call, name),
    detachDomain: (call, name) => detachDomain(vendor, call, name),
  };
}

async function verify(vendor: Vendor, call: ConnectionCall): Promise<ConnectionInfo> {
  const { id, username, email, limited, softBlock } = await readUser(vendor, call);
  const expiresAt = await readTokenEnd(vendor, call);
  const warnings: string[] = [];
  if (softBlock) {
    const reason = softBlock.reason === undefined ? '' : ` (${softBlock.reason.toLowerCase().replaceAll('_', ' ')})`;
    warnings.push(`Vercel has blocked this account for now${reason}: settle it at https://vercel.com/account/billing.`);
  }
  if (limited) warnings.push('This token opens only a part of the account: choose the team that it was made for.');
  const identity = email ? `${username} (${email})` : username;
  // A token for one team does not publish what one for another team does.
  return { identity, subject: limited ? null : (id ?? username), warnings, expiresAt };
}

async function* publish(
  vendor: Vendor,
  call: PlatformCall,
  request: PublishRequest,
): AsyncGenerator<PublishEvent, PlatformRef> {
  const isRepeated = stringField(request.ref, 'releaseId') === request.release.id;
  let ref = isRepeated ? request.ref : null;
  if (stringField(ref, 'id') === null) ref = yield* start(vendor, call, request, isRepeated);
  const id = idIn(ref);
  let last: Deployment | null = null;
  const look = async (): Promise<PlatformRelease> => {
    last = await readDeployment(vendor, call, id);
    return toPlatformRelease(vendor, last);
  };
  yield* waitUntilDone(call, TITLE, look);
  if (isStaged(last)) yield* makePublic(vendor, call, { projectId: idIn(ref, 'projectId'), id });
  return ref ?? { id };
}

/**
 * Returns whether addresses are withheld: after a rollback there, a project gives them to no new deployment until one
 * is promoted.
 */
function isStaged(deployment: Deployment | null): boolean {
  return deployment?.readySubstate === 'STAGED';
}

/** Runs up to the deployment's id; a missing project is made. */
async function* start(
  vendor: Vendor,
  call: PlatformCall,
  request: PublishRequest,
  isRepeated: boolean,
): AsyncGenerator<PublishEvent, PlatformRef> {
  const releaseId = request.release.id;
  const projectId = stringField(call.destination.site, 'projectId') ?? (yield* makeProject(vendor, call));
  yield { type: 'ref', ref: { releaseId, projectId, id: null } };
  const made = yield* makeDeployment(vendor, call, request, { projectId, isRepeated });
  const ref = { releaseId, projectId, ...made };
  yield { type: 'ref', ref };
  return ref;
}

/** Returns the deployment's id, even if an earlier run had no time to record it; null when there is none. */
async function deploymentIn(vendor: Vendor, call: PlatformCall, ref: PlatformRef): Promise<string | null> {
  const id = stringField(ref, 'id');
  const projectId = stringField(ref, 'projectId');
  const releaseId = stringField(ref, 'releaseId');
  if (id !== null || projectId === null || releaseId === null) return id;
  return findDeployment(vendor, call, projectId, releaseId);
}

function idIn(ref: PlatformRef | null, field = 'id'): string {
  const id = stringField(ref, field);
  if (id === null) throw neverMade(TITLE);
  return id;
}
