import { acmeClient, startZone } from './acme.ts';
import { createCertifiedHost } from './certified-host.ts';
import { type Pebble, type PebbleOptions, startPebble } from './pebble.ts';

/** The zone that a world of certificates is about: its names lead to this machine. */
export const ZONE = 'harbour.test';
export const NAMES = [ZONE, `www.${ZONE}`] as const;

export type World = Awaited<ReturnType<typeof createCertifiedHost>> & { pebble: Pebble };

/** Real DNS, a real authority that looks at our own host, and the application. */
export async function createWorld(options: PebbleOptions = {}) {
  const zone = await startZone(ZONE);
  let pebble: Pebble | undefined;
  const world = await createCertifiedHost(async (httpPort) => {
    pebble = await startPebble({ dnsServer: zone.dnsServer, httpPort, ...options });
    return acmeClient(pebble);
  });
  if (pebble === undefined) throw new Error('No authority was opened.');
  const opened = pebble;
  return {
    ...world,
    pebble: opened,
    async [Symbol.asyncDispose]() {
      await world[Symbol.asyncDispose]();
      await opened[Symbol.asyncDispose]();
      await zone[Symbol.asyncDispose]();
    },
  };
}

/** A person with a certificate for these names, or with what became of it. */
export async function issued(world: Pick<World, 'app' | 'addDomain'>, names: readonly [string, ...string[]] = NAMES) {
  const person = await world.app.trialPerson();
  const domainId = await world.addDomain(person.user.id, names);
  const { id: certificateId } = await person.caller.certificates.issue({ domainId });
  await world.app.jobs.drain();
  return { ...person, domainId, certificateId, certificate: await person.caller.certificates.get({ certificateId }) };
}
