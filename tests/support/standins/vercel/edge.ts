import * as z from 'zod/mini';
import type { Page } from '../stand-in.ts';
import { type Deployment, type Project, type VercelState, ZONE } from './state.ts';

const STATIC = '.vercel/output/static/';
const routeSchema = z.strictObject({
  handle: z.optional(z.enum(['filesystem', 'error'])),
  src: z.optional(z.string()),
  dest: z.optional(z.string()),
  status: z.optional(z.number()),
  headers: z.optional(z.record(z.string(), z.string())),
  continue: z.optional(z.boolean()),
  caseSensitive: z.optional(z.boolean()),
});
const configSchema = z.strictObject({
  version: z.literal(3),
  routes: z.optional(z.array(routeSchema)),
  overrides: z.optional(z.record(z.string(), z.strictObject({ path: z.string() }))),
});
type Route = z.infer<typeof routeSchema>;
type Site = { routes: Route[]; read(path: string): Buffer | undefined };

/**
 * Returns the page at this name and path, by the routes of the release's `config.json`
 * (vercel.com/docs/build-output-api).
 */
export function pageOf(state: VercelState, host: string, path: string): Page {
  const found = releaseAt(state, host);
  if (found === null) return { status: 404, bytes: Buffer.from('The deployment could not be found on Vercel.') };
  const { deployment, project, isOwn } = found;
  if (project.protection !== null && (isOwn || project.protection === 'all')) {
    return { status: 401, bytes: Buffer.from('<title>Login – Vercel</title>') };
  }
  return answer(siteOf(state, deployment, project), path);
}

function releaseAt(state: VercelState, host: string) {
  for (const deployment of state.deployments.values()) {
    const project = state.projects.get(deployment.project);
    if (project === undefined || deployment.state !== 'READY') continue;
    if (host === deployment.url) return { deployment, project, isOwn: true };
    const names = [`${project.name}.${ZONE}`, `${project.name}-pat.${ZONE}`];
    const isNamed = names.includes(host) || state.domains.get(host)?.project === project.id;
    if (isNamed && project.production === deployment.id) return { deployment, project, isOwn: false };
  }
  return null;
}

function siteOf({ files }: VercelState, deployment: Deployment, { team }: Project): Site {
  const bytesOf = (sha: string | undefined): Buffer | undefined => files.get(`${team} ${sha}`);
  if (!deployment.isPrebuilt) return { routes: [], read: (path) => bytesOf(deployment.files.get(path)) };
  const config = configSchema.parse(
    JSON.parse(bytesOf(deployment.files.get('.vercel/output/config.json'))?.toString() ?? ''),
  );
  const byAddress = new Map<string, string>();
  for (const [path, sha] of deployment.files) {
    if (!path.startsWith(STATIC)) continue;
    const name = path.slice(STATIC.length);
    byAddress.set(config.overrides?.[name]?.path ?? name, sha);
  }
  return { routes: config.routes ?? [], read: (path) => bytesOf(byAddress.get(path)) };
}

function answer({ routes, read }: Site, address: string): Page {
  const headers: Record<string, string> = {};
  const fileAt = (path: string): Buffer | undefined => {
    const name = decodeURIComponent(path).slice(1);
    return read(name) ?? read(`${name === '' || name.endsWith('/') ? name : `${name}/`}index.html`);
  };
  const phases = phasesOf(routes);
  let path = address;
  let status = 200;
  for (const phase of ['start', 'filesystem'] as const) {
    const hit = follow(phases[phase], path, headers);
    if (hit?.location !== undefined) return { status: hit.status ?? 307, bytes: Buffer.alloc(0), headers };
    path = hit?.dest ?? path;
    status = hit?.status ?? status;
    const bytes = fileAt(path);
    if (bytes !== undefined) return { status, bytes, headers };
  }
  const hit = follow(phases.error, path, headers);
  const bytes = hit?.dest === undefined ? undefined : fileAt(hit.dest);
  return { status: 404, bytes: bytes ?? Buffer.from('404: NOT_FOUND'), headers };
}

function phasesOf(routes: readonly Route[]): Record<'start' | 'filesystem' | 'error', Route[]> {
  const phases: Record<'start' | 'filesystem' | 'error', Route[]> = { start: [], filesystem: [], error: [] };
  let phase: keyof typeof phases = 'start';
  for (const route of routes) {
    if (route.handle === undefined) phases[phase].push(route);
    else phase = route.handle;
  }
  return phases;
}

type Hit = { dest?: string; status?: number; location?: string };

function follow(routes: readonly Route[], path: string, headers: Record<string, string>): Hit | null {
  for (const { src = '', dest, status, headers: set = {}, continue: goesOn, caseSensitive } of routes) {
    const match = new RegExp(src, caseSensitive ? '' : 'i').exec(path);
    if (match === null) continue;
    const fill = (text: string): string => text.replace(/\$(\d)/g, (_all, index) => match[Number(index)] ?? '');
    for (const [name, value] of Object.entries(set)) headers[name] = fill(value);
    if (goesOn) continue;
    return {
      ...(dest !== undefined && { dest: fill(dest) }),
      ...(status !== undefined && { status }),
      ...(set.Location !== undefined && { location: fill(set.Location) }),
    };
  }
  return null;
}
