import { isDeepStrictEqual } from 'node:util';
import { cpuSeconds, median, type Pair, printRatio, type Served, startServer } from './harness.ts';
import { load } from './load.ts';

/**
 * Measures the API with batches of 1 and of 10. Each server is started anew three times, since one start can be lucky.
 */
const STARTS = 3;
const ROUNDS_PER_START = 3;
const ROUND_MS = 1_000;
const WARM_MS = 5_000;
const CONNECTIONS = 64;
/** Each call is several queries: more of them at once only stand in line before the database. */
const DATABASE_CONNECTIONS = 16;
const SCRIPT = 'tests/bench/servers/api.ts';
const EXPRESS_SCRIPT = 'tests/bench/servers/express.ts';

type Case = {
  name: string;
  path: string;
  calls: number;
  isSignedIn: boolean;
  expectBody: RegExp;
  /** The path at which the server written by hand answers the same. */
  byHand?: { path: string; expectBody: RegExp };
};
/** One answer that nobody has accepted yet, as tRPC sends it with superjson. */
const NOT_ACCEPTED = String.raw`\{"result":\{"data":\{"json":\{"version":\d+,"accepted":false,"acceptedAt":null\}\}\}\}`;
const STATUS: Case = {
  name: 'disclaimer.status, one call a request, signed out, no database',
  path: '/api/trpc/disclaimer.status',
  calls: 1,
  isSignedIn: false,
  expectBody: new RegExp(`^${NOT_ACCEPTED}$`),
  byHand: { path: '/disclaimer', expectBody: /^\{"version":\d+,"accepted":false,"acceptedAt":null\}$/ },
};
const LIST: Case = {
  name: 'deployments.list, 25 rows, signed in, with the database',
  path: `/api/trpc/deployments.list?input=${encodeURIComponent('{"json":{}}')}`,
  calls: 1,
  isSignedIn: true,
  expectBody: /^\{"result":\{"data":\{"json":\{"items":\[\{(?:.*?"name":"Bench \d+"){25}/,
  byHand: { path: '/deployments', expectBody: /^\{"items":\[\{(?:.*?"name":"Bench \d+"){25}/ },
};
const BATCH: Case = {
  name: 'disclaimer.status, ten calls a request',
  path: `/api/trpc/${Array.from({ length: 10 }, () => 'disclaimer.status').join(',')}?batch=1&input=%7B%7D`,
  calls: 10,
  isSignedIn: false,
  expectBody: new RegExp(`^\\[(?:${NOT_ACCEPTED},?){10}\\]$`),
};

function requestOf(server: Served, { path, isSignedIn }: Case): string {
  const bearer = isSignedIn ? `Authorization: Bearer ${server.facts.token}\r\n` : '';
  return `GET ${path} HTTP/1.1\r\nHost: localhost:${server.port}\r\n${bearer}\r\n`;
}

/** Values that differ between two databases with the same rows in them. */
const OWN = /"[a-z0-9]{20}"|"\d{4}-\d\d-\d\dT[\d:.]+Z"/g;

async function refuseUnequal(ours: Served, peer: Served, which: Case): Promise<void> {
  const [one, two] = await Promise.all(
    [ours, peer].map(async (server) => {
      const bearer = which.isSignedIn ? { authorization: `Bearer ${server.facts.token}` } : undefined;
      const answer = await fetch(`http://127.0.0.1:${server.port}${which.path}`, bearer && { headers: bearer });
      return (await answer.text()).replaceAll(OWN, '"own"');
    }),
  );
  if (one !== two) throw new Error(`The answers to ${which.name} differ:\n${one}\n${two}`);
}

/** Both read the same rows: what is in the envelope of tRPC is the answer of the server written by hand. */
async function refuseOther(ours: Served, express: Served, which: Case): Promise<void> {
  const headers = { authorization: `Bearer ${ours.facts.token}` };
  const read = async (server: Served, path = which.path) =>
    (await fetch(`http://127.0.0.1:${server.port}${path}`, which.isSignedIn ? { headers } : undefined)).json();
  const one = (await read(ours)).result.data.json;
  const two = await read(express, which.byHand?.path);
  if (!isDeepStrictEqual(one, two)) {
    throw new Error(`The answers to ${which.name} differ:\n${excerpt(one)}\n${excerpt(two)}`);
  }
}

const excerpt = (answer: unknown): string => JSON.stringify(answer).slice(0, 500);

async function drive(server: Served, which: Case, durationMs: number) {
  const before = cpuSeconds(server.pid) ?? 0;
  const { port } = server;
  const result = await load({
    port,
    request: requestOf(server, which),
    connections: which.isSignedIn ? DATABASE_CONNECTIONS : CONNECTIONS,
    durationMs,
    expectBody: which.expectBody,
  });
  const cpu = (cpuSeconds(server.pid) ?? 0) - before;
  return {
    callsPerSecond: result.perSecond * which.calls,
    cpuMicroseconds: (cpu / (result.requests * which.calls)) * 1e6,
  };
}

const calls = new Map<Case, Pair[]>([
  [STATUS, []],
  [LIST, []],
]);
const byHand = new Map<Case, Pair[]>([
  [STATUS, []],
  [LIST, []],
]);
const byHandCpu = new Map<Case, Pair[]>([
  [STATUS, []],
  [LIST, []],
]);
const batches: Pair[] = [];
const cpu: Pair[] = [];

/** Side by side, one after the other in each round. */
async function compare(ours: Served, peer: Served, { which, pairs }: { which: Case; pairs: Pair[] }): Promise<void> {
  await drive(ours, which, ROUND_MS / 2);
  await drive(peer, which, ROUND_MS / 2);
  for (let round = 0; round < ROUNDS_PER_START; round += 1) {
    const one = await drive(ours, which, ROUND_MS);
    const two = await drive(peer, which, ROUND_MS);
    pairs.push({ ours: one.callsPerSecond, peer: two.callsPerSecond });
    if (which === STATUS) cpu.push({ ours: one.cpuMicroseconds, peer: two.cpuMicroseconds });
  }
}

/** The same against the server written by hand. */
async function compareByHand(
  ours: Served,
  express: Served,
  { which, pairs }: { which: Case; pairs: Pair[] },
): Promise<void> {
  const other = { ...which, ...which.byHand };
  await drive(express, other, WARM_MS / 2);
  await drive(ours, which, WARM_MS / 2);
  for (let round = 0; round < ROUNDS_PER_START; round += 1) {
    const one = await drive(ours, which, ROUND_MS);
    const two = await drive(express, other, ROUND_MS);
    pairs.push({ ours: one.callsPerSecond, peer: two.callsPerSecond });
    byHandCpu.get(which)?.push({ ours: one.cpuMicroseconds, peer: two.cpuMicroseconds });
  }
}

for (let start = 0; start < STARTS; start += 1) {
  const [ours, peer] = await Promise.all([startServer(SCRIPT, ['ours']), startServer(SCRIPT, ['standalone'])]);
  const express = await startServer(EXPRESS_SCRIPT, [`bench${ours.pid}`]);
  express.facts.token = ours.facts.token ?? '';
  try {
    for (const which of [STATUS, LIST, BATCH]) await refuseUnequal(ours, peer, which);
    for (const which of [STATUS, LIST]) await refuseOther(ours, express, which);
    await Promise.all([drive(ours, STATUS, WARM_MS), drive(peer, STATUS, WARM_MS)]);
    for (const [which, pairs] of calls) await compare(ours, peer, { which, pairs });
    for (const [which, pairs] of byHand) await compareByHand(ours, express, { which, pairs });
    for (let round = 0; round < ROUNDS_PER_START; round += 1) {
      const ten = await drive(ours, BATCH, ROUND_MS);
      const single = await drive(ours, STATUS, ROUND_MS);
      batches.push({ ours: ten.callsPerSecond, peer: single.callsPerSecond });
    }
  } finally {
    await Promise.all([ours.stop(), peer.stop(), express.stop()]);
  }
}

console.log(
  "API against tRPC's standalone adapter, same router, context and database, 64 connections (16 with the database)",
);
for (const [which, pairs] of calls) printRatio(which.name, pairs, { unit: 'calls/s', goal: 'at least 0.9' });
printRatio('a batch of ten against ten single calls, both ours', batches, { unit: 'calls/s', goal: 'at least 4' });
console.log(
  `  CPU per call: ours ${Math.round(median(cpu.map((pair) => pair.ours)))} µs, peer ${Math.round(median(cpu.map((pair) => pair.peer)))} µs`,
);
console.log(
  'API against a server written by hand with Express and the MongoDB driver: same database, reads, checks and answers',
);
for (const [which, pairs] of byHand) {
  printRatio(which.name, pairs, { unit: 'calls/s', goal: 'at least 0.6' });
  const cpuPairs = byHandCpu.get(which) ?? [];
  const [one, two] = [cpuPairs.map(({ ours }) => ours), cpuPairs.map(({ peer }) => peer)];
  console.log(`    CPU per call: ours ${Math.round(median(one))} µs, peer ${Math.round(median(two))} µs`);
}
