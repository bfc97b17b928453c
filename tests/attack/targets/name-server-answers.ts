import { setTimeout as wait } from 'node:timers/promises';
import { TRPCClientError } from '@trpc/client';
import { clientOf } from '../../support/api-account.ts';
import { randomOf, SEED } from '../../support/random.ts';
import { IS_FULL } from '../../support/size.ts';
import type { Target } from '../support/attack.ts';
import { type AttackedApp, openAccounts } from '../support/attacked-app.ts';
import { DNS_LIES } from '../support/dns-lies.ts';
import { unlessBusy } from '../support/own-ids.ts';

/** An account has two checks at once, 200 new domains an hour, and 60 reports: after these it is refused. */
const ACCOUNTS = IS_FULL ? 6 : 3;
/** The first lie is told to one of so many questions, of some thirty that a check takes. */
const QUESTIONS = 12;
/** Eight rounds at once look at the reports of six accounts, each of which has 600 calls a minute. */
const LOOK_MS = 500;

/**
 * Domains and their deployments are checked whose name servers answer what none should. Each check ends, nothing is proved by it, and no name
 * server inside this network is asked.
 */
export const target: Target = {
  name: 'name server answers',
  isFullOnly: true,
  rounds: { few: 5, many: 400 },
  async prepare({ app, nameServer }: AttackedApp) {
    const accounts = await openAccounts(app.url, 'domain owner', ACCOUNTS);
    const owners = await Promise.all(
      accounts.map(async (account) => {
        const client = clientOf(account);
        const { id } = await client.deployments.create.mutate({ name: 'Lied to', platform: 'built-in' });
        return { client, deploymentId: id };
      }),
    );
    // Few rounds are of others with every seed.
    const lies = randomOf(SEED, 'name server lies').shuffled(Object.keys(DNS_LIES));
    let turn = 0;
    return async (random) => {
      const number = turn++;
      const title = lies[number % lies.length] ?? '';
      const { client, deploymentId } = random.pick(owners);
      const name = `x${random.bytes(6).toString('hex')}.test`;
      const lie = DNS_LIES[title] ?? {};
      const times = random.pick([1, 3, Number.POSITIVE_INFINITY]);
      nameServer.lieAbout(name, { lie, from: random.below(QUESTIONS), times, random });
      try {
        const { id: domainId } = await client.domains.add.mutate({ deploymentId, name });
        const found = await client.domains.check.mutate({ domainId }).catch(unlessBusy);
        await reportOn(client, name);
        await client.domains.remove.mutate({ domainId });
        const isProved = found !== null && found.state !== 'unverified';
        const leaks = nameServer.takeLeaks();
        return [...leaks, ...(isProved ? ['a domain is proved'] : [])].map((fault) => `${fault} (${title})`);
      } finally {
        nameServer.lieAbout(name, null);
      }
    };
  },
};

async function reportOn(client: ReturnType<typeof clientOf>, name: string): Promise<void> {
  const started = await client.diagnostics.run.mutate({ name }).catch((error: unknown) => {
    if (error instanceof TRPCClientError && error.data?.code === 'rate_limited') return null;
    throw error;
  });
  if (started === null) return;
  while ((await client.diagnostics.get.query(started)).state === 'running') await wait(LOOK_MS);
}
