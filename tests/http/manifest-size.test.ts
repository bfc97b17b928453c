import { expect, test } from 'vitest';
import { receiveManifest } from '../../server/publishing/uploads/index.ts';
import { createTestApp } from '../support/app.ts';
import { contextOf, manifestOf, sendSite } from '../support/publishing.ts';
import { refusalOf } from '../support/refusal.ts';

test('a list that lies about the size of a file that is stored is refused by its path; of others nothing is told', async () => {
  await using app = await createTestApp();
  const [person, other] = [await app.trialPerson(), await app.trialPerson()];
  const { uploadId } = await person.caller.releases.prepare();
  const ctx = await contextOf(app, person);
  await sendSite(ctx, uploadId, { 'index.html': 'hello' });
  const lying = manifestOf({ 'a/copy.html': 'hello' }).map((file) => ({ ...file, sizeBytes: 4 }));

  expect(await refusalOf(receiveManifest(ctx, uploadId, { files: lying }))).toMatchObject({
    code: 'upload_refused',
    reason: 'size_differs',
    path: 'a/copy.html',
  });

  const upload = await other.caller.releases.prepare();
  const answer = await receiveManifest(await contextOf(app, other), upload.uploadId, { files: lying });
  expect(answer.missing).toEqual(lying.map(({ sha256 }) => sha256));
});
