import { route53 } from '../../../../server/dns/providers/route53.ts';
import type { DnsUnderTest } from '../../dns-suite.ts';
import { heldWorld } from '../dns-world.ts';
import { createHeldZones } from '../held-zones.ts';
import { type StandIn, startStandIn } from '../stand-in.ts';
import { ROUTES, type Route53State, refusal } from './routes.ts';
import { isSignedWith, keyIdIn } from './signature.ts';

export const KEY = { accessKeyId: 'AKIAFULLFULLFULLFULL', secretAccessKey: 'a-secret/access+key' };
const READING_KEY = { accessKeyId: 'AKIAREADREADREADREAD', secretAccessKey: 'another-secret/access+key' };

/** Route 53's API for hosted zones and their record sets, of 2013-04-01, with signatures checked. */
export function startRoute53(): Promise<StandIn<Route53State>> {
  const secrets = new Map([KEY, READING_KEY].map(({ accessKeyId, secretAccessKey }) => [accessKeyId, secretAccessKey]));
  const unknown = refusal(404, 'UnknownOperationException', 'There is no such operation.');
  return startStandIn<Route53State>({
    state: {
      zones: createHeldZones(),
      privateZones: new Set(),
      strange: [],
      looksUntilInSync: 0,
      changes: [],
      denied: { keyId: READING_KEY.accessKeyId, action: 'ChangeResourceRecordSets' },
      meanwhile: null,
      sent: [],
      batches: [],
    },
    description: null,
    routes: ROUTES,
    refusals: { token: unknown, unknown },
    refuse: (asked) => {
      const secret = secrets.get(keyIdIn(asked.request) ?? '');
      if (secret === undefined) {
        return refusal(403, 'InvalidClientTokenId', 'The security token included in the request is invalid.');
      }
      const words = 'The request signature we calculated does not match the signature you provided.';
      return isSignedWith(secret, asked) ? null : refusal(403, 'SignatureDoesNotMatch', words);
    },
  });
}

/** Throttling has status 400, and no word on how long. */
export const ROUTE53_SLOW_DOWN = { how: 'status', ...refusal(400, 'Throttling', 'Rate exceeded') } as const;

export async function route53UnderTest(): Promise<DnsUnderTest<'route53'> & { standIn: StandIn<Route53State> }> {
  const standIn = await startRoute53();
  return {
    standIn,
    provider: route53({ apiUrl: standIn.apiUrl }),
    credentials: KEY,
    wrongCredentials: { ...KEY, secretAccessKey: 'not-the-secret' },
    narrowCredentials: READING_KEY,
    world: heldWorld(standIn, ROUTE53_SLOW_DOWN),
    [Symbol.asyncDispose]: () => standIn[Symbol.asyncDispose](),
  };
}
