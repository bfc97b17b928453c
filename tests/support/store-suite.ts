import { createHash, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ArtifactInfo, ArtifactStore, StoreClock } from '../../server/store/store.ts';
import { IS_FULL } from './size.ts';

/** More than a disk keeps as files of their own, and more bytes than one write takes. */
const TOGETHER = IS_FULL ? 300 : 80;
const WRITERS = IS_FULL ? 20 : 8;
const TOGETHER_BYTES = 3_000_000 / TOGETHER;

/** A store, and ways to damage it without its knowledge. */
export type StoreUnderTest = {
  store: ArtifactStore;
  /** The same place opened anew, as after a restart. */
  reopen(): Promise<ArtifactStore>;
  corrupt(sha256: string): Promise<void>;
  shorten(sha256: string): Promise<void>;
  /** Makes the store older than an hour for `sweep`: returns how many leftovers were put there. */
  leaveBehind(): Promise<number>;
  /** Makes all that is stored look as if it was last used two days ago. */
  grow(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

/** `now` is the clock of the database, where a test has it differ from this machine's. */
type Make = (now?: StoreClock) => Promise<StoreUnderTest>;

export function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function* piecesOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function expectedOf(bytes: Buffer): { sha256: string; sizeBytes: number } {
  return { sha256: sha256Of(bytes), sizeBytes: bytes.length };
}

/** Tests the rules for every artifact store (server/store/store.ts). */
export function storeSuite(name: string, make: Make): void {
  writingSuite(name, make);
  intakeSuite(name, make);
  collectingSuite(name, make);
}

function writingSuite(name: string, make: () => Promise<StoreUnderTest>): void {
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

  test(`${name}: the start of an artifact is read as it is, and the hash is compared when it is opened`, async () => {
    await using place = await make();
    const bytes = randomBytes(200_000);
    const { sha256 } = await place.store.writeWhole(bytes);
    await place.corrupt(sha256);
    expect((await place.store.readStart(sha256, 10)).equals(bytes.subarray(0, 10))).toBe(true);
    expect((await place.store.readStart(sha256, 300_000)).length).toBe(bytes.length);
    await expect(place.store.open(sha256)).rejects.toMatchObject({ code: 'artifact_corrupted' });
    await expect(place.store.readStart(sha256, 10)).rejects.toMatchObject({ code: 'artifact_corrupted' });
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

  test(`${name}: ${WRITERS} writers of one artifact all succeed`, async () => {
    await using place = await make();
    const bytes = randomBytes(700_000);
    const infos = await Promise.all(
      Array.from({ length: WRITERS }, () => place.store.write(piecesOf(bytes, 33_000), expectedOf(bytes))),
    );
    expect(new Set(infos.map((info) => info.sha256)).size).toBe(1);
    expect((await place.store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
  });

  test(`${name}: what is not there is damaged, not empty`, async () => {
    await using place = await make();
    const absent = sha256Of(Buffer.from('never stored'));
    expect(await place.store.has(absent)).toBe(false);
    await expect(place.store.open(absent)).rejects.toMatchObject({ code: 'artifact_corrupted' });
    await expect(place.store.readWhole(absent)).rejects.toMatchObject({ code: 'artifact_corrupted' });
  });

  for (const harm of ['corrupt', 'shorten'] as const) {
    test(`${name}: an artifact that was ${harm}ed is never handed out, and the next upload heals it`, async () => {
      await using place = await make();
      const bytes = randomBytes(900_000);
      const { sha256 } = await place.store.writeWhole(bytes);
      await (await place.store.open(sha256)).close();
      await place[harm](sha256);
      await expect(place.store.open(sha256)).rejects.toMatchObject({ code: 'artifact_corrupted' });
      await expect((await place.reopen()).readWhole(sha256)).rejects.toMatchObject({ code: 'artifact_corrupted' });
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

export function infoOf(bytes: Buffer): ArtifactInfo {
  return { ...expectedOf(bytes), sha1: createHash('sha1').update(bytes).digest('hex') };
}

/** So many artifacts of so many bytes each, all different. */
export function manyBytes(count: number, sizeBytes: number): Buffer[] {
  return Array.from({ length: count }, () => randomBytes(sizeBytes));
}

export async function takeIn(store: ArtifactStore, all: readonly Buffer[]): Promise<void> {
  const intake = await store.intake();
  for (const bytes of all) await intake.add(bytes, infoOf(bytes));
  await intake.commit();
}

async function areThere(store: ArtifactStore, all: readonly Buffer[]): Promise<boolean[]> {
  return Promise.all(all.map((bytes) => store.has(sha256Of(bytes))));
}

/** The second kind fills several writes. */
const INTAKES = [
  { what: 'a few artifacts', count: 5, sizeBytes: 300 },
  { what: 'many artifacts', count: TOGETHER, sizeBytes: TOGETHER_BYTES },
] as const;

function intakeSuite(name: string, make: () => Promise<StoreUnderTest>): void {
  test.each(INTAKES)(
    `${name}: $what of an intake can be read from its commit on, also by who was there before`,
    async ({ count, sizeBytes }) => {
      await using place = await make();
      const other = await place.reopen();
      const all = manyBytes(count, sizeBytes);
      const large = randomBytes(3_000_000);
      const intake = await place.store.intake();
      for (const bytes of all) await intake.add(bytes, infoOf(bytes));
      expect(await intake.addStream(piecesOf(large, 70_000))).toEqual(infoOf(large));
      for (const store of [place.store, other]) {
        expect(new Set(await areThere(store, [...all, large]))).toEqual(new Set([false]));
        await expect(store.readWhole(sha256Of(large))).rejects.toMatchObject({ code: 'artifact_corrupted' });
      }
      await intake.commit();
      for (const store of [place.store, other, await place.reopen()]) {
        for (const bytes of [...all, large]) {
          expect((await store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
          expect(await store.has(sha256Of(bytes))).toBe(true);
        }
      }
    },
  );

  test.each(INTAKES)(`${name}: an abandoned intake of $what leaves nothing behind`, async ({ count, sizeBytes }) => {
    await using place = await make();
    const all = manyBytes(count, sizeBytes);
    const intake = await place.store.intake();
    for (const bytes of all) await intake.add(bytes, infoOf(bytes));
    await intake.addStream(piecesOf(Buffer.from('streamed'), 3));
    await intake.abandon();
    await intake.abandon();
    expect(new Set(await areThere(place.store, [...all, Buffer.from('streamed')]))).toEqual(new Set([false]));
    await place.grow();
    expect(await place.store.sweep()).toBe(0);
  });

  test(`${name}: the bytes given to an intake may change as soon as it has taken them`, async () => {
    await using place = await make();
    const intake = await place.store.intake();
    const reused = Buffer.alloc(40_000);
    const all = manyBytes(100, reused.length);
    for (const bytes of all) {
      bytes.copy(reused);
      await intake.add(reused, infoOf(bytes));
    }
    await intake.commit();
    for (const bytes of all) expect((await place.store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
  });

  test(`${name}: an intake takes the same bytes many times, at once and as a stream, and what is stored already`, async () => {
    await using place = await make();
    const [known = Buffer.alloc(0), twice = Buffer.alloc(0)] = manyBytes(2, 50_000);
    await place.store.writeWhole(known);
    const intake = await place.store.intake();
    await Promise.all([known, twice, twice, Buffer.alloc(0)].map((bytes) => intake.add(bytes, infoOf(bytes))));
    await intake.addStream(piecesOf(twice, 9_000));
    await intake.addStream(piecesOf(known, 9_000));
    await intake.commit();
    for (const bytes of [known, twice, Buffer.alloc(0)]) {
      expect((await place.store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
    }
  });

  test(`${name}: a stream that breaks off adds nothing, and the intake goes on`, async () => {
    await using place = await make();
    async function* broken(): AsyncGenerator<Buffer> {
      yield randomBytes(2_000_000);
      throw new Error('the line went dead');
    }
    const intake = await place.store.intake();
    await expect(intake.addStream(broken())).rejects.toThrow('the line went dead');
    const bytes = randomBytes(1000);
    await intake.add(bytes, infoOf(bytes));
    await intake.commit();
    expect(await place.store.has(sha256Of(bytes))).toBe(true);
    await place.grow();
    expect(await place.store.sweep()).toBe(0);
  });

  for (const harm of ['corrupt', 'shorten'] as const) {
    test(`${name}: one of many that came together was ${harm}ed: it alone is not handed out, and an upload heals it`, async () => {
      await using place = await make();
      const all = manyBytes(TOGETHER, 9_000);
      await takeIn(place.store, all);
      const [bad = Buffer.alloc(0), ...good] = all;
      await place[harm](sha256Of(bad));
      await expect(place.store.readWhole(sha256Of(bad))).rejects.toMatchObject({ code: 'artifact_corrupted' });
      if (harm === 'corrupt') {
        for (const bytes of good) expect((await place.store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
      }
      await takeIn(place.store, [bad]);
      for (const store of [place.store, await place.reopen()]) {
        expect((await store.readWhole(sha256Of(bad))).equals(bad)).toBe(true);
      }
    });
  }

  test(`${name}: one of many that came together can be removed`, async () => {
    await using place = await make();
    const other = await place.reopen();
    const all = manyBytes(TOGETHER, 9_000);
    await takeIn(place.store, all);
    const [first = Buffer.alloc(0), second = Buffer.alloc(0)] = all;
    await place.store.remove(sha256Of(first));
    for (const store of [place.store, other, await place.reopen()]) {
      expect(await areThere(store, [first, second])).toEqual([false, true]);
    }
  });
}

const yesterday = (): Date => new Date(Date.now() - 24 * 60 * 60_000);

function collectingSuite(name: string, make: Make): void {
  const collecting = (unused: readonly Buffer[]) => {
    const hashes = new Set(unused.map(sha256Of));
    return { before: yesterday(), choose: async (asked: string[]) => new Set(asked.filter((one) => hashes.has(one))) };
  };

  test(`${name}: what is old and chosen is collected, what is young or needed stays`, async () => {
    await using place = await make();
    const together = manyBytes(TOGETHER, TOGETHER_BYTES);
    const single = manyBytes(4, 500);
    await takeIn(place.store, together);
    for (const bytes of single) await place.store.writeWhole(bytes);
    expect(await place.store.collect(collecting([...together, ...single]))).toEqual({ artifacts: 0, sizeBytes: 0 });
    await place.grow();
    const young = randomBytes(700);
    await place.store.writeWhole(young);

    const needed = [...together.slice(0, 20), ...single.slice(0, 1)];
    const unused = [...together.slice(20), ...single.slice(1), young];
    const collected = await place.store.collect(collecting(unused));

    expect(collected).toEqual({
      artifacts: TOGETHER - 20 + 3,
      sizeBytes: (TOGETHER - 20) * TOGETHER_BYTES + 3 * 500,
    });
    for (const store of [place.store, await place.reopen()]) {
      for (const bytes of [...needed, young]) {
        expect((await store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
      }
      expect(new Set(await areThere(store, unused.slice(0, -1)))).toEqual(new Set([false]));
    }
    await takeIn(place.store, together);
    for (const bytes of together) expect((await place.store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
  });

  test(`${name}: what was just stored is young, though the clock of this machine is a day behind the database's`, async () => {
    const now = (): Date => new Date(Date.now() + 25 * 60 * 60_000);
    await using place = await make(now);
    const together = manyBytes(100, 500);
    const [single = Buffer.alloc(0), streamed = Buffer.alloc(0)] = manyBytes(2, 900);
    await takeIn(place.store, together);
    await place.store.writeWhole(single);
    const intake = await place.store.intake();
    await intake.addStream(piecesOf(streamed, 300));
    await intake.commit();

    const before = new Date(now().getTime() - 24 * 60 * 60_000);
    const all = { ...collecting([...together, single, streamed]), before };
    expect(await place.store.collect(all)).toEqual({ artifacts: 0, sizeBytes: 0 });
    expect(await place.store.sweep()).toBe(0);
  });

  test(`${name}: whoever reads an artifact while it is collected reads it to its end`, async () => {
    await using place = await make();
    const together = manyBytes(TOGETHER, 10_000);
    const [read = Buffer.alloc(0)] = together;
    await takeIn(place.store, together);
    await place.grow();
    const artifact = await place.store.open(sha256Of(read));
    await place.store.collect(collecting(together));
    expect((await artifact.read(0, artifact.sizeBytes)).equals(read)).toBe(true);
    await artifact.close();
    await expect(place.store.open(sha256Of(read))).rejects.toMatchObject({ code: 'artifact_corrupted' });
  });

  test.each(['write', 'intake'] as const)(
    `${name}: what is used again by %s while it is collected stays`,
    async (way) => {
      await using place = await make();
      const other = await place.reopen();
      const together = manyBytes(TOGETHER, 10_000);
      const single = manyBytes(TOGETHER / 2, 600);
      await takeIn(place.store, together);
      for (const bytes of single) await place.store.writeWhole(bytes);
      await place.grow();
      const used = [together[3], together.at(-1), single[0], single.at(-1)].filter((bytes) => bytes !== undefined);

      const { before, choose } = collecting([...together, ...single]);
      await place.store.collect({
        before,
        choose: async (asked) => {
          // The moment between the decision and the removal: as long as one likes.
          const chosen = await choose(asked);
          const now = used.filter((bytes) => asked.includes(sha256Of(bytes)));
          if (way === 'intake') await takeIn(other, now);
          else for (const bytes of now) await other.writeWhole(bytes);
          return chosen;
        },
      });

      for (const store of [place.store, other, await place.reopen()]) {
        for (const bytes of used) expect((await store.readWhole(sha256Of(bytes))).equals(bytes)).toBe(true);
      }
    },
  );
}
