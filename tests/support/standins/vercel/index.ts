import { DAY_MS, type RequestLimit } from '../limits.ts';
import { type StandIn, type StandInOptions, startStandIn } from '../stand-in.ts';
import { deploymentRoutes } from './deployments.ts';
import { domainRoutes } from './domains.ts';
import { pageOf } from './edge.ts';
import { accountRoutes, projectRoutes } from './projects.ts';
import { createState, GONE, refused, type VercelState } from './state.ts';

/** Fields that its client sends and its description lacks: `version`, and `mode` of each file. */
export const CLIENT_DRIFT = /^request POST \/v13\/deployments: .*additional properties/;

/**
 * vercel.com/docs/limits, of the Hobby plan: 100 deployments a day, and of files the 5,000 that refusals name (vercel/vercel,
 * issue 3826). What else it counts, it does not publish.
 */
const LIMITS: readonly RequestLimit[] = [
  {
    most: 100,
    inMs: DAY_MS,
    counts: ({ method, path }) => method === 'POST' && /^\/v\d+\/deployments$/.test(path),
    refusal: () => refused(402, 'api-deployments-free-per-day', 'Resource is limited (more than 100 a day).'),
  },
  {
    most: 5_000,
    inMs: DAY_MS,
    counts: ({ path }) => path === '/v2/files',
    refusal: () => refused(429, 'rate_limited', 'Too many requests (more than 5000, code: "api-upload-free").'),
  },
];

/** Vercel's API and its edge, played (vercel.com/docs/rest-api). */
export function startVercel(more: Partial<StandInOptions<VercelState>> = {}): Promise<StandIn<VercelState>> {
  return startStandIn<VercelState>({
    state: createState(),
    description: 'vercel',
    limits: LIMITS,
    routes: [...accountRoutes, ...projectRoutes, ...deploymentRoutes, ...domainRoutes],
    refusals: {
      token: refused(403, 'forbidden', 'Not authorized', { invalidToken: true }),
      unknown: GONE,
      misfit: (what) => refused(400, 'bad_request', `Invalid request: ${what}`),
    },
    knownDrift: CLIENT_DRIFT,
    visit: async (state, host, path) => pageOf(state, host, path),
    ...more,
  });
}
