import { Download } from 'lucide-react';
import { useState } from 'react';
import type { Deployment } from '../../../../routers/schemas/deployments.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import type { Release } from '../../../../routers/schemas/releases.ts';
import { errorMessage } from '../../../api/errors.ts';
import { trpc } from '../../../api/trpc.ts';
import { useDownload } from '../../../api/use-download.ts';
import { Button } from '../../../components/button.tsx';
import { storeDraft } from '../../../lib/storage/draft-storage.ts';
import { formDraftKey, tryStorage } from '../../../lib/storage/storage.ts';
import { waitingNumber, waitingPlatform } from '../../../lib/waiting.ts';
import { HandOffAddress, HandOffCard, HandOffSteps } from './hand-off-parts.tsx';

type HandOffPanelProps = {
  release: Pick<Release, 'id' | 'number' | 'state' | 'destinations'>;
  isReadOnly: boolean;
  className?: string | undefined;
};

/**
 * Shows the work at a platform that waits for the person: each step with its link, the archive, and the address to
 * check.
 */
export function HandOffPanel({ release, isReadOnly, className }: HandOffPanelProps) {
  const waiting = waitingPlatform(release);
  if (waiting === undefined) return null;
  const { title } = PLATFORMS[waiting.platform];
  return (
    <HandOffCard number={release.number} title={title} className={className}>
      <Steps releaseId={release.id} title={title} />
      {!isReadOnly && <AddressForm releaseId={release.id} title={title} refusal={waiting.error?.message} />}
    </HandOffCard>
  );
}

/** Does the same for the release of a waiting deployment, of which only the number is known. */
export function LatestHandOff({ deployment, isReadOnly }: { deployment: Deployment; isReadOnly: boolean }) {
  const number = waitingNumber(deployment);
  const release = trpc.releases.get.useQuery(
    { deploymentId: deployment.id, number: number ?? 1 },
    { enabled: number !== null },
  );
  return number !== null && release.data ? <HandOffPanel release={release.data} isReadOnly={isReadOnly} /> : null;
}

function Steps({ releaseId, title }: { releaseId: string; title: string }) {
  const handOff = trpc.releases.handOff.useQuery({ releaseId });
  const download = useDownload();
  if (handOff.error) {
    return <p className="mt-3 text-bad">The steps could not be loaded: {errorMessage(handOff.error)}</p>;
  }
  return (
    <>
      <HandOffSteps steps={handOff.data?.steps ?? []} title={title} />
      <Button
        className="mt-4"
        isBusy={download.isPending}
        busyLabel="Preparing…"
        onClick={() => download.mutate({ releaseId })}
      >
        <Download /> Download the archive
      </Button>
    </>
  );
}

/** The panel disappears while the address is checked: the entered text is there again when it comes back. */
type AddressFormProps = {
  releaseId: string;
  title: string;
  /** The reason why the last check refused the address. */
  refusal: string | undefined;
};

function AddressForm({ releaseId, title, refusal }: AddressFormProps) {
  const draft = `hand-off-${releaseId}`;
  const [typed, setTyped] = useState(() => tryStorage(() => sessionStorage.getItem(formDraftKey(draft))));
  const { data: known } = trpc.releases.handOff.useQuery({ releaseId });
  const url = typed ?? known?.address ?? '';
  const enter = (text: string) => {
    setTyped(text);
    storeDraft(draft, text);
  };
  const host = url.trim().toLowerCase().split('//').at(-1)?.split('/')[0] ?? '';
  // A problem at one address is no reason against another.
  const found = refusal?.toLowerCase().includes(host) ? refusal : undefined;
  const confirm = trpc.releases.confirm.useMutation();
  return (
    <HandOffAddress
      title={title}
      url={url}
      onUrl={enter}
      error={confirm.error ? errorMessage(confirm.error) : found}
      isPending={confirm.isPending}
      onCheck={() => confirm.mutate({ releaseId, url })}
    />
  );
}
