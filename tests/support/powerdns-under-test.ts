import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { powerdns } from '../../server/dns/providers/powerdns.ts';
import { toCharacterStrings } from '../../server/dns/record-values.ts';
import { atFreePort } from './at-free-port.ts';
import { type DnsFault, type DnsUnderTest, ZONE } from './dns-suite.ts';
import { startPowerDns } from './name-servers.ts';
import { requestHandler } from './request-handler.ts';

const PAGE = '<html><body>Bad gateway</body></html>';
const FAULTS: Record<DnsFault, { status: number; headers: Record<string, string>; body: string }> = {
  slow_down: { status: 429, headers: { 'retry-after': '7', 'content-type': 'text/plain' }, body: 'Slow down' },
  server_error: { status: 500, headers: { 'content-type': 'text/plain' }, body: 'Internal Server Error' },
  html: { status: 200, headers: { 'content-type': 'text/html' }, body: PAGE },
};

type HeldSet = { name: string; type: string; ttl: number; records: { content: string }[] };

/** A real PowerDNS, behind a proxy that fails on demand: the server itself never does. */
export async function powerdnsUnderTest(): Promise<DnsUnderTest<'powerdns'>> {
  const server = await startPowerDns();
  await server.createZone(ZONE, { [`${ZONE} NS`]: ['ns1.ours.test.'], [`mail.${ZONE} A`]: ['198.51.100.25'] });
  const faults: DnsFault[] = [];
  const proxy = createServer(
    requestHandler((request, response) => pass(server.apiUrl, request, response, faults.shift())),
  );
  const listening = await atFreePort(proxy);
  const credentials = { url: listening.url, apiKey: server.apiKey };
  return {
    provider: powerdns(),
    credentials,
    wrongCredentials: { ...credentials, apiKey: 'another-key' },
    narrowCredentials: null,
    world: {
      async dump() {
        const { rrsets } = heldSets(await server.api('GET', `/zones/${ZONE}.`));
        return rrsets
          .flatMap(({ name, type, ttl, records }) =>
            records.map(({ content }) => `${name} ${ttl} ${type} ${type === 'SOA' ? withoutSerial(content) : content}`),
          )
          .sort();
      },
      async place({ type, name, ttl, values }) {
        const records = values.map((value) => ({ content: contentOf(type, value) }));
        const set = { name: `${name}.`, type, ttl, changetype: 'REPLACE', records };
        await server.api('PATCH', `/zones/${ZONE}.`, { rrsets: [set] });
      },
      async addZones(count) {
        for (let index = 0; index < count; index += 1) await server.createZone(`zone-${index}.test`);
      },
      fail: (fault, times) => void faults.push(...Array.from({ length: times }, () => fault)),
    },
    [Symbol.asyncDispose]: async () => {
      await listening[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

async function pass(
  apiUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
  fault: DnsFault | undefined,
): Promise<void> {
  const body = await text(request);
  if (fault !== undefined) {
    const { status, headers, body: page } = FAULTS[fault];
    response.writeHead(status, headers).end(page);
    return;
  }
  const answer = await fetch(`${apiUrl}${request.url}`, {
    method: request.method ?? 'GET',
    headers: { 'x-api-key': String(request.headers['x-api-key']) },
    ...(body !== '' && { body }),
  });
  response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
  response.end(await answer.text());
}

function contentOf(type: string, value: string): string {
  if (type === 'TXT') return toCharacterStrings(value);
  return ['CNAME', 'MX', 'NS'].includes(type) ? `${value}.` : value;
}

/** The server counts it up by itself. */
function withoutSerial(content: string): string {
  return content.split(' ').toSpliced(2, 1).join(' ');
}

export function heldSets(answer: unknown): { rrsets: HeldSet[] } {
  // PowerDNS answers a zone in this shape (doc.powerdns.com, "Zones"); anything else fails the test that looks.
  return answer as { rrsets: HeldSet[] };
}
