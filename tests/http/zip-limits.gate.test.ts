import { expect, test } from 'vitest';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { ArtifactModel } from '../../server/database/models/publishing/artifact.ts';
import { createTestApp } from '../support/app.ts';
import { listen } from '../support/listen.ts';
import { writeZip } from '../support/zip-writer.ts';

const ENTRIES_TOO_MANY = 60_000;

test('a ZIP without a length is counted as it comes', async () => {
  await using app = await createTestApp();
  const { zips, store } = app.providers;
  const piece = Buffer.alloc(16 * 1024 * 1024);
  let sent = 0;
  async function* endless(): AsyncGenerator<Buffer> {
    for (; sent < 2 * UPLOAD_LIMITS.maxZipBytes; sent += piece.length) yield piece;
  }
  const { signal } = new AbortController();
  const zip = { body: endless(), contentLength: null, publishAnyway: [], signal };
  await expect(zips.take(zip, { store, senders: [], count: async () => undefined })).rejects.toMatchObject({
    code: 'body_too_large',
  });
  expect(sent).toBeLessThanOrEqual(UPLOAD_LIMITS.maxZipBytes);
});

test('20,000 files are taken, 60,000 entries are refused by their number', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app);
  const person = await app.trialPerson();
  const { uploadId } = await person.caller.releases.prepare();
  const zipOf = (count: number) =>
    new Uint8Array(
      writeZip(Array.from({ length: count }, (_, index) => ({ name: `f${index}.txt`, data: `${index % 5_000}` }))),
    );
  // Writing one holds this process, and an idle connection would end meanwhile.
  const [largest, tooLarge] = [zipOf(UPLOAD_LIMITS.maxFiles), zipOf(ENTRIES_TOO_MANY)];
  const send = async (body: Uint8Array<ArrayBuffer>) => {
    const response = await fetch(`${listener.url}/api/uploads/${uploadId}/zip`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/zip', authorization: `Bearer ${person.accessToken}` },
    });
    return { status: response.status, body: JSON.parse(await response.text()) };
  };

  const taken = await send(largest);
  expect(taken.status).toBe(200);
  expect(taken.body.files.length).toBe(UPLOAD_LIMITS.maxFiles);
  expect(await ArtifactModel.countDocuments({ accountId: person.user.id })).toBe(5_000);
  expect(await send(tooLarge)).toMatchObject({ status: 400, body: { reason: 'too_many_entries' } });
});
