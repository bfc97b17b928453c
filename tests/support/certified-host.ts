import type { Providers } from '../../server/context.ts';
import { MAINTENANCE } from '../../server/database/models/account-scope.ts';
import { AcmeAccountModel } from '../../server/database/models/domains/acme-account.ts';
import { AuthorityUseModel } from '../../server/database/models/domains/authority-use.ts';
import { CertificateModel } from '../../server/database/models/domains/certificate.ts';
import { DomainModel } from '../../server/database/models/domains/domain.ts';
import { newId } from '../../server/database/mongo.ts';
import type { CertificateAuthority } from '../../server/domains/certificates/authority/authority.ts';
import { createSiteCertificates, type SiteCertificates } from '../../server/host/site-certificates.ts';
import { createSecrets, newKeys } from '../../server/lib/crypto/secrets.ts';
import { createTestApp } from './app.ts';
import { createTestHost, publishSite } from './host.ts';

/**
 * The application with its host over TLS, on the test file's own database; `open` brings the authority, which may have to
 * know the host's port.
 */
export async function createCertifiedHost(
  open?: (httpPort: number) => Promise<CertificateAuthority>,
  more: Partial<Providers> = {},
) {
  const secrets = createSecrets(newKeys());
  let certificates: SiteCertificates | undefined;
  const site = await createTestHost({
    changes: 'feed',
    tls: {
      port: 0,
      contextFor: (name) => certificates?.contextFor(name),
      has: (name) => certificates?.has(name) === true,
    },
  });
  certificates = createSiteCertificates({ ...site.providers, secrets });
  await certificates.start();
  const { port } = site.host.address;
  const authority = await open?.(port);
  const app = await createTestApp({
    changes: site.providers.changes,
    providers: { secrets, ...(authority !== undefined && { authority }), ...more },
  });
  return {
    app,
    site,
    httpPort: port,
    tlsPort: site.host.tlsAddress?.port ?? 0,
    /** A proved domain whose names lead here, with a site behind it. */
    async addDomain(accountId: string, names: readonly [string, ...string[]], slug = newId()): Promise<string> {
      const { deploymentId } = await publishSite(site, slug, { 'index.html': 'PAGE' });
      const [name, counterpart = null] = names;
      const _id = newId();
      await DomainModel.create({
        ...{ _id, accountId, deploymentId, name, counterpart, unit: name, servedName: name },
        ...{ state: 'active', heldNames: [...names], pointedNames: [...names] },
        proof: { name: `_fairlead.${name}`, value: newId() },
        ...{ provedAt: new Date(), nextCheckAt: new Date(), quickFrom: new Date() },
      });
      return _id;
    },
    async [Symbol.asyncDispose]() {
      certificates?.stop();
      await app[Symbol.asyncDispose]();
      // The tests of a file share its database, and a name is held once.
      await DomainModel.deleteMany({ heldNames: { $gt: '' } }).setOptions(MAINTENANCE);
      await CertificateModel.deleteMany({ domainId: { $gt: '' } }).setOptions(MAINTENANCE);
      await AcmeAccountModel.deleteMany({ _id: { $gt: '' } });
      await AuthorityUseModel.deleteMany({ at: { $gt: new Date(0) } });
      await site[Symbol.asyncDispose]();
    },
  };
}

export type CertifiedHost = Awaited<ReturnType<typeof createCertifiedHost>>;
