import type { Certificate, CertificateDetails } from '../../../routers/schemas/certificates.ts';
import type { CertificateRow } from '../../database/models/domains/certificate.ts';
import { LOCAL_AUTHORITY } from './authority/authority.ts';

type Issued = NonNullable<CertificateRow['issued']>;
type ListedRow = Omit<CertificateRow, 'history' | 'order' | 'issued'> & {
  issued?: Omit<Issued, 'chain' | 'key'> | null | undefined;
};

/** Returns the names that the present certificate is not for. */
export function uncoveredNames({ names, issued }: Pick<ListedRow, 'names' | 'issued'>): string[] {
  return names.filter((name) => !issued?.names.includes(name));
}

/** Converts the document for a list, which needs neither chain and key nor history. */
export function toCertificate(doc: ListedRow): Certificate {
  const { issued, problem } = doc;
  const uncovered = issued ? uncoveredNames(doc) : [];
  return {
    id: doc._id,
    domainId: doc.domainId,
    names: [...doc.names],
    ...(uncovered.length > 0 && { uncovered }),
    // A new one was requested by hand, and nothing is left of the revoked one.
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

/** Converts one certificate for its page. No answer contains its key. */
export function toDetails(doc: CertificateRow): CertificateDetails {
  return {
    ...toCertificate(doc),
    chain: doc.issued?.chain ?? null,
    history: doc.history.map(({ at, what, detail }) => ({ at, what, detail: detail ?? null })).reverse(),
  };
}

/** Returns the last rehearsal; one from before the present certificate says nothing about the next. */
function toRehearsal({ rehearsal, issued }: ListedRow): Certificate['rehearsal'] {
  if (!rehearsal || (issued?.signedAt && rehearsal.at < issued.signedAt)) return null;
  const checks = rehearsal.checks.map(({ id, verdict, message }) => ({ id, verdict, message }));
  return { at: rehearsal.at, checks };
}
