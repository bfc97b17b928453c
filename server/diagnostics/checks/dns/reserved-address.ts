import { type Check, fail, pass, recordsRepair, unknown } from '../check.ts';

/** Checks whether the internet can reach the addresses at all. */
export const reservedAddress: Check = {
  id: 'reserved-address',
  why: 'Private and reserved addresses lead nowhere on the internet: visitors and certificate authorities find nothing.',
  applies: ({ isDomain }) => isDomain,
  async run(subject, tools) {
    // Its `www` may come from a wildcard of the zone, and has a report of its own.
    const servers = await tools.serversOf(subject.name);
    const own = new Set(subject.own?.records.map(({ value }) => value));
    const bad = servers.filter(({ address }) => !tools.isAllowed(address) && !own.has(address));
    const [first] = bad;
    if (first !== undefined) {
      const seen = `${first.address} is not reachable from the internet.`;
      return fail(seen, `Replace ${first.address} with the public address of the site.`, {
        repair: recordsRepair(subject),
      });
    }
    if (servers.length === 0) return unknown(`${subject.name} has no address to check.`);
    return pass(
      `Every address is public or belongs to this host: ${servers.map(({ address }) => address).join(', ')}.`,
    );
  },
};
