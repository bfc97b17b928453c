import mongoose from 'mongoose';
import { expect, test, vi } from 'vitest';
import type { ChangeFeed } from '../../server/database/change-feed.ts';
import { MAINTENANCE } from '../../server/database/models/account-scope.ts';
import { CertificateModel } from '../../server/database/models/domains/certificate.ts';
import { createSiteCertificates, weightOf } from '../../server/host/site-certificates.ts';
import { createSecrets, newKeys } from '../../server/lib/crypto/secrets.ts';
import { MINUTE_MS } from '../../server/lib/durations.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import { storeCertificates } from '../bench/certified-names.ts';

const SILENT: ChangeFeed = {
  subscribe: () => () => undefined,
  start: async () => undefined,
  stop: async () => undefined,
};
const quiet = () => undefined;
const log = { debug: quiet, info: quiet, warn: quiet, error: quiet };

/** Certificates of `0.bench.test` and on, of which the host has read the names alone. */
async function coldCertificates(count: number, limits: Parameters<typeof createSiteCertificates>[1] = {}) {
  const secrets = createSecrets(newKeys());
  await storeCertificates(secrets, count, 5);
  const certificates = createSiteCertificates(
    { changes: SILENT, secrets, log, rateCounters: createRateCounters() },
    limits,
  );
  await certificates.start();
  return {
    certificates,
    async [Symbol.asyncDispose]() {
      certificates.stop();
      await CertificateModel.deleteMany({ domainId: { $gt: '' } }).setOptions(MAINTENANCE);
    },
  };
}

test('after a restart all names are asked for at once, and each visitor gets its certificate', async () => {
  await using cold = await coldCertificates(200);
  const names = Array.from({ length: 200 }, (_, index) => `${index}.bench.test`);
  const found = await Promise.allSettled(names.map(async (name) => cold.certificates.contextFor(name)));
  expect(found.filter((one) => one.status === 'rejected' || one.value === undefined)).toEqual([]);
});

test('as many are kept as the memory for them allows; the longest unused is read again', async () => {
  const reads: unknown[] = [];
  mongoose.set('debug', (collection, method, ...asked) => {
    if (collection === 'certificates' && method === 'findOne') reads.push(asked);
  });
  try {
    // A chain of 2 KB or 3, and room for two of them.
    await using cold = await coldCertificates(3, { weightMaxBytes: 2.5 * weightOf('x'.repeat(2_500)) });
    const visit = async (...indexes: number[]) => {
      for (const index of indexes) {
        expect(await cold.certificates.contextFor(`${index}.bench.test`)).not.toBe(undefined);
      }
      return reads.splice(0).length;
    };
    expect(await visit(0, 1, 0, 1)).toBe(2);
    expect(await visit(0, 2, 0, 2)).toBe(1);
    expect(await visit(1, 2, 0)).toBe(2);
  } finally {
    mongoose.set('debug', false);
  }
});

test('what the change feed tells is not read over and over', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const reads: unknown[] = [];
  mongoose.set('debug', (collection, method, ...asked) => {
    if (collection === 'certificates' && method === 'find') reads.push(asked);
  });
  try {
    await using _cold = await coldCertificates(1);
    expect(reads).toHaveLength(1);
    vi.advanceTimersByTime(9 * MINUTE_MS);
    await new Promise(setImmediate);
    expect(reads).toHaveLength(1);
    vi.advanceTimersByTime(MINUTE_MS);
    await expect.poll(() => reads.length).toBe(2);
  } finally {
    mongoose.set('debug', false);
    vi.useRealTimers();
  }
});
