import * as z from 'zod/mini';
import { at, type Reply, type Route } from '../stand-in.ts';
import {
  findProject,
  newId,
  type Project,
  refused,
  TEAM,
  tick,
  type VercelState,
  withProject,
  withTeam,
} from './state.ts';

const USER = {
  id: 'user_standin',
  email: 'pat@example.com',
  name: 'Pat',
  username: 'pat',
  avatar: null,
  defaultTeamId: null,
  limited: false,
};

const bodySchema = z.object({
  name: z.string(),
  ssoProtection: z.optional(z.nullable(z.object({ deploymentType: z.string() }))),
  environmentVariables: z.optional(
    z.array(z.object({ key: z.string(), value: z.string(), type: z.string(), target: z.array(z.string()) })),
  ),
});

export const accountRoutes: readonly Route<VercelState>[] = [
  at('GET', '/v2/user', 'account', async () => ({ status: 200, body: { user: USER } })),
  at('GET', '/v5/user/tokens/{tokenId}', 'account', async () => ({
    status: 200,
    body: {
      token: {
        id: 'tok',
        name: 'fairlead',
        type: 'token',
        activeAt: 1_760_000_000_000,
        createdAt: 1_760_000_000_000,
        expiresAt: Date.parse('2031-05-01'),
      },
    },
  })),
  at('GET', '/v2/teams', 'account', async ({ query }) => {
    const isFirst = query.get('until') === null;
    const one = isFirst ? { id: TEAM, slug: 'standin', name: 'Stand-in' } : { id: 'team_b', slug: 'b', name: null };
    const team = { ...one, limited: true, limitedBy: ['scope'], avatar: null, createdAt: 1, membership: MEMBER };
    return {
      status: 200,
      body: { teams: [team], pagination: { count: 1, next: isFirst ? 1_540_095_775_951 : null, prev: null } },
    };
  }),
];

const MEMBER = { confirmed: true, role: 'OWNER', createdAt: 1, created: 1 };

export const projectRoutes: readonly Route<VercelState>[] = [
  at('POST', '/v11/projects', 'site', async (call) =>
    withTeam(call, (team) => {
      const body = bodySchema.parse(JSON.parse(call.body.toString()));
      return makeProject(call.state, team, body);
    }),
  ),
  at('GET', '/v9/projects/{idOrName}', 'look', async (call) =>
    withProject(call, (project) => {
      const reply = { status: 200, body: shown(project) };
      // Moving the addresses is done in the background.
      if (project.move?.status === 'pending') project.move.status = 'in-progress';
      else if (project.move?.status === 'in-progress') settleMove(project, project.move);
      return reply;
    }),
  ),
  at('DELETE', '/v9/projects/{idOrName}', 'remove', async (call) =>
    withProject(call, ({ id }) => {
      dropProject(call.state, id);
      return { status: 204 };
    }),
  ),
  at('POST', '/v10/projects/{projectId}/promote/{deploymentId}', 'restore', async (call) =>
    withProject(call, (project) => {
      const deployment = call.state.deployments.get(call.parts[1] ?? '');
      if (deployment?.project !== project.id) return refused(404, 'not_found', 'Deployment not found.');
      if (project.production === deployment.id) return refused(409, 'conflict', 'It is the current one already.');
      const from = project.production ?? '';
      project.move = { from, to: deployment.id, status: 'pending', at: tick(call.state) };
      return { status: 201, body: {} };
    }),
  ),
];

function settleMove(project: Project, move: NonNullable<Project['move']>): void {
  move.status = 'succeeded';
  project.production = move.to;
  project.isRolledBack = false;
}

/** Returns a name that was made here by hand, or through the API. */
export function makeProject(state: VercelState, team: string, body: z.infer<typeof bodySchema>): Reply {
  const { name, ssoProtection, environmentVariables = [] } = body;
  if (!/^[a-z0-9._-]{1,100}$/.test(name) || name.includes('---')) {
    return refused(400, 'bad_request', 'Project names have letters, digits, and no three hyphens in a row.');
  }
  if (findProject(state, team, name) !== null) {
    return refused(409, 'conflict', `Project "${name}" already exists, please use a new name.`);
  }
  const project: Project = {
    id: newId('prj'),
    name,
    team,
    env: environmentVariables,
    // What is left out is protected, as it was for years.
    protection: ssoProtection === undefined ? 'all_except_custom_domains' : (ssoProtection?.deploymentType ?? null),
    production: null,
    isRolledBack: false,
    move: null,
  };
  state.projects.set(project.id, project);
  return { status: 200, body: shown(project) };
}

export function dropProject(state: VercelState, id: string): void {
  state.projects.delete(id);
  for (const [name, domain] of state.domains) if (domain.project === id) state.domains.delete(name);
  for (const [key, deployment] of state.deployments) if (deployment.project === id) state.deployments.delete(key);
}

function shown({ id, name, env, protection, production, move }: Project) {
  return {
    accountId: 'user_standin',
    directoryListing: false,
    id,
    name,
    nodeVersion: '22.x',
    resourceConfig: { functionDefaultRegions: ['iad1'] },
    defaultResourceConfig: { functionDefaultRegions: ['iad1'] },
    env,
    ssoProtection: protection === null ? null : { deploymentType: protection },
    targets: production === null ? {} : { production: production === null ? null : { ...TARGET, id: production } },
    lastAliasRequest:
      move === null
        ? null
        : {
            fromDeploymentId: move.from,
            toDeploymentId: move.to,
            jobStatus: move.status,
            requestedAt: move.at,
            type: 'promote',
          },
  };
}

const TARGET = {
  createdAt: 1,
  createdIn: 'iad1',
  creator: null,
  deploymentHostname: 'standin',
  name: 'standin',
  plan: 'hobby',
  private: false,
  readyState: 'READY',
  type: 'LAMBDAS',
  url: 'standin',
  userId: 'user_standin',
};
