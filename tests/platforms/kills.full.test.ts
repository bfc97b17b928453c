import { expect, test } from 'vitest';
import type { Deployment } from '../../routers/schemas/deployments.ts';
import type { Release } from '../../routers/schemas/releases.ts';
import { createPlatformApp, ONE, type PlatformApp, type Played, TWO } from '../support/platform-app.ts';
import type { Site } from '../support/publishing.ts';
import { diesAt } from '../support/publishing-that-dies.ts';
import { netlifyUnderTest } from '../support/standins/netlify/world.ts';
import { renderUnderTest } from '../support/standins/render/world.ts';
import { TOKEN } from '../support/standins/stand-in.ts';
import { vercelUnderTest } from '../support/standins/vercel/world.ts';

const PLAYED: readonly { name: string; make: () => Promise<Played> }[] = [
  { name: 'Netlify', make: netlifyUnderTest },
  { name: 'Vercel', make: vercelUnderTest },
  { name: 'Render', make: renderUnderTest },
];

const INTERRUPTED = 'Continued after an interruption';
/** Each try is played at a port of its own. */
const ADDRESS = /https?:\S+/;
/**
 * The times of writes are nothing that was made. A commit that no branch leads to is seen by nobody, and Git collects it:
 * the others are the releases of a repository.
 */
const NOT_MADE = ['.writes', '.commits', '.commits.parents'];

const FIRST: Site = { ...ONE, 'old.txt': 'old' };
const SECOND: Site = { ...TWO, 'new.txt': 'new' };

/** Queues what is killed, and says what visitors get once it has ended. */
type Act = (
  app: PlatformApp,
  deployment: Deployment,
) => Promise<{ release: Pick<Release, 'id'>; site: Site; gone: string }>;

const ACTS: readonly { act: string; begin: Act }[] = [
  {
    act: 'the first release',
    begin: async (app, deployment) => ({ release: await app.start(deployment, FIRST), site: FIRST, gone: 'new.txt' }),
  },
  {
    act: 'a release of changed files',
    begin: async (app, deployment) => {
      await app.publish(deployment, FIRST);
      return { release: await app.start(deployment, SECOND), site: SECOND, gone: 'old.txt' };
    },
  },
  {
    act: 'a roll back',
    begin: async (app, { id: deploymentId }) => {
      const release = await app.publish({ id: deploymentId }, FIRST);
      await app.publish({ id: deploymentId }, SECOND);
      await app.deployments.rollBack({ deploymentId, releaseId: release.id });
      return { release, site: FIRST, gone: 'new.txt' };
    },
  },
];

/** Kills the process of an act there and has the next one go on. Returns what is at the platform then, and the log. */
async function endOf(make: () => Promise<Played>, begin: Act, boundary: string) {
  await using app = await createPlatformApp(make);
  const { release, site, gone } = await begin(app, await app.create('Killed'));
  const wasKilled = await diesAt(app, boundary);
  const ended = await app.settled(release);
  expect(ended, boundary).toMatchObject({ state: 'live', error: null });
  for (const [path, text] of Object.entries(site)) {
    expect(await app.textAt(ended.url, path === 'index.html' ? '/' : `/${path}`), boundary).toBe(text);
  }
  expect(await app.textAt(ended.url, `/${gone}`), boundary).not.toBe({ ...FIRST, ...SECOND }[gone]);
  expect(JSON.stringify(ended), boundary).not.toContain(TOKEN);
  expect(new Set(ended.steps.map(({ state }) => state)), boundary).toEqual(new Set(['done']));
  const lines = ended.steps.flatMap(({ log }) => log.map(({ text }) => text.replace(ADDRESS, '')));
  const things = { ...countThings(app.standIn.state), releases: await app.world.countReleases() };
  return { wasKilled, things, lines };
}

/** Counts what is in each list and map of a state, all of one kind together: `.services.deploys` are those of any service. */
function countThings(value: unknown, path = '', counts: Record<string, number> = {}): Record<string, number> {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return counts;
  if (value instanceof Map || value instanceof Set || Array.isArray(value)) {
    const items = [...value.values()];
    if (!NOT_MADE.some((name) => path.endsWith(name))) counts[path] = (counts[path] ?? 0) + items.length;
    for (const item of items) countThings(item, path, counts);
  } else {
    for (const [name, field] of Object.entries(value)) countThings(field, `${path}.${name}`, counts);
  }
  return counts;
}

const EACH = PLAYED.flatMap((one) => ACTS.map((other) => ({ ...one, ...other })));

/**
 * Between two requests that change something there, only this side changes: a kill before the next and one after the last
 * are all that the platform can tell apart. Each try has a platform of its own, since Render takes twenty services an hour.
 */
test.each(EACH)(
  'at $name, $act, killed before and after each change there: it ends as without a kill, and the log says so',
  async ({ make, begin }) => {
    const whole = await endOf(make, begin, 'never');
    expect(whole.wasKilled).toBe(false);
    const known = new Set([...whole.lines, INTERRUPTED]);
    for (const moment of ['before', 'after']) {
      let change = 0;
      for (let wasKilled = true; wasKilled; ) {
        change += 1;
        const boundary = `${moment}:${change}`;
        const killed = await endOf(make, begin, boundary);
        ({ wasKilled } = killed);
        expect(killed.things, boundary).toEqual(whole.things);
        expect(
          killed.lines.filter((line) => !known.has(line)),
          boundary,
        ).toEqual([]);
        expect(
          killed.lines.filter((line) => line === INTERRUPTED),
          boundary,
        ).toHaveLength(wasKilled ? 1 : 0);
      }
      expect(change).toBeGreaterThan(1);
    }
  },
);
