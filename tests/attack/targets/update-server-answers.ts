import { setTimeout as wait } from 'node:timers/promises';
import { clientOf } from '../../support/api-account.ts';
import { IS_FULL } from '../../support/size.ts';
import type { Target } from '../support/attack.ts';
import { type AttackedApp, openAccounts } from '../support/attacked-app.ts';
import { DNS_LIES } from '../support/dns-lies.ts';
import { INSIDE } from '../support/lying-name-server.ts';
import { KEY, ODD_SIGNATURES } from '../support/lying-update-server.ts';
import { createPersonCalls, unlessWritten } from '../support/person-calls.ts';

/** An account asks its providers 120 times an hour. */
const ACCOUNTS = IS_FULL ? 8 : 4;
/** The first lie is told to one of so many updates, or of so many requests. */
const UPDATES = 3;
const REQUESTS = 60;
/** The person leaves after waiting this long. */
const PATIENCE_MS = IS_FULL ? 25_000 : 3_000;
/** Every other lie is of what this server alone says. */
const TITLES = Object.keys(DNS_LIES).flatMap((title) => [title, 'odd signatures']);

/**
 * A server that takes dynamic updates is connected, and answers what none should: it is the person's own. Every call ends
 * with an answer for a person, and nobody inside is asked.
 */
export const target: Target = {
  name: 'update server answers',
  isFullOnly: true,
  rounds: { few: 2, many: 300 },
  async prepare({ app, updateServer }: AttackedApp) {
    const accounts = await openAccounts(app.url, 'key owner', ACCOUNTS);
    const free = await Promise.all(
      accounts.map(async (account) => {
        const client = clientOf(account);
        const { id: deploymentId } = await client.deployments.create.mutate({ name: 'Lied to', platform: 'built-in' });
        return { client, deploymentId };
      }),
    );
    return async (random) => {
      const title = random.pick(TITLES);
      while (free.length === 0) await wait(20);
      const owner = free.shift();
      if (owner === undefined) return [];
      const { client, deploymentId } = owner;
      const zone = `x${random.bytes(6).toString('hex')}.test`;
      const { ask, faults } = createPersonCalls(PATIENCE_MS);
      const times = random.pick([1, 2, Number.POSITIVE_INFINITY]);
      const lie = DNS_LIES[title] ?? ODD_SIGNATURES;
      const server = random.chance(0.1) ? INSIDE : '127.0.0.1';
      const fields = { ...KEY, server, port: updateServer.port, zone };
      try {
        const { id: domainId } = await client.domains.add.mutate({ deploymentId, name: zone });
        const isOfUpdates = random.chance(0.8);
        const from = random.below(isOfUpdates ? UPDATES : REQUESTS);
        updateServer.lieAbout(zone, { lie, from, times, random, isOfUpdates });
        await ask((options) => client.connections.connect.mutate({ provider: 'rfc2136', fields }, options));
        const plan = await ask((options) => client.domains.plan.mutate({ domainId }, options));
        if (plan !== null) await ask((options) => client.domains.applyPlan.mutate({ planId: plan.planId }, options));
        updateServer.lieAbout(zone, null);
        await client.domains.remove.mutate({ domainId }).catch(unlessWritten);
      } finally {
        updateServer.lieAbout(zone, null);
        free.push(owner);
      }
      return [...faults, ...updateServer.takeLeaks()].map((fault) => `${fault} (${title})`);
    };
  },
};
