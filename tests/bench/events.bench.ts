import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { type Pair, percentile, printRatio, rssBytes, type Served, startServer } from './harness.ts';

/** Performance facts, section 1: 1,000 sockets of one account. */
const SOCKETS = 1_000;
const OPENED_AT_ONCE = 50;
const ROUNDS = 9;
const EVENTS_PER_ROUND = 4;
const EVENT_TIMEOUT_MS = 10_000;
const SCRIPT = 'tests/bench/servers/events.ts';

/** What the sockets of one server have received since the last look, in nanoseconds of the monotonic clock. */
type Crowd = { server: Served; sockets: WebSocket[]; arrivals: bigint[]; bytesPerSocket: number | null };

async function gather(server: Served): Promise<Crowd> {
  const crowd: Crowd = { server, sockets: [], arrivals: [], bytesPerSocket: null };
  await openSome(crowd, OPENED_AT_ONCE);
  const before = rssBytes(server.pid);
  while (crowd.sockets.length < SOCKETS)
    await openSome(crowd, Math.min(OPENED_AT_ONCE, SOCKETS - crowd.sockets.length));
  await delay(1_000);
  const after = rssBytes(server.pid);
  if (before !== null && after !== null) crowd.bytesPerSocket = (after - before) / (SOCKETS - OPENED_AT_ONCE);
  return crowd;
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

const ours = await gather(await startServer(SCRIPT, ['ours']));
const peer = await gather(await startServer(SCRIPT, ['bare']));
const fromCall: Pair[] = [];
const fromCommit: Pair[] = [];
try {
  for (let warm = 0; warm < 3; warm += 1) {
    await round(ours);
    await round(peer);
  }
  for (let number = 0; number < ROUNDS; number += 1) {
    const one = await round(ours);
    const two = await round(peer);
    fromCall.push({ ours: one.call, peer: two.call });
    fromCommit.push({ ours: one.commit, peer: two.commit });
  }
} finally {
  for (const socket of [...ours.sockets, ...peer.sockets]) socket.removeAllListeners('close').terminate();
  await Promise.all([ours.server.stop(), peer.server.stop()]);
}

console.log(`Events, ${SOCKETS} sockets of one account, against a bare tRPC subscription with the same payload`);
printRatio('p99 from the commit (the peer has none: from its emit)', fromCommit, { unit: 'ms', goal: 'at most 1.25' });
printRatio('p99 from the call, with our transaction in it', fromCall, { unit: 'ms', goal: 'none' });
if (ours.bytesPerSocket !== null && peer.bytesPerSocket !== null) {
  const pair = { ours: ours.bytesPerSocket / 1024, peer: peer.bytesPerSocket / 1024 };
  printRatio('memory per connection', [pair], { unit: 'KiB', goal: 'at most 1.2' });
}
