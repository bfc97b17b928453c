import { type Check, fail, isOurs, pass, unknown, warn } from '../check.ts';

/** Checks whether visitors who type http are redirected to https permanently. */
export const httpsForced: Check = {
  id: 'https-forced',
  why: 'What is sent over http can be read and changed on the way. Visitors who type just the name should end up on https.',
  applies: ({ hasTls, isDomain }) => hasTls && isDomain,
  async run({ name }, tools) {
    const visit = await tools.visit(`http://${name}/`);
    if (isOurs(visit)) return unknown(`${name} cannot be reached from here.`);
    if (visit.fault === 'no_address') return unknown(`${name} has no address to check.`);
    if (visit.fault !== null) return pass(`Nothing answers at http://${name}, so nothing is served without https.`);
    const location = visit.headers.get('location') ?? '';
    const isLed = visit.status >= 300 && visit.status < 400 && URL.canParse(location, `http://${name}/`);
    const fix = 'Redirect http to https permanently.';
    if (!isLed) {
      return visit.status < 300
        ? fail(`http://${name} shows the page without https.`, fix)
        : warn(`http://${name} answers ${visit.status} instead of leading to https.`, fix);
    }
    if (new URL(location, `http://${name}/`).protocol !== 'https:') {
      return warn(`http://${name} leads to ${location.slice(0, 100)}, which is not https.`, fix);
    }
    const isPermanent = visit.status === 301 || visit.status === 308;
    if (!isPermanent) return warn(`http://${name} redirects to https only temporarily (${visit.status}).`, fix);
    return pass(`http://${name} redirects to https permanently (${visit.status}).`);
  },
};
