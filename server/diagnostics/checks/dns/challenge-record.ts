import { type Check, fail, pass, unknown, usable, warn } from '../check.ts';

const STALE_MAX = 5;

/** Checks whether a DNS-01 proof could be written at its name. */
export const challengeRecord: Check = {
  id: 'challenge-record',
  why: 'The DNS proof for a certificate is written at this name. Records that were left there can block it.',
  applies: ({ isDomain }) => isDomain,
  async run({ name }, tools) {
    const at = `_acme-challenge.${name}`;
    const answers = usable(await tools.askNameServers(at, 'TXT'));
    if (answers.length === 0) return unknown(`No name server answers for ${at}.`);
    const target = answers.find(({ cname }) => cname !== null)?.cname ?? null;
    if (target !== null && (await tools.zoneOf(target)) === null) {
      return fail(`${at} is an alias (CNAME) of ${target}, which does not exist.`, `Delete the CNAME record of ${at}.`);
    }
    const sibling = usable(await tools.askNameServers(`_fairlead-wildcard-test.${name}`, 'TXT'));
    if (target !== null && sibling.some(({ cname }) => cname === target)) {
      const fix = `Add a TXT record at exactly ${at}, or remove the wildcard.`;
      return fail(`A wildcard CNAME covers ${at} and points it to ${target}.`, fix);
    }
    const texts = new Set(answers.flatMap(({ values }) => values)).size;
    if (texts > STALE_MAX)
      return warn(`${at} holds ${texts} TXT records of old proofs.`, `Delete the TXT records of ${at}.`);
    return pass(target === null ? `Nothing at ${at} is in the way.` : `${at} is an alias of ${target}.`);
  },
};
