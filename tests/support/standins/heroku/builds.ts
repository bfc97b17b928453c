import { createHash, randomUUID } from 'node:crypto';
import * as z from 'zod/mini';
import { at, type Reply, type Route } from '../stand-in.ts';
import { commandOf, unpack } from './dyno.ts';
import {
  type App,
  type Build,
  bodyIn,
  type Call,
  currentOf,
  type HerokuState,
  NOW,
  OWNER,
  type Release,
  refused,
  withApp,
} from './state.ts';

const buildSchema = z.strictObject({
  source_blob: z.strictObject({
    url: z.string(),
    checksum: z.optional(z.string()),
    version: z.optional(z.string()),
    version_description: z.optional(z.string()),
  }),
  buildpacks: z.optional(z.array(z.object({ name: z.optional(z.string()), url: z.optional(z.string()) }))),
});
const rollBackSchema = z.object({ release: z.string() });
/** Heroku's own words for the ends of a build. */
const ENDS: Readonly<Record<string, string>> = { error: 'failed' };
const DESCRIBED = ['pending', 'succeeded', 'failed', 'expired'];
const NO_BUILD = refused(404, 'not_found', 'Couldn’t find that build.');

export const buildRoutes: readonly Route<HerokuState>[] = [
  at('POST', '/sources', 'release', async ({ state, origin }) => {
    const id = randomUUID();
    state.sources.set(id, null);
    const [put_url, get_url] = [`${origin}/storage/${id}?Signature=put`, `${origin}/storage/${id}?Signature=get`];
    return { status: 201, body: { source_blob: { put_url, get_url } } };
  }),
  at('PUT', '/storage/{id}', 'upload', store, { isOpen: true, isUndescribed: true }),
  at('POST', '/apps/{app}/builds', 'finish', async (call) => {
    const gone = withApp(call, () => ({ status: 200 }));
    return gone.status === 200 ? build(call) : gone;
  }),
  at('GET', '/apps/{app}/builds', 'look', async (call) =>
    withApp(call, (app) => ({ status: 200, body: app.builds.map((one) => shown(call, app, one)) })),
  ),
  at('GET', '/apps/{app}/builds/{build}', 'state', async (call) =>
    withBuild(call, (app, one) => {
      advance(call.state, app, one);
      return answer(one.status, shown(call, app, one));
    }),
  ),
  at('DELETE', '/apps/{app}/builds/{build}', 'cancel', async (call) =>
    withBuild(call, (app, one) => {
      if (one.ahead.length === 0) return refused(409, 'conflict', 'The build is not running.');
      Object.assign(one, { status: 'failed', ahead: [], output: `${one.output} !     Build cancelled.\n` });
      return { status: 200, body: shown(call, app, one) };
    }),
  ),
  at(
    'GET',
    '/streams/{build}',
    'state',
    async ({ state, parts }) => {
      const all = [...state.apps.values()].flatMap(({ builds }) => builds);
      return { status: 200, body: all.find(({ id }) => id === parts[0])?.output ?? '' };
    },
    { isOpen: true, isUndescribed: true },
  ),
  at('GET', '/apps/{app}/releases', 'restore', async (call) =>
    withApp(call, (app) => {
      const isNewestFirst = /order=desc/.test(String(call.headers.range ?? ''));
      const listed = app.releases.map((release) => shownRelease(app, release));
      return { status: 200, body: isNewestFirst ? listed.toReversed() : listed };
    }),
  ),
  at('GET', '/apps/{app}/releases/{release}', 'state', async (call) =>
    withApp(call, (app) => {
      const release = app.releases.find(({ id }) => id === call.parts[1]);
      if (release === undefined) return refused(404, 'not_found', 'Couldn’t find that release.');
      if (release.status === 'pending') release.status = release.endsAs;
      return answer(release.status, shownRelease(app, release));
    }),
  ),
  at('POST', '/apps/{app}/releases', 'restore', async (call) =>
    withApp(call, (app) => {
      const { release: wanted } = rollBackSchema.parse(bodyIn(call));
      const earlier = app.releases.find(({ id }) => id === wanted);
      if (earlier === undefined) return refused(422, 'invalid_params', 'This release cannot be rolled back to.');
      const { slug, archive } = earlier;
      return { status: 201, body: shownRelease(app, addRelease(app, { slug, archive, endsAs: 'succeeded' })) };
    }),
  ),
];

/** The storage behind the addresses: what is signed has no media type, and no token belongs there. */
async function store({ state, parts, query, headers, body }: Call): Promise<Reply> {
  const isSigned = query.get('Signature') === 'put' && state.sources.has(parts[0] ?? '');
  if (!isSigned || headers['content-type'] !== undefined || headers.authorization !== undefined) {
    return { status: 403, body: '<Error><Code>SignatureDoesNotMatch</Code></Error>' };
  }
  if (headers['content-length'] === undefined)
    return { status: 411, body: '<Error><Code>MissingContentLength</Code></Error>' };
  state.sources.set(parts[0] ?? '', body);
  return { status: 200 };
}

async function build(call: Call): Promise<Reply> {
  const { state, states } = call;
  const parsed = buildSchema.safeParse(bodyIn(call));
  if (!parsed.success) return refused(422, 'invalid_params', 'Unknown parameter.');
  const { source_blob: source } = parsed.data;
  const address = new URL(source.url);
  const archive = state.sources.get(address.pathname.split('/').at(-1) ?? '');
  if (!archive || address.searchParams.get('Signature') !== 'get') {
    return refused(422, 'invalid_params', 'The source blob cannot be fetched.');
  }
  const checksum = `SHA256:${createHash('sha256').update(archive).digest('hex')}`;
  if (source.checksum !== undefined && source.checksum !== checksum) {
    return refused(422, 'invalid_params', 'The checksum of the source blob does not match.');
  }
  const fault = await faultOf(archive);
  const through = states.length === 0 ? ['pending', 'pending'] : states.map((state) => ENDS[state] ?? state);
  const one: Build = {
    id: randomUUID(),
    status: 'pending',
    ahead: [...through, fault === null ? 'succeeded' : 'failed'],
    source,
    output: `-----> Building on the Heroku-24 stack\n-----> Node.js app detected\n${fault === null ? '' : ` !     ${fault}\n`}`,
    slug: randomUUID(),
    archive,
    release: null,
  };
  return withApp(call, (app) => {
    app.builds.push(one);
    return { status: 201, body: shown(call, app, one) };
  });
}

/** Returns the error that a build would print of it; null for an app that starts. */
async function faultOf(archive: Buffer): Promise<string | null> {
  const files = await unpack(archive).catch((error: unknown) => String(error));
  if (typeof files === 'string') return files;
  if (!files.has('package.json')) return 'No default language could be detected for this app.';
  return commandOf(files) === null ? 'Procfile declares types -> (none)' : null;
}

/** Moves the build on by one state. */
function advance({ quirks }: HerokuState, app: App, one: Build): void {
  const next = one.ahead.shift();
  if (next === undefined) return;
  one.status = next;
  if (next === 'failed') one.ahead = [];
  if (next !== 'succeeded' || one.release !== null) return;
  const { slug, archive } = one;
  one.release = addRelease(app, { slug, archive, endsAs: quirks.releaseStatus ?? 'succeeded' }).id;
  // The first release of a process starts one.
  if (app.releases.length === 1) app.formation = { quantity: 1, size: 'Eco' };
}

function addRelease(app: App, { slug, archive, endsAs }: Pick<Release, 'slug' | 'archive' | 'endsAs'>): Release {
  const release = { id: randomUUID(), version: app.releases.length + 3, status: 'pending', endsAs, slug, archive };
  app.releases.push(release);
  return release;
}

function withBuild(call: Call, work: (app: App, one: Build) => Reply): Reply {
  return withApp(call, (app) => {
    const one = app.builds.find(({ id }) => id === call.parts[1]);
    return one === undefined ? NO_BUILD : work(app, one);
  });
}

function answer(status: string, body: unknown): Reply {
  return { status: 200, body, ...(!DESCRIBED.includes(status) && { isUndescribed: true }) };
}

function shown({ origin }: Call, app: App, one: Build) {
  return {
    id: one.id,
    app: { id: app.id },
    buildpacks: [{ name: 'heroku/nodejs', url: 'urn:buildpack:heroku/nodejs' }],
    created_at: NOW,
    updated_at: NOW,
    output_stream_url: `${origin}/streams/${one.id}`,
    source_blob: one.source,
    release: one.release === null ? null : { id: one.release },
    slug: one.status === 'succeeded' ? { id: one.slug } : null,
    stack: 'heroku-24',
    status: one.status,
    user: OWNER,
  };
}

function shownRelease(app: App, release: Release) {
  const { id, version, status, slug } = release;
  return {
    id,
    version,
    status,
    slug: { id: slug },
    app: { id: app.id, name: app.name },
    addon_plan_names: [],
    artifacts: [{ type: 'slug', id: slug }],
    created_at: NOW,
    updated_at: NOW,
    current: currentOf(app)?.id === id,
    description: 'Deploy',
    eligible_for_rollback: true,
    output_stream_url: null,
    user: OWNER,
  };
}
