import { Download, Ellipsis, RefreshCw, ShieldCheck, ShieldOff } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { Certificate } from '../../../routers/schemas/certificates.ts';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { classNames } from '../../components/class-names.ts';
import { HostName } from '../../components/host-name.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { useNow } from '../../components/now.ts';
import { lazyDialog } from '../../components/overlays/lazy-dialog.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../components/overlays/menu.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { Time } from '../../components/time.tsx';
import { savePem } from '../../lib/browser/save-text.ts';
import { formatDate } from '../../lib/format.ts';
import { CertificateBadge } from './certificate-badge.tsx';
import { CertificateProblem } from './certificate-problem.tsx';

const RevokeDialog = lazyDialog(async () => (await import('./revoke-dialog.tsx')).RevokeDialog);
const CertificateHistory = lazy(async () => ({
  default: (await import('./certificate-history.tsx')).CertificateHistory,
}));

const DAY_MS = 86_400_000;

/** One certificate: its names, its lifetime, its problem, and the acts on it. */
export function CertificateRow({ certificate }: { certificate: Certificate }) {
  const { id, names, uncovered, state, issuer, notBefore, notAfter, renewAt, problem, nextTryAt, rehearsal } =
    certificate;
  const absent = state === 'revoked' ? 'No longer in use' : 'Not issued yet';
  // A test from before the failure, and the planned time, would contradict it.
  const isTestNews = rehearsal !== null && (problem === null || rehearsal.at > problem.at);
  const failed = rehearsal?.checks.filter(({ verdict }) => verdict !== 'pass') ?? [];
  return (
    <div className="flex items-start justify-between gap-4 px-4 py-3 sm:px-5">
      <div className="min-w-0 flex-1">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {names.map((name) => (
            <HostName key={name} name={name} className="font-medium" />
          ))}
          <CertificateBadge certificate={certificate} />
        </div>
        <p className="mt-1 text-sm text-ink-muted">
          {notAfter === null ? absent : <Lifetime notAfter={notAfter} />}
          {notBefore !== null && ` · valid from ${formatDate(notBefore)}`}
          {issuer !== null && ` · ${issuer}`}
          {renewAt !== null && problem === null && (
            <>
              {' · '}renews <Time at={renewAt} />
            </>
          )}
        </p>
        {uncovered && (
          <p className={classNames('mt-1 text-sm', problem === null ? 'text-ink-muted' : 'text-bad')}>
            There is none for {uncovered.join(', ')} yet.
          </p>
        )}
        {problem !== null && <CertificateProblem problem={problem} nextTryAt={nextTryAt} />}
        {isTestNews && (
          <p className="mt-1 text-sm text-ink-muted wrap-anywhere">
            {failed.length === 0 ? 'Renewal tested: no problems found' : 'A test of the renewal found: '}
            {failed.map(({ message }) => message).join(' ')} <Time at={rehearsal.at} />
          </p>
        )}
        <History certificateId={id} />
      </div>
      <CertificateMenu certificate={certificate} />
    </div>
  );
}

function Lifetime({ notAfter }: { notAfter: Date }) {
  const now = useNow();
  const days = Math.floor((notAfter.getTime() - now.getTime()) / DAY_MS);
  if (notAfter < now) return <>Expired on {formatDate(notAfter)}</>;
  return (
    <>
      Expires on {formatDate(notAfter)}, {days === 0 ? 'within a day' : `in ${formatCount(days, 'day')}`}
    </>
  );
}

function CertificateMenu({ certificate: { id, names, state, notAfter } }: { certificate: Certificate }) {
  const [isRevoking, setRevoking] = useState(false);
  const isIssued = notAfter !== null;
  const isInUse = state === 'issued' || state === 'renewing';
  const name = names[0] ?? '';
  const { renew, rehearse, download } = useCertificateActs(name, isInUse);
  return (
    <>
      <Menu
        trigger={
          <IconButton label={`Actions for the certificate of ${name}`}>
            <Ellipsis />
          </IconButton>
        }
      >
        <MenuItem disabled={renew.isPending} onSelect={() => renew.mutate({ certificateId: id })}>
          <RefreshCw /> {isIssued ? 'Renew' : 'Try now'}
        </MenuItem>
        <MenuItem disabled={rehearse.isPending} onSelect={() => rehearse.mutate({ certificateId: id })}>
          <ShieldCheck /> Test the renewal
        </MenuItem>
        {isIssued && (
          <MenuItem onSelect={() => void download(id)}>
            <Download /> Download the certificate chain
          </MenuItem>
        )}
        {isInUse && <MenuSeparator />}
        {isInUse && (
          <MenuItem isDestructive onSelect={() => setRevoking(true)}>
            <ShieldOff /> Revoke
          </MenuItem>
        )}
      </Menu>
      {isRevoking && <RevokeDialog certificateId={id} name={name} onClose={() => setRevoking(false)} />}
    </>
  );
}

/** Returns the acts on the certificate of a name, each of which reports its result. */
function useCertificateActs(name: string, isInUse: boolean) {
  const utils = trpc.useUtils();
  const renew = trpc.certificates.renew.useMutation({
    onSuccess: () =>
      showToast({
        title: 'Renewal started',
        description: isInUse
          ? `The certificate of ${name} stays in use until the new one is ready.`
          : `A certificate for ${name} is being ordered.`,
      }),
    onError: (error) => showToast(errorToast('Could not renew the certificate', error)),
  });
  const rehearse = trpc.certificates.rehearse.useMutation({
    onSuccess: () =>
      showToast({
        title: 'Renewal tested',
        description: `Everything needed to renew the certificate of ${name} was checked. Nothing was ordered.`,
      }),
    onError: (error) => showToast(errorToast('Could not test the renewal', error)),
  });

  async function download(certificateId: string) {
    try {
      const { chain } = await utils.certificates.get.fetch({ certificateId });
      if (chain !== null) savePem(chain, `${name}.pem`);
    } catch (error) {
      showToast(errorToast('Could not download the certificate chain', error));
    }
  }

  return { renew, rehearse, download };
}

/** Loaded when it is opened. */
function History({ certificateId }: { certificateId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="mt-1 text-sm text-ink-muted" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary className="w-fit cursor-pointer rounded-tight touch:py-2">History</summary>
      {isOpen && (
        <Suspense fallback={null}>
          <CertificateHistory certificateId={certificateId} />
        </Suspense>
      )}
    </details>
  );
}
