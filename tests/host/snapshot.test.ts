import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { newId } from '../../server/database/mongo.ts';
import { createSnapshot } from '../../server/host/routing/snapshot.ts';

const LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

afterEach(() => {
  vi.useRealTimers();
});

test('a name that is switched to and fro has the list written every few seconds, and at the end', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'snapshot-'));
  try {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    let writes = 0;
    const snapshot = createSnapshot(folder, LOG, () => {
      writes += 1;
      return { domains: [] };
    });
    for (let switched = 0; switched < 100; switched += 1) {
      snapshot.writeSoon();
      await vi.advanceTimersByTimeAsync(100);
    }
    snapshot.writeSoon();
    await snapshot.close();
    // At 0.2, 3.2, 6.2 and 9.2 s, and what was still waiting.
    expect(writes).toBe(5);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('a long list is written in pieces, and others have their turn between them', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'snapshot-'));
  let ofTurn = 0;
  let most = 0;
  const domain = { id: newId(), deploymentId: newId(), names: ['a.test'], servedName: 'a.test' };
  const counted = {
    ...domain,
    toJSON() {
      ofTurn += 1;
      most = Math.max(most, ofTurn);
      return domain;
    },
  };
  let isOver = false;
  const beginTurn = (): void => {
    ofTurn = 0;
    if (!isOver) setImmediate(beginTurn);
  };
  beginTurn();
  try {
    const snapshot = createSnapshot(folder, LOG, () => ({ domains: Array.from({ length: 5_050 }, () => counted) }));
    snapshot.writeSoon();
    await snapshot.close();
    expect(await snapshot.read()).toMatchObject({ domains: Array.from({ length: 5_050 }, () => domain) });
    expect(most).toBe(100);
  } finally {
    isOver = true;
    await rm(folder, { recursive: true, force: true });
  }
});
