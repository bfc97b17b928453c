import { AcmeAccountModel } from '../../server/database/models/domains/acme-account.ts';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import { LocalRootModel } from '../../server/database/models/domains/local-root.ts';
import type { TestAppOptions } from './app.ts';
import { type DomainLab, HERE } from './domain-lab.ts';
import { createPublishingApp, storeLive } from './publishing.ts';

/** The test application with the real host, and name servers that nobody but this lab knows. */
export async function createDomainApp(lab: DomainLab, { providers, ...options }: TestAppOptions = {}) {
  const app = await createPublishingApp({
    ...options,
    providers: {
      dns: lab.client(),
      sitesAddresses: async () => ({ given: true, found: [HERE] }),
      // Nobody answers there, and each look would wait for it.
      reach: { isAllowed: () => true, handshake: async () => ({ kind: 'no_route', detail: 'nobody is there' }) },
      ...providers,
    },
  });
  return {
    ...app,
    async [Symbol.asyncDispose]() {
      // Else their jobs would come back for the next test of the file.
      await DomainModel.deleteMany({ _id: { $gt: '' } }).setOptions({ acrossAccounts: 'maintenance' });
      await app[Symbol.asyncDispose]();
      // Their keys are sealed by the keys of this app.
      await AcmeAccountModel.deleteMany({ _id: { $gt: '' } });
      await LocalRootModel.deleteMany({ _id: { $gt: '' } });
    },
  };
}

export type DomainApp = Awaited<ReturnType<typeof createDomainApp>>;

/**
 * Returns a person with a live deployment of this name. To publish one takes longer than all that most tests of domains do,
 * so that it is stored as a release that is live.
 */
export async function livePerson(app: Pick<DomainApp, 'trialPerson' | 'providers' | 'host'>, name: string) {
  const person = await app.trialPerson();
  const deployment = await person.caller.deployments.create({ name, platform: 'built-in' });
  await storeLive(app, deployment, { 'index.html': name });
  return { person, caller: person.caller, deploymentId: deployment.id, deployment };
}
