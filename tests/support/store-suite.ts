import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ArtifactStore } from '../../server/artifacts/store.ts';

/** A store under test, and what a test may do to it behind its back. */
export type StoreUnderTest = {
  store: ArtifactStore;
  /** The same place opened anew, as after a restart. */
  reopen(): Promise<ArtifactStore>;
  /** Changes one byte of the stored artifact. */
  corrupt(sha256: string): Promise<void>;
  /** Takes the last byte away. */
  shorten(sha256: string): Promise<void>;
  /** Makes the store older than an hour for `sweep`: returns how many leftovers were put there. */
  leaveBehind(): Promise<number>;
  [Symbol.asyncDispose](): Promise<void>;
};

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function expectedOf(bytes: Buffer): { sha256: string; sizeBytes: number } {
  return { sha256: sha256Of(bytes), sizeBytes: bytes.length };
}

/** What every artifact store must do (server/artifacts/store.ts). */
export function storeSuite(name: string, make: () => Promise<StoreUnderTest>): void {
  test(`${name}: what was written is read back, whole and in parts, with both digests`, async () => {
    await using place = await make();
    const bytes = randomBytes(3 * 1024 * 1024 + 17);
    const info = await place.store.write(piecesOf(bytes, 60_000), expectedOf(bytes));
    expect(info).toEqual({ ...expectedOf(bytes), sha1: createHash('sha1').update(bytes).digest('hex') });
    expect(await place.store.has(info.sha256)).toBe(true);

    const artifact = await place.store.open(info.sha256);
    expect(artifact.sizeBytes).toBe(bytes.length);
    expect((await artifact.read(5, 5)).length).toBe(0);
    expect((await artifact.read(1000, 2000)).equals(bytes.subarray(1000, 2000))).toBe(true);
    expect((await artifact.read(bytes.length - 3, bytes.length + 50)).equals(bytes.subarray(-3))).toBe(true);
    const streamed: Buffer[] = [];
    for await (const piece of artifact.stream(7, bytes.length - 9)) streamed.push(piece);
    expect(Buffer.concat(streamed).equals(bytes.subarray(7, -9))).toBe(true);
    await artifact.close();
    expect((await place.store.readWhole(info.sha256)).equals(bytes)).toBe(true);
  });

  test(`${name}: an empty artifact is an artifact`, async () => {
    await using place = await make();
    const info = await place.store.writeWhole(Buffer.alloc(0));
    expect(info.sizeBytes).toBe(0);
    expect((await place.store.readWhole(info.sha256)).length).toBe(0);
  });

  test(`${name}: the store keeps its id and its artifacts through a restart`, async () => {
    await using place = await make();
    const { sha256 } = await place.store.writeWhole(Buffer.from('kept'));
    const again = await place.reopen();
    expect(again.id).toBe(place.store.id);
    expect((await again.readWhole(sha256)).toString()).toBe('kept');
  });

  test(`${name}: bytes of another hash are refused and leave nothing`, async () => {
    await using place = await make();
    const announced = expectedOf(Buffer.from('announced'));
    await expect(place.store.write(piecesOf(Buffer.from('announcer'), 4), announced)).rejects.toMatchObject({
      code: 'hash_mismatch',
    });
    await expect(place.store.write(piecesOf(Buffer.from('announce'), 4), announced)).rejects.toMatchObject({
      code: 'hash_mismatch',
    });
    expect(await place.store.has(announced.sha256)).toBe(false);
    expect(await place.store.has(sha256Of(Buffer.from('announcer')))).toBe(false);
  });

  test(`${name}: more bytes than announced are refused before the source ends`, async () => {
    await using place = await make();
    const piece = randomBytes(64 * 1024);
    let sent = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      while (sent < 10_000) {
        sent += 1;
        yield piece;
      }
    }
    const expected = { sha256: sha256Of(piece), sizeBytes: 3 * piece.length };
    await expect(place.store.write(endless(), expected)).rejects.toMatchObject({ code: 'body_too_large' });
    expect(sent).toBe(4);
    expect(await place.store.has(expected.sha256)).toBe(false);
  });

  test(`${name}: a source that breaks off leaves nothing, and the next try works`, async () => {
    await using place = await make();
    const bytes = randomBytes(2_500_000);
    async function* broken(): AsyncGenerator<Buffer> {
      yield bytes.subarray(0, 2_000_000);
      throw new Error('the line went dead');
    }
    await expect(place.store.write(broken(), expectedOf(bytes))).rejects.toThrow('the line went dead');
    expect(await place.store.has(sha256Of(bytes))).toBe(false);
    await place.store.write(piecesOf(bytes, 100_000), expectedOf(bytes));
    expect((await place.store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
  });

  test(`${name}: writing what is there already still asks for the bytes`, async () => {
    await using place = await make();
    const bytes = Buffer.from('stored once');
    const first = await place.store.writeWhole(bytes);
    expect(await place.store.writeWhole(bytes)).toEqual(first);
    await expect(place.store.write(piecesOf(Buffer.from('stored 0nce'), 5), expectedOf(bytes))).rejects.toMatchObject({
      code: 'hash_mismatch',
    });
    expect((await place.store.readWhole(first.sha256)).equals(bytes)).toBe(true);
  });

  test(`${name}: twenty writers of one artifact all succeed`, async () => {
    await using place = await make();
    const bytes = randomBytes(700_000);
    const infos = await Promise.all(
      Array.from({ length: 20 }, () => place.store.write(piecesOf(bytes, 33_000), expectedOf(bytes))),
    );
    expect(new Set(infos.map((info) => info.sha256)).size).toBe(1);
    expect((await place.store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
  });

  test(`${name}: what is not there is damaged, not empty`, async () => {
    await using place = await make();
    const absent = sha256Of(Buffer.from('never stored'));
    expect(await place.store.has(absent)).toBe(false);
    await expect(place.store.open(absent)).rejects.toMatchObject({ code: 'artifact_damaged' });
    await expect(place.store.readWhole(absent)).rejects.toMatchObject({ code: 'artifact_damaged' });
  });

  for (const harm of ['corrupt', 'shorten'] as const) {
    test(`${name}: an artifact that was ${harm}ed is never handed out, and the next upload heals it`, async () => {
      await using place = await make();
      const bytes = randomBytes(900_000);
      const { sha256 } = await place.store.writeWhole(bytes);
      await (await place.store.open(sha256)).close();
      await place[harm](sha256);
      await expect(place.store.open(sha256)).rejects.toMatchObject({ code: 'artifact_damaged' });
      await expect((await place.reopen()).readWhole(sha256)).rejects.toMatchObject({ code: 'artifact_damaged' });
      await place.store.writeWhole(bytes);
      expect((await place.store.readWhole(sha256)).equals(bytes)).toBe(true);
    });
  }

  test(`${name}: removing is final and may be done twice`, async () => {
    await using place = await make();
    const { sha256 } = await place.store.writeWhole(Buffer.from('to be removed'));
    await place.store.remove(sha256);
    await place.store.remove(sha256);
    expect(await place.store.has(sha256)).toBe(false);
  });

  test(`${name}: old leftovers of interrupted writes are swept, artifacts are not`, async () => {
    await using place = await make();
    const { sha256 } = await place.store.writeWhole(Buffer.from('stays'));
    const left = await place.leaveBehind();
    expect(await place.store.sweep()).toBe(left);
    expect(await place.store.sweep()).toBe(0);
    expect(await place.store.has(sha256)).toBe(true);
  });

  test(`${name}: a healthy store passes its own check`, async () => {
    await using place = await make();
    await expect(place.store.check()).resolves.toBeUndefined();
  });
}
