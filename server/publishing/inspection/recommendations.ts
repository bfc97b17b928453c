import { isLocalhost } from '../../../routers/rules/localhost.ts';
import { dependenciesOf, detectionSteps, generatorOf } from '../../../routers/rules/uploads/detect-project.ts';
import { type RankedProject, rankPlatforms } from '../../../routers/rules/uploads/rank-platforms.ts';
import { buildFolderIn } from '../../../routers/rules/uploads/upload-inspection.ts';
import type { RankInput, Ranking } from '../../../routers/schemas/recommendations.ts';
import type { AccountContext } from '../../context.ts';
import { AppError } from '../../lib/errors.ts';
import { runInTimeSlices } from '../../lib/time-slices.ts';
import { decodeManifest, type Manifest } from '../../store/manifest.ts';
import { withFileListSlot } from '../uploads/file-list-slot.ts';
import { findOpenUpload, missingHashes } from '../uploads/index.ts';

/** A longer text is data that no person has written. */
const TEXT_MAX_BYTES = 1024 * 1024;

/**
 * Ranks the platforms for an upload, or for the needs alone if there is none. Throws `not_found`, `upload_closed`,
 * `upload_incomplete` before the list of files has arrived, `rate_limited`, `artifact_corrupted`.
 */
export async function rankForUpload(ctx: AccountContext, input: RankInput): Promise<Ranking> {
  const needs = input?.needs ?? {};
  const areSitesLocal = isLocalhost(ctx.providers.addresses.sitesDomain);
  const rank = (project: RankedProject | null) => rankPlatforms(project, needs, areSitesLocal);
  if (input?.uploadId === undefined) return { kind: null, framework: null, items: rank(null) };
  const { uploadId } = input;
  return withFileListSlot(ctx, async () => {
    // A list that another replaces while this waits leaves the store.
    const { manifestHash = null } = await findOpenUpload(ctx, uploadId);
    if (manifestHash === null) throw new AppError('upload_incomplete', 'The list of files has not arrived yet.');
    const project = await readProject(ctx, manifestHash);
    return { kind: project.kind, framework: project.framework, items: rank(project) };
  });
}

/** These texts reveal the tool that built the site. */
const REVEALING_TEXTS = ['package.json', 'index.html'];

async function readProject(ctx: AccountContext, manifestHash: string): Promise<RankedProject> {
  const manifest = await decodeManifest(await ctx.providers.store.readWhole(manifestHash));
  const texts = await readTexts(ctx, manifest);
  const dependencies = dependenciesOf(texts.get('package.json'));
  const generator = generatorOf(texts.get('index.html'));
  const detected = await runInTimeSlices(detectionSteps({ paths: manifest.keys(), dependencies, generator }));
  const files = [...manifest].map(([path, { sizeBytes }]) => ({ path, sizeBytes }));
  return { ...detected, files, buildFolder: buildFolderIn(manifest) };
}

/**
 * Reads only files that the account itself has stored: a hash that it merely named may be somebody else's content.
 * Missing, large or unfinished files are left out, and the names say the rest.
 */
async function readTexts(ctx: AccountContext, manifest: Manifest): Promise<Map<string, string>> {
  const wanted: Manifest = new Map(
    REVEALING_TEXTS.flatMap((path) => {
      const entry = manifest.get(path);
      return entry === undefined || entry.sizeBytes > TEXT_MAX_BYTES ? [] : [[path, entry] as const];
    }),
  );
  const missing = new Set(await missingHashes(ctx.actor.accountId, wanted));
  const texts = new Map<string, string>();
  for (const [path, { sha256 }] of wanted) {
    const text = missing.has(sha256) ? null : await textOf(ctx, sha256);
    if (text !== null) texts.set(path, text);
  }
  return texts;
}

async function textOf(ctx: AccountContext, sha256: string): Promise<string | null> {
  try {
    return (await ctx.providers.store.readWhole(sha256)).toString('utf8');
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
