import * as z from 'zod/mini';
import { at, type Reply, type Route } from '../stand-in.ts';
import { makeProject } from './projects.ts';
import {
  type Call,
  type Deployment,
  findProject,
  GONE,
  newId,
  type Project,
  refused,
  sha1Of,
  tick,
  type VercelState,
  withTeam,
  ZONE,
} from './state.ts';

const CONFIG = '.vercel/output/config.json';
const FILES_MAX = 15_000;
const ON_THE_WAY = ['QUEUED', 'BUILDING', 'INITIALIZING'];
const STATES = [...ON_THE_WAY, 'READY', 'ERROR', 'CANCELED'];

const bodySchema = z.object({
  name: z.string(),
  project: z.optional(z.string()),
  target: z.optional(z.string()),
  files: z.array(
    z.object({
      file: z.string(),
      sha: z.optional(z.string()),
      size: z.optional(z.number()),
      data: z.optional(z.string()),
      encoding: z.optional(z.string()),
    }),
  ),
  meta: z.optional(z.record(z.string(), z.string())),
});
type Body = z.infer<typeof bodySchema>;

export const deploymentRoutes: readonly Route<VercelState>[] = [
  at('POST', '/v2/files', 'upload', async (call) => withTeam(call, (team) => keep(call, team))),
  at('POST', '/v13/deployments', 'release', async (call) =>
    withTeam(call, (team) => make(call, team, bodySchema.parse(JSON.parse(call.body.toString())))),
  ),
  at('GET', '/v13/deployments/{idOrUrl}', 'state', async (call) =>
    withDeployment(call, (deployment, project) => {
      advance(call.state, deployment, project);
      const isDescribed = STATES.includes(deployment.state);
      return { status: 200, body: shown(call, deployment, project), ...(!isDescribed && { isUndescribed: true }) };
    }),
  ),
  at('PATCH', '/v12/deployments/{id}/cancel', 'cancel', async (call) =>
    withDeployment(call, (deployment, project) => {
      if (!ON_THE_WAY.includes(deployment.state)) {
        return refused(400, 'bad_request', 'This deployment cannot be canceled any more.');
      }
      Object.assign(deployment, { state: 'CANCELED', ahead: [] });
      return { status: 200, body: shown(call, deployment, project) };
    }),
  ),
  at('GET', '/v6/deployments', 'look', async (call) =>
    withTeam(call, (team) => {
      const project = findProject(call.state, team, call.query.get('projectId') ?? '');
      if (project === null) return GONE;
      const limit = Number(call.query.get('limit') ?? 20);
      const all = [...call.state.deployments.values()].filter((one) => one.project === project.id);
      const deployments = all.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, limit);
      return {
        status: 200,
        body: {
          deployments: deployments.map((one) => listed(one, project)),
          pagination: { count: deployments.length, next: null, prev: null },
        },
      };
    }),
  ),
  at('GET', '/v3/deployments/{idOrUrl}/events', 'state', async (call) =>
    withDeployment(call, ({ id, createdAt }) => ({
      status: 200,
      body: ['\u001b[32mBuild\u001b[0m started', 'Build\0 completed'].map((text, index) => ({
        type: 'stdout',
        created: createdAt + index,
        payload: { deploymentId: id, id: `${index}`, date: createdAt, serial: `${index}`, text },
      })),
    })),
  ),
];

/** Takes a file whose bytes are what its digest says, and whose length is what the headers say. */
function keep({ headers, body, state }: Call, team: string): Reply {
  const digest = headers['x-vercel-digest'] ?? headers['x-now-digest'];
  const size = headers['x-now-size'] ?? headers['content-length'];
  if (digest !== sha1Of(body)) return refused(400, 'bad_request', 'Digest is not valid');
  if (size === undefined || Number(size) !== body.length) return refused(400, 'bad_request', 'File size is not valid');
  state.files.set(`${team} ${digest}`, body);
  if (body.toString('utf8', 0, 12) === '{"version":3') state.configsSent += 1;
  return { status: 200, body: {} };
}

function make(call: Call, team: string, body: Body): Reply {
  const { state, query, states } = call;
  const wanted = body.project ?? body.name;
  if (body.project === undefined && findProject(state, team, wanted) === null) {
    makeProject(state, team, { name: wanted, ssoProtection: null });
  }
  const project = findProject(state, team, wanted);
  if (project === null) return refused(404, 'not_found', 'Project not found.');
  if (body.files.length > FILES_MAX) {
    return refused(400, 'bad_request', 'Invalid request: `files` should NOT have more than 15000 items.');
  }
  const files = filesOf(state, team, body);
  const odd = [...files.keys()].find((file) => file.startsWith('/'));
  if (odd !== undefined) return refused(400, 'bad_request', `Invalid file name: ${odd}`);
  const missing = [...new Set(files.values())].filter((sha) => isMissing(state, team, sha));
  if (states.length > 0) state.nextStates = states;
  if (missing.length > 0) {
    if (state.quirks.missingInSuccess) return { status: 200, body: { missing } };
    return refused(400, 'missing_files', 'Missing files', { missing });
  }
  const isPrebuilt = query.get('prebuilt') === '1';
  if (isPrebuilt && !files.has(CONFIG)) return refused(400, 'bad_request', `There is no ${CONFIG}.`);
  const same = [...state.deployments.values()].find((one) => isSame(one, project, files));
  if (same !== undefined && query.get('forceNew') !== '1') {
    return { status: 200, body: shown(call, same, project) };
  }
  const id = newId('dpl');
  const deployment: Deployment = {
    id,
    project: project.id,
    url: `${project.name}-${id.slice(-9)}-pat.${ZONE}`,
    files,
    isPrebuilt,
    meta: body.meta ?? {},
    target: body.target ?? null,
    state: 'QUEUED',
    ahead:
      state.nextStates.length > 0
        ? state.nextStates.map((one) => one.toUpperCase())
        : ['INITIALIZING', 'BUILDING', 'BUILDING'],
    aliasAssigned: false,
    createdAt: tick(state),
  };
  state.deployments.set(id, deployment);
  state.nextStates = [];
  return { status: 200, body: shown(call, deployment, project) };
}

/** Files by path. Content inside the request is stored like content that was sent before it. */
function filesOf(state: VercelState, team: string, body: Body): Map<string, string> {
  const files = new Map<string, string>();
  for (const { file, sha, data, encoding } of body.files) {
    const bytes = data === undefined ? null : Buffer.from(data, encoding === 'base64' ? 'base64' : 'utf8');
    if (bytes !== null) state.files.set(`${team} ${sha1Of(bytes)}`, bytes);
    files.set(file, bytes === null ? (sha ?? '') : sha1Of(bytes));
  }
  return files;
}

function isMissing(state: VercelState, team: string, sha: string): boolean {
  const times = state.forgets.get(sha) ?? 0;
  if (times === 0) return !state.files.has(`${team} ${sha}`);
  state.forgets.set(sha, times - 1);
  return true;
}

function isSame(deployment: Deployment, project: Project, files: ReadonlyMap<string, string>): boolean {
  if (deployment.project !== project.id || deployment.files.size !== files.size) return false;
  return [...files].every(([path, sha]) => deployment.files.get(path) === sha);
}

/** One state a look; built first, and only then at the addresses. */
function advance({ quirks }: VercelState, deployment: Deployment, project: Project): void {
  if (['CANCELED', 'ERROR'].includes(deployment.state)) return;
  const next = deployment.ahead.shift();
  if (next !== undefined) deployment.state = next;
  else if (deployment.state !== 'READY') deployment.state = 'READY';
  else if (!deployment.aliasAssigned && quirks.aliasError === undefined && !quirks.failedCheck) {
    deployment.aliasAssigned = true;
    if (deployment.target === 'production' && !project.isRolledBack) project.production = deployment.id;
  }
}

function withDeployment(call: Call, work: (deployment: Deployment, project: Project) => Reply): Reply {
  return withTeam(call, (team) => {
    const wanted = call.parts[0] ?? '';
    const all = [...call.state.deployments.values()];
    const deployment = all.find((one) => one.id === wanted || one.url === wanted);
    const project = call.state.projects.get(deployment?.project ?? '');
    if (deployment === undefined || project?.team !== team) return GONE;
    return work(deployment, project);
  });
}

function shown({ state, origin }: Call, deployment: Deployment, project: Project) {
  const { id, url, meta, createdAt, aliasAssigned, target } = deployment;
  const { port } = new URL(origin);
  const isPublic = project.production === id;
  const names = [...state.domains.values()].filter((one) => one.project === project.id).map(({ name }) => name);
  return {
    id,
    url: `${url}:${port}`,
    name: project.name,
    projectId: project.id,
    meta,
    target,
    readyState: deployment.state,
    status: deployment.state,
    readySubstate: isPublic ? 'PROMOTED' : 'STAGED',
    aliasAssigned,
    alias: isPublic ? [...names, `${project.name}-pat.${ZONE}:${port}`, `${project.name}.${ZONE}:${port}`] : [],
    ...(deployment.state === 'ERROR' && { errorCode: 'BUILD_FAILED', errorMessage: 'The build failed.' }),
    ...(deployment.state === 'READY' &&
      state.quirks.aliasError !== undefined && {
        aliasError: state.quirks.isErrorText
          ? state.quirks.aliasError
          : { code: 'alias_failed', message: state.quirks.aliasError },
      }),
    ...(deployment.state === 'READY' &&
      state.quirks.failedCheck && { checks: { 'deployment-alias': { state: 'failed', startedAt: createdAt } } }),
    createdAt,
    build: { env: [] },
    env: [],
    inspectorUrl: null,
    isInConcurrentBuildsQueue: false,
    isInSystemBuildsQueue: false,
    projectSettings: {},
    bootedAt: createdAt,
    buildingAt: createdAt,
    buildSkipped: true,
    creator: { uid: 'user_standin', username: 'pat' },
    public: false,
    type: 'LAMBDAS',
    regions: ['iad1'],
    version: 2,
    plan: 'hobby',
    createdIn: 'iad1',
    ownerId: 'user_standin',
    routes: null,
  };
}

function listed({ id, url, createdAt, meta, state, aliasAssigned }: Deployment, project: Project) {
  return {
    uid: id,
    name: project.name,
    projectId: project.id,
    url,
    created: createdAt,
    createdAt,
    state,
    meta,
    aliasAssigned: aliasAssigned ? createdAt : null,
    type: 'LAMBDAS',
    creator: { uid: 'user_standin' },
    inspectorUrl: null,
  };
}
