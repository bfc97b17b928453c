import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { selfSigned } from '../support/certificate.ts';
import { type FileServer, findTlsNginx } from './file-servers.ts';
import { cpuSeconds, fixed, median, type Pair, printRatio, type Served, startServer } from './harness.ts';
import { http2Load } from './http2-load.ts';
import { steadyLoad } from './steady-load.ts';

/** Measures the built-in host over TLS against nginx, each on one core with the load generator on the other, in turns. */
const STARTS = 3;
const ROUNDS_PER_START = 3;
const ROUND_MS = 1_000;
const WARM_MS = 1_500;
const CONNECTIONS = 64;
const HTTP2 = { connections: 8, streams: 8 } as const;
const DAY_MS = 24 * 60 * 60_000;

type Case = { name: string; isHttp2: boolean; file: string; bodyBytes: number; goal: string };
const SMALL = { file: 'small.html', bodyBytes: 1_024 };
const MEDIUM = { file: 'medium.css', bodyBytes: 20 * 1_024 };
const CASES: readonly Case[] = [
  { name: 'TLS, HTTP/1.1, 1 KB', isHttp2: false, ...SMALL, goal: 'at least 0.55' },
  { name: 'TLS, HTTP/1.1, 20 KB', isHttp2: false, ...MEDIUM, goal: 'at least 0.8' },
  { name: 'TLS, HTTP/2, 1 KB', isHttp2: true, ...SMALL, goal: 'at least 0.4' },
  { name: 'TLS, HTTP/2, 20 KB', isHttp2: true, ...MEDIUM, goal: 'at least 0.6' },
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

async function measure(folder: string, pair: string[], nginx: FileServer, rows: Rows): Promise<void> {
  const ours = await startServer('tests/bench/servers/host.ts', [folder, ...pair]);
  const peer = await nginx.start(folder);
  try {
    for (const which of CASES) {
      await drive(ours, which, WARM_MS);
      await drive(peer, which, WARM_MS / 3);
      for (let round = 0; round < ROUNDS_PER_START; round += 1) {
        const measured = { ours: await drive(ours, which, ROUND_MS), peer: await drive(peer, which, ROUND_MS) };
        rows.set(which.name, [...(rows.get(which.name) ?? []), measured]);
      }
    }
  } finally {
    await Promise.all([ours.stop(), peer.stop()]);
  }
}

function print(rows: Rows): void {
  for (const { name, goal } of CASES) {
    const measured = rows.get(name) ?? [];
    const pairs = (value: (one: Measured) => number): Pair[] =>
      measured.map(({ ours, peer }) => ({ ours: value(ours), peer: value(peer) }));
    printRatio(
      `${name} against nginx`,
      pairs((one) => one.perSecond),
      { unit: 'requests/s', goal },
    );
    const cpu = pairs((one) => one.cpuMicroseconds);
    const [own, other] = [median(cpu.map(({ ours }) => ours)), median(cpu.map(({ peer }) => peer))];
    console.log(`    CPU a request: ours ${fixed(own)} µs, peer ${fixed(other)} µs (peer/ours ${fixed(other / own)})`);
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
const nginx = findTlsNginx(pair);
if (nginx === null) {
  console.log('nginx is not installed (apt install nginx-light): TLS is not compared.');
} else {
  const rows: Rows = new Map();
  for (let start = 0; start < STARTS; start += 1) {
    await measure(folder, [pair.certFile, pair.keyFile], nginx, rows);
  }
  console.log(`The built-in host over TLS against ${nginx.name} (${nginx.version}): one core each, P-256`);
  print(rows);
}
