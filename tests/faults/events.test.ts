import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { createFairleadClient } from '../../routers/client.ts';
import { embeddedUri } from '../../server/database/embedded/embedded-mongo.ts';
import { newKeys } from '../../server/lib/crypto/secrets.ts';
import { cacheApp } from '../support/cached-app.ts';
import { type EventClient, followEvents, type Seen } from '../support/event-client.ts';
import { faultyEntry, mongodPidOf, type RealApp, startRealApp } from '../support/real-app.ts';
import { IS_FULL } from '../support/size.ts';

const KILLS = IS_FULL ? 20 : 1;
const EVENTS_BETWEEN_KILLS = 25;
const RETRY_MS = 100;
/** In the gate a writer leaves room to what is started meanwhile. */
const PAUSE_MS = IS_FULL ? 0 : 20;

const byNumber = (app: RealApp): string => app.url.replace('localhost', '127.0.0.1');

/**
 * Returns API tokens of a new account, made as a script makes them. Each has its own limit of calls a minute, half of the
 * account's, so that who writes as fast as it can leaves room to who reads.
 */
async function tokensOf(app: RealApp): Promise<{ reading: string; writing: string }> {
  const name = `p${process.pid}${Date.now()}`;
  const response = await fetch(`${byNumber(app)}/api/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: name, email: `${name}@example.com`, password: 'Correct horse 1' }),
  });
  const { accessToken }: { accessToken: string } = await response.json();
  const client = createFairleadClient({ url: byNumber(app), token: accessToken });
  const make = async (name: string): Promise<string> => {
    const input = { name, scopes: ['read' as const, 'write' as const], currentPassword: 'Correct horse 1' };
    return (await client.tokens.create.mutate(input)).secret;
  };
  return { reading: await make('reading'), writing: await make('writing') };
}

/** An app whose account may send as many notifications as it likes (tests/support/faulty-main.ts). */
const startApp = (env: NodeJS.ProcessEnv): Promise<RealApp> => startRealApp(env, faultyEntry({}));
const keys = { FAIRLEAD_KEYS: JSON.stringify(newKeys()) };
const cachedOne = cacheApp(() => startApp(keys));
/** On the database of the first, which ends after it. */
const cachedTwo = cacheApp(async () => {
  const { dataDir } = await cachedOne.running();
  const artifacts = pathToFileURL(join(dataDir, 'artifacts')).href;
  return startApp({ ...keys, MONGODB_URI: (await embeddedUri(dataDir)) ?? '', ARTIFACTS_URL: artifacts });
});

type Writer = { acknowledged: string[]; stop(): Promise<void> };

/** Sends numbered notifications one after the other; a call that fails may or may not have been written. */
function startWriting(app: RealApp, token: string, name: string): Writer {
  const client = createFairleadClient({ url: byNumber(app), token });
  const acknowledged: string[] = [];
  let isStopped = false;
  const writing = (async () => {
    for (let number = 1; !isStopped; number += 1) {
      const message = `${name} ${number}`;
      const done = await client.events.sendTest.mutate({ message }).catch(() => null);
      if (done === null) await wait(RETRY_MS);
      else acknowledged.push(message);
      await wait(PAUSE_MS);
    }
  })();
  return {
    acknowledged,
    async stop() {
      isStopped = true;
      await writing;
    },
  };
}

function follow(app: RealApp, token: string, lastEventId?: string): EventClient {
  const since = lastEventId === undefined ? {} : { lastEventId };
  return followEvents({ url: byNumber(app), token, retryDelayMs: RETRY_MS, ...since });
}

/** Kills again and again while events are written, each time once some more have been seen. */
async function killWhileReading(client: EventClient, kill: () => Promise<void>): Promise<void> {
  for (let round = 0; round < KILLS; round += 1) {
    const had = client.messages().length;
    await client.until(() => client.messages().length >= had + EVENTS_BETWEEN_KILLS);
    await kill();
  }
}

/** Expects that a client saw the log from where it began to where it ends: each event once, in order. */
async function expectWhole(app: RealApp, token: string, client: EventClient, writers: Writer[]): Promise<void> {
  await using log = follow(app, token, '0');
  const acknowledged = writers.flatMap((writer) => writer.acknowledged);
  const isAllThere = (messages: string[]): boolean => {
    const there = new Set(messages);
    return acknowledged.every((message) => there.has(message));
  };
  await log.until(() => isAllThere(log.messages()));
  const last = log.seen.at(-1)?.id ?? 0;
  await client.until(() => (client.seen.at(-1)?.id ?? 0) >= last);

  const begins = client.seen[0]?.id ?? 0;
  const stored = (seen: Seen[]): Seen[] =>
    seen.filter(({ id, data }) => data.type !== 'ready' && id > begins && id <= last);
  expect(stored(client.seen)).toEqual(stored(log.seen));
  expect(stored(client.seen).map(({ id }) => id)).toEqual(
    Array.from({ length: last - begins }, (_, index) => begins + index + 1),
  );
  expect(client.seen.filter(({ data }) => data.type === 'resync')).toEqual([]);
  expect(client.errors).toEqual([]);
}

/** Somebody reads what is written all the time. */
async function startStory(app: RealApp): Promise<{ token: string; client: EventClient; writer: Writer }> {
  const { reading: token, writing } = await tokensOf(app);
  const client = follow(app, token);
  await client.until(() => client.seen.length > 0);
  return { token, client, writer: startWriting(app, writing, 'a') };
}

/** The gate kills one of two, below. */
if (IS_FULL)
  test('a server that is killed in mid-stream loses nothing of what was written', async () => {
    const app = await cachedOne.running();
    const { token, writer, client: reader } = await startStory(app);
    await using client = reader;

    await killWhileReading(client, async () => {
      await app.kill();
      await app.restart();
    });
    await writer.stop();

    expect(writer.acknowledged.length).toBeGreaterThan((KILLS * EVENTS_BETWEEN_KILLS) / 2);
    await expectWhole(app, token, client, [writer]);
  });

test('a database that is killed in mid-stream loses nothing either, and no socket ends by it', async () => {
  const app = await cachedOne.running();
  const { token, writer, client: reader } = await startStory(app);
  await using client = reader;

  await killWhileReading(client, async () => {
    process.kill(mongodPidOf(app), 'SIGKILL');
  });
  const had = client.messages().length;
  await client.until(() => client.messages().length >= had + EVENTS_BETWEEN_KILLS);
  await writer.stop();

  await expectWhole(app, token, client, [writer]);
  expect(client.codes).toEqual([]);
});

test('two servers on one database tell each other, and one may be killed', async () => {
  const [one, two] = [await cachedOne.running(), await cachedTwo.running()];
  const { reading: token, writing } = await tokensOf(one);
  await using unaffected = follow(one, token);
  await using reader = follow(two, token);
  await reader.until(() => reader.seen.length > 0);
  await unaffected.until(() => unaffected.seen.length > 0);
  const writers = [startWriting(one, writing, 'one'), startWriting(two, writing, 'two')];

  await killWhileReading(reader, async () => {
    await two.kill();
    await two.restart();
  });
  await Promise.all(writers.map((writer) => writer.stop()));

  await expectWhole(two, token, reader, writers);
  await expectWhole(one, token, unaffected, writers);
  expect(unaffected.codes).toEqual([]);
});
