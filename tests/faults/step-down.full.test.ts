import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { readOutbox } from '../../server/account/mail/outbox.ts';
import { type Account, clientOf, openAccount, releaseEnd, startPublish } from '../support/api-account.ts';
import { startOwnReplicaSet } from '../support/own-replica-set.ts';
import { type RealApp, startRealApp } from '../support/real-app.ts';

const STEP_DOWNS = 24;
/** The number of people who request another password, in turn. */
const FORGETFUL = STEP_DOWNS * 4;
const PATIENCE = { timeout: 50_000, interval: 20 };
const PASSWORD = 'Correct horse 1';
const NEW_PASSWORD = 'Correct horse 2';

type Outcomes = { acknowledged: string[]; refused: string[] };
const noOutcomes = (): Outcomes => ({ acknowledged: [], refused: [] });

/** Does something again and again until told to stop, and notes what the app has said of each. */
async function keepTrying(
  outcomes: Outcomes,
  until: AbortSignal,
  attempt: (number: number) => Promise<{ name: string; isDone: boolean } | null>,
): Promise<void> {
  for (let number = 1; !until.aborted; number += 1) {
    const outcome = await attempt(number);
    if (outcome === null) await wait(100);
    else outcomes[outcome.isDone ? 'acknowledged' : 'refused'].push(outcome.name);
  }
}

const isAnswered = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    () => false,
  );

async function post(app: RealApp, path: string, body: unknown): Promise<boolean> {
  const answer = await fetch(`${app.url}/api/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await answer.text();
  return answer.ok;
}

const emailOf = (username: string): string => `${username.replaceAll(' ', '.')}@example.com`;

const register = (app: RealApp, username: string): Promise<boolean> =>
  post(app, 'register', { username, email: emailOf(username), password: PASSWORD });

/** Returns the token of the link that was mailed to this person; null when there is none yet. */
async function mailedToken(app: RealApp, username: string): Promise<string | null> {
  const mails = await readOutbox(join(app.dataDir, 'outbox'));
  const mail = mails.findLast(({ to, kind }) => to === emailOf(username) && kind === 'reset-password');
  return mail === undefined ? null : (/#.*?token=([\w-]+)/.exec(mail.text)?.[1] ?? null);
}

/** Asks for a link, waits for its mail, and sets another password by it. Null when no link came. */
async function reset(app: RealApp, username: string): Promise<{ name: string; isDone: boolean } | null> {
  const { auth } = clientOf({ url: app.url, token: '', username, password: PASSWORD });
  if (!(await isAnswered(auth.forgotPassword.mutate({ email: emailOf(username) })))) return null;
  for (let look = 0; look < 100; look += 1) {
    const token = await mailedToken(app, username);
    if (token !== null) {
      return { name: username, isDone: await isAnswered(auth.resetPassword.mutate({ token, password: NEW_PASSWORD })) };
    }
    await wait(100);
  }
  return null;
}

async function release(account: Account, deploymentId: string, number: number) {
  let id = '';
  const files = { 'index.html': `release ${number} of ${account.username}` };
  const isDone = await isAnswered(
    startPublish(account, { deploymentId }, files).then(({ release: made }) => {
      id = made.id;
    }),
  );
  // The next one would be refused while this one is on its way.
  if (isDone) for (let isOver = false; !isOver; ) isOver = await isAnswered(releaseEnd(account, id));
  return { name: id, isDone };
}

/** Asks again while the database is changing its primary. */
async function signsIn(app: RealApp, username: string, password: string): Promise<boolean> {
  for (;;) {
    const answer = await fetch(`${app.url}/api/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password }),
    });
    await answer.text();
    if (answer.status !== 503) return answer.ok;
    await wait(500);
  }
}

test('while the primary steps down again and again no acknowledged write is lost, and none that was refused is done', async () => {
  await using database = await startOwnReplicaSet();
  await using app = await startRealApp({ MONGODB_URI: database.uri });
  const publisher = await openAccount(app.url, 'publisher', PASSWORD);
  const { id: deploymentId } = await clientOf(publisher).deployments.create.mutate({ name: 'A', platform: 'built-in' });
  const forgetful = Array.from({ length: FORGETFUL }, (_, number) => `forgetful ${number}`);
  // One after the other: the app refuses some of so many at once.
  for (const username of forgetful) expect(await register(app, username)).toBe(true);

  const [registrations, releases, resets] = [noOutcomes(), noOutcomes(), noOutcomes()];
  const stop = new AbortController();
  const tries = [
    ...['a', 'b'].map((writer) =>
      keepTrying(registrations, stop.signal, async (number) => {
        const name = `person ${writer} ${number}`;
        return { name, isDone: await register(app, name) };
      }),
    ),
    keepTrying(releases, stop.signal, (number) => release(publisher, deploymentId, number)),
    keepTrying(resets, stop.signal, async (number) => {
      const username = forgetful[number - 1];
      return username === undefined ? null : reset(app, username);
    }),
  ];
  const goOn = async (): Promise<void> => {
    const [persons, made] = [registrations.acknowledged.length, releases.acknowledged.length];
    await expect.poll(() => registrations.acknowledged.length, PATIENCE).toBeGreaterThan(persons + 2);
    await expect.poll(() => releases.acknowledged.length, PATIENCE).toBeGreaterThan(made);
  };
  await expect.poll(() => resets.acknowledged.length, PATIENCE).toBeGreaterThan(0);
  for (let stepDowns = 0; stepDowns < STEP_DOWNS; ) {
    // In the middle of everything, and not before it has gone on after the one before.
    await goOn();
    if (await database.stepDown()) stepDowns += 1;
  }
  await goOn();
  stop.abort();
  await Promise.all(tries);

  const names = new Set(await database.database.collection('users').distinct('username'));
  expect(registrations.acknowledged.filter((name) => !names.has(name))).toEqual([]);
  expect(registrations.refused.filter((name) => names.has(name))).toEqual([]);
  const made = await database.database.collection('releases').find({}).toArray();
  expect(made.map(({ _id }) => String(_id)).sort()).toEqual([...releases.acknowledged].sort());
  expect(made.filter(({ state }) => state !== 'live' && state !== 'superseded')).toEqual([]);
  for (const username of resets.acknowledged) expect(await signsIn(app, username, NEW_PASSWORD)).toBe(true);
  for (const username of resets.refused) expect(await signsIn(app, username, PASSWORD)).toBe(true);
  expect(Math.min(...[registrations, releases, resets].map(({ acknowledged }) => acknowledged.length))).toBeGreaterThan(
    0,
  );
  console.log(
    JSON.stringify({
      stepDowns: STEP_DOWNS,
      registrations: registrations.acknowledged.length,
      refused: registrations.refused.length,
    }),
  );
});
