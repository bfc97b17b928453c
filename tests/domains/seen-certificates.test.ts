import { createServer } from 'node:https';
import { afterAll, expect, test } from 'vitest';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import type { PlatformAnswer } from '../../server/domains/ask-platform.ts';
import { withSeenCertificates } from '../../server/domains/seen-certificates.ts';
import { DAY_MS } from '../../server/lib/durations.ts';
import { createEgress, type Egress } from '../../server/lib/egress/egress.ts';
import { parseRange } from '../../server/lib/egress/rules.ts';
import { domainAnswer } from '../../server/publishing/platforms/domain-answers.ts';
import { atFreePort } from '../support/at-free-port.ts';
import { type Certificate, selfSigned } from '../support/certificate.ts';
import { setsOf, startDomainLab } from '../support/domain-lab.ts';
import { ONE } from '../support/platform-app.ts';
import { createTwoPlatforms } from '../support/two-platforms.ts';

const signal = new AbortController().signal;
const NAME = 'shop.localhost';
const [FROM, END] = [new Date(Date.now() - 2 * DAY_MS), new Date(Date.now() + 30 * DAY_MS)];

const lab = await startDomainLab();
afterAll(() => lab[Symbol.asyncDispose]());

const allow = ['127.0.0.0/8'].map(parseRange).filter((range) => range !== null);

/** A server under this certificate, and a way out that trusts `ca` and finds every name of the web there. */
async function serving(certificate: Certificate, ca: readonly string[]) {
  const server = createServer(certificate, (_request, response) => response.writeHead(503).end());
  const listening = await atFreePort(server);
  const way = createEgress({ allow, ca });
  const egress: Egress = {
    request: (url, request, read) => {
      const { hostname, protocol } = new URL(url);
      if (protocol === 'http:') return way.request(url, request, read);
      return way.request(`https://${hostname.replace(/\.test$/, '.localhost')}:${listening.port}/`, request, read);
    },
  };
  return { ...listening, egress };
}

const answerOf = (dns: 'points_there' | 'records_missing'): PlatformAnswer => ({
  name: NAME,
  ownership: domainAnswer('attached', 'Vercel'),
  dns: domainAnswer(dns, 'Vercel'),
  certificate: { ...domainAnswer('certificate_coming', 'Vercel'), expiresAt: null },
});

test('a certificate that a browser would take is seen with its end, whatever the page says', async () => {
  const certificate = selfSigned(FROM, END, NAME);
  await using at = await serving(certificate, [certificate.cert]);
  const [seen] = await withSeenCertificates(at, [answerOf('points_there')], signal);
  expect(seen?.certificate).toMatchObject({ state: 'ok', code: 'certificate_issued' });
  expect(Math.abs((seen?.certificate.expiresAt?.getTime() ?? 0) - END.getTime())).toBeLessThan(1_000);
});

const OTHER = selfSigned(FROM, END, 'other.localhost');
const OVER = selfSigned(FROM, new Date(Date.now() - DAY_MS), NAME);
test.each([
  ['of another name', OTHER, [OTHER.cert]],
  ['that has run out', OVER, [OVER.cert]],
  ['that nobody trusts', selfSigned(FROM, END, NAME), [OTHER.cert]],
])('a certificate %s leaves the word of the platform', async (_what, certificate, ca) => {
  await using at = await serving(certificate, ca);
  const told = [answerOf('points_there')];
  expect(await withSeenCertificates(at, told, signal)).toEqual(told);
});

test('a name that does not point to the platform is not looked at, and one where nobody listens is no error', async () => {
  const nobody: Egress = { request: () => expect.fail('It was looked at.') };
  const told = [answerOf('records_missing')];
  expect(await withSeenCertificates({ egress: nobody }, told, signal)).toEqual(told);
  const certificate = selfSigned(FROM, END, NAME);
  const gone = await serving(certificate, [certificate.cert]);
  await gone[Symbol.asyncDispose]();
  const pointed = [answerOf('points_there')];
  expect(await withSeenCertificates(gone, pointed, signal)).toEqual(pointed);
});

test('the certificate of a domain at Vercel, which tells nothing of it, is waited for until it is seen', async () => {
  const certificate = selfSigned(FROM, END, 'seen.localhost');
  await using at = await serving(certificate, [certificate.cert]);
  let isServed = false;
  const egress: Egress = {
    request: (url, request, read) => {
      const isLook = url.startsWith('https://seen.test/');
      return isLook && !isServed
        ? at.egress.request('https://nobody.localhost/', request, read)
        : at.egress.request(url, request, read);
    },
  };
  await using on = await createTwoPlatforms({ dns: lab.client(), egress });
  const { domains } = on.person.caller;
  const { id: deploymentId } = await on.deployments.create({ name: 'Seen', platform: 'vercel' });
  await on.publish({ id: deploymentId }, ONE);
  await lab.zone('seen.test');
  const { id: domainId, records } = await domains.add({ deploymentId, name: 'seen.test' });
  await lab.write('seen.test', setsOf(records));
  on.vercel.world.domains?.place(records);
  const check = async () => {
    on.clock.advance(61_000);
    return domains.check({ domainId });
  };
  const waiting = await check();
  expect(waiting.atPlatform?.answers[0]).toMatchObject({
    dns: { state: 'ok' },
    certificate: { state: 'waiting', code: 'certificate_coming', expiresAt: null },
  });
  isServed = true;
  const { atPlatform } = await check();
  expect(atPlatform?.answers[0]?.certificate).toMatchObject({ state: 'ok', expiresAt: expect.any(Date) });
  await DomainModel.deleteMany({ _id: { $gt: '' } }).setOptions({ acrossAccounts: 'maintenance' });
});
