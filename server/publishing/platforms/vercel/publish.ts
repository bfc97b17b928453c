import { createHash } from 'node:crypto';
import * as z from 'zod/mini';
import { listOf } from '../../../lib/egress/answer-json.ts';
import { AppError } from '../../../lib/errors.ts';
import { runInTimeSlices } from '../../../lib/time-slices.ts';
import type { Manifest } from '../../../store/manifest.ts';
import { readRuleFiles } from '../../../store/rule-files.ts';
import { platformError } from '../failures.ts';
import { ask, makeOnce, type Vendor } from '../http.ts';
import type { PlatformCall, PublishEvent, PublishRequest } from '../platform.ts';
import { stringField } from '../reference.ts';
import { bodyOf, type Content, contentsNewSince, contentsOf, sendFiles, servedOf } from '../send-files.ts';
import { configSteps } from '../site-routes.ts';
import { anyObject, findDeployment, RELEASE_MARK, TITLE, withTeam } from './api.ts';

/** Equals the number in Vercel's own client. */
const AT_ONCE = 50;
/** The platform may report missing files this often; more would mean for ever. */
const ROUNDS_MAX = 3;
const OUTPUT = '.vercel/output';
const FILES_A_PIECE = 500;

/** The content of a release on the platform: its files by SHA-1, and how they are served. */
type Offer = {
  contents: readonly Content[];
  sha1Of(content: Pick<Content, 'sha256'>): string;
  config: { sha1: string; bytes: Buffer };
  /** The pieces of the request that names all contents, serialized once. */
  body: readonly Buffer[];
};

/**
 * Puts the files and the deployment on the platform, and returns its id. The differences from the previous release are
 * sent first; without one, the platform is asked what it lacks. `isRepeated`: an earlier run may have made it already.
 */
export async function* makeDeployment(
  vendor: Vendor,
  call: PlatformCall,
  request: PublishRequest,
  { projectId, isRepeated }: { projectId: string; isRepeated: boolean },
): AsyncGenerator<PublishEvent, { id: string; config: string }> {
  const offer = await offerOf(call, request, projectId);
  const { config } = offer;
  let missing = isRepeated || request.previous === null ? null : changedSince(request.previous, offer);
  let mayBeThere = isRepeated;
  for (let round = 0; round <= ROUNDS_MAX; round += 1) {
    if (missing !== null) yield* send(vendor, call, offer, missing);
    const answer = await create(vendor, call, {
      projectId,
      releaseId: request.release.id,
      body: offer.body,
      mayBeThere,
    });
    missing = new Set(answer.missing);
    if (missing.size === 0 && answer.id !== null) {
      yield* send(vendor, call, offer, missing);
      return { id: answer.id, config: config.sha1 };
    }
    // Reported with a deployment, which is looked for before another is made.
    mayBeThere = answer.id !== null;
    if (!isOffered(offer, missing)) break;
  }
  throw platformError('out_of_sync', TITLE, { said: 'it keeps asking for files that were already sent' });
}

async function offerOf(call: PlatformCall, request: PublishRequest, projectId: string): Promise<Offer> {
  const served = servedOf(request.manifest);
  const contents = contentsOf(served);
  const digests = await request.sha1Of(contents.map(({ sha256 }) => sha256));
  const sha1Of = ({ sha256 }: Pick<Content, 'sha256'>): string => {
    const sha1 = digests.get(sha256);
    if (sha1 === undefined) throw new AppError('artifact_corrupted', 'A file of this release is no longer kept.');
    return sha1;
  };
  const texts = await readRuleFiles(call.store, request.manifest);
  const routes = await runInTimeSlices(
    configSteps({
      paths: [...served.keys()],
      isSinglePage: call.destination.isSinglePage,
      redirects: texts.get('_redirects') ?? '',
      headers: texts.get('_headers') ?? '',
    }),
  );
  const bytes = Buffer.from(JSON.stringify(routes));
  const config = { sha1: createHash('sha1').update(bytes).digest('hex'), bytes };
  const facts = {
    name: call.destination.slug,
    project: projectId,
    target: 'production',
    // Empty means "nothing to build"; null would mean "find out".
    projectSettings: { framework: null, buildCommand: '', installCommand: '', outputDirectory: '' },
    meta: { [RELEASE_MARK]: request.release.id },
  };
  return { contents, sha1Of, config, body: await runInTimeSlices(bodySteps(facts, { served, sha1Of, config })) };
}

/** Writes the request in pieces, since the whole as objects and as one text would take several times its memory. */
function* bodySteps(
  facts: object,
  { served, sha1Of, config }: Pick<Offer, 'sha1Of' | 'config'> & { served: Manifest },
): Generator<void, Buffer[]> {
  const pieces = [Buffer.from(`${JSON.stringify(facts).slice(0, -1)},"files":[`)];
  const write = (files: readonly object[], end: string): void => {
    pieces.push(Buffer.from(JSON.stringify(files)).subarray(1, -1), Buffer.from(end));
  };
  let files: object[] = [];
  for (const [path, entry] of served) {
    files.push({ file: `${OUTPUT}/static/${path}`, sha: sha1Of(entry), size: entry.sizeBytes });
    if (files.length < FILES_A_PIECE) continue;
    write(files, ',');
    files = [];
    yield;
  }
  write([...files, { file: `${OUTPUT}/config.json`, sha: config.sha1, size: config.bytes.length }], ']}');
  return pieces;
}

async function* inOrder(pieces: readonly Buffer[]): AsyncGenerator<Buffer> {
  yield* pieces;
}

function changedSince({ ref, manifest }: NonNullable<PublishRequest['previous']>, offer: Offer): Set<string> {
  const changed = contentsNewSince(offer.contents, manifest).map(offer.sha1Of);
  return new Set(stringField(ref, 'config') === offer.config.sha1 ? changed : [...changed, offer.config.sha1]);
}

/** Returns whether we have all missing files: a platform that asks for others would be asked again and again. */
function isOffered({ contents, sha1Of, config }: Offer, missing: ReadonlySet<string>): boolean {
  return missing.size === 0 || missing.has(config.sha1) || contents.some((content) => missing.has(sha1Of(content)));
}

async function* send(
  vendor: Vendor,
  call: PlatformCall,
  { contents, sha1Of, config }: Offer,
  missing: ReadonlySet<string>,
): AsyncGenerator<PublishEvent, void> {
  const sendOne = (inner: PlatformCall, sha1: string, body: () => ReturnType<typeof bodyOf>): Promise<unknown> =>
    ask(inner, vendor, withTeam(inner, uploadOf(sha1, body)), anyObject);
  const isConfigMissing = missing.has(config.sha1);
  const configSent = isConfigMissing ? sendOne(call, config.sha1, async () => config.bytes) : Promise.resolve();
  // The error is handled below; until then nothing listens.
  configSent.catch(() => undefined);
  yield* sendFiles(call, {
    contents,
    missing: contents.filter((content) => missing.has(sha1Of(content))),
    atOnce: AT_ONCE,
    send: async (content, inner) => void (await sendOne(inner, sha1Of(content), () => bodyOf(inner, content))),
  });
  await configSent;
}

/** "Upload Deployment Files". */
function uploadOf(sha1: string, body: () => ReturnType<typeof bodyOf>) {
  const headers = { 'content-type': 'application/octet-stream', 'x-vercel-digest': sha1 };
  return { method: 'POST', url: '/v2/files', headers, body } as const;
}

const lackSchema = z.object({ code: z.literal('missing_files'), missing: listOf(z.string()) });
const refusedSchema = z.object({ error: lackSchema });
const createdSchema = z.union([
  z.pipe(
    refusedSchema,
    z.transform(({ error }) => ({ id: null, missing: error.missing })),
  ),
  z.pipe(
    z.object({ id: z.string(), missing: z.optional(listOf(z.string())) }),
    z.transform(({ id, missing = [] }) => ({ id, missing })),
  ),
  z.pipe(
    z.object({ missing: listOf(z.string()) }),
    z.transform(({ missing }) => ({ id: null, missing })),
  ),
]);
/** Forces a new deployment: for equal files Vercel would return an earlier one, which is not public any more. */
const CREATE_URL = '/v13/deployments?forceNew=1&prebuilt=1&skipAutoDetectionConfirmation=1';

type Creation = { projectId: string; releaseId: string; body: readonly Buffer[]; mayBeThere: boolean };

/** "Create a new deployment", or returns the files that are missing for it. Throws `platform_place_gone`. */
async function create(vendor: Vendor, call: PlatformCall, creation: Creation): Promise<z.infer<typeof createdSchema>> {
  const { projectId, releaseId, body } = creation;
  let { mayBeThere } = creation;
  const sizeBytes = body.reduce((bytes, piece) => bytes + piece.length, 0);
  return makeOnce(call, vendor, {
    look: async () => {
      const id = mayBeThere ? await findDeployment(vendor, call, projectId, releaseId) : null;
      // Whatever the result of this try, the next one looks first.
      mayBeThere = true;
      return id === null ? null : { id, missing: [] };
    },
    request: withTeam(call, {
      method: 'POST',
      url: CREATE_URL,
      headers: { 'content-type': 'application/json' },
      body: async () => ({ sizeBytes, chunks: inOrder(body) }),
      isAnswer: (_status, answered) => refusedSchema.safeParse(answered).success,
    }),
    shape: createdSchema,
  });
}
