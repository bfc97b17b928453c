import { createHash } from 'node:crypto';
import { decodeManifest, type Manifest } from '../../artifacts/manifest.ts';
import { DAY_MS } from '../../durations.ts';
import type { HandOff, Platform, PlatformCall, PlatformRelease, PublishEvent, PublishRequest } from '../platform.ts';
import { type Content, contentsOf, sendFiles } from '../send-files.ts';
import { waitUntilDone } from '../wait-until-done.ts';
import { findSite, TITLE } from './api.ts';
import { dropSite, idOf } from './site.ts';

const AT_ONCE = 4;
/** A person takes minutes or days: no worker waits beside them. */
const PATIENCE = { patienceMs: 0, comeBackMs: 30_000 };

/**
 * Hand-off, as Replit needs it: there is no API to publish by, so the files are made ready, the person is told what to
 * do, and the site is watched from outside until it answers with these files. To give up is simply to stop watching.
 * A domain is linked there by the person as well, who reads the records off the page and brings them here: with no API
 * to give a name to, to ask about it or to take it back, there is no operation on domains (platform facts, 6.3).
 */
export const handOff: Platform = {
  id: 'simulated',
  capabilities: {
    publish: 'handOff',
    requires: [],
    digest: 'none',
    transfer: 'archive',
    limits: { parallelUploads: AT_ONCE, releaseMs: 7 * DAY_MS, settleMs: 5_000 },
    refusedNames: null,
    specialFiles: [],
    basePath: 'root',
    immutableUrl: false,
    draft: false,
    rollback: 'none',
    cancel: true,
    log: 'none',
    resume: 'byId',
    domain: {
      records: 'fromPerson',
      apex: 'aAndTxt',
      proof: 'txtAlways',
      twin: 'manual',
      max: null,
      certificate: { status: 'none', request: 'automatic' },
    },
  },

  async verify() {
    return { identity: 'You, by hand', warnings: [] };
  },
  async listTargets() {
    return [];
  },

  async *publish(call, request) {
    const ref = {
      name: call.deployment.slug,
      manifestHash: request.manifestHash,
      isTold: request.ref?.isTold === true,
    };
    yield { type: 'ref', ref };
    if (!ref.isTold) yield* prepareAndTell(call, request);
    const told = { ...ref, isTold: true };
    yield { type: 'ref', ref: told };
    yield* waitUntilDone(call, TITLE, () => handOff.release(call, told), PATIENCE);
    return told;
  },

  async release(call, ref) {
    const waiting: PlatformRelease = { state: 'processing', text: 'Waiting for you', url: null, ownUrl: null };
    const site = await findSite(call, idOf(ref, 'name') ?? '');
    if (site === null) return waiting;
    const manifest = decodeManifest(await call.store.readWhole(idOf(ref, 'manifestHash') ?? ''));
    const isOurs = await answersWith(call, site.url, manifest);
    return isOurs ? { ...waiting, state: 'verifying', text: null, url: site.url } : { ...waiting, url: site.url };
  },

  async cancel() {},
  handOff: stepsOf,
  remove: dropSite,
};

/** Once: who is asked to wait comes back many times. */
async function* prepareAndTell(call: PlatformCall, request: PublishRequest): AsyncGenerator<PublishEvent, void> {
  const contents = contentsOf(request.manifest);
  yield* sendFiles(call, { contents, missing: contents, atOnce: AT_ONCE, send: checkReadable });
  for (const { text, url } of stepsOf(call, request).steps) {
    yield { type: 'processing', text: url === undefined ? text : `${text} ${url}` };
  }
}

function stepsOf(call: PlatformCall, request: PublishRequest): HandOff {
  return {
    steps: [
      { text: `Download release ${request.release.number} as a ZIP.` },
      { text: 'Import it at the simulated platform:', url: 'http://simulated.localhost/import' },
      { text: `Publish it there under the name ${call.deployment.slug}. It is looked for until it answers.` },
    ],
  };
}

/** The archive is made of these files when the person asks for it: now is the time to find that one is damaged. */
async function checkReadable({ sha256 }: Content, call: PlatformCall): Promise<void> {
  await (await call.store.open(sha256)).close();
}

async function answersWith(call: PlatformCall, url: string, manifest: Manifest): Promise<boolean> {
  for (const [path, { sha256 }] of manifest) {
    const address = `${url}/${path.split('/').map(encodeURIComponent).join('/')}`;
    const response = await call.fetch(address, { signal: call.signal }).catch(() => null);
    call.signal.throwIfAborted();
    if (response === null || !response.ok) return false;
    const bytes = new Uint8Array(await response.arrayBuffer());
    if (createHash('sha256').update(bytes).digest('hex') !== sha256) return false;
  }
  return true;
}
