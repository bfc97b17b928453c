import { ReleaseModel } from '../../server/database/models/publishing/release.ts';
import { decodeManifest, encodeManifest } from '../../server/store/manifest.ts';
import type { Person, TestApp } from './app.ts';

/** Gives a release a file that a rule of today refuses, as one has that was made before the rule was. */
export async function withFileFromBefore(
  { providers: { store } }: Pick<TestApp, 'providers'>,
  person: Person,
  releaseId: string,
  [path, text]: readonly [string, string],
): Promise<void> {
  const mine = { _id: releaseId, accountId: person.user.id };
  const { manifestHash } = await ReleaseModel.findOne(mine).orFail();
  const { sha256, sizeBytes } = await store.writeWhole(Buffer.from(text));
  const manifest = new Map([
    ...(await decodeManifest(await store.readWhole(manifestHash))),
    [path, { sha256, sizeBytes }],
  ]);
  const list = await store.writeWhole(await encodeManifest(manifest));
  await ReleaseModel.updateOne(mine, { $set: { manifestHash: list.sha256 } });
}
