import { HOUR_MS, type RequestLimit } from '../limits.ts';
import { type Page, type StandIn, startStandIn } from '../stand-in.ts';
import { accountRoutes, appRoutes } from './apps.ts';
import { buildRoutes } from './builds.ts';
import { domainRoutes } from './domains.ts';
import { startDyno } from './dyno.ts';
import { type App, createState, currentOf, GONE, type HerokuState, refused, ZONE } from './state.ts';

const VERSION = 'application/vnd.heroku+json; version=3';

/** Dev Center, "Limits": 4,500 requests an hour. */
const LIMIT: RequestLimit = {
  most: 4_500,
  inMs: HOUR_MS,
  refusal: (waitMs) => ({
    ...refused(
      429,
      'rate_limit',
      'Your account reached the API limit. Please wait a few minutes before making new requests',
    ),
    headers: { 'ratelimit-remaining': '0', 'retry-after': String(Math.ceil(waitMs / 1_000)) },
  }),
};

/** Heroku's API and its router, played (devcenter.heroku.com, "Platform API Reference"); apps run as they would there. */
export async function startHeroku(): Promise<StandIn<HerokuState>> {
  const standIn = await startStandIn<HerokuState>({
    state: createState(),
    description: 'heroku',
    limits: [LIMIT],
    routes: [...accountRoutes, ...appRoutes, ...buildRoutes, ...domainRoutes].map((route) => ({
      ...route,
      answer: async (call) => {
        const isVersioned = route.isOpen === true || call.headers.accept === VERSION;
        return isVersioned
          ? route.answer(call)
          : refused(406, 'not_acceptable', 'Require an Accept header: version=3.');
      },
    })),
    refusals: {
      token: refused(401, 'unauthorized', 'Invalid credentials provided.'),
      unknown: GONE,
      misfit: (what) => refused(422, 'invalid_params', what),
    },
    local: (text, origin) =>
      text.replace(/https:\/\/([a-z0-9-]+)\.herokuapp\.com/g, `http://$1.${ZONE}:${new URL(origin).port}`),
    visit,
  });
  return {
    ...standIn,
    [Symbol.asyncDispose]: async () => {
      await standIn[Symbol.asyncDispose]();
      for (const dyno of standIn.state.dynos.values()) await (await dyno).stop();
    },
  };
}

async function visit(state: HerokuState, host: string, path: string): Promise<Page> {
  const app = appAt(state, host);
  const release = app === undefined ? undefined : currentOf(app);
  if (app === undefined || release === undefined) return { status: 404, bytes: Buffer.from('No such app') };
  if (app.formation.quantity === 0) return { status: 503, bytes: Buffer.from('Application error') };
  const dyno = state.dynos.get(release.slug) ?? startDyno(release.archive);
  state.dynos.set(release.slug, dyno);
  const { port } = await dyno;
  const headers = { 'accept-encoding': 'identity' };
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', headers });
  const location = answer.headers.get('location');
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, bytes, ...(location !== null && { headers: { location } }) };
}

function appAt({ apps, domains }: HerokuState, host: string): App | undefined {
  return apps.get(domains.get(host)?.app ?? '') ?? [...apps.values()].find((app) => host === `${app.host}.${ZONE}`);
}
