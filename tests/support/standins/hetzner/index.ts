import { hetzner } from '../../../../server/dns/providers/hetzner.ts';
import type { DnsUnderTest } from '../../dns-suite.ts';
import { heldWorld, READING_TOKEN } from '../dns-world.ts';
import { createHeldZones } from '../held-zones.ts';
import { type StandIn, startStandIn, TOKEN } from '../stand-in.ts';
import { type HetznerState, ROUTES, refusal } from './routes.ts';

/** Hetzner's API for zones and record sets, held to its published description. */
export async function startHetzner(): Promise<StandIn<HetznerState>> {
  const standIn = await startStandIn<HetznerState>({
    state: {
      zones: createHeldZones(),
      secondary: new Set(),
      fixed: new Set(),
      comments: new Map(),
      bare: new Set(),
      looksUntilDone: 0,
      actionErrors: [],
      meanwhile: null,
      actions: [],
    },
    description: 'hetzner',
    base: '/v1',
    routes: ROUTES,
    refusals: {
      token: refusal(401, 'unauthorized', 'unable to authenticate'),
      misfit: (what) => refusal(422, 'invalid_input', what),
      unknown: refusal(404, 'not_found', 'The requested resource was not found'),
    },
  });
  standIn.admit(READING_TOKEN);
  return standIn;
}

/** The header tells when the whole limit is back, not when the next request is taken. */
export function hetznerSlowDown() {
  const end = Math.round(Date.now() / 1_000) + 3_600;
  const headers = { 'ratelimit-limit': '3600', 'ratelimit-remaining': '0', 'ratelimit-reset': String(end) };
  return {
    how: 'status',
    headers,
    ...refusal(429, 'rate_limit_exceeded', 'limit of 3600 requests per hour reached'),
  } as const;
}

export async function hetznerUnderTest(): Promise<DnsUnderTest<'hetzner'> & { standIn: StandIn<HetznerState> }> {
  const standIn = await startHetzner();
  return {
    standIn,
    provider: hetzner({ apiUrl: standIn.apiUrl }),
    credentials: { token: TOKEN },
    wrongCredentials: { token: 'nobodys' },
    narrowCredentials: { token: READING_TOKEN },
    world: heldWorld(standIn, hetznerSlowDown()),
    [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
  };
}
