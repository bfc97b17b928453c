import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '../support/certificate.ts';
import { type FileServer, findFileServers } from './file-servers.ts';
import { cpuSeconds, fixed, median, type Pair, printRatio, type Served, startServer } from './harness.ts';
import { http2Load } from './http2-load.ts';
import { steadyLoad } from './steady-load.ts';

/** Measures the built-in host over TLS against nginx and Caddy, each on one core with the load generator on the other, in turns. */
const STARTS = 3;
const ROUNDS_PER_START = 3;
const ROUND_MS = 1_000;
/** Node compiles what it runs often bit by bit: after a second and a half it is not done. */
const WARM_MS = 4_000;
const CONNECTIONS = 64;
const HTTP2 = { connections: 8, streams: 8 } as const;
const DAY_MS = 24 * 60 * 60_000;

type Case = { name: string; isHttp2: boolean; file: string; bodyBytes: number; goals: Record<string, string> };
const SMALL = { file: 'small.html', bodyBytes: 1_024 };
const MEDIUM = { file: 'medium.css', bodyBytes: 20 * 1_024 };
const CASES: readonly Case[] = [
  { name: 'TLS, HTTP/1.1, 1 KB', isHttp2: false, ...SMALL, goals: { nginx: 'at least 0.55' } },
  { name: 'TLS, HTTP/1.1, 20 KB', isHttp2: false, ...MEDIUM, goals: { nginx: 'at least 0.8' } },
  { name: 'TLS, HTTP/2, 1 KB', isHttp2: true, ...SMALL, goals: { nginx: 'at least 0.4', Caddy: 'at least 2.5' } },
  { name: 'TLS, HTTP/2, 20 KB', isHttp2: true, ...MEDIUM, goals: { nginx: 'at least 0.6', Caddy: 'at least 2.5' } },
];

type Measured = { perSecond: number; cpuMicroseconds: number };
type Rows = Map<string, { ours: Measured; peer: Measured }[]>;

async function drive({ port, pid, facts }: Served, which: Case, durationMs: number): Promise<Measured> {
  const host = facts.host?.replace(/^127\.0\.0\.1:\d+$/, 'bench.localhost') ?? '';
  const path = `/${which.file}`;
  const request = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nUser-Agent: bench\r\n\r\n`;
  const before = cpuSeconds(pid) ?? 0;
  const { requests, perSecond } = which.isHttp2
    ? await http2Load({ port, host, path, bodyBytes: which.bodyBytes, ...HTTP2, durationMs })
    : await steadyLoad({ port, request, status: 200, connections: CONNECTIONS, durationMs, servername: host });
  return { perSecond, cpuMicroseconds: (((cpuSeconds(pid) ?? 0) - before) / requests) * 1e6 };
}

async function measure(folder: string, pair: string[], peers: readonly FileServer[], rows: Rows): Promise<void> {
  const ours = await startServer('tests/bench/servers/host.ts', [folder, ...pair]);
  const started = await Promise.all(peers.map(async (peer) => ({ peer, served: await peer.start(folder) })));
  try {
    for (const which of CASES) {
      await drive(ours, which, WARM_MS);
      for (const { served } of started) await drive(served, which, WARM_MS / 8);
      for (const { peer, served } of rounds(started)) {
        const measured = { ours: await drive(ours, which, ROUND_MS), peer: await drive(served, which, ROUND_MS) };
        const key = `${which.name} against ${peer.name}`;
        rows.set(key, [...(rows.get(key) ?? []), measured]);
      }
    }
  } finally {
    await Promise.all([ours.stop(), ...started.map(({ served }) => served.stop())]);
  }
}

function rounds<T>(items: readonly T[]): T[] {
  return Array.from({ length: ROUNDS_PER_START }, () => items).flat();
}

function print(rows: Rows, peers: readonly FileServer[]): void {
  for (const { name, goals } of CASES) {
    for (const peer of peers) {
      const key = `${name} against ${peer.name}`;
      const measured = rows.get(key) ?? [];
      const pairs = (value: (one: Measured) => number): Pair[] =>
        measured.map((one) => ({ ours: value(one.ours), peer: value(one.peer) }));
      printRatio(
        key,
        pairs((one) => one.perSecond),
        { unit: 'requests/s', goal: goals[peer.name] ?? 'none' },
      );
      const cpu = pairs((one) => one.cpuMicroseconds);
      const [own, other] = [median(cpu.map(({ ours }) => ours)), median(cpu.map((one) => one.peer))];
      console.log(
        `    CPU a request: ours ${fixed(own)} µs, peer ${fixed(other)} µs (peer/ours ${fixed(other / own)})`,
      );
    }
  }
}

const place = await mkdtemp(join(tmpdir(), 'tls-'));
const folder = await mkdtemp(join(tmpdir(), 'site-'));
const pair = { certFile: join(place, 'cert.pem'), keyFile: join(place, 'key.pem') };
const { cert, key } = selfSigned(new Date(Date.now() - DAY_MS), new Date(Date.now() + DAY_MS), '*.localhost');
await writeFile(pair.certFile, cert);
await writeFile(pair.keyFile, key);
for (const { file, bodyBytes } of [SMALL, MEDIUM]) {
  await writeFile(join(folder, file), randomBytes(bodyBytes).toString('base64').slice(0, bodyBytes));
}
const { servers, absent } = findFileServers(pair);
const rows: Rows = new Map();
for (let start = 0; start < STARTS; start += 1) await measure(folder, [pair.certFile, pair.keyFile], servers, rows);
const names = servers.map(({ name, version }) => `${name} (${version})`).join(' and ');
console.log(`The built-in host over TLS against ${names || 'nobody'}: one core each, P-256`);
for (const line of absent) console.log(`  ${line}`);
print(rows, servers);
