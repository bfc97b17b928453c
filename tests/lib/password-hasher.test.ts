import { parseOptions } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { createPasswordHasher, hashesAtOnce } from '../../server/lib/crypto/password-hasher.ts';
import { refusalOf } from '../support/refusal.ts';

test('passwords are hashed by Argon2id with 64 MiB, three passes and one lane', async () => {
  const hasher = createPasswordHasher();

  const phc = await hasher.hash('Correct horse 1');

  expect(phc).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/);
  expect(await hasher.verify('Correct horse 1', phc)).toEqual({ matches: true, needsRehash: false });
  expect(await hasher.verify('Correct horse 2', phc)).toEqual({ matches: false, needsRehash: false });
  expect(await hasher.verify('Correct horse 1', null)).toEqual({ matches: false, needsRehash: false });
});

test('two passwords are hashed at once, and one core is left to everybody else', () => {
  expect([1, 2, 3, 64].map(hashesAtOnce)).toEqual([1, 1, 2, 2]);
});

test('of 40 at once two run, 32 wait, and the others are told to come back', async () => {
  const hasher = createPasswordHasher({ memoryKiB: 4096, iterations: 2, atOnce: 2 });

  const outcomes = await Promise.allSettled(Array.from({ length: 40 }, () => hasher.hash('Correct horse 1')));

  expect(outcomes.filter((outcome) => outcome.status === 'fulfilled')).toHaveLength(34);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') {
      expect(outcome.reason).toMatchObject({ code: 'overloaded', status: 503, retryAfterMs: 2_000 });
    }
  }
  expect(await hasher.hash('Correct horse 1')).toContain('$argon2id$');
});

test('a hash that cannot be read frees its place', async () => {
  const hasher = createPasswordHasher({ memoryKiB: 1024, iterations: 1, atOnce: 1, queueLength: 0 });
  await expect(hasher.verify('Correct horse 1', 'no hash at all')).rejects.toThrow();
  expect(parseOptions(await hasher.hash('Correct horse 1'))).toMatchObject({ memoryCost: 1024, timeCost: 1 });
});

test('a hash under other parameters is right and asks to be replaced', async () => {
  const older = createPasswordHasher({ memoryKiB: 1024, iterations: 1 });
  const today = createPasswordHasher({ memoryKiB: 1024, iterations: 2 });
  const phc = await older.hash('Correct horse 1');

  expect(await today.verify('Correct horse 1', phc)).toEqual({ matches: true, needsRehash: true });
  expect(await today.verify('Correct horse 2', phc)).toEqual({ matches: false, needsRehash: false });
});

test('an overloaded hasher refuses with a code of the table', async () => {
  const hasher = createPasswordHasher({ memoryKiB: 4096, iterations: 1, atOnce: 1, queueLength: 0 });
  const first = hasher.hash('Correct horse 1');
  expect(await refusalOf(hasher.hash('Correct horse 1'))).toMatchObject({ code: 'overloaded' });
  await first;
});
