import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Random } from '../../support/random.ts';
import type { Target } from '../support/attack.ts';
import type { AttackedApp } from '../support/attacked-app.ts';
import { oddInput } from '../support/odd-calls.ts';
import { oddJson, oddText, oddValue } from '../support/odd-values.ts';
import { UPGRADE } from '../support/requests.ts';
import { faultIn } from '../support/wire.ts';

const TEXT = 1;
/** A frame of more is refused (server/http/websocket/websocket.ts). */
const MESSAGE_MAX_BYTES = 64 * 1024;
const LONGEST_MS = 2_000;
const QUIET_MS = 150;

type FrameBits = { opcode?: number; isLast?: boolean; reserved?: number; isMasked?: boolean; claimedBytes?: number };

/** One frame (RFC 6455, section 5.2), right unless it is told to be wrong. */
function frame(
  payload: Buffer,
  { opcode = TEXT, isLast = true, reserved = 0, isMasked = true, claimedBytes }: FrameBits = {},
) {
  const length = claimedBytes ?? payload.length;
  const mask = isMasked ? 0x80 : 0;
  const head = Buffer.from([(isLast ? 0x80 : 0) | (reserved << 4) | opcode]);
  const size = length < 126 ? Buffer.from([mask | length]) : Buffer.alloc(length < 65_536 ? 3 : 9, mask | 126);
  if (size.length === 3) size.writeUInt16BE(length, 1);
  if (size.length === 9) {
    size[0] = mask | 127;
    size.writeBigUInt64BE(BigInt(length), 1);
  }
  // Masked with zeros: the bytes stay as they are.
  return Buffer.concat([head, size, Buffer.alloc(isMasked ? 4 : 0), payload]);
}

/** A message in one frame or in several, as text or as bytes, or in frames that break the protocol. */
function framesOf(random: Random, message: string): Buffer[] {
  const bytes = Buffer.from(message);
  const cut = random.below(bytes.length + 1);
  switch (random.below(12)) {
    case 0:
      return [frame(bytes.subarray(0, cut), { isLast: false }), frame(bytes.subarray(cut), { opcode: 0 })];
    case 1:
      return [frame(bytes, { opcode: 2 })];
    case 2:
      return random.many(1, 50, () =>
        frame(Buffer.alloc(0), { opcode: random.pick([0, 9, 10]), isLast: random.chance(0.5) }),
      );
    case 3:
      return [
        frame(random.bytes(random.below(200)), { opcode: random.below(16), reserved: random.pick([0, 0, 4, 7]) }),
      ];
    case 4:
      return [
        frame(bytes, random.pick([{ isMasked: false }, { claimedBytes: 2 ** 40 }, { claimedBytes: bytes.length + 9 }])),
      ];
    default:
      return [frame(bytes)];
  }
}

function oddMessage(random: Random, { procedures }: AttackedApp): string {
  if (random.chance(0.1))
    return oddJson(random, random.pick([300, 5_000, MESSAGE_MAX_BYTES - 1, MESSAGE_MAX_BYTES + 1]));
  if (random.chance(0.1)) return random.pick(['PING', 'PONG', '', '{', 'null', '[]', oddText(random, 500)]);
  const message = (): unknown => {
    const procedure = random.pick([...procedures, ...procedures.filter(({ type }) => type === 'subscription')]);
    return {
      // A few numbers only, so that many messages name the same one.
      id: random.chance(0.9) ? random.below(3) : oddValue(random),
      jsonrpc: random.pick(['2.0', '2.0', undefined]),
      method: random.chance(0.8)
        ? random.pick(['subscription', 'subscription', 'subscription.stop', 'query', 'mutation'])
        : random.pick(['connectionParams', oddText(random, 20), oddValue(random)]),
      params: random.chance(0.9)
        ? {
            path: random.chance(0.9) ? procedure.path : oddText(random, 50),
            input: oddInput(random, procedure, {}),
            lastEventId: random.chance(0.2) ? oddValue(random) : undefined,
          }
        : oddValue(random),
    };
  };
  return JSON.stringify(random.chance(0.1) ? random.many(0, 30, message) : message());
}

/** Frames and messages over one connection, which is read, left unread, or broken off. */
async function converse(port: number, random: Random, frames: readonly Buffer[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let [received, heardAt] = ['', performance.now()];
  socket.on('error', () => undefined);
  const closed = once(socket, 'close').catch(() => undefined);
  const isRead = random.chance(0.9);
  if (isRead) {
    socket.on('data', (piece) => {
      heardAt = performance.now();
      if (received.length < 2 * MESSAGE_MAX_BYTES) received += piece.toString('latin1');
    });
  }
  // From the app's own origin a session may connect, as a browser does.
  const head = Object.entries({ ...UPGRADE, Origin: `http://localhost:${port}` }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(['GET /api/trpc?connectionParams=1 HTTP/1.1', `Host: localhost:${port}`, ...head, '', ''].join('\r\n'));
  for (const bytes of frames) socket.write(bytes);
  const begunAt = performance.now();
  while (!socket.destroyed && performance.now() - begunAt < LONGEST_MS) {
    if (performance.now() - heardAt > QUIET_MS) break;
    await Promise.race([closed, wait(20)]);
  }
  socket.resetAndDestroy();
  await closed;
  return received;
}

/** WebSocket frames and tRPC messages: double ids, unknown methods, bytes, fragments, batches, by people and by nobody. */
export const target: Target = {
  name: 'socket messages',
  rounds: { few: 40, many: 2_000 },
  async prepare(attacked) {
    const port = Number(new URL(attacked.app.url).port);
    const tokens = attacked.callers.map(({ token }) => token);
    return async (random) => {
      const token = random.chance(0.9) ? random.pick(tokens) : oddValue(random);
      const hello = JSON.stringify({
        method: 'connectionParams',
        data: random.chance(0.95) ? { token } : oddValue(random),
      });
      const messages = random.many(1, 60, () => oddMessage(random, attacked));
      const frames = [...(random.chance(0.95) ? [hello] : []), ...messages].flatMap((message, at) =>
        at === 0 ? [frame(Buffer.from(message))] : framesOf(random, message),
      );
      const fault = faultIn(await converse(port, random, frames));
      return fault === null ? [] : [`${fault} came for ${messages.join('\n').slice(0, 600)}`];
    };
  },
};
