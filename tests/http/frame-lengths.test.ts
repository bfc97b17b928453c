import { expect, test } from 'vitest';
import { createFrameLengths } from '../../server/http/websocket/frame-lengths.ts';

const MASK = [1, 2, 3, 4];
const [TEXT, CONTINUATION, PING] = [0x01, 0x00, 0x09];

/** A frame as a client sends it, with its length written in `lengthBytes` bytes. */
function frame(opcode: number, length: number, { isFinal = false, lengthBytes = 0 } = {}): Buffer {
  const extended = Buffer.alloc(lengthBytes);
  if (lengthBytes === 2) extended.writeUInt16BE(length);
  if (lengthBytes === 8) extended.writeBigUInt64BE(BigInt(length));
  const short = lengthBytes === 2 ? 126 : lengthBytes === 8 ? 127 : length;
  const head = [(isFinal ? 0x80 : 0) | opcode, 0x80 | short];
  return Buffer.concat([Buffer.from(head), extended, Buffer.from(MASK), Buffer.alloc(length, 0xff)]);
}

test('a message counts with what its frames announce, from the head of the first to the end of the last', () => {
  const read = createFrameLengths();
  const whole = frame(TEXT, 300, { lengthBytes: 2 });
  expect(read(whole.subarray(0, 7))).toBe(0);
  expect(read(whole.subarray(7, 8))).toBe(300);
  expect(read(whole.subarray(8))).toBe(300);
  expect(read(frame(PING, 9, { isFinal: true }))).toBe(300);
  expect(read(frame(CONTINUATION, 70_000, { lengthBytes: 8 }))).toBe(70_300);
  expect(read(frame(CONTINUATION, 0, { isFinal: true }))).toBe(0);
});

test('messages that come whole leave nothing, and what begins behind them counts', () => {
  const read = createFrameLengths();
  const two = [frame(TEXT, 5, { isFinal: true }), frame(TEXT, 125, { isFinal: true })];
  expect(read(Buffer.concat(two))).toBe(0);
  expect(read(Buffer.concat([...two, frame(TEXT, 40).subarray(0, 10)]))).toBe(40);
});

test('wherever the bytes are cut, the same is under way in the end', () => {
  const frames = [
    ...[frame(TEXT, 10), frame(PING, 0, { isFinal: true }), frame(CONTINUATION, 200, { lengthBytes: 2 })],
    ...[frame(CONTINUATION, 3, { isFinal: true }), frame(TEXT, 17)],
  ];
  const bytes = Buffer.concat(frames);
  for (const step of [1, 2, 3, 5, 7, 64, bytes.length]) {
    const read = createFrameLengths();
    let announced = 0;
    for (let at = 0; at < bytes.length; at += step) announced = read(bytes.subarray(at, at + step));
    expect([step, announced]).toEqual([step, 17]);
  }
});
