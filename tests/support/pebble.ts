import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import { DAY_MS, MINUTE_MS } from '../../server/lib/durations.ts';
import { selfSigned } from './certificate.ts';
import { freePort, onFreePort } from './free-ports.ts';
import { findPebble } from './pebble-program.ts';

/** An external account binding that the authority takes: the key in base64url. */
export type Eab = { kid: string; hmacKey: string };

export type PebbleOptions = {
  /** The port that it connects to for HTTP-01. */
  httpPort?: number;
  /** The name server that it asks, as `host:port`; the system's resolver when absent. */
  dnsServer?: string;
  /** Percent of good nonces that are refused; none when absent. */
  nonceRejectPercent?: number;
  /** Percent of orders that find their names validated already; none when absent. */
  authzReusePercent?: number;
  /** Asks for one of these. */
  eab?: readonly Eab[];
  /** Profile → seconds that its certificates live. One alone when absent: of several a random one is taken. */
  profiles?: Record<string, number>;
  blocked?: readonly string[];
  /** The time that it asks to wait before the next look at an order; 0 says nothing. */
  retryAfterSeconds?: number;
  /** Listens here again after a stop, with nothing remembered. */
  port?: number;
};

export type Pebble = AsyncDisposable & {
  directoryUrl: string;
  port: number;
  /** The certificate that its own API is trusted by. */
  apiCa: string;
  /** The root of what it issues; another at each start. */
  root(): Promise<string>;
  /** Makes it answer this about the renewal of a certificate, whether it is right or not. */
  setRenewalInfo(certificatePem: string, answer: string): Promise<void>;
  statusOf(serialHex: string): Promise<string>;
  output(): string;
};

const START_TIMEOUT_MS = 60_000;
const NINETY_DAYS_SECONDS = 90 * 24 * 60 * 60;
/** It is one for all starts: an authority that is started again is reached by the same trust. */
const API = selfSigned(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS));

function configOf(options: PebbleOptions, port: number, managementPort: number) {
  const {
    httpPort = 5002,
    eab,
    blocked = [],
    retryAfterSeconds = 1,
    profiles = { classic: NINETY_DAYS_SECONDS },
  } = options;
  return {
    pebble: {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${managementPort}`,
      certificate: 'api.pem',
      privateKey: 'api.key',
      httpPort,
      tlsPort: 5001,
      ocspResponderURL: '',
      externalAccountBindingRequired: eab !== undefined,
      ...(eab !== undefined && {
        externalAccountMACKeys: Object.fromEntries(eab.map(({ kid, hmacKey }) => [kid, hmacKey])),
      }),
      domainBlocklist: blocked,
      retryAfter: { authz: retryAfterSeconds, order: retryAfterSeconds },
      keyAlgorithm: 'ecdsa',
      profiles: Object.fromEntries(
        Object.entries(profiles).map(([name, validityPeriod]) => [name, { description: name, validityPeriod }]),
      ),
    },
  };
}

/** Starts Let's Encrypt's test authority; everything it knows is in its memory. */
export function startPebble(options: PebbleOptions = {}): Promise<Pebble> {
  const launchAt = (port: number) => launchPebble(options, port);
  return options.port === undefined ? onFreePort(launchAt) : launchAt(options.port);
}

async function launchPebble(options: PebbleOptions, port: number): Promise<Pebble> {
  const program = await findPebble();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-pebble-'));
  const managementPort = await freePort();
  await writeFile(join(folder, 'api.pem'), API.cert);
  await writeFile(join(folder, 'api.key'), API.key);
  await writeFile(join(folder, 'pebble.json'), JSON.stringify(configOf(options, port, managementPort)));
  const { dnsServer, nonceRejectPercent = 0, authzReusePercent = 0 } = options;
  const args = ['-config', 'pebble.json', ...(dnsServer === undefined ? [] : ['-dnsserver', dnsServer])];
  const env = {
    PATH: process.env.PATH ?? '',
    PEBBLE_VA_NOSLEEP: '1',
    PEBBLE_WFE_NONCEREJECT: String(nonceRejectPercent),
    PEBBLE_AUTHZREUSE: String(authzReusePercent),
    PEBBLE_WFE_ORDERS_PER_PAGE: '100',
  };
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const agent = new Agent({ connect: { ca: API.cert } });
  const ask = async (path: string, body?: string): Promise<string> => {
    const url = `https://localhost:${managementPort}${path}`;
    const answer = await fetch(url, { dispatcher: agent, ...(body !== undefined && { method: 'POST', body }) });
    if (!answer.ok) throw new Error(`Pebble answered ${answer.status} at ${path}: ${await answer.text()}`);
    return answer.text();
  };
  const stop = async (): Promise<void> => {
    await agent.destroy();
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  const directoryUrl = `https://localhost:${port}/dir`;
  try {
    await requireCurrent(await whenReady(child, agent, directoryUrl));
  } catch (error) {
    await stop();
    throw new Error(`${program}: ${String(error)}\n${output.slice(-2_000)}`);
  }
  return {
    directoryUrl,
    port,
    apiCa: API.cert,
    root: () => ask('/roots/0'),
    setRenewalInfo: async (certificate, answer) =>
      void (await ask('/set-renewal-info/', JSON.stringify({ certificate, ARIResponse: answer }))),
    statusOf: async (serialHex) => {
      const found = JSON.parse(await ask(`/cert-status-by-serial/${serialHex.toLowerCase()}`));
      return String(found.Status);
    },
    output: () => output,
    [Symbol.asyncDispose]: stop,
  };
}

async function whenReady(child: ChildProcess, agent: Agent, directoryUrl: string): Promise<string> {
  const endsAt = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < endsAt) {
    if (child.exitCode !== null) throw new Error('it ended at once');
    const answer = await fetch(directoryUrl, { dispatcher: agent }).catch(() => undefined);
    if (answer?.ok) return answer.text();
    await delay(20);
  }
  throw new Error(`it did not start within ${START_TIMEOUT_MS / MINUTE_MS} minutes`);
}

/** Refuses versions before 2.6, which know no renewal information, and those before 2.10, which know no profiles. */
function requireCurrent(directory: string): void {
  const found = JSON.parse(directory);
  if (found.renewalInfo === undefined || found.meta?.profiles === undefined) {
    throw new Error(
      'it is too old: the tests need Pebble 2.10 or later, with renewalInfo and profiles in its directory',
    );
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
}
