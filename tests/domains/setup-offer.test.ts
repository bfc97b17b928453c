import { beforeEach, expect, test } from 'vitest';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import type { DomainConnect, WantedTemplate } from '../../server/dns/domain-connect.ts';
import { livePerson } from '../support/domain-app.ts';
import { HERE } from '../support/domain-lab.ts';
import { createPublishingApp } from '../support/publishing.ts';

const LINK = { providerName: 'Provider for people', url: 'https://provider.example/apply?sig=1' };
const wanted: WantedTemplate[] = [];
beforeEach(() => {
  wanted.length = 0;
});

function connecting(linkFor: DomainConnect['linkFor'] = async () => LINK) {
  return {
    domainConnect: {
      serviceId: 'site',
      linkFor: (one: WantedTemplate, signal: AbortSignal) => {
        wanted.push(one);
        return linkFor(one, signal);
      },
    },
  };
}

/** A person with a live site, and a domain of this name for it. */
async function offered(name: string, addresses: readonly string[], providers: Partial<ReturnType<typeof connecting>>) {
  const sitesAddresses = async () => ({ given: true, found: [...addresses] });
  const app = await createPublishingApp({ providers: { ...providers, sitesAddresses } });
  const { caller, deploymentId } = await livePerson(app, 'Offered');
  const domain = await caller.domains.add({ deploymentId, name });
  return {
    caller,
    domain,
    offer: () => caller.domains.setupOffer({ domainId: domain.id }),
    async [Symbol.asyncDispose]() {
      await DomainModel.deleteMany({ _id: { $gt: '' } }).setOptions({ acrossAccounts: 'maintenance' });
      await app[Symbol.asyncDispose]();
    },
  };
}

test('the provider of a domain is offered with the records that its link writes', async () => {
  await using on = await offered('offered.com', [HERE, '2001:db8::7'], connecting());
  const { proof } = on.domain;
  expect(await on.offer()).toEqual({
    ...LINK,
    records: [
      { type: 'TXT', name: '_fairlead.offered.com', value: proof.value },
      { type: 'A', name: 'offered.com', value: HERE },
      { type: 'AAAA', name: 'offered.com', value: '2001:db8::7' },
      { type: 'CNAME', name: 'www.offered.com', value: 'offered.com' },
    ],
  });
  const values = { groupId: 'proof,ipv4,ipv6,www', proof: proof.value, ipv4: HERE, ipv6: '2001:db8::7' };
  expect(wanted).toEqual([{ apex: 'offered.com', host: '', serviceId: 'site', values }]);
});

test('a name below a domain is set up in the zone of that domain', async () => {
  await using on = await offered('shop.offered.co.uk', [HERE], connecting());
  expect(await on.offer()).toMatchObject(LINK);
  expect(wanted).toMatchObject([{ apex: 'offered.co.uk', host: 'shop', values: { groupId: 'proof,ipv4' } }]);
});

test('what a template cannot write is not offered, and nobody is asked', async () => {
  await using on = await offered('many.com', [HERE, '192.0.2.11'], connecting());
  expect(await on.offer()).toBe(null);
  expect(wanted).toEqual([]);
});

test('without a template of the operator, and at a provider without it, nothing is offered', async () => {
  await using without = await offered('without.com', [HERE], {});
  expect(await without.offer()).toBe(null);
  await using elsewhere = await offered(
    'elsewhere.com',
    [HERE],
    connecting(async () => null),
  );
  expect(await elsewhere.offer()).toBe(null);
});
