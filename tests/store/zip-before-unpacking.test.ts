import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { readZip, zipRefusal } from '../support/read-zip.ts';
import { writeZip, type ZipPart } from '../support/zip-writer.ts';

/** Archives that are refused before anything in them is unpacked. */
const page: ZipPart = { name: 'index.html', data: '<h1>hello</h1>' };
const of = (...parts: (string | ZipPart)[]) => writeZip([page, ...parts]);
/** A later step would find its content damaged. */
const corrupt = { data: 'a line of text that is packed well\n'.repeat(200), method: 8, packed: randomBytes(40) };

test('what is larger than a file may be is refused before anything is unpacked', async () => {
  const { maxFileBytes } = UPLOAD_LIMITS;
  // What it says is no ratio that is refused; its content would be damaged if anybody came as far.
  const zip = of({ name: 'film.mp4', packed: randomBytes(3_000_000), method: 8, sizeBytes: maxFileBytes + 1, crc: 1 });
  expect(await zipRefusal(zip)).toMatchObject({ reason: 'file_too_large', path: 'film.mp4' });
});

test('a release that is too large as a whole is refused before anything is unpacked', async () => {
  const part = (name: string): ZipPart => ({
    name,
    packed: randomBytes(2_000_000),
    method: 8,
    sizeBytes: 360 * 1024 * 1024,
    crc: 1,
  });
  expect(await zipRefusal(of(part('a'), part('b'), part('c')))).toMatchObject({
    reason: 'release_too_large',
    message: expect.stringContaining('The largest are a (360 MB), b (360 MB), and c (360 MB).'),
  });
});

test('nothing is unpacked before the last header is looked at', async () => {
  expect(await zipRefusal(of({ ...corrupt, name: 'a' }, { name: 'b', data: 'x', local: { name: 'c' } }))).toMatchObject(
    {
      reason: 'headers_differ',
      path: 'b',
    },
  );
});

test('what is left out or dropped is not unpacked, but has to be an honest entry', async () => {
  const zip = of({ ...corrupt, name: '.git/objects/x' }, { ...corrupt, name: '__MACOSX/._index.html' });
  expect(await readZip(zip)).toMatchObject({ leftOut: ['.git/objects/x'], droppedCount: 1 });
  expect(
    await zipRefusal(of({ name: '.DS_Store', data: 'x', madeBy: 0x031e, attributes: (0o010644 << 16) >>> 0 })),
  ).toMatchObject({ reason: 'special_file' });
});

test('an archive that was refused leaves the next one readable', async () => {
  await zipRefusal(of('../x'));
  expect([...(await readZip(of('x'))).files.keys()]).toEqual(['index.html', 'x']);
});
