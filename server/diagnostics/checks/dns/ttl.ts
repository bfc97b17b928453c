import { timeInWords } from '../../../lib/durations.ts';
import { type Check, fail, pass, unknown, usable, warn } from '../check.ts';

const LONG_S = 3_600;
const TOO_LONG_S = 86_400;
/** These point to the site; an alias is cached for its own time, whatever its target's is. */
const TYPES = ['A', 'AAAA', 'CNAME'] as const;

/** Checks how long resolvers cache the records: a change is not seen sooner. */
export const ttl: Check = {
  id: 'ttl',
  why: 'The TTL says how long resolvers keep an answer. A change of the records is seen only after that time.',
  applies: ({ isDomain }) => isDomain,
  async run({ name, own }, tools) {
    const asked = await Promise.all(TYPES.map((type) => tools.askNameServers(name, type)));
    const answers = asked.flatMap(usable).filter(({ values }) => values.length > 0);
    const times = answers.flatMap((answer) => answer.ttl ?? []);
    if (times.length === 0) return unknown(`${name} has no address whose time to live could be read.`);
    const longest = Math.max(...times);
    const seen = `Resolvers keep the address of ${name} for ${timeInWords(longest)}.`;
    const fix = 'Lower the TTL to 300 before you change the records.';
    if (longest > TOO_LONG_S) return fail(seen, fix);
    const wanted = own?.records.filter((record) => record.name === name && TYPES.some((type) => type === record.type));
    const isToMove =
      wanted !== undefined &&
      wanted.length > 0 &&
      !wanted.some(({ value }) => answers.some(({ values }) => values.includes(value)));
    return longest > LONG_S && isToMove ? warn(seen, fix) : pass(seen);
  },
};
