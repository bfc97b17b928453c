import type { ReactNode } from 'react';
import { formatCount } from '../../../routers/schemas/format-count.ts';
import type { StepState } from '../../../routers/schemas/states.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card, CardBody } from '../../components/card.tsx';
import { MendConnection } from '../../components/mend-connection.tsx';
import { Notice } from '../../components/notice.tsx';
import { type Step, Stepper } from '../../components/stepper.tsx';
import { formatSize, formatSizeOf } from '../../lib/format.ts';
import { type Publication, useIsWaiting } from '../../uploads/publications.ts';
import type { UploadProgress } from '../../uploads/publish.ts';
import { GoneNotice } from './gone-notice.tsx';
import { stepTitle } from './release-labels.ts';
import { ProgressLine } from './release-steps.tsx';

export type SendingPanelProps = {
  publication: Publication;
  /** The folder changed on the disk: the way to choose it again. */
  onReplace: () => void;
  /** Beside the steps: what goes on serving meanwhile. */
  aside: string;
};

/** Shows a selection on its way to the server: the part of a release that needs the page to stay open. */
export function SendingPanel({ publication, onReplace, aside }: SendingPanelProps) {
  return (
    <>
      <SendingNotices publication={publication} onReplace={onReplace} />
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_340px]">
        <Card>
          <Stepper label="Steps of sending" steps={sendingSteps(publication)} />
        </Card>
        <Card>
          <CardBody>
            <h2 className="font-semibold">While this runs</h2>
            <p className="mt-1 text-ink-muted">
              {aside}
              {publication.result === null && ' Keep this page open until the files are sent.'}
            </p>
          </CardBody>
        </Card>
      </div>
    </>
  );
}

/** Notices of why a publication stopped or waits, each with the button that goes on. */
export function SendingNotices({ publication, onReplace }: Omit<SendingPanelProps, 'aside'>) {
  const { failure, control } = publication;
  const isWaiting = useIsWaiting(publication);
  return (
    <>
      {failure?.isDeploymentGone === true && (
        <GoneNotice
          name={publication.deploymentName}
          selection={publication.isRestored ? null : publication.selection}
          onLeave={() => {
            control.cancel();
            control.forget();
          }}
        />
      )}
      {failure?.isUnchanged === true && (
        <Notice
          tone="accent"
          title={failure.message}
          className="mb-6"
          action={<Button onClick={() => void control.publishUnchanged()}>Publish anyway</Button>}
        >
          No file was changed, added or removed: visitors would see no difference. Cancel leaves everything as it is.
        </Notice>
      )}
      {failure !== null && !failure.isUnchanged && !failure.isDeploymentGone && (
        <Notice
          tone="bad"
          title={failure.message}
          className="mb-6"
          action={
            failure.isSelectionNeeded ? (
              <Button onClick={onReplace}>Choose it again</Button>
            ) : (
              <>
                {failure.isConnectionLost && <MendConnections deploymentId={publication.deploymentId} />}
                <Button onClick={() => void control.retry()}>Try again</Button>
              </>
            )
          }
        >
          {failure.hint ?? 'What arrived is not sent again.'}
        </Notice>
      )}
      {isWaiting && (
        <Notice tone="warn" title="Waiting for the network" className="mb-6">
          It continues as soon as the server answers.
        </Notice>
      )}
    </>
  );
}

function MendConnections({ deploymentId }: Pick<Publication, 'deploymentId'>) {
  // What was known before this attempt says nothing of what it found.
  const { data } = trpc.deployments.get.useQuery({ deploymentId }, { refetchOnMount: 'always' });
  return data?.lostConnections.map((lost) => (
    <MendConnection key={`${lost.destinationId} ${lost.provider}`} lost={lost} />
  ));
}

/** The steps of this page, once there is a release. */
export const SENT_STEPS: readonly Step[] = [
  { key: 'reading', state: 'done', title: 'Files read' },
  { key: 'sending', state: 'done', title: 'Sent' },
];

export type SendingState = Pick<Publication, 'state' | 'progress' | 'result' | 'failure'>;

/** The two steps of the page, then those of the server, which wait. */
export function sendingSteps({ state, progress, result, failure }: SendingState): Step[] {
  const isSent = result !== null;
  const isReading = !isSent && (progress === null || progress.phase === 'reading');
  const failed: StepState = failure?.isUnchanged === true ? 'waiting' : 'failed';
  const stopped: StepState | null = state === 'failed' ? failed : state === 'cancelled' ? 'cancelled' : null;
  return [
    {
      key: 'reading',
      state: isReading ? (stopped ?? 'running') : 'done',
      title: isReading ? 'Reading the files' : 'Files read',
      body: isReading && progress !== null && stopped === null && <SentLine label="Reading" progress={progress} />,
    },
    {
      key: 'sending',
      state: isSent ? 'done' : isReading ? 'waiting' : (stopped ?? 'running'),
      title: isSent ? 'Sent' : 'Sending',
      detail: result !== null ? <SentText result={result} filesThere={progress?.filesThere ?? 0} /> : null,
      body: !isReading && !isSent && progress !== null && <SendingLine progress={progress} />,
    },
    { key: 'preparing', state: isSent ? (stopped ?? 'running') : 'waiting', title: 'Preparing' },
    { key: 'uploading', state: 'waiting', title: 'Uploading' },
    { key: 'processing', state: 'waiting', title: 'Processing' },
    { key: 'verifying', state: 'waiting', title: stepTitle({ name: 'verifying', state: 'waiting' }) },
  ];
}

function SendingLine({ progress }: { progress: UploadProgress }): ReactNode {
  if (progress.phase === 'comparing') return <p className="text-sm text-ink-muted">Asking what is there already</p>;
  return <SentLine label="Sending" progress={progress} />;
}

function SentLine({ label, progress }: { label: string; progress: UploadProgress }) {
  const { filesDone, filesTotal, bytesDone, bytesTotal } = progress;
  return (
    <ProgressLine
      label={label}
      files={`${filesDone.toLocaleString('en')} of ${formatCount(filesTotal, 'file')}`}
      bytes={formatSizeOf(bytesDone, bytesTotal)}
      fraction={bytesTotal === 0 ? (filesTotal === 0 ? 1 : filesDone / filesTotal) : bytesDone / bytesTotal}
    />
  );
}

/** `1 file sent, 9 KB. 213 were there already.` */
function SentText({ result, filesThere }: { result: NonNullable<Publication['result']>; filesThere: number }) {
  return <span className="tabular-nums">{sentText(result.sentFiles, result.sentBytes, filesThere)}</span>;
}

export function sentText(sentFiles: number, sentBytes: number, filesThere: number): string {
  const there = filesThere === 1 ? '1 was there already.' : `${filesThere.toLocaleString('en')} were there already.`;
  if (sentFiles === 0) return 'Nothing to send: every file was there already.';
  const sent = `${formatCount(sentFiles, 'file')} sent, ${formatSize(sentBytes)}`;
  return filesThere === 0 ? sent : `${sent}. ${there}`;
}
