import { createHash } from 'node:crypto';
import type { PlatformCapabilities } from '../../../../routers/schemas/platforms/capabilities/platform-capabilities.ts';
import { textWithinBudget } from '../../../../server/answer-budget.ts';
import { decodeManifest, type Manifest } from '../../../../server/artifacts/manifest.ts';
import { DAY_MS } from '../../../../server/durations.ts';
import type {
  HandOff,
  Platform,
  PlatformCall,
  PlatformRef,
  PlatformRelease,
  PublishEvent,
  PublishRequest,
} from '../../../../server/platforms/platform.ts';
import { type Content, contentsOf, sendFiles } from '../../../../server/platforms/send-files.ts';
import { waitUntilDone } from '../../../../server/platforms/wait-until-done.ts';
import { findSite, TITLE, vendorAt } from './api.ts';
import { dropSite, idOf } from './site.ts';

const AT_ONCE = 4;
/** A person takes minutes or days: no worker waits beside them. */
const PATIENCE = { lookingMs: () => 0, leave: () => 30_000 };

const CAPABILITIES: PlatformCapabilities = {
  publish: 'handOff',
  requires: [],
  furtherConnections: [],
  limits: { releaseMs: 7 * DAY_MS, settleMs: 5_000 },
  refusedNames: null,
  specialFiles: [],
  basePath: 'root',
  draft: false,
  rollBack: false,
  cancel: true,
  log: false,
  serving: { notFoundPage: true, singlePage: false, redirects: false },
  domain: {
    records: 'fromPerson',
    counterpart: 'manual',
    certificate: { status: 'none', issuers: [] },
  },
};

/**
 * Hand-off, as Replit needs it: there is no API to publish by, so the files are made ready, the person is told what to
 * do, and the site is watched from outside until it answers with these files. To give up is simply to stop watching.
 * A domain is linked there by the person as well, who reads the records off the page and brings them here: with no API
 * to give a name to, to ask about it or to take it back, there is no operation on domains.
 */
export function handOffAt(apiUrl: string): Platform {
  const vendor = vendorAt(apiUrl);
  const look = async (call: PlatformCall, ref: PlatformRef): Promise<PlatformRelease> => {
    const waiting: PlatformRelease = { state: 'processing', text: 'Waiting for you', url: null, ownUrl: null };
    const site = await findSite(vendor, call, idOf(ref, 'name') ?? '');
    if (site === null) return waiting;
    const manifest = await decodeManifest(await call.store.readWhole(idOf(ref, 'manifestHash') ?? ''));
    const isOurs = await answersWith(call, site.url, manifest);
    return isOurs ? { ...waiting, state: 'verifying', text: null, url: site.url } : { ...waiting, url: site.url };
  };
  return {
    id: 'simulated',
    capabilities: CAPABILITIES,
    verify: async () => ({ identity: 'You, by hand', warnings: [] }),
    listTargets: async () => [],

    async *publish(call, request) {
      const ref = {
        name: call.destination.slug,
        manifestHash: request.manifestHash,
        isTold: request.ref?.isTold === true,
      };
      yield { type: 'ref', ref };
      if (!ref.isTold) yield* prepareAndTell(call, request);
      const told = { ...ref, isTold: true };
      yield { type: 'ref', ref: told };
      yield* waitUntilDone({ ...call, patience: PATIENCE }, TITLE, () => look(call, told));
      return told;
    },
    release: look,
    async cancel() {},
    handOff: stepsOf,
    remove: (call) => dropSite(vendor, call),
  };
}

/** Once: who is asked to wait comes back many times. */
async function* prepareAndTell(call: PlatformCall, request: PublishRequest): AsyncGenerator<PublishEvent, void> {
  const contents = contentsOf(request.manifest);
  yield* sendFiles(call, { contents, missing: contents, atOnce: AT_ONCE, send: checkReadable });
  for (const { text, url } of stepsOf(call, request).steps) {
    yield { type: 'processing', text: url === undefined ? text : `${text} ${url}` };
  }
}

function stepsOf(call: Pick<PlatformCall, 'destination'>, request: Pick<PublishRequest, 'release'>): HandOff {
  return {
    addressHint: 'Enter the address that the simulated platform shows.',
    steps: [
      { text: `Download release ${request.release.number} as a ZIP.` },
      { text: 'Import it at the simulated platform:', url: 'http://simulated.localhost/import' },
      { text: `Publish it there under the name ${call.destination.slug}. It is looked for until it answers.` },
    ],
  };
}

/** The archive is made of these files when the person asks for it: now is the time to find that one is damaged. */
async function checkReadable({ sha256 }: Content, call: PlatformCall): Promise<void> {
  await (await call.store.open(sha256)).close();
}

async function answersWith(call: PlatformCall, url: string, manifest: Manifest): Promise<boolean> {
  for (const [path, { sha256, sizeBytes }] of manifest) {
    const address = `${url}/${path.split('/').map(encodeURIComponent).join('/')}`;
    const request = { signal: call.signal, maxBytes: sizeBytes + 1_000, wholeMs: 60_000 };
    const seen = await call.egress
      .request(address, request, async ({ status, body }) => (status === 200 ? textWithinBudget(body) : null))
      .catch(() => null);
    call.signal.throwIfAborted();
    if (seen === null || createHash('sha256').update(seen).digest('hex') !== sha256) return false;
  }
  return true;
}
