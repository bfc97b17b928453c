import { UNCLAIMED_PAGES } from '../../../../routers/schemas/platforms/unclaimed-pages.ts';
import { type Check, fail, namesOf, pass, recordsRepair, type Tools, unknown, usable } from '../check.ts';

/** Checks whether an alias points to something that no longer exists, which a stranger could claim. */
export const dangling: Check = {
  id: 'dangling',
  why: 'If an alias points to a target that nobody holds, whoever claims that target can show their own pages at your name.',
  applies: ({ isDomain }) => isDomain,
  async run(subject, tools) {
    const found = await Promise.all(namesOf(subject).map((name) => aliasOf(name, tools)));
    const aliases = found.flatMap((alias) => alias ?? []);
    // If `www` follows the name itself, the name's own addresses are missing: the next check says so.
    const leadingOut = aliases.filter(({ target }) => !namesOf(subject).includes(target));
    for (const { name, target } of leadingOut) {
      const why = await goneBecause(name, target, tools);
      if (why === null) continue;
      const seen = `${name} is an alias (CNAME) of ${target}, ${why}.`;
      return fail(seen, `Delete the CNAME record of ${name}, or point it at the right target.`, {
        repair: recordsRepair(subject),
      });
    }
    if (found.includes(null)) return unknown(`The name servers of ${subject.name} do not say whether it is an alias.`);
    if (aliases.length === 0) return pass(`${subject.name} is not an alias.`);
    return pass(`Every alias points to a name that exists: ${aliases.map(({ target }) => target).join(', ')}.`);
  },
};

type Alias = { name: string; target: string };

/** Returns null while nobody answers; empty when there is no alias. */
async function aliasOf(name: string, tools: Tools): Promise<Alias[] | null> {
  const answers = usable(await tools.askNameServers(name, 'A'));
  if (answers.length === 0) return null;
  const target = answers.find(({ cname }) => cname !== null)?.cname;
  return target ? [{ name, target }] : [];
}

async function goneBecause(name: string, target: string, tools: Tools): Promise<string | null> {
  if ((await tools.zoneOf(target)) === null) return 'which nobody has registered';
  const sets = await Promise.all((['A', 'AAAA'] as const).map((type) => tools.askNameServers(target, type)));
  const isAnswered = sets.every((answers) => usable(answers).length > 0);
  if (isAnswered && sets.every((answers) => usable(answers).every(({ values }) => values.length === 0))) {
    return 'where no address is found';
  }
  const platform = UNCLAIMED_PAGES.find(({ host }) => host.test(target));
  if (platform === undefined) return null;
  const visit = await tools.visit(`http://${name}/`);
  return visit.fault === null && platform.text.test(visit.text) ? 'where the platform has no site of that name' : null;
}
