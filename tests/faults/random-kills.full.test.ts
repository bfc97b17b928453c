import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type Account, openAccount, publishSite, startPublish } from '../support/api-account.ts';
import { type OwnMongod, startOwnMongod } from '../support/own-mongod.ts';
import { type Random, randomOf, SEED } from '../support/random.ts';
import { type RealApp, startRealApp } from '../support/real-app.ts';
import { hashedSite, loadHashedSite, startVisiting, type Visits } from '../support/visitor.ts';

const KILLS = 100;
/**
 * More than are published at once: what a killed process worked on may not have come to its end by the next.
 */
const SITES = 6;
const AT_ONCE = 3;
/** A release of four files takes about this long. */
const RELEASE_MS = 700;
/** Within 90 s of the restart nothing is left running that nobody works on. */
const SETTLED_MS = 90_000;
const OVER = ['live', 'superseded', 'failed', 'cancelled'];

type Site = { account: Account; deploymentId: string; slug: string };
/** One try to make a release; without an answer nobody knows whether there is one. */
type Attempt = { site: Site; word: string; releaseId: string | null };
type ReleaseRow = { _id: string; deploymentId: string; number: number; state: string; manifestHash: string };
type DeploymentRow = { _id: string; state: string; currentReleaseId: string | null };

const deploymentsOf = ({ database }: OwnMongod) => database.collection<DeploymentRow>('deployments');
const releasesOf = ({ database }: OwnMongod) => database.collection<ReleaseRow>('releases');

async function openSite(app: RealApp, index: number): Promise<Site> {
  const account = await openAccount(app.url, `unlucky ${process.pid} ${index}`);
  const { deploymentId, slug } = await publishSite(account, `Unlucky ${index}`, hashedSite(`${index} first`));
  return { account, deploymentId, slug };
}

/** Returns a few sites on which nothing is under way, any of them; where all still are, later. */
async function chooseSites(mongod: OwnMongod, sites: Site[], random: Random): Promise<Site[]> {
  const giveUpAt = Date.now() + SETTLED_MS;
  while (Date.now() < giveUpAt) {
    const free = await deploymentsOf(mongod)
      .find({ state: { $in: ['live', 'failed'] } }, { projection: { _id: 1 } })
      .toArray();
    const ids = new Set(free.map(({ _id }) => _id));
    const settled = sites.filter(({ deploymentId }) => ids.has(deploymentId));
    if (settled.length > 0) return random.shuffled(settled).slice(0, AT_ONCE);
    await wait(250);
  }
  throw new Error(`Something is under way on every site for ${SETTLED_MS} ms.`);
}

async function attempt(attempts: Attempt[], site: Site): Promise<void> {
  const made: Attempt = { site, word: `${site.slug} ${attempts.length + 1}`, releaseId: null };
  attempts.push(made);
  // Killed in the middle of the call: that is what the test is about.
  await startPublish(site.account, site, hashedSite(made.word)).then(
    ({ release }) => {
      made.releaseId = release.id;
    },
    () => undefined,
  );
}

/** Tells whether the process is down at the moment, and how often it was. */
type Downtimes = { isDown: boolean; count: number };

/**
 * Kills at another moment each time, while the releases are at different stages. Returns false when none was on its
 * way.
 */
async function killDuringReleases(
  app: RealApp,
  mongod: OwnMongod,
  { sites, attempts, downtimes }: { sites: Site[]; attempts: Attempt[]; downtimes: Downtimes },
): Promise<boolean> {
  const random = randomOf(SEED, downtimes.count);
  const chosen = await chooseSites(mongod, sites, random);
  const calls = chosen.map((site) => attempt(attempts, site));
  await Promise.race(calls);
  await wait(random.below(RELEASE_MS));
  downtimes.count += 1;
  downtimes.isDown = true;
  await app.kill();
  const deploymentId = { $in: chosen.map((site) => site.deploymentId) };
  const running = await releasesOf(mongod).countDocuments({ deploymentId, state: { $nin: OVER } });
  await Promise.all(calls);
  await app.restart();
  downtimes.isDown = false;
  return running > 0;
}

/** Visits one site after the other. What has no answer while the process is gone is no fault; wrong bytes always are. */
function visitAll(app: RealApp, sites: Site[], downtimes: Downtimes): Visits {
  let next = 0;
  return startVisiting(async () => {
    const slug = sites[next++ % sites.length]?.slug ?? '';
    const before = downtimes.count;
    try {
      const { word, fault } = await loadHashedSite(app.sitesPort, `${slug}.localhost`);
      return word === '' || word.startsWith(slug) || word.endsWith('first') ? fault : `${slug} answered with ${word}`;
    } catch (error) {
      if (downtimes.isDown) await wait(20);
      return downtimes.isDown || downtimes.count !== before ? null : String(error);
    }
  });
}

function countOf<T>(items: T[], keyOf: (item: T) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(keyOf(item), (counts.get(keyOf(item)) ?? 0) + 1);
  return counts;
}

/** Counts the items whose key an earlier one has. */
function surplus<T>(items: T[], keyOf: (item: T) => string): number {
  return items.length - countOf(items, keyOf).size;
}

/** Sites whose pages are not wholly those of the release that the deployment points at. */
async function halfServed(
  app: RealApp,
  deployments: DeploymentRow[],
  attempts: Attempt[],
  sites: Site[],
): Promise<string[]> {
  const faults: string[] = [];
  for (const { deploymentId, slug } of sites) {
    const { word, fault } = await loadHashedSite(app.sitesPort, `${slug}.localhost`);
    const current = deployments.find(({ _id }) => _id === deploymentId)?.currentReleaseId;
    const known = attempts.find((made) => made.word === word)?.releaseId ?? null;
    if (fault !== null) faults.push(fault);
    else if (known !== null && known !== current) faults.push(`${slug} serves ${word}, and its pointer is elsewhere`);
  }
  return faults;
}

async function untilSettled(mongod: OwnMongod): Promise<void> {
  const giveUpAt = Date.now() + SETTLED_MS;
  while (Date.now() < giveUpAt) {
    if ((await releasesOf(mongod).countDocuments({ state: { $nin: OVER } })) === 0) return;
    await wait(500);
  }
}

type Rows = { releases: ReleaseRow[]; deployments: DeploymentRow[]; events: { payload: { releaseId: string } }[] };

async function readRows(mongod: OwnMongod): Promise<Rows> {
  const events = mongod.database.collection<{ type: string; payload: { releaseId: string } }>('events');
  return {
    releases: await releasesOf(mongod).find().toArray(),
    deployments: await deploymentsOf(mongod).find().toArray(),
    events: await events.find({ type: 'deployment_status' }).toArray(),
  };
}

function isLost({ releaseId }: Attempt, { releases }: Rows): boolean {
  return releaseId !== null && !releases.some(({ _id }) => _id === releaseId);
}

/** A number, a list of files or an end that came twice, or two releases that are live at once. */
function countDoubled({ releases, events }: Rows): number {
  return (
    surplus(releases, ({ deploymentId, number }) => `${deploymentId} ${number}`) +
    surplus(releases, ({ manifestHash }) => manifestHash) +
    surplus(
      releases.filter(({ state }) => state === 'live'),
      ({ deploymentId }) => deploymentId,
    ) +
    surplus(events, ({ payload }) => payload.releaseId)
  );
}

function countStuck({ releases, deployments }: Rows): number {
  const running = releases.filter(({ state }) => !OVER.includes(state));
  return running.length + deployments.filter(({ state }) => state !== 'live').length;
}

test(`killed at ${KILLS} random moments during releases: none is lost, doubled, half-served or stuck`, async () => {
  await using mongod = await startOwnMongod();
  await using app = await startRealApp({ MONGODB_URI: mongod.uri });
  const sites = await Promise.all(Array.from({ length: SITES }, (_, index) => openSite(app, index)));
  const attempts: Attempt[] = [];
  const downtimes = { isDown: false, count: 0 };
  const visits = visitAll(app, sites, downtimes);

  for (let kills = 0; kills < KILLS; ) {
    if (await killDuringReleases(app, mongod, { sites, attempts, downtimes })) kills += 1;
  }
  await untilSettled(mongod);
  await visits.stop();

  const rows = await readRows(mongod);
  const half = [...visits.wrong, ...(await halfServed(app, rows.deployments, attempts, sites))];
  const count = {
    lost: attempts.filter((made) => isLost(made, rows)).length,
    doubled: countDoubled(rows),
    halfServed: half.length,
    stuck: countStuck(rows),
  };
  console.log(
    `${KILLS} kills in ${downtimes.count} rounds, ${attempts.length} tries, ${rows.releases.length} releases, ` +
      `${visits.count} visits: ${count.lost} lost, ${count.doubled} doubled, ${count.halfServed} half-served, ${count.stuck} stuck (TEST_SEED=${SEED})`,
  );
  expect(half).toEqual([]);
  expect(count).toEqual({ lost: 0, doubled: 0, halfServed: 0, stuck: 0 });
  expect(rows.releases.length).toBeGreaterThanOrEqual(SITES + KILLS);
});
