import { randomBytes, randomUUID } from 'node:crypto';
import type { Reply, StandInCall } from '../stand-in.ts';
import type { Dyno } from './dyno.ts';

/** The state of the simulated platform. Ids are UUIDs, as the description has them. */
export type HerokuState = {
  apps: Map<string, App>;
  /** Archives by the id in their addresses; null until one was put there. */
  sources: Map<string, Buffer | null>;
  domains: Map<string, Domain>;
  /** Names that apps of another account have. */
  elsewhere: Set<string>;
  /** The records that name servers answer. */
  zone: { type: string; name: string; value: string }[];
  /** The servers of visitors, by slug, each started on the first visit. */
  dynos: Map<string, Promise<Dyno>>;
  account: { verified: boolean; delinquent_at: string | null; suspended_at: string | null };
  /** The next build ends like this. */
  quirks: { releaseStatus?: string; isTargetLate?: boolean; hasNoEco?: boolean };
};

export type App = {
  id: string;
  name: string;
  team: string | null;
  /** Another account's is there and cannot be seen. */
  isOurs: boolean;
  host: string;
  acm: boolean;
  config: Record<string, string>;
  formation: { quantity: number; size: string };
  builds: Build[];
  releases: Release[];
};

export type Build = {
  id: string;
  status: string;
  /** States that it still goes through, one a look; the last is how it ends. */
  ahead: string[];
  source: { url: string; checksum?: string | undefined; version?: string | undefined };
  output: string;
  slug: string;
  archive: Buffer;
  release: string | null;
};

export type Release = { id: string; version: number; status: string; endsAs: string; slug: string; archive: Buffer };
export type Domain = {
  id: string;
  hostname: string;
  app: string;
  cname: string | null;
  target: string;
  status: string | null;
  reason: string | null;
  ahead: string[];
};

export type Call = StandInCall<HerokuState>;

/** Loopback names (RFC 6761) stand in for the platform's own, so that sites can be opened on this machine. */
export const ZONE = 'heroku.localhost';
export const TEAM = 'standin-team';
export const NOW = '2026-06-05T12:00:00Z';
export const OWNER = { id: '01234567-89ab-cdef-0123-456789abcdef', email: 'pat@example.com' };

export function createState(): HerokuState {
  return {
    apps: new Map(),
    sources: new Map(),
    domains: new Map(),
    elsewhere: new Set(),
    zone: [],
    dynos: new Map(),
    account: { verified: true, delinquent_at: null, suspended_at: null },
    quirks: {},
  };
}

export function refused(status: number, id: string, message: string): Reply {
  return { status, body: { id, message } };
}

export const GONE = refused(404, 'not_found', 'Couldn’t find that app.');

export function newApp(state: HerokuState, name: string, team: string | null = null, isOurs = true): App {
  const app: App = {
    id: randomUUID(),
    name,
    team,
    isOurs,
    host: `${name}-${randomBytes(6).toString('hex')}`,
    acm: false,
    config: {},
    formation: { quantity: 0, size: 'Eco' },
    builds: [],
    releases: [],
  };
  state.apps.set(app.id, app);
  return app;
}

export function dropApp(state: HerokuState, id: string): void {
  state.apps.delete(id);
  for (const [name, domain] of state.domains) if (domain.app === id) state.domains.delete(name);
}

/** Finds an app by id or name; another account's is refused, as there. */
export function withApp(call: Call, work: (app: App) => Reply): Reply {
  const wanted = call.parts[0] ?? '';
  const app = [...call.state.apps.values()].find(({ id, name }) => id === wanted || name === wanted);
  if (app === undefined) return GONE;
  return app.isOurs ? work(app) : refused(403, 'forbidden', `You do not have access to the app ${wanted}.`);
}

/** Returns the release that visitors see: the newest that succeeded. */
export function currentOf({ releases }: App): Release | undefined {
  return releases.findLast(({ status }) => status === 'succeeded');
}

export function bodyIn({ body }: Call): unknown {
  return body.length === 0 ? {} : JSON.parse(body.toString());
}
