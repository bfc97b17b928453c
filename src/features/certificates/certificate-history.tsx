import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { FailedState } from '../../components/page/failed-state.tsx';
import { Time } from '../../components/time.tsx';

const WORDS: Record<string, string> = { issued: 'Issued', failed: 'Failed', revoked: 'Revoked' };

/** Shows the history of a certificate, newest first. */
export function CertificateHistory({ certificateId }: { certificateId: string }) {
  const certificate = trpc.certificates.get.useQuery({ certificateId });
  return (
    <>
      <FailedState
        failure={shownFailure('The history could not be loaded', certificate.error)}
        question={certificate}
      />
      {certificate.data?.history.length === 0 && <p className="mt-1">Nothing yet.</p>}
      <ul aria-label="History" className="mt-1 flex flex-col gap-1.5">
        {certificate.data?.history.map(({ at, what, detail }, index, all) => (
          <li key={`${at.getTime()} ${what}`} className="wrap-anywhere">
            <span className="font-medium text-ink">
              {isRenewal(what, all.slice(index + 1)) ? 'Renewed' : (WORDS[what] ?? what)}
            </span>{' '}
            <Time at={at} />
            {detail !== null && `. ${detail}`}
          </li>
        ))}
      </ul>
    </>
  );
}

/** After a revocation there is nothing to renew. */
function isRenewal(what: string, before: readonly { what: string }[]): boolean {
  return what === 'issued' && before.find((one) => one.what !== 'failed')?.what === 'issued';
}
