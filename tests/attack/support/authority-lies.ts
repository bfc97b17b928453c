import type { Random } from '../../support/random.ts';
import { answer, LIES, say } from './lies.ts';
import type { Lie } from './lying-proxy.ts';
import { oddText } from './odd-values.ts';

const LONG = 30_000;
const TYPES = ['badNonce', 'rateLimited', 'malformed', 'serverInternal', 'userActionRequired', 'caa', 'x'.repeat(LONG)];
const STATES = ['pending', 'ready', 'processing', 'valid', 'invalid', 'READY?', null];
const PEM = '-----BEGIN CERTIFICATE-----\n';

/** An honest answer with what stands before the body, changed as text. */
function retold(change: (body: string, telling: Parameters<Lie>[0]) => string, status?: number): Lie {
  return async (telling) => {
    const honest = await telling.honest();
    const headers = Object.entries(honest.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
    await say(
      telling.socket,
      answer(status ?? honest.status, change(honest.body.toString(), telling), headers.join('')),
    );
  };
}

function withFields(fields: (random: Random) => Record<string, unknown>): Lie {
  return retold((body, { random }) => {
    try {
      return JSON.stringify({ ...JSON.parse(body), ...fields(random) });
    } catch {
      return body;
    }
  });
}

/** Possible answers of a lying certificate authority. */
export const AUTHORITY_LIES: Readonly<Record<string, Lie>> = {
  ...LIES,
  'addresses inside': retold((body, { inside }) => body.replaceAll(/https:\/\/localhost:\d+/g, inside)),
  'orders that come to no end': withFields((random) => ({ status: random.pick(STATES) })),
  'hundreds of authorizations': withFields((random) => ({
    authorizations: Array.from({ length: random.pick([100, 5_000]) }, () => 'https://localhost/authz'),
  })),
  'challenges that nobody knows': withFields((random) => ({
    challenges: random.many(1, 30, () => ({
      ...{ type: random.pick(['http-01', 'dns-01', '__proto__']), url: 'https://localhost/x', status: 'pending' },
      token: random.pick(['', '../x', oddText(random, 5_000), 'x'.repeat(128)]),
    })),
  })),
  'problems without end': async ({ socket, random }) => {
    const type = `urn:ietf:params:acme:error:${random.pick(TYPES)}`;
    const detail = oddText(random, LONG);
    const subproblems = random.many(0, random.pick([1, 2_000]), () => ({
      type,
      detail: 'no',
      identifier: { value: 'a' },
    }));
    const body = JSON.stringify({ type, detail, subproblems, instance: `https://a.test/${'x'.repeat(LONG)}` });
    const headers = `Replay-Nonce: ${random.bytes(9).toString('base64url')}\r\nRetry-After: ${random.pick(['0', '-1', '1e99', 'x'])}\r\n`;
    await say(socket, answer(random.pick([400, 403, 409, 429, 500, 503]), body, headers));
  },
  'odd nonces': async ({ socket, honest, random }) => {
    const { status, body } = await honest();
    await say(socket, answer(status, body, `Replay-Nonce: ${random.pick(['', '"', '\u00e9', 'n'.repeat(8_000)])}\r\n`));
  },
  'another certificate': retold((body, { random }) => {
    if (!body.startsWith('-----')) return body;
    return random.pick([
      PEM,
      `${PEM}${'A'.repeat(200_000)}`,
      `${PEM}AAAA\n-----END CERTIFICATE-----\n`.repeat(3_000),
      body.repeat(50),
    ]);
  }),
};
