import type { Certificate, CertificateDetails } from '../../../routers/schemas/certificates.ts';
import { LOCAL_AUTHORITY } from '../../certificates/authority.ts';
import { CertificateModel, type CertificateRow } from '../../database/models/certificate.ts';
import type { DomainRow } from '../../database/models/domain.ts';

/** Returns the ids of those domains that are served under a certificate of ours; a wildcard stands for one label. */
export async function certifiedDomains(
  accountId: string,
  domains: readonly Pick<DomainRow, '_id' | 'servedName'>[],
): Promise<ReadonlySet<string>> {
  const ids = domains.map(({ _id }) => _id);
  const filter = { accountId, domainId: { $in: ids }, state: { $ne: 'revoked' as const } };
  const rows = await CertificateModel.find(filter).select({ domainId: 1, 'issued.names': 1 }).lean();
  const covering = domains.filter(({ _id, servedName }) =>
    rows.some(
      ({ domainId, issued }) =>
        domainId === _id &&
        issued?.names.some((name) => name === servedName || name === `*${servedName.slice(servedName.indexOf('.'))}`),
    ),
  );
  return new Set(covering.map(({ _id }) => _id));
}

type Issued = NonNullable<CertificateRow['issued']>;
type ListedRow = Omit<CertificateRow, 'history' | 'order' | 'issued'> & {
  issued?: Omit<Issued, 'chain' | 'key'> | null | undefined;
};

/** Returns the document as it is shown in a list, which needs neither its chain and key nor its history. */
export function toCertificate(doc: ListedRow): Certificate {
  const { issued, problem } = doc;
  return {
    id: doc._id,
    domainId: doc.domainId,
    names: [...doc.names],
    // By hand a new one was asked for, and nothing of what was revoked is left.
    state: doc.state === 'revoked' && doc.isWanted ? 'pending' : doc.state,
    serial: issued?.serial ?? null,
    issuer: issued?.issuer ?? null,
    isPublic: issued ? issued.authorityId !== LOCAL_AUTHORITY : false,
    notBefore: issued?.notBefore ?? null,
    notAfter: issued?.notAfter ?? null,
    renewAt: doc.renewAt ?? null,
    problem: problem
      ? {
          type: problem.type,
          message: problem.message,
          detail: problem.detail ?? null,
          link: problem.link ?? null,
          at: problem.at,
        }
      : null,
    nextTryAt: doc.nextTryAt ?? null,
    rehearsal: toRehearsal(doc),
    createdAt: doc.createdAt,
  };
}

/** Returns all that is shown of one certificate. Its key is in no answer. */
export function toDetails(doc: CertificateRow): CertificateDetails {
  return {
    ...toCertificate(doc),
    chain: doc.issued?.chain ?? null,
    history: doc.history.map(({ at, what, detail }) => ({ at, what, detail: detail ?? null })).reverse(),
  };
}

function toRehearsal({ rehearsal }: Pick<CertificateRow, 'rehearsal'>): Certificate['rehearsal'] {
  if (!rehearsal) return null;
  const checks = rehearsal.checks.map(({ id, verdict, message }) => ({ id, verdict, message }));
  return { at: rehearsal.at, checks };
}
