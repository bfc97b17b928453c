import * as z from 'zod/mini';
import type { GithubState, RepositoryRecord } from '../github-pages/state.ts';
import { HOUR_MS, MINUTE_MS, type RequestLimit } from '../limits.ts';
import { at, type Page, type Reply, type Route, type StandIn, type StandInCall, startStandIn } from '../stand-in.ts';

export type ServiceRecord = {
  id: string;
  name: string;
  repo: string;
  branch: string;
  publishPath: string;
  domains: { name: string; isVerified: boolean }[];
  routes: RouteRecord[];
  /** Newest first. */
  deploys: DeployRecord[];
};
type RouteRecord = { type: string; source: string; destination: string };
export type DeployRecord = { id: string; commit: string; ahead: string[]; status: string; trigger: string };
export type RenderState = {
  services: Map<string, ServiceRecord>;
  /** Names of services of the workspace that are not ours. */
  taken: Set<string>;
  elsewhere: Set<string>;
  zone: { type: string; name: string; value: string }[];
  github: GithubState;
  made: number;
  /** A deploy waits for another, and is answered without a body. */
  isQueueing: boolean;
};
type Call = StandInCall<RenderState>;

const AT = '2026-08-01T10:00:00Z';
const OWNER = 'tea-standin';
export const SITES_DOMAIN = 'onrender.localhost';
const APEX_ADDRESS = '216.24.57.1';
const KNOWN = [
  'created',
  'queued',
  'build_in_progress',
  'update_in_progress',
  'live',
  'deactivated',
  'canceled',
  'build_failed',
];
const refused = (status: number, message: string): Reply => ({ status, body: { id: 'req-1', message } });
const NOT_THERE = refused(404, 'not found');

const routesSchema = z.array(z.strictObject({ type: z.string(), source: z.string(), destination: z.string() }));
const postSchema = z.object({
  type: z.literal('static_site'),
  name: z.string(),
  ownerId: z.literal(OWNER),
  repo: z.string(),
  branch: z.string(),
  serviceDetails: z.object({ publishPath: z.string(), routes: z.optional(routesSchema) }),
});

const service = (
  method: string,
  path: string,
  step: Route<RenderState>['step'],
  answer: (call: Call, one: ServiceRecord) => Reply,
): Route<RenderState> =>
  at(method, `/services/{serviceId}${path}`, step, async (call) => {
    const one = call.state.services.get(call.parts[0] ?? '');
    return one === undefined ? NOT_THERE : answer(call, one);
  });

const ROUTES: readonly Route<RenderState>[] = [
  at('GET', '/users', 'account', async () => ({ status: 200, body: { email: 'pat@example.com', name: 'Pat' } })),
  at('GET', '/owners', 'account', async () => ({
    status: 200,
    body: [{ owner: { id: OWNER, name: 'Pat’s workspace', email: 'pat@example.com', type: 'user' }, cursor: 'c' }],
  })),
  at('GET', '/services', 'account', async (call) => {
    const named = [...call.state.services.values()].filter(({ name }) => name === call.query.get('name'));
    return { status: 200, body: named.map((one) => ({ service: serviceBody(call, one), cursor: 'c' })) };
  }),
  at('POST', '/services', 'finish', async (call) => create(call)),
  service('DELETE', '', 'remove', ({ state }, one) => {
    state.services.delete(one.id);
    return { status: 204 };
  }),
  service('GET', '/deploys', 'state', (_call, { deploys }) => ({
    status: 200,
    body: deploys.map((deploy) => ({ deploy: deployBody(deploy), cursor: deploy.id })),
    ...(deploys.some(({ status }) => !KNOWN.includes(status)) && { isUndescribed: true }),
  })),
  service('POST', '/deploys', 'finish', (call, one) => {
    const { commitId } = z.object({ commitId: z.string() }).parse(JSON.parse(call.body.toString()));
    if (!repositoryOf(call.state, one)?.commits.has(commitId)) return refused(400, 'invalid commit');
    const deploy = start(call, one, commitId, 'api');
    return call.state.isQueueing ? { status: 202 } : { status: 201, body: deployBody(deploy) };
  }),
  service('GET', '/deploys/{deployId}', 'state', (call, one) =>
    withDeploy(call, one, (deploy) => {
      advance(one, deploy);
      return { status: 200, body: deployBody(deploy), ...(!KNOWN.includes(deploy.status) && { isUndescribed: true }) };
    }),
  ),
  service('POST', '/deploys/{deployId}/cancel', 'cancel', (call, one) =>
    withDeploy(call, one, (deploy) => {
      if (isOver(deploy)) return refused(400, 'deploy is not in progress');
      Object.assign(deploy, { status: 'canceled', ahead: [] });
      return { status: 200, body: deployBody(deploy) };
    }),
  ),
  service('POST', '/rollback', 'restore', (call, one) => {
    const { deployId } = z.object({ deployId: z.string() }).parse(JSON.parse(call.body.toString()));
    const old = one.deploys.find(({ id }) => id === deployId);
    return old === undefined ? NOT_THERE : { status: 201, body: deployBody(start(call, one, old.commit, 'rollback')) };
  }),
  service('PUT', '/routes', 'finish', (call, one) => {
    one.routes = routesSchema.parse(JSON.parse(call.body.toString()));
    const body = one.routes.map((route, priority) => ({ id: `rdr-${priority}`, ...route, priority }));
    return { status: 200, body };
  }),
  at('GET', '/logs', 'state', async (call) => logsAnswer(call)),
  service('GET', '/custom-domains', 'domains', (_call, one) => ({
    status: 200,
    body: one.domains.map((domain) => ({ customDomain: domainBody(one, domain), cursor: 'c' })),
  })),
  service('POST', '/custom-domains', 'attach', (call, one) => {
    const { name } = z.object({ name: z.string() }).parse(JSON.parse(call.body.toString()));
    const others = [...call.state.services.values()].filter((other) => other !== one).flatMap(({ domains }) => domains);
    if (call.state.elsewhere.has(name) || others.some((other) => other.name === name)) {
      return refused(409, `domain ${name} is already in use`);
    }
    const names = [name, ...counterpartsOf(name)].filter((added) => !one.domains.some((known) => known.name === added));
    const added = names.map((each) => ({ name: each, isVerified: false }));
    one.domains.push(...added);
    return { status: 201, body: added.map((domain) => domainBody(one, domain)) };
  }),
  service('POST', '/custom-domains/{customDomainIdOrName}/verify', 'certificate', (call, one) => {
    const domain = one.domains.find(({ name }) => name === call.parts[1]);
    if (domain === undefined) return NOT_THERE;
    const here = call.state.zone.filter(({ name }) => name === domain.name);
    domain.isVerified =
      here.length > 0 && here.every(({ value }) => [APEX_ADDRESS, `${one.name}.${SITES_DOMAIN}`].includes(value));
    return { status: 202 };
  }),
  service('DELETE', '/custom-domains/{customDomainIdOrName}', 'detach', (call, one) => {
    const before = one.domains.length;
    one.domains = one.domains.filter(({ name }) => name !== call.parts[1]);
    return one.domains.length < before ? { status: 204 } : NOT_THERE;
  }),
];

function create(call: Call): Reply {
  const { state } = call;
  const { name, repo, branch, serviceDetails } = postSchema.parse(JSON.parse(call.body.toString()));
  if (state.taken.has(name) || [...state.services.values()].some((one) => one.name === name)) {
    return refused(409, 'name already in use');
  }
  state.made += 1;
  const one: ServiceRecord = {
    id: `srv-${state.made}`,
    name,
    repo,
    branch,
    publishPath: serviceDetails.publishPath,
    domains: [],
    routes: serviceDetails.routes ?? [],
    deploys: [],
  };
  const head = repositoryOf(state, one)?.branches.get(branch);
  if (head === undefined) return refused(400, 'invalid repository');
  state.services.set(one.id, one);
  const deploy = start(call, one, head, 'service_updated');
  return { status: 201, body: { service: serviceBody(call, one), deployId: deploy.id } };
}

/** Each deploy wrote two lines, a page for each, the newest first. */
function logsAnswer({ state, query }: Call): Reply {
  const one = state.services.get(query.get('resource') ?? '');
  if (one === undefined || query.get('ownerId') !== OWNER || query.get('type') !== 'build') return NOT_THERE;
  const isWithin = (at: string) => at >= (query.get('startTime') ?? AT) && at <= (query.get('endTime') ?? 'now');
  const lines = one.deploys.flatMap((deploy) =>
    ['==> Uploading build…', `==> Cloning ${deploy.commit}`].map((message, index) => ({
      id: `${deploy.id}-${index}`,
      timestamp: secondsAfter(deploy, 1 - index),
      message,
      labels: [{ name: 'type', value: 'build' }],
    })),
  );
  const [line, ...others] = lines.filter(({ timestamp }) => isWithin(timestamp));
  const nextEndTime = others[0]?.timestamp ?? AT;
  const logs = line === undefined ? [] : [line];
  return {
    status: 200,
    body: { hasMore: others.length > 0, nextStartTime: query.get('startTime') ?? AT, nextEndTime, logs },
  };
}

/** A deploy takes an hour of its own. */
function secondsAfter({ id }: DeployRecord, seconds: number): string {
  return new Date(Date.parse(AT) + Number(id.slice('dep-'.length)) * 3_600_000 + seconds * 1_000).toISOString();
}

function repositoryOf({ github }: RenderState, { repo }: ServiceRecord): RepositoryRecord | undefined {
  return github.repositories.get(repo.replace('https://github.com/', '').toLowerCase());
}

function start({ state, states }: Call, one: ServiceRecord, commit: string, trigger: string): DeployRecord {
  state.made += 1;
  const named = states.map((each) => (each === 'error' ? 'build_failed' : each));
  const ahead =
    named.length > 0 ? named : ['created', 'queued', 'build_in_progress', 'build_in_progress', 'update_in_progress'];
  const deploy = { id: `dep-${state.made}`, commit, ahead, status: ahead[0] ?? 'created', trigger };
  one.deploys.unshift(deploy);
  return deploy;
}

function withDeploy(call: Call, one: ServiceRecord, work: (deploy: DeployRecord) => Reply): Reply {
  const deploy = one.deploys.find(({ id }) => id === call.parts[1]);
  return deploy === undefined ? NOT_THERE : work(deploy);
}

function isOver({ status }: DeployRecord): boolean {
  return ['live', 'deactivated', 'canceled', 'build_failed'].includes(status);
}

/** One state a look; what goes live puts what was live out of service. */
function advance(one: ServiceRecord, deploy: DeployRecord): void {
  if (isOver(deploy)) return;
  deploy.status = deploy.ahead.shift() ?? 'live';
  if (deploy.status !== 'live') return;
  for (const other of one.deploys) if (other !== deploy && other.status === 'live') other.status = 'deactivated';
}

function counterpartsOf(name: string): string[] {
  if (name.split('.').length === 2) return [`www.${name}`];
  return name.startsWith('www.') && name.split('.').length === 3 ? [name.slice(4)] : [];
}

function deployBody(deploy: DeployRecord): Record<string, unknown> {
  const { id, commit, status, trigger } = deploy;
  return {
    id,
    commit: { id: commit, message: 'Release', createdAt: AT },
    status,
    trigger,
    createdAt: secondsAfter(deploy, 0),
    updatedAt: AT,
    ...(isOver(deploy) && { finishedAt: secondsAfter(deploy, 2) }),
  };
}

function domainBody({ id, name: server }: ServiceRecord, { name, isVerified }: ServiceRecord['domains'][number]) {
  const isApex = name.split('.').length === 2;
  return {
    id: `cdm-${name}`,
    name,
    domainType: isApex ? 'apex' : 'subdomain',
    publicSuffix: name.split('.').at(-1),
    redirectForName: '',
    verificationStatus: isVerified ? 'verified' : 'unverified',
    createdAt: AT,
    server: { id, name: server },
  };
}

function serviceBody(
  { origin }: Call,
  { id, name, repo, branch, publishPath }: ServiceRecord,
): Record<string, unknown> {
  return {
    id,
    name,
    ownerId: OWNER,
    type: 'static_site',
    repo,
    branch,
    slug: name,
    autoDeploy: 'no',
    notifyOnFail: 'default',
    suspended: 'not_suspended',
    suspenders: [],
    rootDir: '',
    dashboardUrl: `https://dashboard.render.com/static/${id}`,
    createdAt: AT,
    updatedAt: AT,
    serviceDetails: {
      buildCommand: 'true',
      publishPath,
      url: `http://${name}.${SITES_DOMAIN}:${new URL(origin).port}`,
      buildPlan: 'starter',
    },
  };
}

/** The limits in answers that Render's own provider has recorded (render-oss/terraform-provider-render, 2025). */
const LIMITS: readonly RequestLimit[] = [
  limited(400, MINUTE_MS, ({ method }) => method === 'GET'),
  limited(20, HOUR_MS, ({ method, path }) => method === 'POST' && path === '/services'),
  limited(50, HOUR_MS, ({ method, path }) => method === 'POST' && path.endsWith('/custom-domains')),
  limited(10, MINUTE_MS, ({ method, path }) => method === 'POST' && path.endsWith('/deploys')),
  limited(10, MINUTE_MS, ({ method, path }) => method === 'PATCH' && /^\/services\/\{[^/]+\}$/.test(path)),
  limited(100, MINUTE_MS, ({ method }) => method !== 'GET'),
];

function limited(most: number, inMs: number, counts: RequestLimit['counts']): RequestLimit {
  const headersAfter = (waitMs: number) => ({
    'ratelimit-limit': String(most),
    'ratelimit-remaining': '0',
    'ratelimit-reset': String(Math.ceil(waitMs / 1_000)),
  });
  return {
    most,
    inMs,
    ...(counts !== undefined && { counts }),
    refusal: (waitMs) => ({ ...refused(429, 'rate limit exceeded'), headers: headersAfter(waitMs) }),
  };
}

/** Render's API and its edge, played over the repositories of a played GitHub. */
export function startRender(github: GithubState): Promise<StandIn<RenderState>> {
  return startStandIn<RenderState>({
    state: {
      services: new Map(),
      taken: new Set(),
      elsewhere: new Set(),
      zone: [],
      github,
      made: 0,
      isQueueing: false,
    },
    description: 'render',
    base: '/v1',
    limits: LIMITS,
    routes: ROUTES,
    refusals: { token: refused(401, 'unauthorized'), unknown: NOT_THERE, misfit: (what) => refused(400, what) },
    visit: async (state, host, path) => visit(state, host, decodeURIComponent(path)),
  });
}

function visit(state: RenderState, host: string, path: string): Page {
  const one = [...state.services.values()].find(({ name }) => host === `${name}.${SITES_DOMAIN}`);
  const live = one?.deploys.find(({ status }) => status === 'live');
  const repository = one === undefined ? undefined : repositoryOf(state, one);
  const files = repository?.trees.get(repository.commits.get(live?.commit ?? '')?.tree ?? '');
  const name = path.slice(1);
  const rewritten = one?.routes.filter(({ source }) => source === '/*').map(({ destination }) => destination.slice(1));
  const index = `${name === '' || name.endsWith('/') ? name : `${name}/`}index.html`;
  for (const file of [name, index, ...(rewritten ?? [])]) {
    const bytes = repository?.blobs.get(files?.get(`${one?.publishPath}/${file}`) ?? '');
    if (bytes !== undefined) return { status: 200, bytes };
  }
  return { status: 404, bytes: Buffer.from('Not Found') };
}
