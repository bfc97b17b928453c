import type { Random } from '../../support/random.ts';
import { IS_FULL } from '../../support/size.ts';
import { extraField, writeZip, type ZipPart, type ZipWhole } from '../../support/zip-writer.ts';
import type { Target } from '../support/attack.ts';
import { longText, oddText, REPEATED_PIECES } from '../support/odd-values.ts';
import { releaseUpload, sendUpload } from '../support/upload-slots.ts';

/** So many, and more than there may be: rare, since writing such an archive takes longer than refusing it. */
const MANY_ENTRIES = [20_000, 60_000];
const MANY_CHANCE = IS_FULL ? 0.02 : 0;
/** The number of entries in one archive whose content is long when it is unpacked. */
const LONG_MAX = 30;
const NUMBERS = [0, 1, 0xffff, 0x7fff_ffff, 0xffff_ffff];
const SIGNATURES = [0x04034b50, 0x02014b50, 0x06054b50, 0x06064b50, 0x08074b50, 0];

function oddPart(random: Random, number: number): ZipPart {
  const part: ZipPart = {
    name: random.chance(0.8) ? `folder/${number}.txt` : oddText(random, 600),
    data:
      number >= LONG_MAX || random.chance(0.9)
        ? `${number}`
        : longText(random, random.pick(REPEATED_PIECES), random.pick([100, 200_000])),
    method: random.chance(0.9) ? random.pick([0, 8]) : random.below(100),
  };
  if (random.chance(0.8)) return part;
  const lie = (): number => random.pick(NUMBERS);
  return random.pick<() => ZipPart>([
    () => ({ ...part, sizeBytes: lie() }),
    () => ({ ...part, packedBytes: lie() }),
    () => ({ ...part, crc: lie() }),
    () => ({ ...part, offset: lie() }),
    () => ({ ...part, flags: random.below(0x10000) }),
    () => ({ ...part, attributes: lie(), madeBy: random.below(0x10000) }),
    () => ({ ...part, extra: extraField(random.pick([1, 0x7075, 0x9901]), random.bytes(random.below(40))) }),
    () => ({ ...part, extra: random.bytes(random.below(40)) }),
    () => ({ ...part, packed: random.bytes(random.below(300)) }),
    () => ({ ...part, local: { name: oddText(random, 60), signature: random.pick(SIGNATURES) } }),
    () => ({ ...part, central: { sizeBytes: lie(), signature: random.pick(SIGNATURES) } }),
    () => ({ ...part, isGhost: true }),
  ])();
}

function oddArchive(random: Random): Buffer {
  const count = random.chance(MANY_CHANCE) ? random.pick(MANY_ENTRIES) : random.pick([1, 30, 30, 3_000]);
  const parts = Array.from({ length: count }, (_, number) => oddPart(random, number));
  const whole = random.pick<() => ZipWhole>([
    ...Array.from({ length: 6 }, () => () => ({})),
    () => ({ count: random.pick(NUMBERS) }),
    () => ({ directoryStart: random.pick(NUMBERS), directoryBytes: random.pick(NUMBERS) }),
    () => ({ zip64: { count: random.pick([...NUMBERS, 2n ** 63n]), directoryStart: random.pick(NUMBERS) } }),
    () => ({ comment: random.bytes(random.below(300)), suffix: random.bytes(random.below(300)) }),
    () => ({ prefix: random.bytes(random.below(300)), gap: random.bytes(random.below(300)) }),
  ])();
  const bytes = writeZip([{ name: 'index.html', data: 'x' }, ...parts], whole);
  if (random.chance(0.3)) {
    for (const at of random.many(1, 20, () => random.below(bytes.length))) bytes[at] = random.below(256);
  }
  return random.chance(0.9) ? bytes : bytes.subarray(0, random.below(bytes.length));
}

function oddQuery(random: Random): string {
  if (random.chance(0.5)) return 'zip';
  const key = random.chance(0.8) ? 'a'.repeat(64) : oddText(random, 70);
  const from = random.chance(0.5) ? '0' : random.pick(['1', '100', '-1', '9999999999', '99999999999', 'x']);
  return `zip?${new URLSearchParams([
    ['key', key],
    ['from', from],
    ...random.many(0, 3, () => ['publishAnyway', oddText(random, 100)]),
  ])}`;
}

/** ZIP archives that lie about themselves, are cut off, or have bytes changed; sent whole, in parts, or broken off. */
export const target: Target = {
  name: 'archives',
  rounds: { few: 12, many: 800 },
  prepare: (attacked) => (random) =>
    attacked.uploadSlots.use(async (slot) => {
      const upload = { rest: oddQuery(random), type: 'application/zip', body: oddArchive(random) };
      const abortAfterMs = random.chance(0.1) ? random.below(50) : undefined;
      return [
        ...(await sendUpload(slot, { method: 'POST', ...upload, abortAfterMs })),
        ...(await sendUpload(slot, { method: 'GET', ...upload, body: Buffer.alloc(0) })),
        ...(random.chance(0.05) ? await releaseUpload(slot) : []),
      ];
    }),
};
