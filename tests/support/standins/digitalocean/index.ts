import { digitalocean } from '../../../../server/dns/providers/digitalocean.ts';
import type { DnsUnderTest } from '../../dns-suite.ts';
import { heldWorld, READING_TOKEN } from '../dns-world.ts';
import { createHeldZones } from '../held-zones.ts';
import { type StandIn, startStandIn, TOKEN } from '../stand-in.ts';
import { type DigitalOceanState, ROUTES, refusal } from './routes.ts';

/** DigitalOcean's API for domains and their records, held to its published description. */
export async function startDigitalOcean(): Promise<StandIn<DigitalOceanState>> {
  const standIn = await startStandIn<DigitalOceanState>({
    state: { zones: createHeldZones(), hasAccountScope: true },
    description: 'digitalocean',
    routes: ROUTES,
    refusals: {
      token: refusal(401, 'Unauthorized', 'Unable to authenticate you'),
      unknown: refusal(404, 'not_found', 'The resource you were accessing could not be found.'),
    },
  });
  standIn.admit(READING_TOKEN);
  return standIn;
}

/** The end of the limit is given in seconds since 1970. */
export function digitalOceanSlowDown() {
  const end = Math.round(Date.now() / 1_000) + 7;
  const headers = { 'ratelimit-limit': '5000', 'ratelimit-remaining': '0', 'ratelimit-reset': String(end) };
  return { how: 'status', headers, ...refusal(429, 'too_many_requests', 'API Rate limit exceeded.') } as const;
}

export async function digitalOceanUnderTest(): Promise<
  DnsUnderTest<'digitalocean'> & { standIn: StandIn<DigitalOceanState> }
> {
  const standIn = await startDigitalOcean();
  return {
    standIn,
    provider: digitalocean({ apiUrl: `${standIn.apiUrl}/v2` }),
    credentials: { token: TOKEN },
    wrongCredentials: { token: 'nobodys' },
    narrowCredentials: { token: READING_TOKEN },
    values: {
      TXT: ['fairlead=a "quoted" text; with signs', 'x'.repeat(300)],
      CAA: ['0 issue "ca.example"', '0 iodef "mailto:security@ours.test"'],
    },
    world: heldWorld(standIn, digitalOceanSlowDown()),
    [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
  };
}
