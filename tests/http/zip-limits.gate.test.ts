import { expect, test } from 'vitest';
import { UPLOAD_LIMITS } from '../../routers/schemas/limits.ts';
import { ArtifactModel } from '../../server/database/models/publishing/artifact.ts';
import { createTestApp } from '../support/app.ts';
import { listen } from '../support/listen.ts';
import { writeZip } from '../support/zip-writer.ts';

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

test('20,000 files are taken', async () => {
  await using app = await createTestApp();
  await using listener = await listen(app);
  const person = await app.trialPerson();
  const { uploadId } = await person.caller.releases.prepare();
  const parts = Array.from({ length: UPLOAD_LIMITS.maxFiles }, (_, at) => ({
    name: `f${at}.txt`,
    data: `${at % 5_000}`,
  }));

  const answer = await fetch(`${listener.url}/api/uploads/${uploadId}/zip`, {
    method: 'POST',
    body: new Uint8Array(writeZip(parts)),
    headers: { 'content-type': 'application/zip', authorization: `Bearer ${person.accessToken}` },
  });

  expect(answer.status).toBe(200);
  expect(JSON.parse(await answer.text()).files).toHaveLength(UPLOAD_LIMITS.maxFiles);
  expect(await ArtifactModel.countDocuments({ accountId: person.user.id })).toBe(5_000);
});
