import { type Check, fail, pass, unknown } from './check.ts';

/** Whether resolvers that check signatures take what the zone answers (RFC 4035). */
export const dnssec: Check = {
  id: 'dnssec',
  why: 'Where the signatures of a zone are wrong, resolvers that check them tell their visitors that it does not exist.',
  applies: ({ isDomain }) => isDomain,
  async run({ name }, tools) {
    const state = await tools.checkDnssec(name);
    if (state === 'secure') return pass(`The zone of ${name} is signed, and its signatures are right.`);
    if (state === 'unsigned') return pass(`The zone of ${name} is not signed, which is fine.`);
    if (state === 'unknown') return unknown('No resolver that checks signatures could be asked.');
    const seen = `The registrar has a DS record for ${name} that the zone is not signed by.`;
    return fail(seen, 'Remove the DS record at your registrar, or have your DNS provider sign the zone again.');
  },
};
