import { MINUTE_MS, type RequestLimit } from '../limits.ts';
import { type StandIn, type StandInOptions, startStandIn } from '../stand-in.ts';
import { DEPLOY_ROUTES } from './deploys.ts';
import { visitNetlify } from './serve.ts';
import { SITE_ROUTES } from './sites.ts';
import { type NetlifyReading, type NetlifyState, NOT_THERE, USUAL_READING } from './state.ts';

/** "Get started with the Netlify API": most requests, 500 a minute. */
const LIMIT: RequestLimit = {
  most: 500,
  inMs: MINUTE_MS,
  refusal: (waitMs, nowMs) => ({
    status: 429,
    body: { code: 429, message: 'Too Many Requests' },
    headers: {
      'x-ratelimit-limit': '500',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Math.ceil((nowMs + waitMs) / 1_000)),
    },
  }),
};

/**
 * Netlify's API, held to its published description (npm @netlify/open-api 2.60.0), with sites at
 * `{name}.netlify.localhost`. Where the description leaves something open, `reading` chooses between the two ways in
 * which it can be.
 */
export function startNetlify(
  reading: Partial<NetlifyReading> = {},
  more: Partial<StandInOptions<NetlifyState>> = {},
): Promise<StandIn<NetlifyState>> {
  return startStandIn({
    state: {
      sites: new Map(),
      deploys: new Map(),
      blobs: new Map(),
      zone: [],
      elsewhere: new Set(),
      reading: { ...USUAL_READING, ...reading },
    },
    description: 'netlify',
    base: '/api/v1',
    routes: [...SITE_ROUTES, ...DEPLOY_ROUTES],
    limits: [LIMIT],
    refusals: {
      token: { status: 401, body: { code: 401, message: 'Access Denied' } },
      unknown: NOT_THERE,
      misfit: (message) => ({ status: 422, body: { code: 422, message } }),
    },
    // In this reading a name leaves by a null, which the description does not have.
    ...(reading.domainsLeaveBy === 'null' && { knownDrift: /custom_domain/ }),
    visit: async (state, host, path) => visitNetlify(state, host, path),
    ...more,
  });
}
