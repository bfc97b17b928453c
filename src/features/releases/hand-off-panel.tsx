import { Download, ExternalLink, Hand } from 'lucide-react';
import { useState } from 'react';
import type { Deployment } from '../../../routers/schemas/deployments.ts';
import type { Destination } from '../../../routers/schemas/platforms/destination.ts';
import { PLATFORMS } from '../../../routers/schemas/platforms/list.ts';
import type { Release } from '../../../routers/schemas/releases.ts';
import { errorMessage } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { useDownload } from '../../api/use-download.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { classNames } from '../../components/class-names.ts';
import { Field } from '../../components/field.tsx';
import { Input } from '../../components/input.tsx';
import { useSubmitOnce } from '../../components/use-submit-once.ts';
import { storeDraft } from '../../lib/draft-storage.ts';
import { formDraftKey, tryStorage } from '../../lib/storage.ts';
import { waitingNumber, waitingPlatform } from '../../lib/waiting.ts';

type HandOffPanelProps = {
  release: Pick<Release, 'id' | 'number' | 'state' | 'destinations' | 'url'>;
  isReadOnly: boolean;
  className?: string | undefined;
};

/** Where a platform waits for the person: each step with its link, the archive, and the address to look at. */
export function HandOffPanel({ release, isReadOnly, className }: HandOffPanelProps) {
  const waiting = waitingPlatform(release);
  if (waiting === undefined) return null;
  const { title } = PLATFORMS[waiting.platform];
  return (
    <Card aria-label="Waiting for you" className={classNames('p-4 sm:p-5', className)}>
      <h2 className="flex items-center gap-3 text-lg font-semibold">
        <span className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-soft text-accent">
          <Hand />
        </span>
        Finish release {release.number} at {title}
      </h2>
      <Steps releaseId={release.id} title={title} />
      {!isReadOnly && (
        <AddressForm
          releaseId={release.id}
          title={title}
          known={knownAddress(release, waiting)}
          refusal={waiting.error?.message}
        />
      )}
    </Card>
  );
}

/** The same for the release of a deployment that waits, looked up where only its number is known. */
export function LatestHandOff({ deployment, isReadOnly }: { deployment: Deployment; isReadOnly: boolean }) {
  const number = waitingNumber(deployment);
  const release = trpc.releases.get.useQuery(
    { deploymentId: deployment.id, number: number ?? 1 },
    { enabled: number !== null },
  );
  return number !== null && release.data ? <HandOffPanel release={release.data} isReadOnly={isReadOnly} /> : null;
}

/** The address of a release is its deployment's: it leads to the primary platform, and tells nothing of another one. */
function knownAddress({ url, destinations }: HandOffPanelProps['release'], waiting: Destination): string {
  return destinations[0]?.id === waiting.id ? url : '';
}

function Steps({ releaseId, title }: { releaseId: string; title: string }) {
  const handOff = trpc.releases.handOff.useQuery({ releaseId });
  const download = useDownload();
  if (handOff.error) {
    return <p className="mt-3 text-bad">The steps could not be loaded: {errorMessage(handOff.error)}</p>;
  }
  return (
    <>
      <ol className="mt-3 flex list-decimal flex-col gap-2 pl-5 marker:text-ink-faint">
        {handOff.data?.steps.map(({ text, url }) => (
          <li key={text}>
            {text}
            {url !== undefined && (
              <a
                href={url}
                target="_blank"
                rel="noreferrer"
                className="ml-2 inline-flex items-center gap-1 text-accent underline"
              >
                Open {title} <ExternalLink className="size-4" />
              </a>
            )}
          </li>
        ))}
      </ol>
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

/** The panel goes while the address is looked at: what was entered is there again when it comes back. */
type AddressFormProps = {
  releaseId: string;
  title: string;
  /** Where the last release was found; empty before the first. */
  known: string;
  /** What stood against the address at the last look. */
  refusal: string | undefined;
};

function AddressForm({ releaseId, title, known, refusal }: AddressFormProps) {
  const draft = `hand-off-${releaseId}`;
  const [url, setUrl] = useState(() => tryStorage(() => sessionStorage.getItem(formDraftKey(draft))) ?? known);
  const enter = (typed: string) => {
    setUrl(typed);
    storeDraft(draft, typed);
  };
  const confirm = trpc.releases.confirm.useMutation();
  const check = useSubmitOnce(confirm.isPending, () => confirm.mutate({ releaseId, url }));
  return (
    <form onSubmit={check} noValidate className="mt-5 flex flex-wrap items-end gap-3">
      <Field
        label={`Address at ${title}`}
        error={confirm.error ? errorMessage(confirm.error) : refusal}
        className="min-w-0 grow"
      >
        <Input type="url" placeholder="https://" value={url} onChange={(event) => enter(event.target.value)} />
      </Field>
      <Button
        type="submit"
        variant="primary"
        disabled={url.trim() === ''}
        isBusy={confirm.isPending}
        busyLabel="Checking…"
      >
        Check now
      </Button>
    </form>
  );
}
