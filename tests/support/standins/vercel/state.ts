import { createHash, randomBytes } from 'node:crypto';
import type { Reply, StandInCall } from '../stand-in.ts';

/** Files, projects and deployments belong to a team, or to the person alone. */
export type VercelState = {
  projects: Map<string, Project>;
  deployments: Map<string, Deployment>;
  /** Contents by team and SHA-1. */
  files: Map<string, Buffer>;
  domains: Map<string, Domain>;
  elsewhere: Set<string>;
  zone: { type: string; name: string; value: string }[];
  clock: number;
  /** Uploads of a `config.json`. */
  configsSent: number;
  /** SHA-1 of what counts as missing so many times more, although it was sent. */
  forgets: Map<string, number>;
  /** The states of the next deployment, which begins with a request that lacked files. */
  nextStates: readonly string[];
  /** Oddities of single answers. */
  quirks: { missingInSuccess?: boolean; aliasError?: string; isErrorText?: boolean; failedCheck?: boolean };
};

export type Project = {
  id: string;
  name: string;
  team: string;
  env: { key: string; value: string; type: string; target: string[] }[];
  protection: string | null;
  production: string | null;
  /** After a rollback new deployments stay aside until one is promoted. */
  isRolledBack: boolean;
  move: { from: string; to: string; status: string; at: number } | null;
};

export type Deployment = {
  id: string;
  project: string;
  url: string;
  files: Map<string, string>;
  isPrebuilt: boolean;
  meta: Record<string, string>;
  target: string | null;
  state: string;
  /** States that it still goes through, one a look. */
  ahead: string[];
  aliasAssigned: boolean;
  createdAt: number;
};

export type Domain = { name: string; project: string; verified: boolean; proof: string };

export type Call = StandInCall<VercelState>;

export const TEAM = 'team_standin';
/** Names under which sites are served: loopback names (RFC 6761), so that they can be opened on this machine. */
export const ZONE = 'vercel.localhost';

export function createState(): VercelState {
  return {
    projects: new Map(),
    deployments: new Map(),
    files: new Map(),
    domains: new Map(),
    elsewhere: new Set(),
    zone: [],
    clock: 1_760_000_000_000,
    configsSent: 0,
    forgets: new Map(),
    nextStates: [],
    quirks: {},
  };
}

export function refused(status: number, code: string, message: string, more: Record<string, unknown> = {}): Reply {
  return { status, body: { error: { code, message, ...more } } };
}

export const GONE = refused(404, 'not_found', 'The requested resource was not found.');

export function newId(kind: string): string {
  return `${kind}_${randomBytes(9).toString('hex')}`;
}

export function sha1Of(bytes: Uint8Array): string {
  return createHash('sha1').update(bytes).digest('hex');
}

/** Returns the team of the request; a team that the token does not open is refused. */
export function teamOf(call: Call): string | Reply {
  const team = call.query.get('teamId') ?? '';
  return team === '' || team === TEAM ? team : refused(403, 'forbidden', 'Not authorized: no access to this team.');
}

export function withTeam(call: Call, work: (team: string) => Reply): Reply {
  const team = teamOf(call);
  return typeof team === 'string' ? work(team) : team;
}

export function withProject(call: Call, work: (project: Project) => Reply): Reply {
  return withTeam(call, (team) => {
    const project = findProject(call.state, team, call.parts[0] ?? '');
    return project === null ? GONE : work(project);
  });
}

export function findProject({ projects }: VercelState, team: string, idOrName: string): Project | null {
  const all = [...projects.values()];
  return all.find((one) => one.team === team && (one.id === idOrName || one.name === idOrName)) ?? null;
}

/** Returns a time of its own for each thing, as a server's clock gives it. */
export function tick(state: VercelState): number {
  state.clock += 1_000;
  return state.clock;
}

export function isJson(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
