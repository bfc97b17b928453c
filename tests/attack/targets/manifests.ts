import { createHash } from 'node:crypto';
import type { Random } from '../../support/random.ts';
import { IS_FULL } from '../../support/size.ts';
import type { Target } from '../support/attack.ts';
import { oddJson, oddText, oddValue, REPEATED_PIECES } from '../support/odd-values.ts';
import { releaseUpload, sendUpload, type UploadSlot } from '../support/upload-slots.ts';

const SIZES = IS_FULL ? [1_000, 100_000, 4_000_000, 16_000_000] : [1_000, 100_000, 400_000];
const TEXT = Buffer.from('attacked');
const SHA256 = createHash('sha256').update(TEXT).digest('hex');

/** Paths that differ in a letter, go deep, lead out of the folder, or say the same in other words. */
function oddPaths(random: Random, size: number): string[] {
  const count = Math.min(20_050, Math.ceil(size / 150));
  const [segment, piece] = [
    random.pick(['a', 'A', 'é', 'e\u0301', '..', 'con', '__proto__']),
    random.pick(REPEATED_PIECES),
  ];
  switch (random.below(5)) {
    case 0:
      return Array.from({ length: count }, (_, at) => `${`${segment}/`.repeat(1 + (at % 33))}${at}.html`);
    case 1:
      return Array.from({ length: count }, (_, at) => `${piece.repeat(1 + (at % 200))}.${at}`);
    case 2:
      return Array.from({ length: count }, (_, at) => (at % 2 === 0 ? `x${at}` : `X${at - 1}/${segment}`));
    case 3:
      return Array.from({ length: Math.min(count, 500) }, () => oddText(random, 600));
    default:
      return [
        ...Array.from({ length: count }, (_, at) => `p${at}.txt`),
        '_headers',
        '_redirects',
        oddText(random, 300),
      ];
  }
}

function oddManifest(random: Random): string {
  const size = random.pick(SIZES);
  if (random.chance(0.2)) return random.chance(0.5) ? oddJson(random, size) : `{"files":${oddJson(random, size)}}`;
  if (random.chance(0.1)) return JSON.stringify(oddValue(random));
  const files = oddPaths(random, size).map((path) => ({ path, sha256: SHA256, sizeBytes: TEXT.length }));
  const [first] = files;
  if (first !== undefined && random.chance(0.3)) {
    Object.assign(first, { [random.pick(['path', 'sha256', 'sizeBytes', 'x'])]: oddValue(random) });
  }
  return JSON.stringify({
    files,
    ...(random.chance(0.2) && { publishAnyway: random.many(0, 5, () => oddText(random, 300)) }),
  });
}

/** Files that come together: as they are announced, twice, with bytes of others, cut off, or thousands of nothing. */
function oddBundle(random: Random): Buffer {
  const part = Buffer.concat([Buffer.from(`${SHA256}\n`), TEXT]);
  const parts = random.many(0, 4, () =>
    random.pick([part, part, random.bytes(random.below(200)), Buffer.from(`${oddText(random, 70)}\n`)]),
  );
  if (random.chance(0.1)) parts.push(Buffer.alloc(random.pick(SIZES), `${'0'.repeat(64)}\n`));
  const body = Buffer.concat(parts);
  return random.chance(0.8) ? body : body.subarray(0, random.below(body.length + 1));
}

async function sendManifest(random: Random, slot: UploadSlot): Promise<string[]> {
  const body = Buffer.from(oddManifest(random));
  const abortAfterMs = random.chance(0.1) ? random.below(50) : undefined;
  const faults = await sendUpload(slot, {
    method: 'PUT',
    rest: 'manifest',
    type: 'application/json',
    body,
    abortAfterMs,
  });
  const name = random.chance(0.9) ? SHA256 : oddText(random, 70);
  const file = random.chance(0.8) ? TEXT : random.bytes(random.below(5_000));
  const rest = `files/${encodeURIComponent(Buffer.from(name).toString())}`;
  return [
    ...faults,
    ...(await sendUpload(slot, { method: 'PUT', rest, type: 'application/octet-stream', body: file })),
    ...(await sendUpload(slot, {
      method: 'POST',
      rest: 'files',
      type: 'application/octet-stream',
      body: oddBundle(random),
      abortAfterMs,
    })),
  ];
}

/**
 * Lists of files: deep, doubled, cut off, wrong in one place, and as long as they may be, with files alone and together;
 * some become a release.
 */
export const target: Target = {
  name: 'manifests',
  rounds: { few: 12, many: 300 },
  prepare: (attacked) => (random) =>
    attacked.uploadSlots.use(async (slot) => [
      ...(await sendManifest(random, slot)),
      ...(random.chance(IS_FULL ? 0.1 : 0.05) ? await releaseUpload(slot) : []),
    ]),
};
