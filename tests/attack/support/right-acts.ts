import { type Account, clientOf, type LiveSite, startPublish } from '../../support/api-account.ts';
import { get } from '../../support/get.ts';
import type { Random } from '../../support/random.ts';
import type { AttackedApp } from './attacked-app.ts';
import { faultOf } from './call.ts';
import { sendFiles } from './file-acts.ts';
import type { createPersonCalls } from './person-calls.ts';
import { useSockets } from './socket-acts.ts';
import { inputFor, type KnownIds, type Procedure } from './surface.ts';

export type GreedyAccount = {
  attacked: AttackedApp;
  account: Account;
  sites: readonly LiveSite[];
  known: KnownIds;
  calls: ReturnType<typeof createPersonCalls>;
};

/** An account that calls one of these soon takes itself out of the test. */
const ENDS_ITSELF = /^(account\.|auth\.logout|deployments\.(remove|update)|subscription\.)/;

export type Act = (random: Random, who: GreedyAccount) => Promise<string[]>;

/** Every procedure of the router, with an input that it takes as far as its schema tells. */
const callAny: Act = (random, who) => {
  const may = ({ path, type }: Procedure): boolean => type !== 'subscription' && !ENDS_ITSELF.test(path);
  return callRight(random, who, random.pick(who.attacked.procedures.filter(may)));
};

async function callRight(random: Random, { attacked, account, known }: GreedyAccount, called: Procedure) {
  const json = JSON.stringify({ json: inputFor(called.input, random, known) });
  const isRead = called.type === 'query';
  return faultOf(attacked.app.url, {
    method: isRead ? 'GET' : 'POST',
    path: `/api/trpc/${called.path}${isRead ? `?input=${encodeURIComponent(json)}` : ''}`,
    headers: { authorization: `Bearer ${account.token}`, ...(!isRead && { 'content-type': 'application/json' }) },
    body: isRead ? '' : json,
  });
}

/** Calls the most expensive procedures more often than by chance. */
const callOften = (...paths: string[]): Act => {
  return (random, who) => {
    const wanted = random.pick(paths);
    const called = who.attacked.procedures.find(({ path }) => path === wanted);
    if (called === undefined) throw new Error(`There is no procedure ${wanted}.`);
    return callRight(random, who, called);
  };
};

const release: Act = async (random, { account, sites, calls }) => {
  const { deploymentId } = random.pick(sites);
  const files = Object.fromEntries(random.many(1, 20, () => [`${random.below(1e9)}.txt`, random.bytes(1_000)]));
  const index = `<h1>${random.below(1e9)}</h1>`;
  await calls.ask(() => startPublish(account, { deploymentId }, { ...files, 'index.html': index }));
  return [];
};

/** Cancels a new release at once and tries again, as often as the hour allows. */
const cancelAndRetry: Act = async (random, { account, sites, calls }) => {
  const { deploymentId } = random.pick(sites);
  const { releases } = clientOf(account);
  const begun = await calls.ask(() =>
    startPublish(account, { deploymentId }, { 'index.html': `${random.below(1e9)}` }),
  );
  let releaseId = begun?.release.id;
  for (let again = 0; releaseId !== undefined && again < 5; again += 1) {
    const cancelled = releaseId;
    await calls.ask((options) => releases.cancel.mutate({ releaseId: cancelled }, options));
    releaseId = (await calls.ask((options) => releases.retry.mutate({ releaseId: cancelled }, options)))?.id;
  }
  return [];
};

const upload: Act = async (random, { attacked, account, sites, calls }) => {
  const { deploymentId } = random.pick(sites);
  const opened = await calls.ask((options) => clientOf(account).releases.prepare.mutate({ deploymentId }, options));
  if (opened === null) return [];
  const files = Array.from({ length: 300 }, (_, number) => {
    return { path: `${number}.txt`, sha256: random.bytes(32).toString('hex'), sizeBytes: 1 + random.below(1_000) };
  });
  return faultOf(attacked.app.url, {
    method: 'PUT',
    path: `/api/uploads/${opened.uploadId}/manifest`,
    headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ files }),
  });
};

function post(url: string, path: string, body: unknown): Promise<string[]> {
  const headers = { 'content-type': 'application/json' };
  return faultOf(url, { method: 'POST', path, headers, body: JSON.stringify(body) });
}

const signIn: Act = (random, { attacked, account: { username, password } }) =>
  post(attacked.app.url, '/api/login', { username, password: random.chance(0.5) ? password : 'Another anchor 1' });

const registration: Act = (random, { attacked }) => {
  const username = `greedy-${random.below(1e9)}`;
  const email = `${username}@example.com`;
  return post(attacked.app.url, '/api/register', { username, email, password: 'Anchor weigh 1' });
};

const firstVisit: Act = async (random, { attacked, sites }) => {
  const { slug } = random.pick(sites);
  const host = `r${1 + random.below(30)}--${slug}.localhost:${attacked.app.sitesPort}`;
  const { status } = await get(attacked.app.sitesPort, host, `/${random.below(1e6)}.txt`, {
    headers: { 'user-agent': `Browser ${random.below(1e6)}` },
  });
  return status === 500 ? [`500 came for ${host}`] : [];
};

const ACTS: readonly Act[] = [
  ...[
    callAny,
    callAny,
    release,
    cancelAndRetry,
    upload,
    sendFiles,
    sendFiles,
    useSockets,
    signIn,
    registration,
    firstVisit,
  ],
  callOften('events.sendTest', 'deployments.rollBack'),
];

/** Something that an account may do, chosen anew for each round. */
export function rightAct(random: Random, who: GreedyAccount): Promise<string[]> {
  return random.pick(ACTS)(random, who);
}
