import * as z from 'zod/mini';
import { at, type Reply, type Route } from '../stand-in.ts';
import {
  type App,
  bodyIn,
  type Call,
  dropApp,
  type HerokuState,
  NOW,
  newApp,
  OWNER,
  refused,
  TEAM,
  withApp,
} from './state.ts';

const NAME = /^[a-z][a-z0-9-]{1,28}[a-z0-9]$/;
const STACK = { id: '11234567-89ab-cdef-0123-456789abcdef', name: 'heroku-24' };
const makingSchema = z.strictObject({
  name: z.optional(z.string()),
  team: z.optional(z.string()),
  region: z.optional(z.string()),
  stack: z.optional(z.string()),
});
const formationSchema = z.object({
  updates: z.array(
    z.object({
      type: z.string(),
      quantity: z.optional(z.number()),
      dyno_size: z.optional(z.object({ name: z.string() })),
    }),
  ),
});
const SIZES = ['eco', 'basic', 'standard-1x'];

export const accountRoutes: readonly Route<HerokuState>[] = [
  at('GET', '/account', 'account', async ({ state }) => ({
    status: 200,
    body: {
      ...OWNER,
      name: 'Pat',
      allow_tracking: true,
      beta: false,
      created_at: NOW,
      updated_at: NOW,
      last_login: NOW,
      two_factor_authentication: true,
      ...state.account,
    },
  })),
  at('GET', '/teams', 'account', async () => ({
    status: 200,
    body: [{ id: STACK.id, name: TEAM, role: 'admin', type: 'team', created_at: NOW, updated_at: NOW }],
  })),
];

export const appRoutes: readonly Route<HerokuState>[] = [
  at('POST', '/apps', 'site', async (call) => make(call, false)),
  at('POST', '/teams/apps', 'site', async (call) => make(call, true)),
  at('GET', '/apps/{app}', 'look', async (call) => withApp(call, (app) => ({ status: 200, body: shown(app) }))),
  at('DELETE', '/apps/{app}', 'remove', async (call) =>
    withApp(call, (app) => {
      dropApp(call.state, app.id);
      return { status: 200, body: shown(app) };
    }),
  ),
  at('POST', '/apps/{app}/acm', 'certificate', async (call) =>
    withApp(call, (app) => {
      if (app.acm) return refused(422, 'invalid_params', 'ACM has already been enabled for this app.');
      app.acm = true;
      return { status: 200, body: shown(app) };
    }),
  ),
  at('PATCH', '/apps/{app}/formation', 'certificate', async (call) => withApp(call, (app) => scale(call, app))),
];

function make(call: Call, isTeams: boolean): Reply {
  const parsed = makingSchema.safeParse(bodyIn(call));
  if (!parsed.success) return refused(422, 'invalid_params', 'Unknown parameter.');
  const { name = `quiet-river-${call.state.apps.size}`, team } = parsed.data;
  if (isTeams && team !== TEAM) return refused(403, 'forbidden', 'You do not have access to this team.');
  if (!call.state.account.verified) {
    return refused(422, 'verification_needed', 'Please verify your account to use more than one app.');
  }
  if (!NAME.test(name)) {
    return refused(422, 'invalid_params', 'Name must start with a letter, end with a letter or digit.');
  }
  if ([...call.state.apps.values()].some((app) => app.name === name)) {
    return refused(422, 'invalid_params', `Name ${name} is already taken`);
  }
  return { status: 201, body: shown(newApp(call.state, name, team ?? null)) };
}

function scale(call: Call, app: App): Reply {
  const [update] = formationSchema.parse(bodyIn(call)).updates;
  const { quantity = app.formation.quantity, dyno_size: { name: size } = { name: app.formation.size } } = update ?? {};
  if (update?.type !== 'web' || app.releases.length === 0)
    return refused(404, 'not_found', 'Couldn’t find that formation.');
  if (!SIZES.includes(size.toLowerCase())) return refused(422, 'invalid_params', `No such size as ${size}.`);
  if (size === 'eco' && call.state.quirks.hasNoEco) {
    return refused(422, 'invalid_params', 'Cannot use Eco dynos: subscribe to the Eco Dynos Plan first.');
  }
  app.formation = { quantity, size };
  return {
    status: 200,
    body: [
      {
        app: { id: app.id, name: app.name },
        command: 'node server.mjs',
        created_at: NOW,
        dyno_size: { id: STACK.id, name: size },
        id: STACK.id,
        quantity,
        size,
        type: 'web',
        updated_at: NOW,
      },
    ],
  };
}

function shown(app: App) {
  const { id, name, team, host, acm, releases } = app;
  return {
    id,
    name,
    acm,
    archived_at: null,
    build_stack: STACK,
    stack: STACK,
    created_at: NOW,
    updated_at: NOW,
    released_at: NOW,
    git_url: `https://git.heroku.com/${name}.git`,
    maintenance: false,
    owner: OWNER,
    region: { id: STACK.id, name: 'us' },
    repo_size: null,
    slug_size: releases.at(-1)?.archive.length ?? null,
    space: null,
    team: team === null ? null : { name: team },
    web_url: `https://${host}.herokuapp.com/`,
  };
}
