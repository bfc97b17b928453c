import { type Check, fail, pass, recordsRepair, unknown, usable, warn } from '../check.ts';
import { lackingName } from '../dns/resolves.ts';
import { chainFrom } from './redirects.ts';

/** Checks whether the name and its `www` lead to the same site. */
export const wwwAndApex: Check = {
  id: 'www-and-apex',
  why: 'People type the name with and without www. Both should show the same site.',
  applies: ({ counterpart }) => counterpart !== null,
  async run(subject, tools) {
    const { name, counterpart, hasTls } = subject;
    if (counterpart === null) return unknown('There is only one name.');
    const scheme = hasTls ? 'https' : 'http';
    const servers = await Promise.all([name, counterpart].map((one) => tools.serversOf(one)));
    const missing = [name, counterpart].find((_, index) => servers[index]?.length === 0);
    if (missing !== undefined) {
      const answers = await tools.askNameServers(missing, 'A');
      if (usable(answers).length === 0) return unknown(`No name server of ${missing} says what address it has.`);
      const lacking = lackingName({ ...subject, name: missing }, answers);
      const fix = `Add the records of ${lacking} as well.`;
      return warn(`${lacking} has no address.`, fix, { repair: recordsRepair(subject) });
    }
    const [one, other] = await Promise.all([name, counterpart].map((host) => chainFrom(`${scheme}://${host}/`, tools)));
    if (!one || !other || one.end.fault !== null || other.end.fault !== null) {
      return unknown('One of the two names does not answer.');
    }
    const [first, second] = [one, other].map(({ urls }) => new URL(urls.at(-1) ?? '').host);
    if (first === second) return pass(`${name} and ${counterpart} both lead to ${first}.`);
    if (one.end.sha256 === other.end.sha256) {
      const fix = `Let ${counterpart} redirect to ${name}.`;
      return warn(`${name} and ${counterpart} show the same page at two addresses.`, fix);
    }
    return fail(`${name} and ${counterpart} show different sites.`, `Point ${counterpart} at the same site.`, {
      repair: recordsRepair(subject),
    });
  },
};
