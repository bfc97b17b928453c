import { DAY_MS } from '../../../lib/durations.ts';
import { type Check, fail, pass, type Tools, unknown, usable, warn } from '../check.ts';

const SOON_MS = 3 * DAY_MS;
/**
 * A server that signs every day or two is always this close to the end: less than a quarter of the time must be left
 * as well.
 */
const LEFT_SHARE = 1 / 4;

/** Checks whether validating resolvers accept the zone's answers (RFC 4035). */
export const dnssec: Check = {
  id: 'dnssec',
  why: 'If the signatures of a zone are wrong, resolvers that check them act as if the zone did not exist.',
  applies: ({ isDomain }) => isDomain,
  async run({ name }, tools) {
    const state = await tools.checkDnssec(name);
    if (state === 'secure') {
      const end = await endingSoon(name, tools);
      if (end === null) return pass(`The zone of ${name} is signed, and its signatures are right.`);
      const seen = `The signatures of the zone of ${name} expire at ${end.toISOString().slice(0, 16).replace('T', ' ')} UTC.`;
      return warn(seen, 'Have your DNS provider sign the zone again, or ask why that does not happen automatically.');
    }
    if (state === 'unsigned') return pass(`The zone of ${name} is not signed, which is fine.`);
    if (state === 'unknown') return unknown('No resolver that checks signatures could be asked.');
    const seen = `The registrar has a DS record for ${name} that does not match the zone’s signatures.`;
    return fail(seen, 'Remove the DS record at your registrar, or have your DNS provider sign the zone again.');
  },
};

/** Returns when the zone's own signatures end, if that is soon; a server that does not show them says nothing. */
async function endingSoon(name: string, tools: Tools): Promise<Date | null> {
  const zone = await tools.zoneOf(name);
  if (zone === null) return null;
  const now = tools.now().getTime();
  const answers = usable(await tools.askNameServers(zone.apex, 'RRSIG'));
  const ends = answers.flatMap(({ values }) =>
    values.flatMap((value) => {
      const [type, from, until] = value.split(' ');
      const [begin, end] = [Number(from) * 1000, Number(until) * 1000];
      const isSoon = end - now < Math.min(SOON_MS, (end - begin) * LEFT_SHARE);
      return type === 'SOA' && isSoon ? [end] : [];
    }),
  );
  return ends.length === 0 ? null : new Date(Math.min(...ends));
}
