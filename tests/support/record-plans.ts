import type { Providers } from '../../server/context.ts';
import type { DnsProvider } from '../../server/dns/provider.ts';
import { powerdns } from '../../server/dns/providers/powerdns.ts';
import { createDomainApp, livePerson } from './domain-app.ts';
import type { DomainLab } from './domain-lab.ts';

/** The application in which a call that waits for a plan lets the workers work. */
export async function createPlanApp(lab: DomainLab, providers: Partial<Providers> = {}) {
  let drain = async (): Promise<void> => undefined;
  const app = await createDomainApp(lab, { providers: { wait: () => drain(), ...providers } });
  drain = () => app.jobs.drain();
  return app;
}

/** The zone as it stands at the server, but for the serial. */
export async function setsIn(lab: Pick<DomainLab, 'api'>, zone: string): Promise<string[]> {
  const { rrsets } = (await lab.api('GET', `/zones/${zone}.`)) as {
    rrsets: { name: string; type: string; ttl: number; records: { content: string }[] }[];
  };
  return rrsets
    .filter(({ type }) => type !== 'SOA')
    .map(({ name, type, ttl, records }) => `${name} ${ttl} ${type} ${records.map(({ content }) => content).sort()}`)
    .sort();
}

/** A plan for a domain of a person; `over` replaces functions of the PowerDNS provider. */
export async function createPlan(lab: DomainLab, name: string, over: Partial<DnsProvider<'powerdns'>> = {}) {
  const app = await createPlanApp(lab, { dnsProviders: { powerdns: { ...powerdns(), ...over } } });
  const { caller, deploymentId, person } = await livePerson(app, name);
  const zone = `${name}.test`;
  await lab.zoneOnOne(zone, { [`${zone} A`]: ['203.0.113.9'] });
  await caller.connections.connect({ provider: 'powerdns', fields: lab.fields });
  const { id: domainId } = await caller.domains.add({ deploymentId, name: zone });
  const { planId } = await caller.domains.plan({ domainId });
  return { app, caller, domainId, planId, zone, accountId: person.user.id };
}
