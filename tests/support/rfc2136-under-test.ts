import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { rfc2136 } from '../../server/dns/providers/rfc2136.ts';
import { toCharacterStrings } from '../../server/dns/record-values.ts';
import { type DnsUnderTest, ZONE } from './dns-suite.ts';
import { findNameServerPrograms } from './name-server-programs.ts';
import { startBind } from './name-servers.ts';

const run = promisify(execFile);

export const KEY = {
  name: 'fairlead',
  algorithm: 'hmac-sha256',
  secret: Buffer.from('a key for the tests, long enough').toString('base64'),
} as const;
const NARROW = { ...KEY, name: 'narrow', secret: Buffer.from('another key for the tests').toString('base64') };
const GRANTS = `update-policy { grant fairlead zonesub ANY; grant narrow name _acme-challenge.${ZONE}. TXT; };`;
const NAMING: ReadonlySet<string> = new Set(['CNAME', 'MX', 'NS']);

/** The adapter for servers whose host is an address. */
export const provider = rfc2136({ isAllowed: () => true, askResolvers: async () => [] });

/** A real `named` with two keys, of which one may only answer challenges; `more` are further lines of its zone. */
export async function bindUnderTest(more: readonly string[] = []): Promise<DnsUnderTest<'rfc2136'>> {
  const records = ['@ NS ns1', 'ns1 A 127.0.0.1', 'mail A 198.51.100.25', ...more].join('\n');
  const { path, env } = await findNameServerPrograms();
  const server = await startBind({ keys: [KEY, NARROW], zones: { [ZONE]: { records, clause: GRANTS } } });
  const { address, port } = server;
  const { name: keyName, algorithm, secret } = KEY;
  const credentials = { server: address, port, zone: ZONE, keyName, algorithm, secret };
  const key = `${algorithm}:${keyName}:${secret}`;
  return {
    provider,
    credentials,
    wrongCredentials: { ...credentials, secret: NARROW.secret },
    narrowCredentials: { ...credentials, keyName: NARROW.name, secret: NARROW.secret },
    world: {
      async dump() {
        const { stdout } = await run(path('dig'), ['+noall', '+answer', '-p', `${port}`, `@${address}`, ZONE, 'AXFR'], {
          env,
        });
        const lines = stdout.split('\n').map((line) => line.replace(/\s+/g, ' '));
        return [...new Set(lines.map((line) => line.replace(/( SOA \S+ \S+) \d+/, '$1')))].sort();
      },
      async place({ type, name, ttl, values }) {
        const contents = values.map((value) => {
          if (type === 'TXT') return toCharacterStrings(value);
          return NAMING.has(type) ? `${value}.` : value;
        });
        const commands = [
          `server ${address} ${port}`,
          `update delete ${name}. ${type}`,
          ...contents.map((content) => `update add ${name}. ${ttl} ${type} ${content}`),
          'send\n',
        ];
        const updating = run(path('nsupdate'), ['-y', key], { env });
        updating.child.stdin?.end(commands.join('\n'));
        await updating;
      },
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
