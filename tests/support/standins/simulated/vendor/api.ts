import * as z from 'zod/mini';
import { gitBlobHash } from '../../../../../server/platforms/git-blob.ts';
import { DOMAIN_ROUTES, domainsOf, dropDomain } from './domains.ts';
import { type Records, type ReleaseRecord, type SiteRecord, sha256Of } from './records.ts';
import {
  json,
  NOT_THERE,
  ok,
  refused,
  type VendorCall,
  type VendorReply,
  type VendorRoute,
  withSite,
} from './route.ts';

const USUAL_STATES = ['queued', 'building'];

const newSite = z.object({ name: z.string(), owner: z.string() });
const newRelease = z.object({ key: z.string(), files: z.record(z.string(), z.string()) });
const newCommit = z.object({
  key: z.string(),
  parent: z.nullable(z.string()),
  files: z.record(z.string(), z.string()),
});
const newHead = z.object({ commit: z.string() });

/**
 * The API of the simulated platform. What is plain upload is shaped after Netlify's (digests first, then what is
 * missing), what goes through Git after GitHub's (blobs, a commit on top of its parent, a build).
 */
export const ROUTES: readonly VendorRoute[] = [
  {
    method: 'GET',
    path: '/account',
    step: 'account',
    answer: async () => ok({ name: 'Simulated person' }),
  },
  {
    method: 'GET',
    path: '/teams',
    step: 'account',
    answer: async () => ok({ teams: [{ id: 'team-1', name: 'Simulated team' }] }),
  },
  {
    method: 'GET',
    path: '/sites',
    step: 'look',
    answer: async ({ records, query, addressOf }) => {
      const site = await records.siteByName(query.get('name') ?? '');
      return ok({ sites: site === null ? [] : [siteBody(site, addressOf)] });
    },
  },
  { method: 'POST', path: '/sites', step: 'site', answer: createSite },
  {
    method: 'GET',
    path: '/sites/{id}',
    step: 'look',
    answer: (call) => withSite(call, async (site) => ok(siteBody(site, call.addressOf))),
  },
  {
    method: 'GET',
    path: '/sites/{id}/tree',
    step: 'look',
    answer: (call) =>
      withSite(call, async ({ head }) => {
        const release = head === null ? null : await call.records.read('releases', head);
        return ok({ head, files: release?.files ?? {} });
      }),
  },
  { method: 'DELETE', path: '/sites/{id}', step: 'remove', answer: removeSite },
  {
    method: 'GET',
    path: '/sites/{id}/releases',
    step: 'look',
    answer: async ({ parts, query, records, addressOf }) => {
      const all = await records.all('releases');
      const found = all.filter((one) => one.site === parts[0] && one.key === query.get('key'));
      return ok({ releases: await Promise.all(found.map((one) => releaseBody(one, records, addressOf))) });
    },
  },
  { method: 'POST', path: '/sites/{id}/releases', step: 'release', answer: createRelease },
  { method: 'POST', path: '/sites/{id}/blobs', step: 'upload', answer: createBlob },
  { method: 'POST', path: '/sites/{id}/commits', step: 'release', answer: createCommit },
  { method: 'PUT', path: '/sites/{id}/head', step: 'restore', answer: moveHead },
  { method: 'PUT', path: '/releases/{id}/files/{part}', step: 'upload', answer: receiveFile },
  { method: 'POST', path: '/releases/{id}/finish', step: 'finish', answer: finishRelease },
  { method: 'GET', path: '/releases/{id}', step: 'state', answer: lookAtRelease },
  { method: 'POST', path: '/releases/{id}/cancel', step: 'cancel', answer: cancelRelease },
  { method: 'POST', path: '/releases/{id}/publish', step: 'restore', answer: publishRelease },
  ...DOMAIN_ROUTES,
];

async function withRelease(
  call: VendorCall,
  work: (release: ReleaseRecord) => Promise<VendorReply>,
): Promise<VendorReply> {
  const release = await call.records.read('releases', call.parts[0] ?? '');
  return release === null ? NOT_THERE : work(release);
}

function siteBody(site: SiteRecord, addressOf: VendorCall['addressOf']) {
  const { id, name, owner, published, head } = site;
  return { id, name, owner, published, head, url: addressOf(name) };
}

async function releaseBody(release: ReleaseRecord, records: Records, addressOf: VendorCall['addressOf']) {
  const site = await records.read('sites', release.site);
  const { id, key, state } = release;
  return {
    id,
    key,
    state,
    url: site === null ? null : addressOf(site.name),
    own_url: site === null ? null : addressOf(`${id}--${site.name}`),
    required: state === 'uploading' ? await missingBlobs(release, records) : [],
  };
}

async function missingBlobs(release: ReleaseRecord, records: Records): Promise<string[]> {
  const digests = [...new Set(Object.values(release.files))];
  const here = await Promise.all(digests.map((digest) => records.hasBlob(digest)));
  return digests.filter((_digest, index) => !here[index]);
}

async function createSite({ body, records, addressOf }: VendorCall): Promise<VendorReply> {
  const { name, owner } = json(newSite, body);
  const site: SiteRecord = { id: records.newId(), name, owner, published: null, head: null };
  await records.write('sites', site);
  if (await records.takeName(name, site.id)) return ok(siteBody(site, addressOf), 201);
  await records.remove('sites', site.id);
  return refused(422, 'name_taken', 'name must be unique');
}

async function removeSite(call: VendorCall): Promise<VendorReply> {
  return withSite(call, async (site) => {
    for (const domain of await domainsOf(call.records, site.id)) await dropDomain(call.records, domain);
    await call.records.freeName(site.name);
    await call.records.remove('sites', site.id);
    return { status: 204 };
  });
}

async function createRelease(call: VendorCall): Promise<VendorReply> {
  return withSite(call, async (site) => {
    const { key, files } = json(newRelease, call.body);
    const plain = { id: call.records.newId(), site: site.id, key, files, ahead: [], goesPublic: false };
    const release = { ...plain, state: 'uploading' };
    await call.records.write('releases', release);
    return ok(await releaseBody(release, call.records, call.addressOf), 201);
  });
}

async function receiveFile(call: VendorCall): Promise<VendorReply> {
  return withRelease(call, async (release) => {
    const digest = call.parts[1] ?? '';
    if (release.state !== 'uploading') return refused(409, 'done', 'Release is already done');
    if (!Object.values(release.files).includes(digest)) return refused(422, 'unknown', 'File is not in the release');
    if (sha256Of(call.body) !== digest) return refused(422, 'mismatch', 'File did not match its digest');
    await call.records.writeBlob(digest, call.body);
    return ok({ digest });
  });
}

async function finishRelease(call: VendorCall): Promise<VendorReply> {
  return withRelease(call, async (release) => {
    if (release.state !== 'uploading') return ok(await releaseBody(release, call.records, call.addressOf));
    if ((await missingBlobs(release, call.records)).length > 0) return refused(409, 'incomplete', 'Files are missing');
    const [state = 'ready', ...ahead] = [...(call.states.length > 0 ? call.states : USUAL_STATES), 'ready'];
    await call.records.write('releases', { ...release, state, ahead });
    return ok(await releaseBody({ ...release, state }, call.records, call.addressOf));
  });
}

/** Each look moves it on by one state: it needs no clock. */
async function lookAtRelease(call: VendorCall): Promise<VendorReply> {
  return withRelease(call, async (release) => {
    const body = await releaseBody(release, call.records, call.addressOf);
    const [next, ...ahead] = release.ahead;
    if (next !== undefined) {
      await call.records.write('releases', { ...release, state: next, ahead });
      if (next === 'ready' && release.goesPublic) await makePublic(call.records, release);
    }
    return ok(body);
  });
}

async function makePublic(records: Records, release: ReleaseRecord): Promise<void> {
  const site = await records.read('sites', release.site);
  if (site !== null) await records.write('sites', { ...site, published: release.id });
}

async function cancelRelease(call: VendorCall): Promise<VendorReply> {
  return withRelease(call, async (release) => {
    if (release.state === 'ready') return refused(409, 'done', 'Release is already done');
    await call.records.write('releases', { ...release, state: 'cancelled', ahead: [] });
    return ok({});
  });
}

async function publishRelease(call: VendorCall): Promise<VendorReply> {
  return withRelease(call, async (release) => {
    if (release.state !== 'ready') return refused(422, 'unfinished', 'Release is not ready');
    await makePublic(call.records, release);
    return ok({});
  });
}

async function createBlob(call: VendorCall): Promise<VendorReply> {
  return withSite(call, async () => {
    const digest = gitBlobHash(call.body.length).update(call.body).digest('hex');
    await call.records.writeBlob(digest, call.body);
    return ok({ digest }, 201);
  });
}

async function createCommit(call: VendorCall): Promise<VendorReply> {
  return withSite(call, async (site) => {
    const { key, parent, files } = json(newCommit, call.body);
    if (parent !== site.head) return refused(409, 'moved', 'Update is not a fast forward');
    const [state = 'ready', ...ahead] = [...(call.states.length > 0 ? call.states : USUAL_STATES), 'ready'];
    const release = { id: call.records.newId(), site: site.id, key, files, state, ahead, goesPublic: true };
    const missing = await missingBlobs(release, call.records);
    if (missing.length > 0) return refused(422, 'unknown', `${missing.length} blobs do not exist`);
    await call.records.write('releases', release);
    await call.records.write('sites', { ...site, head: release.id });
    return ok(await releaseBody(release, call.records, call.addressOf), 201);
  });
}

/** The branch goes to an earlier commit, which is built again. */
async function moveHead(call: VendorCall): Promise<VendorReply> {
  return withSite(call, async (site) => {
    const release = await call.records.read('releases', json(newHead, call.body).commit);
    if (release === null || release.site !== site.id) return NOT_THERE;
    if (site.head === release.id && site.published === release.id) return ok({});
    const [state = 'ready', ...ahead] = [...USUAL_STATES, 'ready'];
    await call.records.write('releases', { ...release, state, ahead });
    await call.records.write('sites', { ...site, head: release.id });
    return ok({});
  });
}
