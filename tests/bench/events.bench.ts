import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type Pair, percentile, printRatio, rssBytes, type Served, startServer } from './harness.ts';

/** Measures 1,000 sockets of one account. Each server is started anew three times, since one start can be lucky. */
const SOCKETS = 1_000;
const OPENED_AT_ONCE = 50;
const STARTS = 3;
const ROUNDS_PER_START = 3;
const WARM_ROUNDS = 3;
const EVENTS_PER_ROUND = 4;
const EVENT_TIMEOUT_MS = 10_000;
const SCRIPT = 'tests/bench/servers/events.ts';
const BARE_SCRIPT = 'tests/bench/servers/bare-events.ts';

/** The arrivals at the sockets of one server since the last look, in nanoseconds of the monotonic clock. */
type Crowd = { server: Served; sockets: WebSocket[]; arrivals: bigint[]; kibPerSocket: number[] };

/** Opens the sockets in two halves, so that a cost that grows with their number shows. */
async function gather(server: Served): Promise<Crowd> {
  const crowd: Crowd = { server, sockets: [], arrivals: [], kibPerSocket: [] };
  await openUpTo(crowd, OPENED_AT_ONCE);
  let before = await settledRss(server);
  for (const target of [SOCKETS / 2, SOCKETS]) {
    const count = target - crowd.sockets.length;
    await openUpTo(crowd, target);
    const after = await settledRss(server);
    if (before !== null && after !== null) crowd.kibPerSocket.push((after - before) / 1024 / count);
    before = after;
  }
  return crowd;
}

/** Measured after a collection, because otherwise the heap's slack from the start would hold the connections. */
async function settledRss(server: Served): Promise<number | null> {
  const said = once(server.child, 'message');
  server.child.send('collect');
  await said;
  return rssBytes(server.pid);
}

async function openUpTo(crowd: Crowd, target: number): Promise<void> {
  while (crowd.sockets.length < target) await openSome(crowd, Math.min(OPENED_AT_ONCE, target - crowd.sockets.length));
}

async function openSome(crowd: Crowd, count: number): Promise<void> {
  const opened = await Promise.all(Array.from({ length: count }, () => openOne(crowd)));
  crowd.sockets.push(...opened);
}

async function openOne({ server, arrivals }: Crowd): Promise<WebSocket> {
  const { token, path } = server.facts;
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/api/trpc?connectionParams=1`, {
    perMessageDeflate: false,
  });
  await once(socket, 'open');
  socket.send(JSON.stringify({ method: 'connectionParams', data: { token } }));
  socket.send(JSON.stringify({ id: 1, method: 'subscription', params: { path, input: { json: {} } } }));
  await new Promise<void>((resolve, reject) => {
    socket.on('close', (code) => reject(new Error(`The socket was closed with ${code}.`)));
    socket.on('message', (data) => {
      const text = data.toString();
      if (text.includes('"ready"')) resolve();
      else if (text.includes('"notification"')) arrivals.push(process.hrtime.bigint());
      else if (text.includes('"error"')) reject(new Error(text.slice(0, 300)));
    });
  });
  return socket;
}

/** One event to all; milliseconds from the call and from the commit until each socket had it. */
async function deliver(crowd: Crowd): Promise<{ sinceCall: number[]; sinceCommit: number[] }> {
  crowd.arrivals.length = 0;
  const said = once(crowd.server.child, 'message');
  crowd.server.child.send('publish');
  const [{ message, committedAt }] = await said;
  const giveUpAt = performance.now() + EVENT_TIMEOUT_MS;
  while (crowd.arrivals.length < SOCKETS && performance.now() < giveUpAt) await delay(5);
  if (crowd.arrivals.length !== SOCKETS)
    throw new Error(`${crowd.arrivals.length} of ${SOCKETS} sockets got the event.`);
  const since = (from: bigint) => crowd.arrivals.map((at) => Number(at - from) / 1e6);
  return { sinceCall: since(BigInt(message)), sinceCommit: since(BigInt(committedAt)) };
}

async function round(crowd: Crowd) {
  const sinceCall: number[] = [];
  const sinceCommit: number[] = [];
  for (let event = 0; event < EVENTS_PER_ROUND; event += 1) {
    const times = await deliver(crowd);
    sinceCall.push(...times.sinceCall);
    sinceCommit.push(...times.sinceCommit);
  }
  return { call: percentile(sinceCall, 0.99), commit: percentile(sinceCommit, 0.99) };
}

const fromCall: Pair[] = [];
const fromCommit: Pair[] = [];
const memory: Pair[] = [];

async function compare(ours: Crowd, peer: Crowd): Promise<void> {
  for (let warm = 0; warm < WARM_ROUNDS; warm += 1) {
    await round(ours);
    await round(peer);
  }
  for (let number = 0; number < ROUNDS_PER_START; number += 1) {
    const one = await round(ours);
    const two = await round(peer);
    fromCall.push({ ours: one.call, peer: two.call });
    fromCommit.push({ ours: one.commit, peer: two.commit });
  }
  for (const [half, kib] of ours.kibPerSocket.entries()) {
    memory.push({ ours: kib, peer: peer.kibPerSocket[half] ?? Number.NaN });
  }
}

for (let start = 0; start < STARTS; start += 1) {
  const servers = await Promise.all([startServer(SCRIPT), startServer(BARE_SCRIPT)]);
  const sockets: WebSocket[] = [];
  try {
    const ours = await gather(servers[0]);
    const peer = await gather(servers[1]);
    sockets.push(...ours.sockets, ...peer.sockets);
    await compare(ours, peer);
  } finally {
    for (const socket of sockets) socket.removeAllListeners('close').terminate();
    await Promise.all(servers.map((server) => server.stop()));
  }
}

console.log(`Events, ${SOCKETS} sockets of one account, against a bare tRPC subscription with the same payload`);
printRatio('p99 from the commit (the peer has none: from its emit)', fromCommit, { unit: 'ms', goal: 'at most 1.25' });
printRatio('p99 from the call, with our transaction in it', fromCall, { unit: 'ms', goal: 'none' });
if (memory.length > 0) printRatio('memory per connection', memory, { unit: 'KiB', goal: 'at most 1.2' });
