import { type Check, type Facts, fail, pass, type Tools, unknown, usable, valuesOf } from '../check.ts';

/** Checks whether the mail records of the domain are the same as before ours were written. */
export const emailUntouched: Check = {
  id: 'email-untouched',
  why: 'Email relies on other records than the site does. Setting up a site must not break them.',
  applies: ({ isDomain }) => isDomain,
  async run(subject, tools) {
    const zone = await tools.zoneOf(subject.name);
    const facts = zone === null ? null : await mailFacts(zone.apex, tools);
    if (facts === null) return unknown('The mail records could not be read.');
    const before = await tools.mailBefore();
    const changed = before === null ? undefined : Object.keys(facts).find((key) => differs(before.facts, facts, key));
    if (changed === undefined || before === null) {
      return pass(
        before === null
          ? 'The mail records were noted, to be compared in the next report.'
          : 'The mail records have not changed.',
        { facts },
      );
    }
    const had = before.facts[changed]?.join(', ') || 'nothing';
    const seen = `${changed} was ${had}, and is ${facts[changed]?.join(', ') || 'nothing'} now.`;
    if (!before.isWrittenSince) return pass(`${seen} Fairlead has not written any record since.`, { facts });
    // There is no repair: a plan with the domain's records would not touch those of the mail.
    return fail(seen, 'Undo the last change on the page of the domain.', { facts });
  },
};

const differs = (before: Facts, now: Facts, key: string): boolean =>
  before[key] !== undefined && before[key].join('\n') !== now[key]?.join('\n');

async function mailFacts(apex: string, tools: Tools): Promise<Facts | null> {
  const [mx, texts, dmarc] = await Promise.all([
    tools.askNameServers(apex, 'MX'),
    tools.askNameServers(apex, 'TXT'),
    tools.askNameServers(`_dmarc.${apex}`, 'TXT'),
  ]);
  if ([mx, texts, dmarc].some((answers) => usable(answers).length === 0)) return null;
  return {
    [`MX of ${apex}`]: valuesOf(mx),
    [`SPF of ${apex}`]: valuesOf(texts).filter((text) => /^v=spf1\b/i.test(text)),
    [`DMARC of ${apex}`]: valuesOf(dmarc),
  };
}
