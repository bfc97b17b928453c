import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type FileServer, findFileServers } from './file-servers.ts';
import { cpuSeconds, fixed, median, type Pair, percentile, printRatio, type Served, startServer } from './harness.ts';
import { steadyLoad } from './steady-load.ts';

/**
 * Measures the built-in host against nginx and Caddy, each on one core with the load generator on the other, in turns.
 * Everything is on: the look-up by name, rules for caches, the count of visits.
 */
const STARTS = 3;
const ROUNDS_PER_START = 3;
const ROUND_MS = 600;
const WARM_MS = 3_000;
const PEER_WARM_MS = 500;
const CONNECTIONS = 64;
const LARGE_CONNECTIONS = 16;
const SCRIPT = 'tests/bench/servers/host.ts';

type Case = { name: string; file: string; status: 200 | 304; connections: number; goals: Record<string, string> };
const CASES: readonly Case[] = [
  {
    name: '1 KB',
    file: 'small.html',
    status: 200,
    connections: CONNECTIONS,
    goals: { nginx: 'at least 0.55', Caddy: 'at least 2' },
  },
  {
    name: '20 KB',
    file: 'medium.css',
    status: 200,
    connections: CONNECTIONS,
    goals: { nginx: 'at least 0.55', Caddy: 'at least 2' },
  },
  {
    name: '304',
    file: 'small.html',
    status: 304,
    connections: CONNECTIONS,
    goals: { nginx: 'at least 0.45', Caddy: 'at least 2' },
  },
  {
    name: '1 MB',
    file: 'large.bin',
    status: 200,
    connections: LARGE_CONNECTIONS,
    goals: { nginx: 'at least 1', Caddy: 'at least 1' },
  },
];
const SIZES = { 'small.html': 1_024, 'medium.css': 20 * 1_024, 'large.bin': 1_024 * 1_024 };

type Measured = { perSecond: number; p99Ms: number; cpuMicroseconds: number };
type Rows = Map<string, { ours: Measured; peer: Measured }[]>;

async function requestOf(server: Served, { file, status }: Case): Promise<string> {
  const head = `GET /${file} HTTP/1.1\r\nHost: ${server.facts.host}\r\nUser-Agent: bench\r\n`;
  if (status === 200) return `${head}\r\n`;
  return `${head}If-None-Match: ${(await fetchFile(server, file)).etag}\r\n\r\n`;
}

function fetchFile(server: Served, file: string): Promise<{ sha256: string; etag: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host: server.facts.host ?? '' };
    const asked = get({ host: '127.0.0.1', port: server.port, path: `/${file}`, headers, agent: false }, (response) => {
      const hash = createHash('sha256');
      response.on('data', (piece: Buffer) => hash.update(piece));
      response.on('error', reject);
      response.on('end', () => resolve({ sha256: hash.digest('hex'), etag: response.headers.etag ?? '' }));
    });
    asked.on('error', reject);
  });
}

async function refuseUnequal(servers: readonly Served[]): Promise<void> {
  for (const file of Object.keys(SIZES)) {
    const found = await Promise.all(servers.map((server) => fetchFile(server, file)));
    if (new Set(found.map(({ sha256 }) => sha256)).size > 1) throw new Error(`The servers answer ${file} differently.`);
  }
}

async function drive(server: Served, which: Case, durationMs: number): Promise<Measured> {
  const request = await requestOf(server, which);
  const before = cpuSeconds(server.pid) ?? 0;
  const { connections, status } = which;
  const result = await steadyLoad({ port: server.port, request, status, connections, durationMs });
  const cpu = (cpuSeconds(server.pid) ?? 0) - before;
  return {
    perSecond: result.perSecond,
    p99Ms: percentile(result.latenciesMs, 0.99),
    cpuMicroseconds: (cpu / result.requests) * 1e6,
  };
}

async function measure(folder: string, peers: readonly FileServer[], rows: Rows): Promise<void> {
  const ours = await startServer(SCRIPT, [folder]);
  const started = await Promise.all(peers.map(async (peer) => ({ peer, served: await peer.start(folder) })));
  try {
    await refuseUnequal([ours, ...started.map(({ served }) => served)]);
    for (const which of CASES) {
      await drive(ours, which, WARM_MS / CASES.length);
      for (const { served } of started) await drive(served, which, PEER_WARM_MS / CASES.length);
    }
    const rounds = CASES.flatMap((which) => Array.from({ length: ROUNDS_PER_START }, () => which));
    for (const which of rounds) {
      for (const { peer, served } of started) {
        const one = await drive(ours, which, ROUND_MS);
        const two = await drive(served, which, ROUND_MS);
        const key = `${which.name} against ${peer.name}`;
        rows.set(key, [...(rows.get(key) ?? []), { ours: one, peer: two }]);
      }
    }
  } finally {
    await Promise.all([ours.stop(), ...started.map(({ served }) => served.stop())]);
  }
}

function print(rows: Rows, peers: readonly FileServer[]): void {
  for (const which of CASES) {
    for (const { name } of peers) {
      const key = `${which.name} against ${name}`;
      const measured = rows.get(key) ?? [];
      const pairs = (value: (one: Measured) => number): Pair[] =>
        measured.map(({ ours, peer }) => ({ ours: value(ours), peer: value(peer) }));
      printRatio(
        key,
        pairs((one) => one.perSecond),
        { unit: 'requests/s', goal: which.goals[name] ?? 'none' },
      );
      const cpu = pairs((one) => one.cpuMicroseconds);
      const share = median(cpu.map(({ ours, peer }) => peer / ours));
      console.log(
        `    CPU a request: ours ${fixed(median(cpu.map(({ ours }) => ours)))} µs, peer ${fixed(median(cpu.map(({ peer }) => peer)))} µs (peer/ours ${fixed(share)})`,
      );
      if (name !== 'Caddy' || which.name !== '1 KB') continue;
      printRatio(
        'p99 at 64 connections against Caddy, 1 KB',
        pairs((one) => one.p99Ms),
        {
          unit: 'ms',
          goal: 'at most 0.6',
        },
      );
    }
  }
}

const { servers, absent } = findFileServers();
const folder = await mkdtemp(join(tmpdir(), 'site-'));
// Random bytes: nobody is helped by content that repeats.
for (const [name, size] of Object.entries(SIZES)) {
  await writeFile(join(folder, name), randomBytes(size).toString('base64').slice(0, size));
}
const rows: Rows = new Map();
for (let start = 0; start < STARTS; start += 1) await measure(folder, servers, rows);
const names = servers.map(({ name, version }) => `${name} (${version})`).join(' and ');
console.log(`The built-in host against ${names || 'nobody'}: one core each, keep-alive, 64 connections (16 for 1 MB)`);
for (const line of absent) console.log(`  ${line}`);
print(rows, servers);
