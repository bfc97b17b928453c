import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { readEnv } from '../../server/boot/env/env.ts';
import { buildProviders } from '../../server/boot/providers.ts';
import { loadTheRest } from '../../server/boot/serving.ts';
import { newKeys } from '../../server/lib/crypto/secrets.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';

const silent = () => undefined;

test('the libraries of mail, of payments and of passwords are loaded by their first use, after the start', async () => {
  const loaded: string[] = [];
  vi.doMock('@node-rs/argon2', () => {
    loaded.push('passwords');
    return { hash: async () => '' };
  });
  vi.doMock('../../server/account/mail/smtp.ts', () => {
    loaded.push('mail');
    return { createSmtpMailer: () => ({ keepsMail: false, deliver: async () => undefined }) };
  });
  vi.doMock('../../server/plans/payments/stripe/index.ts', () => {
    loaded.push('payments');
    return { createStripePayments: () => ({ isTest: false, hosted: { prepare: async () => undefined } }) };
  });
  const dataDir = join(tmpdir(), `fairlead-providers-${process.pid}`);
  const env = readEnv({
    DATA_DIR: dataDir,
    SMTP_URL: 'smtp://127.0.0.1:1',
    STRIPE_SECRET_KEY: 'sk_test_12345678',
    STRIPE_WEBHOOK_SECRET: 'whsec_12345678',
  });
  const log = { debug: silent, info: silent, warn: silent, error: silent };
  const rateCounters = createRateCounters();
  try {
    const { mailer, payments, hasher } = await buildProviders(env, {
      keys: newKeys(),
      log,
      rateCounters,
      now: () => new Date(),
    });
    expect(loaded).toEqual([]);
    expect([mailer.keepsMail, payments.isTest, payments.hosted?.knownPrices()]).toEqual([false, false, []]);

    const mail = { id: 'a', kind: 'test', to: 'ada@example.com', subject: '', text: '', at: new Date() };
    for (const use of [() => mailer.deliver(mail), () => payments.hosted?.prepare(), () => hasher.hash('')]) {
      await use();
      await use();
    }
    expect(loaded).toEqual(['mail', 'payments', 'passwords']);
  } finally {
    vi.doUnmock('@node-rs/argon2');
    vi.doUnmock('../../server/account/mail/smtp.ts');
    vi.doUnmock('../../server/plans/payments/stripe/index.ts');
    await rm(dataDir, { recursive: true, force: true });
  }
});

test('what no first answer needs is loaded soon after the start, and a broken library is logged', async () => {
  vi.doMock('@node-rs/argon2', () => {
    throw new Error('The file is cut short.');
  });
  const error = vi.fn();
  try {
    await loadTheRest({ smtp: undefined }, { debug: silent, info: silent, warn: silent, error });
  } finally {
    vi.doUnmock('@node-rs/argon2');
  }
  expect(error).toHaveBeenCalledExactlyOnceWith('A part of Fairlead cannot be loaded.', {
    error: expect.stringContaining('Error: '),
  });
});

test('the setups of platforms do not count in words when they are loaded: that takes the data of all languages', async () => {
  const counted = vi.spyOn(Number.prototype, 'toLocaleString');
  const setups = new URL('../../routers/schemas/platforms/setups.ts', import.meta.url).pathname;
  try {
    const { PLATFORM_SETUPS } = await import(/* @vite-ignore */ `${setups}?anew`);
    expect(counted).not.toHaveBeenCalled();
    expect(PLATFORM_SETUPS.vercel.limits[0]).toMatch(/^14,999 files/);
  } finally {
    counted.mockRestore();
  }
});
