import type { PlatformCapabilities } from '../../../../routers/schemas/platforms/capabilities/platform-capabilities.ts';
import { AppError } from '../../../../server/errors.ts';
import { platformError } from '../../../../server/platforms/failures.ts';
import type { Vendor } from '../../../../server/platforms/http.ts';
import type {
  Platform,
  PlatformCall,
  PlatformRef,
  PublishEvent,
  PublishRequest,
} from '../../../../server/platforms/platform.ts';
import { contentsOf, sendFiles } from '../../../../server/platforms/send-files.ts';
import { waitUntilDone } from '../../../../server/platforms/wait-until-done.ts';
import {
  cancelRelease,
  finishRelease,
  makeRelease,
  publishRelease,
  readAccount,
  readRelease,
  readTeams,
  sendFile,
  TITLE,
  toPlatformRelease,
  vendorAt,
} from './api.ts';
import { addDomain, dropDomain, readDomain, requestCertificate } from './domains.ts';
import { dropSite, ensureSite, idOf, isMissing } from './site.ts';

const AT_ONCE = 4;
const MINUTE_MS = 60_000;

const CAPABILITIES: PlatformCapabilities = {
  publish: 'upload',
  requires: [],
  furtherConnections: [],
  limits: {
    maxFiles: 500,
    maxFileBytes: 1024 * 1024,
    maxTotalBytes: 8 * 1024 * 1024,
    releaseMs: 20 * MINUTE_MS,
    settleMs: 5_000,
  },
  refusedNames: /[#?]/,
  specialFiles: [],
  basePath: 'root',
  draft: true,
  rollBack: true,
  cancel: true,
  log: false,
  serving: { notFoundPage: true, singlePage: false, redirects: false },
  domain: {
    records: 'fromApi',
    counterpart: 'automatic',
    certificate: { status: 'full', issuers: ['letsencrypt.org'] },
  },
};

/**
 * Plain upload, as Netlify has it: a release is made of the digests of all its files, answers which of them the
 * platform lacks, takes those, and is ready at an address of its own; publishing it is a call of its own. Every part is
 * found again by the release's id: sites by their name, releases by their key, files by their digest. Domains are added
 * to the site's list.
 */
export function uploadAt(apiUrl: string): Platform {
  const vendor = vendorAt(apiUrl);
  const look = async (call: PlatformCall, ref: PlatformRef) =>
    toPlatformRelease(await readRelease(vendor, call, idIn(ref)));
  return {
    id: 'simulated',
    capabilities: CAPABILITIES,
    verify: async (call) => ({ identity: await readAccount(vendor, call), warnings: [] }),
    listTargets: (call) => readTeams(vendor, call),

    async *publish(call, request) {
      const siteId = yield* ensureSite(vendor, call);
      const id = yield* startRelease(vendor, call, siteId, request);
      yield* waitUntilDone(call, TITLE, () => look(call, { id }));
      return { id };
    },
    release: look,
    async cancel(call, ref) {
      try {
        await cancelRelease(vendor, call, idIn(ref));
      } catch (error) {
        // It is ready already, or its site is gone: there is nothing to end.
        if (!isMissing(error) && !isOver(error)) throw error;
      }
    },
    async *restore(call, { ref }) {
      yield { type: 'processing', text: `${TITLE} makes it public` };
      await publishRelease(vendor, call, idIn(ref));
      return ref;
    },
    remove: (call) => dropSite(vendor, call),
    attachDomain: (call, name) => addDomain(vendor, call, name),
    domain: (call, name) => readDomain(vendor, call, name),
    detachDomain: (call, name) => dropDomain(vendor, call, name),
    requestCertificate: (call, name) => requestCertificate(vendor, call, name),
  };
}

/** Makes the release, or finds the one that an earlier run has made, and sends what it lacks. */
async function* startRelease(
  vendor: Vendor,
  call: PlatformCall,
  siteId: string,
  request: PublishRequest,
): AsyncGenerator<PublishEvent, string> {
  const files = Object.fromEntries([...request.manifest].map(([path, { sha256 }]) => [path, sha256]));
  const release = await makeRelease(vendor, call, siteId, request.release.id, files);
  yield { type: 'ref', ref: { id: release.id } };
  const contents = contentsOf(request.manifest);
  const required = new Set(release.required);
  yield* sendFiles(call, {
    contents,
    missing: contents.filter(({ sha256 }) => required.has(sha256)),
    atOnce: AT_ONCE,
    send: (content, inner) => sendFile(vendor, inner, release.id, content),
  });
  if (release.state === 'uploading') await finishRelease(vendor, call, release.id);
  return release.id;
}

function isOver(error: unknown): boolean {
  return error instanceof AppError && error.code === 'out_of_sync';
}

function idIn(ref: Parameters<typeof idOf>[0]): string {
  const id = idOf(ref, 'id');
  if (id === null) throw platformError('platform_failed', TITLE, { said: 'this release was never made there' });
  return id;
}
