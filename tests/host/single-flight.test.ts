import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inTime } from '../../server/host/in-time.ts';
import { createSingleFlight } from '../../server/host/single-flight.ts';
import { refusalOf } from '../support/refusal.ts';

test('one visitor who asks for names without end holds up no other', async () => {
  const flight = createSingleFlight<string>();
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const flood = Promise.allSettled(
    Array.from({ length: 100 }, (_, number) => flight.once(`${number}`, 'flood', () => held.then(() => 'nothing'))),
  );

  expect(await flight.once('site', 'visitor', async () => 'found')).toBe('found');
  expect(await refusalOf(flight.once('100', 'flood', async () => 'nothing'))).toMatchObject({
    ...{ code: 'overloaded', message: 'Too many names are being looked up at once.' },
  });

  letGo();
  // Eight at once, and 64 that waited for them.
  expect((await flood).filter(({ status }) => status === 'fulfilled')).toHaveLength(72);
  expect(await flight.once('100', 'flood', async () => 'nothing')).toBe('nothing');
});

test('a few visitors who each ask for all that they may hold up no other', async () => {
  const flight = createSingleFlight<string>();
  let letGo = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const flood = Promise.allSettled(
    Array.from({ length: 64 }, (_, number) =>
      flight.once(`${number}`, `flood ${number % 8}`, () => held.then(() => 'nothing')),
    ),
  );

  const others = Array.from({ length: 32 }, (_, number) =>
    flight.once(`site ${number}`, `visitor ${number}`, () => held.then(() => 'found')),
  );
  const order: string[] = [];
  const note = (name: string) => async () => {
    order.push(name);
    return name;
  };
  const last = [flight.once('more', 'flood 0', note('flood')), flight.once('late', 'visitor 32', note('visitor'))];
  expect(order).toEqual([]);

  letGo();
  await Promise.all([flood, ...last]);
  expect(order.indexOf('visitor')).toBe(0);
  expect(new Set(await Promise.all(others))).toEqual(new Set(['found']));
});

test('an event loop that was held for all the time of a lookup still reads the answer', async () => {
  const found = inTime(
    turn().then(() => turn('found')),
    100,
  );
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 110);
  expect(await found).toBe('found');
});
