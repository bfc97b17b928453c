import { type Check, fail, pass, type Tools, unknown, usable, warn } from '../check.ts';

/** Checks whether the name is registered, and whether each of its registered name servers answers for it. */
export const delegation: Check = {
  id: 'delegation',
  why: 'Visitors are sent to these name servers first. Where none of them answers, nothing else can be found.',
  applies: ({ isDomain }) => isDomain,
  async run({ name }, tools) {
    const zone = await tools.zoneOf(name);
    if (zone === null) {
      const seen = `${name} is not registered, or its registrar lists no name servers for it.`;
      return fail(seen, 'Register the name, or set its name servers at your registrar.');
    }
    const { apex, parentServers, childServers } = zone;
    const facts = { [`Name servers of ${apex}`]: zone.servers.map((server) => server.name).sort() };
    const { lame, answering } = await askEach(apex, tools);
    const named = zone.servers.map((server) => server.name).join(', ');
    if (answering.length === 0) {
      const seen = `Your registrar sends visitors to ${named}, where no server answers for ${apex}.`;
      return fail(seen, `Set the name servers of ${apex} at your registrar to those of your DNS provider.`, { facts });
    }
    if (lame.length > 0) {
      const seen = `${answering.join(', ')} answered for ${apex}, but ${lame.join(', ')} did not.`;
      return warn(seen, `Remove ${lame.join(', ')} at your registrar, or add the zone there.`, { facts });
    }
    if (parentServers !== null && childServers !== null && parentServers.join() !== childServers.join()) {
      const seen = `The registrar lists ${parentServers.join(', ')}, and the zone itself ${childServers.join(', ')}.`;
      return warn(seen, 'Set the same name servers at your registrar and in the NS records of the zone.', { facts });
    }
    if (zone.servers.length === 0) return unknown(`The name servers of ${apex} could not be determined.`);
    if (zone.servers.length === 1) {
      // RFC 1034, section 4.1: a zone should be at two of them at least.
      const seen = `${named} is the only name server of ${apex}: if it fails, nobody can reach the site.`;
      return warn(seen, 'Add a second name server at your registrar and in the NS records of the zone.', { facts });
    }
    return pass(`${named} answer for ${apex}.`, { facts });
  },
};

async function askEach(apex: string, tools: Tools): Promise<{ lame: string[]; answering: string[] }> {
  const answers = await tools.askNameServers(apex, 'SOA');
  const answering = [...new Set(usable(answers).flatMap(({ server, values }) => (values.length > 0 ? [server] : [])))];
  const lame = [...new Set(answers.map(({ server }) => server))].filter((server) => !answering.includes(server));
  return { lame, answering };
}
