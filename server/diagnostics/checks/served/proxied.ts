import { type Check, fail, pass, unknown, warn } from '../check.ts';
import { isCloudflare } from '../dns/cloudflare-ranges.ts';
import { chainFrom } from './redirects.ts';

/** Detects Cloudflare's own errors between it and the site (its manual, "Cloudflare 5xx errors"). */
const isOfProxy = (status: number): boolean => status >= 520 && status <= 530;

/** Checks whether Cloudflare is in front of the site. */
export const proxied: Check = {
  id: 'proxied',
  why: 'A proxy in front answers with its own certificate and its own errors, and hides what the site itself answers.',
  applies: ({ isDomain }) => isDomain,
  async run({ name, url }, tools) {
    const servers = await tools.serversOf(name);
    const visit = await tools.visit(url);
    const isBehind = visit.fault === null && visit.headers.has('cf-ray');
    if (!isBehind && !servers.some(({ address }) => isCloudflare(address))) {
      return servers.length === 0
        ? unknown(`${name} has no address to check.`)
        : pass(`No proxy stands in front of ${name}.`);
    }
    const fix = `Turn the orange cloud grey for ${name} at Cloudflare.`;
    if (visit.fault === null && isOfProxy(visit.status)) {
      return fail(`Cloudflare stands in front of ${name} and does not reach the site (${visit.status}).`, fix);
    }
    if (visit.fault === 'tls') return fail(`Cloudflare stands in front of ${name} without a certificate for it.`, fix);
    if (visit.fault === null && visit.headers.has('location') && (await chainFrom(url, tools)).isLoop) {
      // Cloudflare's manual, "ERR_TOO_MANY_REDIRECTS": it requests http, is redirected to https, and requests http
      // again.
      return fail(
        `Cloudflare stands in front of ${name} and asks the site without encryption, so visitors end up in a redirect loop.`,
        `Set encryption to Full (strict) for ${name} at Cloudflare.`,
      );
    }
    return warn(`Cloudflare stands in front of ${name}, and passes visitors on.`, fix);
  },
};
