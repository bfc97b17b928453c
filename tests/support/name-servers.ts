import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { withTimeout } from '../../server/lib/with-timeout.ts';
import { freePort, onFreePort } from './free-ports.ts';
import { createIdleServers } from './idle-servers.ts';
import { findNameServerPrograms, type NameServerPrograms } from './name-server-programs.ts';

/**
 * Real name servers for tests, as a plain user on high ports. All name servers of a test share one port (DNS_AUTHORITY_PORT
 * is one number) and differ by address: `named` at 127.0.0.1, PowerDNS at 127.0.0.2 and above. In front stands a
 * validating resolver, which goes nowhere but to its stub zones.
 */
export type NameServer = {
  address: string;
  port: number;
  /** Returns everything that it has printed. */
  output(): string;
  [Symbol.asyncDispose](): Promise<void>;
};

const run = promisify(execFile);
const START_TIMEOUT_MS = 60_000;
/**
 * Ends the server when this end of its input is closed, which happens as well when the process of the tests is killed,
 * and removes its folder. The output of the shell itself is discarded, since writing it to a closed pipe would end the
 * shell.
 */
const WATCHED =
  'exec 3<&0; "$@" & server=$!; exec >/dev/null 2>&1; (cat <&3; kill -9 $server) & wait $server; kill $!; rm -rf "$PWD"';

/**
 * A start takes longer than most tests do, so that servers which were disposed of serve the next test or file of this
 * process, without a zone of the one before.
 */
const idlePowerDns = createIdleServers<PowerDns>();
const idleResolvers = createIdleServers<Unbound>();

async function launch(
  { program, args, env, isReady }: { program: string; args: string[]; env: Record<string, string>; isReady: RegExp },
  folder: string,
): Promise<{ output(): string; stop(): Promise<void> }> {
  const child = spawn('/bin/sh', ['-c', WATCHED, 'sh', program, ...args], { cwd: folder, env });
  let output = '';
  const ended = once(child, 'exit');
  const ready = new Promise<boolean>((resolve) => {
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
      if (isReady.test(output)) resolve(true);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
  });
  const isRunning = await withTimeout(Promise.race([ready, ended.then(() => false)]), START_TIMEOUT_MS, () => false);
  // One that waits for the next test keeps no process of tests alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
  if (isRunning) return { output: () => output, stop: () => stop(child, ended, folder) };
  await stop(child, ended, folder);
  throw new Error(`${program} did not start:\n${output.slice(-2_000)}`);
}

async function stop(child: ChildProcessWithoutNullStreams, ended: Promise<unknown>, folder: string): Promise<void> {
  child.ref();
  child.stdin.end();
  await ended;
  await rm(folder, { recursive: true, force: true });
}

export type BindZone = {
  /** Lines of a zone file below the SOA; names without a last dot are inside the zone. The NS set belongs to them. */
  records: string;
  /** Signed by the server itself (`dnssec-policy default`). */
  isSigned?: boolean;
  /** Further lines of the zone's clause, such as `update-policy { grant key. zonesub ANY; };`. */
  clause?: string;
};

export type BindOptions = {
  zones: Record<string, BindZone>;
  port?: number;
  keys?: readonly { name: string; algorithm: string; secret: string }[];
};

const SOA_LINE = '$TTL 60\n@ SOA ns1 hostmaster 1 3600 600 86400 60\n';

/** Returns a `named` at 127.0.0.1 with these zones. */
export async function startBind(
  options: BindOptions,
): Promise<NameServer & { dnskeyOf(zone: string): Promise<string> }> {
  const programs = await findNameServerPrograms();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-named-'));
  const port = options.port ?? (await freePort());
  const zones = Object.entries(options.zones).map(async ([name, zone]) => {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'zone'), `${SOA_LINE}${zone.records.replace(/^[ \t]+/gm, '')}\n`);
    const signing = `dnssec-policy default; inline-signing yes; key-directory "${folder}/${name}";`;
    return `zone "${name}" { type primary; file "${folder}/${name}/zone"; ${zone.isSigned === true ? signing : ''} ${zone.clause ?? ''} };`;
  });
  const keys = (options.keys ?? []).map(
    ({ name, algorithm, secret }) => `key "${name}" { algorithm ${algorithm}; secret "${secret}"; };`,
  );
  await writeFile(
    join(folder, 'named.conf'),
    `options { directory "${folder}"; pid-file "${folder}/named.pid"; session-keyfile "${folder}/named.key";
      managed-keys-directory "${folder}"; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; };
      recursion no; dnssec-validation no; notify no; };
    controls { };
    ${keys.join('\n')}
    ${(await Promise.all(zones)).join('\n')}\n`,
  );
  const launched = await launch(
    {
      program: programs.path('named'),
      args: ['-g', '-n', '1', '-c', 'named.conf'],
      env: programs.env,
      isReady: / running$/m,
    },
    folder,
  );
  return {
    address: '127.0.0.1',
    port,
    output: launched.output,
    /** The key that a resolver trusts a signed zone by, as a line of a zone file. */
    async dnskeyOf(zone) {
      for (;;) {
        const [file] = (await readdir(join(folder, zone))).filter((name) => name.endsWith('.key'));
        const key = file === undefined ? '' : await readFile(join(folder, zone, file), 'utf8');
        const line = key.split('\n').find((one) => one.includes('DNSKEY'));
        if (line !== undefined) return line;
        // It is made beside the start, and may come a moment after it.
        await delay(20);
      }
    },
    [Symbol.asyncDispose]: launched.stop,
  };
}

export type PowerDns = NameServer & {
  apiUrl: string;
  apiKey: string;
  /** Calls its API below `/api/v1/servers/localhost`; throws what it says when it refuses. */
  api(method: string, path: string, body?: unknown): Promise<unknown>;
  /**
   * Makes a zone with these sets: `{ 'www.shop.test A': ['192.0.2.1'] }`, contents as PowerDNS writes them. One that a try
   * of the same test has left gives way.
   */
  createZone(name: string, sets?: Record<string, string[]>): Promise<void>;
  /** Replaces sets of a zone; an empty one is removed. */
  writeSets(zone: string, sets: Record<string, string[]>): Promise<void>;
};

const API_KEY = 'key-of-the-tests';
const TTL_SECONDS = 60;

function toSets(sets: Record<string, string[]>) {
  return Object.entries(sets).map(([key, contents]) => {
    const [name = '', type = ''] = key.split(' ');
    return {
      name: `${name}.`,
      type,
      ttl: TTL_SECONDS,
      changetype: contents.length === 0 ? 'DELETE' : 'REPLACE',
      records: contents.map((content) => ({ content })),
    };
  });
}

async function configurePowerDns(
  programs: NameServerPrograms,
  {
    folder,
    address,
    port,
    apiPort,
    settings,
  }: { folder: string; address: string; port: number; apiPort: number; settings: readonly string[] },
): Promise<void> {
  await run(programs.path('sqlite3'), [join(folder, 'zones.sqlite3'), `.read ${programs.schema}`], {
    env: programs.env,
  });
  const lines = [
    ...[
      'daemon=no',
      'guardian=no',
      'disable-syslog=yes',
      'launch=gsqlite3',
      `gsqlite3-database=${folder}/zones.sqlite3`,
    ],
    ...[`local-address=${address}`, `local-port=${port}`, `socket-dir=${folder}`],
    ...['api=yes', `api-key=${API_KEY}`, 'webserver=yes', 'webserver-address=127.0.0.1', `webserver-port=${apiPort}`],
    // What is lost with the machine may be.
    'gsqlite3-pragma-synchronous=0',
    ...['cache-ttl=0', 'query-cache-ttl=0', 'negquery-cache-ttl=0', 'zone-cache-refresh-interval=0'],
    'default-soa-content=ns1.@ hostmaster.@ 0 3600 600 86400 60',
    ...(programs.moduleDir === undefined ? [] : [`module-dir=${programs.moduleDir}`]),
    ...settings,
  ];
  await writeFile(join(folder, 'pdns.conf'), `${lines.join('\n')}\n`);
}

/** Returns a PowerDNS without zones; `settings` are further lines of its configuration, such as `dnsupdate=yes`. */
export async function startPowerDns(
  options: { address?: string; port?: number; settings?: readonly string[] } = {},
): Promise<PowerDns> {
  const { address = '127.0.0.2', port, settings } = options;
  const startWith = (more: readonly string[]): Promise<PowerDns> => {
    const launchAt = (at: number) => launchPowerDns({ address, port: at, settings: more });
    return port === undefined ? onFreePort(launchAt) : launchAt(port);
  };
  if (settings !== undefined) return startWith(settings);
  const suits = (server: PowerDns) => server.address === address && (port === undefined || server.port === port);
  return idlePowerDns.take(
    suits,
    () => startWith([]),
    async ({ api }) => {
      const zones = (await api('GET', '/zones')) as { id: string }[];
      for (const { id } of zones) await api('DELETE', `/zones/${id}`);
    },
  );
}

async function launchPowerDns({
  address,
  port,
  settings,
}: {
  address: string;
  port: number;
  settings: readonly string[];
}): Promise<PowerDns> {
  const programs = await findNameServerPrograms();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-pdns-'));
  const apiPort = await freePort();
  await configurePowerDns(programs, { folder, address, port, apiPort, settings });
  const launched = await launch(
    {
      program: programs.path('pdns_server'),
      args: [`--config-dir=${folder}`],
      env: programs.env,
      isReady: /ready to distribute/,
    },
    folder,
  );
  const apiUrl = `http://127.0.0.1:${apiPort}`;
  const api: PowerDns['api'] = async (method, path, body) => {
    const answer = await fetch(`${apiUrl}/api/v1/servers/localhost${path}`, {
      method,
      headers: { 'X-API-Key': API_KEY },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`PowerDNS answered ${answer.status}: ${text}`);
    return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text;
  };
  return {
    address,
    port,
    apiUrl,
    apiKey: API_KEY,
    api,
    async createZone(name, sets = {}) {
      const zone = { name: `${name}.`, kind: 'Native', nameservers: [], rrsets: toSets(sets) };
      await api('POST', '/zones', zone).catch(async (error: unknown) => {
        if (!String(error).includes('answered 409')) throw error;
        await api('DELETE', `/zones/${name}.`);
        await api('POST', '/zones', zone);
      });
    },
    async writeSets(zone, sets) {
      await api('PATCH', `/zones/${zone}.`, { rrsets: toSets(sets) });
    },
    output: launched.output,
    [Symbol.asyncDispose]: launched.stop,
  };
}

export type UnboundOptions = {
  /** Zone → the name servers to ask, as `127.0.0.2@5300` (stubOf). Everything else is refused. */
  stubs: Record<string, readonly string[]>;
  /** Lines with the DNSKEY or DS that a zone is trusted by; a zone without is not validated. */
  trustAnchors?: readonly string[];
};

export type Unbound = NameServer & {
  /** Makes it forget a zone. */
  flush(zone: string): Promise<void>;
  /** Tells it these words, as `unbound-control` does, and returns what it says. */
  control(...words: string[]): Promise<string>;
  /** Zone settings of a test, which have to be taken back. */
  told: string[][];
  /** The same for resolvers that may stand in for one another. */
  purpose: string;
};

/** Returns the address of a server as unbound writes it. */
export function stubOf({ address, port }: Pick<NameServer, 'address' | 'port'>): string {
  return `${address}@${port}`;
}

/** Maps the command by which a test set a zone to the command that takes it back. */
const TAKEN_BACK: Record<string, string> = { local_zone: 'local_zone_remove', stub_add: 'stub_remove' };

/** Returns an unbound at 127.0.0.1 that remembers nothing for longer than a few seconds. */
export async function startUnbound({ stubs, trustAnchors = [] }: UnboundOptions): Promise<Unbound> {
  // The keys of a signed zone are new at each start of its server.
  const start = () => onFreePort((port) => launchUnbound(stubs, trustAnchors, port));
  if (trustAnchors.length > 0) return start();
  const purpose = JSON.stringify(stubs);
  const suits = (resolver: Unbound) => resolver.purpose === purpose;
  return idleResolvers.take(suits, start, async ({ control, told }) => {
    for (const [word = '', zone = ''] of told.splice(0)) await control(TAKEN_BACK[word] ?? '', zone);
    await control('flush_zone', '.');
    await control('flush_infra', 'all');
  });
}

async function launchUnbound(
  stubs: UnboundOptions['stubs'],
  trustAnchors: readonly string[],
  port: number,
): Promise<Unbound> {
  const programs = await findNameServerPrograms();
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-unbound-'));
  const anchored = trustAnchors.map((line) => line.split(/\s/)[0]?.replace(/\.$/, ''));
  const zones = Object.entries(stubs);
  const lines = [
    ...[
      'server:',
      `directory: "${folder}"`,
      'pidfile: ""',
      'logfile: ""',
      'username: ""',
      'chroot: ""',
      'use-syslog: no',
    ],
    ...[`interface: 127.0.0.1@${port}`, 'do-not-query-localhost: no', 'do-ip6: no', 'ede: yes', 'num-threads: 1'],
    ...['cache-max-ttl: 5', 'cache-max-negative-ttl: 1', 'infra-host-ttl: 1', 'incoming-num-tcp: 200'],
    // Nothing of a test goes to the name servers of the internet; `test.` it would know to be empty (RFC 6761, 6.2).
    ...['.', 'test'].filter((name) => !(name in stubs)).map((name) => `local-zone: "${name}" refuse`),
    ...zones.map(([name]) => `local-zone: "${name}" transparent`),
    ...zones.filter(([name]) => !anchored.includes(name)).map(([name]) => `domain-insecure: "${name}"`),
    ...trustAnchors.map((line) => `trust-anchor: "${line.replaceAll('"', '')}"`),
    ...['remote-control:', 'control-enable: yes', `control-interface: ${folder}/control`, 'control-use-cert: no'],
    ...zones.flatMap(([name, servers]) => [
      ...['stub-zone:', `name: "${name}"`],
      ...servers.map((server) => `stub-addr: ${server}`),
    ]),
  ];
  await writeFile(join(folder, 'unbound.conf'), `${lines.join('\n')}\n`);
  const launched = await launch(
    {
      program: programs.path('unbound'),
      args: ['-d', '-c', 'unbound.conf'],
      env: programs.env,
      isReady: /start of service/,
    },
    folder,
  );
  const told: string[][] = [];
  // As `unbound-control` does, which would be a process each time.
  const control: Unbound['control'] = async (...words) => {
    const socket = connect(join(folder, 'control'));
    socket.end(`UBCT1 ${words.join(' ')}\n`);
    const answer = await text(socket);
    if (answer.startsWith('error')) throw new Error(`unbound answered ${words.join(' ')}: ${answer}`);
    if (words[0] !== undefined && words[0] in TAKEN_BACK) told.push(words);
    return answer;
  };
  return {
    address: '127.0.0.1',
    port,
    purpose: JSON.stringify(stubs),
    control,
    told,
    async flush(zone) {
      await control('flush_zone', zone);
    },
    output: launched.output,
    [Symbol.asyncDispose]: launched.stop,
  };
}
