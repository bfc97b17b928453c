import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import type { ServerFault } from '../dns-client.ts';
import { encodeQuestion, isName, type Question, type Reading, type Reply, readReply } from './message.ts';
import { createSemaphore } from './semaphore.ts';

export type ServerAddress = { address: string; port: number };

/** `no_route` is a fault of this machine: it has no route to addresses of this kind. */
export type WireFault = Extract<ServerFault, 'timeout' | 'unreachable' | 'malformed'> | 'no_route';

/** There are two tries, since a packet may be lost; a working server answers in a fraction of this. */
const UDP_TIMEOUTS_MS = [1_500, 1_500];
const TCP_TIMEOUT_MS = 3_000;
/** Bounds a forger who guesses ids. */
const STRAY_MESSAGES_MAX = 32;
/** Several times the largest real answers; longer ones take too long to read. */
const MESSAGE_BYTES_MAX = 16 * 1_024;
/** Each has a socket; one lookup has eight, and the files and visitors of this process need descriptors too. */
const OPEN_MAX = 256;
/**
 * A call that has no turn gets one of these at once: calls are told apart by their signals, and servers of strangers
 * may be slow on purpose.
 */
const KEPT_FOR_OTHERS = OPEN_MAX / 2;
const turns = createSemaphore(OPEN_MAX, KEPT_FOR_OTHERS);

/**
 * Asks one server one question, over UDP and, if the answer does not fit, over TCP (RFC 1035, section 4.2; RFC 7766).
 * Never throws; an aborted `limit` is a timeout, and an invalid name, such as the target of somebody's alias, is not
 * asked for.
 */
export async function ask(server: ServerAddress, question: Question, limit: AbortSignal): Promise<Reply | WireFault> {
  if (!isName(question.name)) return 'malformed';
  for (const timeoutMs of UDP_TIMEOUTS_MS) {
    const found = await exchange(overUdp, { server, question, timeoutMs, limit });
    if (found === 'timeout') continue;
    const isTooNew = typeof found !== 'string' && found.rcode === 'FORMERR' && question.isPlain !== true;
    if (isTooNew) return ask(server, { ...question, isPlain: true }, limit);
    return found === 'truncated' ? askOverTcp(server, question, limit) : found;
  }
  return 'timeout';
}

async function askOverTcp(server: ServerAddress, question: Question, limit: AbortSignal): Promise<Reply | WireFault> {
  const found = await exchange(overTcp, { server, question, timeoutMs: TCP_TIMEOUT_MS, limit });
  return found === 'truncated' ? 'malformed' : found;
}

type Finding = Reply | WireFault | 'truncated';
type Exchange = { server: ServerAddress; message: Buffer; read(message: Buffer): Reading; end(finding: Finding): void };
/** Begins an exchange, and returns a function that closes its socket. */
type Transport = (exchange: Exchange) => () => void;

type Asking = { server: ServerAddress; question: Question; timeoutMs: number; limit: AbortSignal };

async function exchange(transport: Transport, asking: Asking): Promise<Finding> {
  const endTurn = await turns.acquire(asking.limit);
  return endTurn === null ? 'timeout' : exchangeNow(transport, asking).finally(endTurn);
}

function exchangeNow(transport: Transport, { server, question, timeoutMs, limit }: Asking): Promise<Finding> {
  const id = randomInt(0x1_0000);
  // This comes before the timer, which ends whatever exists then.
  const message = encodeQuestion(id, question);
  return new Promise((resolve) => {
    const onTimeout = () => end('timeout');
    const timer = setTimeout(onTimeout, timeoutMs);
    limit.addEventListener('abort', onTimeout);
    let isOver = false;
    const end = (finding: Finding): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      limit.removeEventListener('abort', onTimeout);
      close();
      resolve(finding);
    };
    const close = transport({
      server,
      message,
      read: (message) => readReply(message, id, question),
      end,
    });
  });
}

function overUdp({ server, message, read, end }: Exchange): () => void {
  const socket = createSocket(isIPv6(server.address) ? 'udp6' : 'udp4');
  let strays = 0;
  socket.on('error', (error) => end(faultOf(error)));
  socket.on('message', (answer) => {
    const reading = answer.length > MESSAGE_BYTES_MAX ? 'malformed' : read(answer);
    if (reading !== 'stray') return end(reading);
    strays += 1;
    if (strays > STRAY_MESSAGES_MAX) end('malformed');
  });
  // A connected socket only takes packets from this address and port, and learns at once when nobody listens there.
  socket.connect(server.port, server.address, (error?: Error) => {
    if (error instanceof Error) end(faultOf(error));
    else socket.send(message);
  });
  return () => socket.close();
}

function overTcp({ server, message, read, end }: Exchange): () => void {
  const socket = connect({ host: server.address, port: server.port });
  let received = Buffer.alloc(0);
  socket.on('error', (error) => end(faultOf(error)));
  socket.on('connect', () =>
    socket.write(Buffer.concat([Buffer.from([message.length >> 8, message.length & 0xff]), message])),
  );
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    if (received.length < 2) return;
    const wanted = received.readUInt16BE(0);
    if (wanted > MESSAGE_BYTES_MAX) return end('malformed');
    if (received.length < 2 + wanted) return;
    const reading = read(received.subarray(2, 2 + wanted));
    end(reading === 'stray' ? 'malformed' : reading);
  });
  socket.on('end', () => end('unreachable'));
  return () => socket.destroy();
}

/** The system reports these when it has no address or route of this kind (usually IPv6). */
const NO_ROUTE = new Set(['ENETUNREACH', 'EADDRNOTAVAIL', 'EAFNOSUPPORT']);

function faultOf(error: NodeJS.ErrnoException): WireFault {
  return NO_ROUTE.has(error.code ?? '') ? 'no_route' : 'unreachable';
}
