import { WebSocket } from 'ws';
import type { Random } from '../../support/random.ts';
import { NO_ANSWER } from '../../support/supervised-app.ts';
import type { Act } from './right-acts.ts';
import { inputFor } from './surface.ts';
import { faultIn } from './wire.ts';

/** An account may have ten, and twenty subscriptions in each: now and then one more is asked for. */
const SOCKETS_MAX = 11;
const SUBSCRIPTIONS_MAX = 21;
const PINGS_MAX = 30;
/** Far more than an answer takes on a busy machine: what is not there by then never comes. */
const PATIENCE_MS = 60_000;

/** Subscribes to what the router lets one subscribe to, stops some of it, and pings. */
async function openSocket(random: Random, { attacked, account }: Parameters<Act>[1]): Promise<Heard> {
  const { url } = attacked.app;
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/trpc?connectionParams=1`, { origin: url });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const heard: Heard = { socket, closed, faults: [] };
  socket.on('error', () => undefined);
  socket.on('message', (message) => {
    const fault = faultIn(String(message));
    if (fault !== null) heard.faults.push(fault);
  });
  await opened(heard);
  if (socket.readyState !== socket.OPEN) return heard;
  socket.send(JSON.stringify({ method: 'connectionParams', data: { token: account.token } }));
  const streams = attacked.procedures.filter(({ type }) => type === 'subscription');
  const ids = random.many(1, SUBSCRIPTIONS_MAX, () => random.below(1e6));
  for (const id of ids) {
    const { path, input } = random.pick(streams);
    const json = inputFor(input, random, {});
    socket.send(JSON.stringify({ id, jsonrpc: '2.0', method: 'subscription', params: { path, input: { json } } }));
    if (random.chance(0.3)) socket.send(JSON.stringify({ id, jsonrpc: '2.0', method: 'subscription.stop' }));
  }
  for (const ping of random.many(0, PINGS_MAX, () => random.chance(0.5))) {
    if (ping) socket.ping();
    else socket.pong();
  }
  return heard;
}

type Heard = { socket: WebSocket; closed: Promise<void>; faults: string[] };

/** One that is refused is closed before it was open. */
async function opened({ socket, faults }: Heard): Promise<void> {
  const patience = setTimeout(() => {
    faults.push(`${NO_ANSWER} A socket was neither opened nor refused.`);
    socket.terminate();
  }, PATIENCE_MS);
  await new Promise((resolve) => socket.once('open', resolve).once('close', resolve));
  clearTimeout(patience);
}

/**
 * Opens as many sockets as an account may have, and one more: some are dropped at once, the others closed by their
 * client.
 */
export const useSockets: Act = async (random, who) => {
  const all = await Promise.all(random.many(1, SOCKETS_MAX, () => openSocket(random, who)));
  for (const { socket } of all) {
    if (random.chance(0.3)) socket.terminate();
    else socket.close();
  }
  await Promise.all(all.map(({ closed }) => closed));
  return all.flatMap(({ faults }) => faults);
};
