import { isIP } from 'node:net';
import { type Check, fail, faultText, isOurs, pass, recordsRepair, unknown } from '../check.ts';
import { judgeProbes, probeAt } from './port-80.ts';

/** Checks whether the site answers at its IPv6 addresses as well. */
export const ipv6: Check = {
  id: 'ipv6',
  why: 'Browsers and certificate authorities prefer IPv6. An old AAAA record sends them to another server.',
  applies: ({ isDomain }) => isDomain,
  async run(subject, tools) {
    const servers = (await tools.serversOf(subject.name)).filter(({ address }) => isIP(address) === 6);
    if (servers.length === 0) return pass(`${subject.name} has no AAAA record, which is fine.`);
    if (subject.own?.isServedHere === true) {
      const probes = await Promise.all(servers.map((server) => probeAt(subject, server, tools)));
      return judgeProbes(probes, subject, '');
    }
    const visits = await Promise.all(servers.map((server) => tools.visit(subject.url, server)));
    const index = visits.findIndex((visit) => visit.fault !== null && !isOurs(visit));
    const bad = visits[index];
    const at = servers[index]?.address ?? '';
    if (bad !== undefined && bad.fault !== null) {
      return fail(`${at} ${faultText(bad)}.`, `Remove the AAAA record ${at}, or point it at the site.`, {
        repair: recordsRepair(subject),
      });
    }
    if (visits.every(isOurs)) return unknown('This server has no IPv6 of its own, so IPv6 could not be tried.');
    return pass(`The site answers at ${servers.map(({ address }) => address).join(', ')}.`);
  },
};
