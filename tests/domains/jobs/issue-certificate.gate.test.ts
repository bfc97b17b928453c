import { expect, test } from 'vitest';
import type { CertificateAuthority } from '../../../server/domains/certificates/authority/authority.ts';
import { acmeClient, startZone } from '../../support/acme.ts';
import { createCertifiedHost } from '../../support/certified-host.ts';
import { createWorld, issued, ZONE } from '../../support/certified-world.ts';
import { startPebble } from '../../support/pebble.ts';

test('a renewal by hand ahead of its time keeps to the limit for the same names', async () => {
  await using world = await createWorld();
  const { authority } = world.app.providers;
  Object.assign(world.app.providers, { authority: { ...authority, name: 'acme-v02.api.letsencrypt.org' } });
  const { caller, certificateId } = await issued(world, [ZONE]);
  const answers: unknown[] = [];
  for (let round = 0; round < 5; round += 1) {
    await caller.certificates.renew({ certificateId });
    await world.app.jobs.drain();
    answers.push((await caller.certificates.get({ certificateId })).problem?.type);
  }
  expect(answers).toEqual([undefined, undefined, undefined, undefined, 'budget']);
});

test('an authority that forgets everything between two steps costs nothing but time', async () => {
  await using zone = await startZone(ZONE);
  const first = await startPebble({ dnsServer: zone.dnsServer });
  let authority: CertificateAuthority = acmeClient(first);
  await using world = await createCertifiedHost(async () => authority);
  const stopped = {
    at: async (boundary: string) => void (boundary === 'certificate:ordered' && (await first[Symbol.asyncDispose]())),
  };
  Object.assign(world.app.providers, { faults: stopped });
  const { caller, certificateId, certificate } = await issued(world);
  expect(certificate).toMatchObject({ state: 'failed', problem: { type: 'unreachable' } });
  await using again = await startPebble({ dnsServer: zone.dnsServer, httpPort: world.httpPort, port: first.port });
  authority = acmeClient(again);
  Object.assign(world.app.providers, { faults: undefined, authority });
  await caller.certificates.renew({ certificateId });
  await world.app.jobs.drain();
  await world.app.jobs.drain();
  await expect
    .poll(async () => {
      await world.app.jobs.drain();
      return (await caller.certificates.get({ certificateId })).state;
    })
    .toBe('issued');
});
