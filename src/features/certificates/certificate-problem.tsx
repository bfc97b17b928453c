import type { Certificate } from '../../../routers/schemas/certificates.ts';
import { Time } from '../../components/time.tsx';

export type CertificateProblemProps = {
  problem: NonNullable<Certificate['problem']>;
  nextTryAt: Date | null;
};

/** Fairlead's own types (server/domains/certificates/authority/problems.ts): their detail is not an authority's. */
const FOUND_HERE: ReadonlySet<string> = new Set([
  ...['rehearsal', 'dnsConnection', 'dnsUnseen', 'dnsZone', 'budget', 'unusable', 'unreachable'],
]);

/** Shows why a certificate was not issued, when it is tried again, and the folded answer. */
export function CertificateProblem({ problem, nextTryAt }: CertificateProblemProps) {
  const { type, message, detail, link } = problem;
  return (
    <div className="mt-1 text-sm wrap-anywhere">
      <p className="text-bad">
        {message}
        {nextTryAt !== null && (
          <>
            {' '}
            Next try <Time at={nextTryAt} />.
          </>
        )}
        {link !== null && (
          <>
            {' '}
            <a href={link} target="_blank" rel="noreferrer" className="underline">
              Open the authority’s page
            </a>
          </>
        )}
      </p>
      {detail !== null && detail !== message && (
        <details className="mt-1 text-ink-muted">
          <summary className="w-fit cursor-pointer rounded-tight touch:py-2">
            {FOUND_HERE.has(type) ? 'Details' : 'What the authority said'}
          </summary>
          <p className="mt-1 max-h-64 overflow-auto rounded-control bg-surface-sunken p-3 font-mono text-xs whitespace-pre-wrap">
            {detail}
          </p>
        </details>
      )}
    </div>
  );
}
