import { expect, test } from 'vitest';
import { archiveSize, centralHeader, endRecords, layOut } from '../../server/artifacts/archive.ts';

const GIB = 1024 ** 3;
const AT = new Date('2026-03-04T05:06:08Z');

test('what is larger than 32 bits say goes to the 64-bit fields, and the length foretold counts them', () => {
  const small = [{ name: 'a', sizeBytes: 10, sha256: '' }];
  expect(archiveSize(small)).toBe(30 + 1 + 10 + (46 + 1) + 22);
  const large = [
    { name: 'a', sizeBytes: 5 * GIB, sha256: '' },
    { name: 'b', sizeBytes: 10, sha256: '' },
  ];
  // A local and a central field of two sizes, a central one of an offset, and the two end records of ZIP64.
  expect(archiveSize(large)).toBe(5 * GIB + 10 + (31 + 20 + 31) + (47 + 20 + 47 + 12) + 56 + 20 + 22);
});

test('the fields of ZIP64 hold what the others cannot', () => {
  const layout = layOut([{ name: 'b', sizeBytes: 10 }], 5 * GIB);
  const [place] = layout.placed;
  if (place === undefined) throw new Error('The entry has no place.');
  const header = centralHeader(place, 7, AT);
  expect(header.readUInt32LE(42)).toBe(0xff_ff_ff_ff);
  expect(header.readUInt16LE(47)).toBe(1);
  expect(header.readBigUInt64LE(51)).toBe(BigInt(5 * GIB));
  const [end, locator, last] = endRecords(layout);
  expect(end?.readBigUInt64LE(48)).toBe(BigInt(layout.directoryAt));
  expect(locator?.readBigUInt64LE(8)).toBe(BigInt(layout.directoryAt + layout.directoryBytes));
  expect(last?.readUInt32LE(16)).toBe(0xff_ff_ff_ff);
});

test('more entries than 16 bits count are counted in 64', () => {
  const layout = layOut(Array.from({ length: 70_000 }, (_, number) => ({ name: `f${number}`, sizeBytes: 0 })));
  const [end, , last] = endRecords(layout);
  expect(end?.readBigUInt64LE(32)).toBe(70_000n);
  expect(last?.readUInt16LE(10)).toBe(0xff_ff);
});
