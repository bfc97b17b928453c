import { DAY_MS, timeInWords } from '../../../lib/durations.ts';
import { type Check, fail, pass, unknown, warn } from '../check.ts';

const LONG_S = 15_552_000;
const SHORT_S = (30 * DAY_MS) / 1_000;

/** Checks whether browsers remember to use https alone (RFC 6797). */
export const hsts: Check = {
  id: 'hsts',
  why: 'A browser that has seen this header uses only https from then on. That cannot be undone quickly, so begin with a short time.',
  applies: ({ hasTls }) => hasTls,
  async run({ name, url }, tools) {
    const visit = await tools.visit(url.startsWith('https:') ? url : `https://${name}/`);
    if (visit.fault !== null) return unknown(`https://${name} does not answer.`);
    const header = visit.headers.get('strict-transport-security');
    const fix =
      'Send Strict-Transport-Security with a short max-age first, such as 86400, and with max-age=15552000 once https works reliably.';
    if (header === null) {
      const plain = await tools.visit(`http://${name}/`);
      if (plain.fault === null && plain.headers.has('strict-transport-security')) {
        return fail('The header is sent only over http, where browsers ignore it.', 'Send it over https.');
      }
      return warn('Browsers are not told to remember https.', fix);
    }
    const maxAge = Number(/max-age="?(\d+)/i.exec(header)?.[1] ?? 0);
    if (/preload/i.test(header) && !/includeSubDomains/i.test(header)) {
      return fail(
        `The header asks for preload without includeSubDomains: ${header.slice(0, 100)}.`,
        'Remove preload, or add includeSubDomains.',
      );
    }
    if (maxAge < SHORT_S) return warn(`Browsers remember https for only ${timeInWords(maxAge)}.`, fix);
    return pass(
      maxAge >= LONG_S
        ? 'Browsers remember https for half a year or longer.'
        : `Browsers remember https for ${timeInWords(maxAge)}.`,
    );
  },
};
