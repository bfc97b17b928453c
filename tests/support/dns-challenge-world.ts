import { jobHandlers } from '../../server/boot/jobs.ts';
import type { Providers } from '../../server/context.ts';
import { MAINTENANCE } from '../../server/database/models/account-scope.ts';
import { ConnectionModel } from '../../server/database/models/connection.ts';
import { ChallengeRecordModel } from '../../server/database/models/domains/challenge-record.ts';
import { createDnsProviders } from '../../server/dns/index.ts';
import { createWorker } from '../../server/queue/worker.ts';
import { acmeClient } from './acme.ts';
import { createCertifiedHost } from './certified-host.ts';
import { ZONE } from './certified-world.ts';
import { startDnsLab } from './dns-lab.ts';
import type { PowerDns } from './name-servers.ts';
import { startPebble } from './pebble.ts';

export const CHALLENGE = `_acme-challenge.${ZONE}`;
/** A value that others have at the name of the challenge. */
export const FOREIGN = 'the-answer-of-another-client';

/** The values of a TXT set at the server itself. */
export async function textsAt(server: Pick<PowerDns, 'api'>, name: string, zone = ZONE): Promise<string[]> {
  const { rrsets } = (await server.api('GET', `/zones/${zone}.?rrset_name=${name}.&rrset_type=TXT`)) as {
    rrsets: { records: { content: string }[] }[];
  };
  return rrsets.flatMap(({ records }) => records.map(({ content }) => content.replaceAll('"', '')));
}

/**
 * A zone at a PowerDNS that a connection can write to, whose names lead elsewhere, with a real authority that looks at it,
 * and the application.
 */
export async function createDnsChallengeWorld(sets: Record<string, string[]> = {}, more: Partial<Providers> = {}) {
  const lab = await startDnsLab();
  await lab.registry.createZone(ZONE, {
    [`${ZONE} NS`]: ['ns.test.'],
    [`${ZONE} A`]: ['203.0.113.9'],
    [`${CHALLENGE} TXT`]: [`"${FOREIGN}"`],
    ...sets,
  });
  const pebble = await startPebble({ dnsServer: lab.dnsServer, httpPort: 1 });
  const world = await createCertifiedHost(async () => acmeClient(pebble), {
    dns: lab.client(),
    dnsProviders: createDnsProviders({ isAllowed: () => true, askResolvers: async () => [] }),
    ...more,
  });
  return {
    ...world,
    lab,
    pebble,
    /** The workers of a process that was started again. */
    restartedJobs: () => createWorker(world.app.providers, { handlers: jobHandlers }),
    texts: () => textsAt(lab.registry, CHALLENGE),
    /** A person with a proved domain, and the connection that holds its zone. */
    async person(names: readonly [string, ...string[]] = [ZONE]) {
      const person = await world.app.trialPerson();
      const fields = { url: lab.registry.apiUrl, apiKey: lab.registry.apiKey };
      await person.caller.connections.connect({ provider: 'powerdns', fields });
      const domainId = await world.addDomain(person.user.id, names);
      return { ...person, domainId };
    },
    async [Symbol.asyncDispose]() {
      await ChallengeRecordModel.deleteMany({ _id: { $gt: '' } }).setOptions(MAINTENANCE);
      await ConnectionModel.deleteMany({ _id: { $gt: '' } }).setOptions(MAINTENANCE);
      await world[Symbol.asyncDispose]();
      await pebble[Symbol.asyncDispose]();
      await lab[Symbol.asyncDispose]();
    },
  };
}

type Person = Awaited<ReturnType<Awaited<ReturnType<typeof createDnsChallengeWorld>>['person']>>;

/** Leaves in the zone what nobody came back for, of two certificates of this person. */
export async function leaveTwo({ user, caller }: Pick<Person, 'user' | 'caller'>, name = ZONE): Promise<void> {
  const connectionId = (await caller.connections.list()).items[0]?.id ?? '';
  const zone = { id: `${name}.`, name, apexAlias: null };
  for (const [at, certificateId] of ['one', 'two'].entries()) {
    const left = { certificateId, connectionId, zone, name: `_acme-challenge.${name}`, value: certificateId };
    const _id = `${user.id} ${certificateId}`;
    await ChallengeRecordModel.create({ _id, accountId: user.id, ...left, neededUntil: new Date(at) });
  }
}
