import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSeconds, fixed, median, type Pair, printRatio, type Served, startServer } from './harness.ts';
import { steadyLoad } from './steady-load.ts';

/**
 * Measures what counting visits costs the built-in host: the same host with and without it, in turns, as fast as each
 * answers. Every request is a page view of a browser, the dearest kind. Of a hundred visits a second the cost is what they
 * take of one core.
 */
const STARTS = 3;
const ROUNDS_PER_START = 4;
const ROUND_MS = 800;
const WARM_MS = 2_000;
const CONNECTIONS = 64;
const VISITS_PER_SECOND = 100;
const SCRIPT = 'tests/bench/servers/host.ts';

type Measured = { perSecond: number; cpuMicroseconds: number };

async function drive(server: Served, durationMs: number): Promise<Measured> {
  const request = [
    'GET / HTTP/1.1',
    `Host: ${server.facts.host}`,
    'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0',
    'Referer: https://search.example/',
    '\r\n',
  ].join('\r\n');
  const before = cpuSeconds(server.pid) ?? 0;
  const result = await steadyLoad({ port: server.port, request, status: 200, connections: CONNECTIONS, durationMs });
  const cpu = (cpuSeconds(server.pid) ?? 0) - before;
  return { perSecond: result.perSecond, cpuMicroseconds: (cpu / result.requests) * 1e6 };
}

const folder = await mkdtemp(join(tmpdir(), 'site-'));
await writeFile(join(folder, 'index.html'), randomBytes(1_024).toString('base64').slice(0, 1_024));
const speeds: Pair[] = [];
const costs: number[] = [];
for (let start = 0; start < STARTS; start += 1) {
  const [counting, silent] = [await startServer(SCRIPT, [folder]), await startServer(SCRIPT, [folder, '--uncounted'])];
  try {
    for (const server of [counting, silent]) await drive(server, WARM_MS);
    for (let round = 0; round < ROUNDS_PER_START; round += 1) {
      const [ours, peer] = [await drive(counting, ROUND_MS), await drive(silent, ROUND_MS)];
      speeds.push({ ours: ours.perSecond, peer: peer.perSecond });
      costs.push(ours.cpuMicroseconds - peer.cpuMicroseconds);
    }
  } finally {
    await Promise.all([counting.stop(), silent.stop()]);
  }
}
console.log('The built-in host with and without counting visits: every request a page view, 64 connections');
printRatio('with against without, as fast as it goes', speeds, { unit: 'requests/s', goal: 'none' });
const cost = median(costs);
const share = (cost * VISITS_PER_SECOND) / 1e6;
console.log(
  `  a visit costs ${fixed(cost)} µs of CPU: ${VISITS_PER_SECOND} a second take ${(share * 100).toFixed(2)} % of a core (goal: below 3 %)`,
);
