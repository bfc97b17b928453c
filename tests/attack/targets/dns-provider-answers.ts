import { setTimeout as wait } from 'node:timers/promises';
import { clientOf } from '../../support/api-account.ts';
import { randomOf, SEED } from '../../support/random.ts';
import { IS_FULL } from '../../support/size.ts';
import type { Target } from '../support/attack.ts';
import { type AttackedApp, openAccounts } from '../support/attacked-app.ts';
import { DNS_PROVIDER_LIES } from '../support/dns-provider-lies.ts';
import { createPersonCalls, unlessWritten } from '../support/person-calls.ts';

/** An account asks its providers 120 times an hour. */
const ACCOUNTS = IS_FULL ? 8 : 4;
/** The first lie is told to one of so many requests, of a dozen that connecting, planning and writing take. */
const REQUESTS = 10;
/** The person leaves after waiting this long. */
const PATIENCE_MS = IS_FULL ? 25_000 : 3_000;
/** The limit of the list of an account's connections, whatever their providers have sent about themselves. */
const LIST_MAX = 10_000;

/**
 * A DNS provider is connected that answers what none should: it is the person's own server. Every call ends with an answer
 * for a person, what the server says of itself is kept in a few words, and nobody inside is asked.
 */
export const target: Target = {
  name: 'dns provider answers',
  rounds: { few: 4, many: 200 },
  async prepare({ app, dnsProvider }: AttackedApp) {
    const { proxy } = dnsProvider;
    const accounts = await openAccounts(app.url, 'zone owner', ACCOUNTS);
    const free = await Promise.all(
      accounts.map(async (account) => {
        const client = clientOf(account);
        const { id } = await client.deployments.create.mutate({ name: 'Lied to', platform: 'built-in' });
        return { client, deploymentId: id };
      }),
    );
    // Few rounds are of others with every seed.
    const lies = randomOf(SEED, 'dns provider lies').shuffled(Object.keys(DNS_PROVIDER_LIES));
    let turn = 0;
    return async (random) => {
      const title = lies[turn++ % lies.length] ?? '';
      while (free.length === 0) await wait(20);
      const owner = free.shift();
      if (owner === undefined) return [];
      const { client, deploymentId } = owner;
      const name = `x${random.bytes(6).toString('hex')}.test`;
      const who = { token: random.bytes(12).toString('hex'), slug: name };
      const lie = DNS_PROVIDER_LIES[title] ?? (async () => undefined);
      const { ask, faults } = createPersonCalls(PATIENCE_MS);
      dnsProvider.addZone(name);
      try {
        const { id: domainId } = await client.domains.add.mutate({ deploymentId, name });
        proxy.lieTo(who, {
          lie,
          from: random.below(REQUESTS),
          times: random.pick([1, 2, Number.POSITIVE_INFINITY]),
          random,
        });
        const fields = { url: `http://127.0.0.1:${proxy.port}`, apiKey: who.token };
        await ask((options) => client.connections.connect.mutate({ provider: 'powerdns', fields }, options));
        const plan = await ask((options) => client.domains.plan.mutate({ domainId }, options));
        if (plan !== null) await ask((options) => client.domains.applyPlan.mutate({ planId: plan.planId }, options));
        proxy.lieTo(who, null);
        const listed = JSON.stringify(await client.connections.list.query()).length;
        if (listed > LIST_MAX) faults.push(`the list of connections has ${listed} characters`);
        await client.domains.remove.mutate({ domainId }).catch(unlessWritten);
      } finally {
        proxy.lieTo(who, null);
        dnsProvider.dropZone(name);
        free.push(owner);
      }
      return [...faults, ...proxy.takeLeaks()].map((fault) => `${fault} (${title})`);
    };
  },
};
