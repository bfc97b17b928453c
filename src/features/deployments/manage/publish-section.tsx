import { type ReactNode, useEffect, useRef } from 'react';
import { CONNECTION_TITLES } from '../../../../routers/schemas/connection-titles.ts';
import type { Deployment, LostConnection } from '../../../../routers/schemas/deployments.ts';
import { formatCount } from '../../../../routers/schemas/format-count.ts';
import { folderOf } from '../../../../routers/schemas/platforms/below-folder.ts';
import { PLATFORM_CAPABILITIES } from '../../../../routers/schemas/platforms/capabilities/index.ts';
import { trpc } from '../../../api/trpc.ts';
import { Button } from '../../../components/button.tsx';
import { Notice } from '../../../components/notice.tsx';
import { isTouch } from '../../../lib/browser/is-touch.ts';
import { useAddress, useVisit } from '../../../lib/browser/location.ts';
import { href } from '../../../lib/paths/paths.ts';
import { lostAtPrimary } from '../../../lib/primary-destination.ts';
import { LIVE_ONCE_COMPARED } from '../../../lib/verification-text.ts';
import { shownState } from '../../../lib/waiting.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import { useIsSent } from '../../../uploads/other-tabs/sent-elsewhere.ts';
import { usePublish } from '../../../uploads/use-publish.ts';
import { useEntryQuestion } from '../select/entry-question.tsx';
import { FilesFooter, FilesStep, refusalText } from '../select/files-step.tsx';
import { roomRefusal, useRoom } from '../select/room.tsx';
import { sizeOf, useDeploymentSelection } from '../select/use-chosen-selection.ts';
import { type Compared, useComparison } from '../select/use-comparison.tsx';
import { ReadOnlyNotice } from './read-only-notice.tsx';

export type PublishSectionProps = {
  deployment: Deployment;
  isReadOnly: boolean;
};

/**
 * The place to drop files for a release; "Publish again" leads here, from this page and from the lists. While another
 * tab sends files, it says so in their place.
 */
export function PublishSection(props: PublishSectionProps) {
  const { hash } = useAddress();
  const visit = useVisit();
  // While this page sends them, it shows that in place of the deployment.
  const isSent = useIsSent(props.deployment.id);
  const isZip = hash === '#publish-zip';
  const isWanted = isZip || hash === '#publish';
  const anchor = useRef<HTMLElement>(null);
  const isAnyLive = props.deployment.currentRelease !== null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: pressing the same link again leads there again, and what is live stands above
  useEffect(() => {
    if (isWanted) anchor.current?.scrollIntoView({ block: 'center' });
  }, [isWanted, isAnyLive, visit]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  useEffect(() => {
    if (!isWanted) return;
    anchor.current?.querySelector('button')?.focus({ preventScroll: true });
    // The link asks for the folder or the ZIP already, but browsers open the chooser only after a press.
    const chooser = anchor.current?.querySelector<HTMLInputElement>(isZip ? 'input[accept]' : 'input');
    if (navigator.userActivation?.isActive) chooser?.click();
  }, [isWanted, isZip, visit]);
  return (
    <section ref={anchor} aria-label="Publish">
      {isSent && (
        <Notice tone="quiet" title="Files are being sent" className="mb-6">
          Another tab of this browser is sending them. Keep it open.
        </Notice>
      )}
      {props.isReadOnly ? (
        <ReadOnlyNotice />
      ) : (
        !isSent && <PublishAgain deployment={props.deployment} isWanted={isWanted} />
      )}
    </section>
  );
}

/**
 * Returns the folder of its host that the site is below; undefined before it is known whether a domain points to it.
 */
function useFolder({ id: deploymentId, platform, url }: Deployment): string | null | undefined {
  const folder = folderOf(PLATFORM_CAPABILITIES[platform]?.basePath, url, false);
  const active = trpc.domains.list.useQuery({ deploymentId, state: 'active', limit: 1 }, { enabled: folder !== '' });
  if (folder === '') return '';
  return active.data && (active.data.items.length === 0 ? folder : '');
}

/** Takes the folder or ZIP again: content that the server already holds is not sent again. */
function PublishAgain({ deployment, isWanted }: { deployment: Deployment; isWanted: boolean }) {
  const publish = usePublish();
  const chosen = useDeploymentSelection(deployment.id);
  const { report } = chosen;
  const { ask, question } = useEntryQuestion(chosen, deployment.currentRelease?.hasStartPage);
  const compared = useComparison(report, deployment.currentRelease, deployment.id);
  const files = deployment.currentRelease === null ? sizeOf(report) : compared.added;
  const room = useRoom(files?.count ? files : null);
  const noRoom = report && roomRefusal(room, report.selection);
  const isFirst = deployment.releaseCount === 0;
  const isBusy = deployment.state === 'deploying';
  const lost = lostAtPrimary(deployment);
  const start = ({ selection, publishAnyway }: SelectionReport) => {
    void publish({ deployment, selection, publishAnyway, isNew: false, isUnchangedWanted: compared.isEqual });
    chosen.choose(null);
  };
  return (
    <FilesStep
      chosen={chosen}
      room={room}
      context={{
        folder: useFolder(deployment),
        platforms: deployment.destinations.map(({ platform }) => platform),
        domainsPath: `${href.deployment(deployment.id)}?tab=domains`,
        lost,
        lostElsewhere: deployment.lostConnections.filter(({ destinationId }) => destinationId !== deployment.primaryId),
      }}
      shape={isFirst ? 'tall' : 'wide'}
      {...dropLabels(isFirst, isWanted)}
      isWanted={isWanted}
      footer={
        report !== null && (
          <FilesFooter
            text={noRoom ?? publishHint(deployment, report, lost, compared.isEqual)}
            change={changeText(deployment, compared)}
          >
            <Button
              variant={compared.isEqual ? 'secondary' : 'primary'}
              disabled={
                isBusy ||
                report.reading.refusal !== null ||
                noRoom !== null ||
                lost?.connectionId === null ||
                compared.isComparing
              }
              onClick={() => ask(() => compared.ask(() => start(report)))}
            >
              {compared.isEqual ? 'Publish anyway' : 'Publish'}
            </Button>
            {question}
            {compared.question}
          </FilesFooter>
        )
      }
    />
  );
}

/** Returns the changes for a line that is reserved from the start, so that nothing moves when they are known. */
function changeText({ currentRelease }: Deployment, { text, named, isComparing }: Compared): ReactNode {
  if (currentRelease === null) return undefined;
  if (isComparing) return `Comparing with release ${currentRelease.number}…`;
  if (text === null) return undefined;
  if (named.length === 0) return `${text}.`;
  return (
    <details>
      <summary className="cursor-pointer">{text}.</summary>
      <ul className="my-1 max-h-60 overflow-y-auto text-ink-muted">
        {named.map(({ kind, paths, more }) => (
          <li key={kind}>
            {kind}: {paths.join(', ')}
            {more > 0 && ` and ${formatCount(more, 'more file')}`}
          </li>
        ))}
      </ul>
    </details>
  );
}

function dropLabels(isFirst: boolean, isWanted: boolean): { title: string; description: string } {
  if (isFirst) {
    return { title: 'Drop a folder or a ZIP to publish it', description: 'It stays private until you publish.' };
  }
  return isWanted
    ? {
        title: 'Choose the changed folder or ZIP',
        description: `${isTouch() ? '' : 'Or drop it anywhere on this page. '}You see what is in it before anything is published.`,
      }
    : { title: 'Drop a folder or a ZIP to publish again', description: 'Of a folder, only what changed is sent.' };
}

function publishHint(
  deployment: Deployment,
  report: SelectionReport,
  lost: LostConnection | undefined,
  isEqual: boolean,
): string {
  const { state, currentRelease } = deployment;
  const refusal = refusalText(report);
  if (refusal !== null) return refusal;
  if (lost !== undefined) {
    const title = CONNECTION_TITLES[lost.provider];
    return lost.connectionId === null ? `Connect ${title} again to publish.` : `Replace the token of ${title} first.`;
  }
  if (shownState(deployment) === 'waiting') return 'A release waits for you. Finish or cancel it first.';
  if (state === 'deploying') return 'A release is on its way. Publish when it is done.';
  // Without the number of the new one: another tab or device may be sending one that comes first.
  if (currentRelease === null) return LIVE_ONCE_COMPARED;
  if (isEqual) return `Release ${currentRelease.number} has these files already.`;
  return `Release ${currentRelease.number} stays live until the new one has been checked.`;
}
