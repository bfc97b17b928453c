import type { PasswordHasher } from '../../server/lib/crypto/secrets.ts';
import { createRateCounters } from '../../server/lib/rate-counters.ts';
import type { TestApp } from './app.ts';

/** Lets `happens` come between the next check of a password and what its answer is used for. */
export function afterNextPasswordCheck(app: TestApp, happens: () => Promise<unknown>): void {
  const { hasher, rateCounters } = app.providers;
  const verify: PasswordHasher['verify'] = async (...checked) => {
    const result = await hasher.verify(...checked);
    app.providers.hasher = hasher;
    // The slot of this check is free in a moment.
    app.providers.rateCounters = createRateCounters();
    await happens();
    app.providers.rateCounters = rateCounters;
    return result;
  };
  app.providers.hasher = { ...hasher, verify };
}
