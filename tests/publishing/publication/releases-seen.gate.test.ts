import { expect, test } from 'vitest';
import type { Deployment } from '../../../routers/schemas/deployments.ts';
import type { ReleaseDetail } from '../../../routers/schemas/releases.ts';
import { MAINTENANCE } from '../../../server/database/models/account-scope.ts';
import { PublicationModel, publicationId } from '../../../server/database/models/publishing/publication.ts';
import { ReleaseModel } from '../../../server/database/models/publishing/release.ts';
import type { ArtifactStore } from '../../../server/store/store.ts';
import type { Person } from '../../support/app.ts';
import { createPublishingApp, type PublishingApp, publish, type Site, sha256Of } from '../../support/publishing.ts';
import { IS_FULL } from '../../support/size.ts';

const PAGES = IS_FULL ? 150 : 104;
const SAMPLE = 100;
const LARGEST = 20;

function makeSite(pages = PAGES): Site {
  const names = Array.from({ length: pages }, (_, number) => `pages/${number}.html`);
  return Object.fromEntries(names.map((name) => [name, `<h1>${name}</h1>`]));
}

/** Counts what the work on a release costs: addresses that it fetches, and contents that it opens in the store. */
function countCosts(app: PublishingApp) {
  const fetched: URL[] = [];
  const opened: string[] = [];
  const { egress, store } = app.providers;
  const counting: Pick<ArtifactStore, 'open' | 'readWhole'> = {
    open: (sha256) => {
      opened.push(sha256);
      return store.open(sha256);
    },
    readWhole: (sha256) => {
      opened.push(sha256);
      return store.readWhole(sha256);
    },
  };
  // The host was made with the store itself: what it reads for its visitors is not counted.
  app.providers.store = { ...store, ...counting };
  app.providers.egress = {
    request: (url, request, read) => {
      fetched.push(new URL(url));
      return egress.request(url, request, read);
    },
  };
  const take = () => {
    const own = fetched.filter(({ hostname }) => /^r\d+--/.test(hostname)).map(({ pathname }) => pathname.slice(1));
    const costs = { own, publicCount: fetched.length - own.length, opened: [...opened] };
    fetched.length = 0;
    opened.length = 0;
    return costs;
  };
  return { take };
}

async function createSubject(app: PublishingApp) {
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name: 'Counted', platform: 'built-in' });
  const costs = countCosts(app);
  const release = async (site: Site) => {
    const published = await publish(app, person, deployment, site);
    return { ...published, costs: costs.take() };
  };
  return { person, deployment, release };
}

function contentsOf(site: Site, opened: readonly string[]): string[] {
  const paths = new Map(Object.entries(site).map(([path, text]) => [sha256Of(text), path]));
  return opened.flatMap((sha256) => paths.get(sha256) ?? []);
}

test('the cost of a release follows its change: one file of many is inspected, read and fetched', async () => {
  await using app = await createPublishingApp();
  const { release } = await createSubject(app);
  const site = makeSite();
  const first = await release(site);
  expect(first.state).toBe('live');
  expect([...first.costs.own].sort()).toEqual(Object.keys(site).sort());
  expect(new Set(contentsOf(site, first.costs.opened))).toEqual(new Set(Object.keys(site)));

  const changed = { ...site, 'pages/7.html': '<h1>Changed</h1>' };
  const second = await release(changed);
  expect(second.state).toBe('live');
  // Looked into for what a person should know, and read through before visitors are sent to it.
  expect(contentsOf(changed, second.costs.opened)).toEqual(['pages/7.html', 'pages/7.html']);
  expect(second.costs.own).toHaveLength(1 + SAMPLE);
  expect(second.costs.own).toContain('pages/7.html');
  expect(new Set(second.costs.own).size).toBe(1 + SAMPLE);
  // And a page that does not exist, and the entry page once more, for what it names.
  expect(second.costs.publicCount).toBe(LARGEST + 2);
  const log = second.steps.find(({ name }) => name === 'verifying')?.log.map(({ text }) => text);
  expect(log?.[0]).toBe(
    `1 new or changed file and 100 of ${PAGES - 1} unchanged files match your upload at the release’s own address (random sample, seed ${second.id})`,
  );
});

const RULES = { _redirects: '/old /pages/1.html 301', _headers: '/*\n  X-Test: 1' };

async function publishedTwice(change: (site: Site, person: Person, deployment: Deployment) => Promise<Site>) {
  await using app = await createPublishingApp();
  const { release, person, deployment } = await createSubject(app);
  const site = { ...makeSite(), ...RULES };
  await release(site);
  return (await release(await change(site, person, deployment))).costs.own.length;
}

type Change = [string, Parameters<typeof publishedTwice>[0], number];
const CHANGES: Change[] = [
  ['nothing changes', async (site) => site, SAMPLE],
  ['its redirects change', async (site) => ({ ...site, _redirects: '/older /pages/1.html 301' }), PAGES],
  ['its headers go', async ({ _headers: _, ...site }) => site, PAGES],
  [
    'its addresses lose their endings',
    async (site, person, { id: deploymentId, hasCleanUrls }) => {
      await person.caller.deployments.update({ deploymentId, hasCleanUrls: !hasCleanUrls });
      return site;
    },
    PAGES,
  ],
];
/** One that changes nothing, and one that does. */
const ONE_OF_EACH = CHANGES.slice(0, 2);

test.each(IS_FULL ? CHANGES : ONE_OF_EACH)(
  'all files are fetched again when what decides over them changes: %s',
  async (_, change, count) => {
    expect(await publishedTwice(change)).toBe(count);
  },
);

async function destinationOf(release: ReleaseDetail) {
  const ids = { releaseId: release.id, destinationId: release.destinations[0]?.id ?? '' };
  return PublicationModel.findById(publicationId(ids)).setOptions(MAINTENANCE);
}

test('only what a verified release has shown under the same conditions counts as seen', async () => {
  await using app = await createPublishingApp();
  const { release, person, deployment } = await createSubject(app);
  const site = makeSite();
  const first = await release(site);
  const { store } = app.providers;
  const other = { ...site, 'pages/8.html': 'never seen live' };
  // It is lost before it can be shown, so that the release fails and its other files stay as they were.
  app.providers.store = {
    ...store,
    open: async (sha256) => (sha256 === sha256Of('never seen live') ? store.open('0'.repeat(64)) : store.open(sha256)),
  };
  expect((await release(other)).state).toBe('failed');
  app.providers.store = store;
  const third = await release(other);
  expect(third.costs.own).toContain('pages/8.html');
  expect(third.costs.own).toHaveLength(1 + SAMPLE);

  // Another store, or another place: as an operator may have moved the installation meanwhile.
  app.providers.store = { ...store, id: 'another store' };
  expect((await release(other)).costs.own).toHaveLength(PAGES);
  app.providers.store = store;
  // What the latest release saw was seen in another store; what visitors have now was not.
  await person.caller.deployments.rollBack({ deploymentId: deployment.id, releaseId: third.id });
  await app.jobs.drain();
  expect((await release(other)).costs.own).toHaveLength(SAMPLE);
  expect((await destinationOf(first))?.verifiedUnder).toBe((await destinationOf(third))?.verifiedUnder);
});

test('a file that the store had lost is fetched again, and a lost list of files fails no later release', async () => {
  await using app = await createPublishingApp();
  const { release } = await createSubject(app);
  const site = makeSite();
  const { id } = await release(site);
  const lost = { path: 'pages/9.html', sha256: sha256Of(site['pages/9.html'] ?? '') };
  await ReleaseModel.updateOne({ _id: id }, { $set: { corruptedFiles: [lost] } }).setOptions(MAINTENANCE);
  const second = await release(site);
  expect(second.costs.own).toHaveLength(1 + SAMPLE);
  expect(second.costs.own).toContain('pages/9.html');
  expect(contentsOf(site, second.costs.opened)).toEqual(['pages/9.html']);

  const { manifestHash } = await ReleaseModel.findOne({ _id: second.id }).setOptions(MAINTENANCE).orFail();
  await app.providers.store.remove(manifestHash);
  const third = await release({ ...site, 'pages/10.html': 'other' });
  expect(third).toMatchObject({ state: 'live', changedFiles: PAGES });
  expect(third.costs.own).toHaveLength(PAGES);
});
