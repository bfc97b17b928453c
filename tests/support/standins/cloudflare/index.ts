import { cloudflare } from '../../../../server/dns/providers/cloudflare.ts';
import type { DnsUnderTest } from '../../dns-suite.ts';
import { heldWorld, READING_TOKEN } from '../dns-world.ts';
import { createHeldZones } from '../held-zones.ts';
import { type StandIn, startStandIn, TOKEN } from '../stand-in.ts';
import { type CloudflareState, ROUTES, refusal } from './routes.ts';

/** Cloudflare's API for zones and their records, as npm cloudflare 7.3.0 declares its requests and answers. */
export async function startCloudflare(): Promise<StandIn<CloudflareState>> {
  const standIn = await startStandIn<CloudflareState>({
    state: { zones: createHeldZones(), batches: [], meanwhile: null },
    description: null,
    base: '/client/v4',
    routes: ROUTES,
    refusals: {
      token: refusal(403, 9109, 'Invalid access token'),
      unknown: refusal(404, 7003, 'Could not route to this path, perhaps your object identifier is invalid?'),
    },
  });
  standIn.admit(READING_TOKEN);
  return standIn;
}

export const CLOUDFLARE_SLOW_DOWN = {
  how: 'status',
  headers: { 'retry-after': '7' },
  ...refusal(429, 971, 'Please wait and consider throttling your request speed'),
} as const;

export async function cloudflareUnderTest(): Promise<
  DnsUnderTest<'cloudflare'> & { standIn: StandIn<CloudflareState> }
> {
  const standIn = await startCloudflare();
  return {
    standIn,
    provider: cloudflare({ apiUrl: standIn.apiUrl }),
    credentials: { token: TOKEN },
    wrongCredentials: { token: 'nobodys' },
    narrowCredentials: { token: READING_TOKEN },
    world: heldWorld(standIn, CLOUDFLARE_SLOW_DOWN),
    [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
  };
}
