import { afterAll, expect, test } from 'vitest';
import { UserModel } from '../../server/database/models/account/user.ts';
import { EventModel } from '../../server/database/models/event.ts';
import { DAY_MS } from '../../server/lib/durations.ts';
import type { Handshake, HandshakeRequest } from '../../server/lib/egress/reach.ts';
import { createDomainApp, livePerson } from '../support/domain-app.ts';
import { HERE, setsOf, startDomainLab } from '../support/domain-lab.ts';

const lab = await startDomainLab();
afterAll(() => lab[Symbol.asyncDispose]());

const ZONE = 'replaced.test';

function showing(serial: string | null): Handshake {
  if (serial === null) return { kind: 'silent', detail: 'no answer in time' };
  const dates = { notBefore: new Date('2030-01-01'), notAfter: new Date('2030-04-01') };
  const certificate = { error: null, names: [ZONE], issuer: 'Elsewhere CA', serial, rsaBits: null, ...dates };
  return { kind: 'secured', protocol: 'TLSv1.3', certificate };
}

test('a certificate that another hand has put in the place of ours is seen twice and told, and heals', async () => {
  let shown: string | null = 'THEIRS';
  const asked: string[] = [];
  const handshake = async ({ address, port, name }: HandshakeRequest) => {
    asked.push(`${name} at ${address}:${port}`);
    return showing(shown);
  };
  await using app = await createDomainApp(lab, { providers: { reach: { isAllowed: () => true, handshake } } });
  app.providers.addresses.sitesTlsPort = 3443;
  const { caller, deploymentId, person } = await livePerson(app, 'Replaced');
  await UserModel.updateOne({ _id: person.user.id }, { $set: { emailConfirmedAt: new Date() } });
  await lab.zone(ZONE);
  const { id: domainId, records } = await caller.domains.add({ deploymentId, name: ZONE });
  await lab.write(ZONE, setsOf(records));
  const check = async (serial: string | null, afterMs = 2_000) => {
    shown = serial;
    app.clock.advance(afterMs);
    const { state, problem } = await caller.domains.check({ domainId });
    return [state, problem?.code];
  };
  expect(await check('THEIRS')).toEqual(['active', undefined]);
  await app.jobs.drain();
  const [certificate] = (await caller.certificates.list({ domainId })).items;
  const ours = certificate?.serial ?? '';

  // A proxy that was always in front has a certificate of its own.
  expect(await check('THEIRS')).toEqual(['active', undefined]);
  expect(await check(ours)).toEqual(['active', undefined]);
  expect(asked.slice(-2)).toEqual([`${ZONE} at ${HERE}:3443`, `www.${ZONE} at ${HERE}:3443`]);
  expect(await check('THEIRS')).toEqual(['active', 'certificate_replaced']);
  expect(await check(ours)).toEqual(['active', undefined]);
  expect(await check('THEIRS')).toEqual(['active', 'certificate_replaced']);
  expect(await check('THEIRS', 61_000)).toEqual(['misconfigured', 'certificate_replaced']);

  const { problem } = await caller.domains.get({ domainId });
  expect(problem?.message).toBe(
    `At ${HERE}, visitors of ${ZONE} get a certificate that is not yours: from Elsewhere CA, until April 1, 2030.`,
  );
  expect(problem?.hint).toContain('Yours was last seen there on ');
  const events = await EventModel.find({ accountId: person.user.id }).sort({ seq: 1 }).lean();
  const event = (type: string, payload: object) =>
    expect.objectContaining({ type, payload: expect.objectContaining(payload) });
  expect(events).toEqual(
    expect.arrayContaining([
      event('ssl_status', { domain: ZONE, sslStatus: 'replaced', isValid: false }),
      event('notification', { title: 'Domain needs attention', message: problem?.message }),
    ]),
  );
  await app.jobs.drain();
  expect(app.outbox.filter(({ kind }) => kind === 'domain-problem')).toHaveLength(1);

  expect(await check(null)).toEqual(['misconfigured', 'certificate_replaced']);
  expect(await check(ours, DAY_MS)).toEqual(['active', undefined]);
});
