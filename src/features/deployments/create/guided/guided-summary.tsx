import type { ReactNode } from 'react';
import { rootLinkProblem } from '../../../../../routers/rules/uploads/root-link-problem.ts';
import { domainNameIn } from '../../../../../routers/schemas/domain-name.ts';
import { formatCount } from '../../../../../routers/schemas/format-count.ts';
import { domainsRefusal } from '../../../../../routers/schemas/platforms/domains-refusal.ts';
import type { PlatformId } from '../../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../../routers/schemas/platforms/list.ts';
import { Button } from '../../../../components/button.tsx';
import { Card } from '../../../../components/card.tsx';
import { HostName } from '../../../../components/host-name.tsx';
import { formatSize } from '../../../../lib/format.ts';
import { addressOfSlug, reachText } from '../../../../lib/sites-address.ts';
import type { SelectionReport } from '../../../../uploads/inspect.ts';
import { selectionTitle } from '../../../../uploads/selection/selection.ts';
import { praiseOf, type Ranker, recommendedIn } from '../../rank/use-ranking.ts';
import { isLeftOutLink, isPackage, privateGroups, privateText } from '../../select/left-out.ts';
import { useFolder } from '../below-folder.ts';
import { useNamesakes, useNewName } from '../name-field.tsx';
import { useNewDeployment, useNewDeploymentFields } from '../new-deployment-form.tsx';
import { usePlanBlocker } from '../use-plan-blocker.ts';
import type { GuidedStep } from './guided-labels.ts';

export type GuidedSummaryProps = { onGoTo: (step: GuidedStep) => void };

/** Shows every answer once more, each with a link back to its question. */
export function GuidedSummary({ onGoTo }: GuidedSummaryProps) {
  const { ranker, chosen } = useNewDeployment();
  const { report } = chosen;
  const { watch, formState } = useNewDeploymentFields();
  const [platform, domain] = watch(['platform', 'domain']);
  const { name, address } = useNewName();
  // The address of another name is shown with the button for it.
  const isTaken = (useNamesakes() ?? []).length > 0;
  const { blocker } = usePlanBlocker();
  return (
    <Card aria-label="Your answers" className="divide-y divide-line">
      <AnswerRow title="Files" onChange={() => onGoTo('files')}>
        {report === null ? 'Being read' : <FilesAnswer report={report} />}
      </AnswerRow>
      <AnswerRow title="Hosting" onChange={() => onGoTo('place')}>
        {PLATFORMS[platform].title}
        <span className="block text-ink-muted">{placeText(ranker.ranking, platform)}</span>
      </AnswerRow>
      <AnswerRow title="Name" onChange={() => onGoTo('name')}>
        <span className="wrap-anywhere">{name.trim() === '' ? 'None yet' : name}</span>
        {!isTaken && blocker === null && address?.slug && PLATFORMS[platform].isServedHere ? (
          <span className="block text-ink-muted">
            Will be live at <HostName name={addressOfSlug(address.slug)} fit="wrap" />
            {reachText()}
          </span>
        ) : null}
      </AnswerRow>
      <AnswerRow title="Domain" onChange={() => onGoTo('domain')}>
        {domain.trim() === '' || domainsRefusal(platform) !== null ? (
          'None yet'
        ) : (
          <HostName name={domainNameIn(domain) ?? domain} fit="wrap" />
        )}
        {formState.errors.domain !== undefined && (
          <span className="block text-bad">{formState.errors.domain.message}</span>
        )}
      </AnswerRow>
    </Card>
  );
}

function placeText(ranking: Ranker['ranking'], platform: PlatformId): string | null {
  if (recommendedIn(ranking)?.platform === platform) return praiseOf(platform);
  const against = ranking
    ?.find((ranked) => ranked.platform === platform)
    ?.reasons.find(({ change }) => change !== null);
  return against === undefined ? null : `It does not fit: ${against.text}`;
}

function FilesAnswer({ report }: { report: SelectionReport }) {
  const { inspection, reading } = report;
  const isRootLinked = rootLinkProblem(inspection.rootLinks, useFolder()) !== null;
  const links = reading.leftOut.filter(isLeftOutLink).length;
  const packages = reading.leftOut.filter(isPackage).length;
  const privates = privateGroups(reading);
  const looks = inspection.problems.length + (isRootLinked ? 1 : 0);
  return (
    <>
      <span className="wrap-anywhere">
        {selectionTitle(report.selection)}: {formatCount(inspection.fileCount, 'file')},{' '}
        {formatSize(inspection.totalBytes)}
      </span>
      {links > 0 && <span className="block text-ink-muted">{formatCount(links, 'symbolic link')} left out</span>}
      {packages > 0 && (
        <span className="block text-ink-muted">{formatCount(packages, 'file')} in node_modules left out</span>
      )}
      {privates.length > 0 && <span className="block text-ink-muted">{privateText(privates)} left out</span>}
      {looks > 0 && (
        <span className="block text-warn">
          {formatCount(looks, 'thing')} to look at: {looks === 1 ? 'it is' : 'they are'} listed with the files
        </span>
      )}
    </>
  );
}

type AnswerRowProps = { title: string; onChange: () => void; children: ReactNode };

function AnswerRow({ title, onChange, children }: AnswerRowProps) {
  return (
    <div className="flex items-start gap-4 px-4 py-3.5 sm:px-5">
      <h3 className="w-14 shrink-0 text-ink-muted sm:w-24">{title}</h3>
      <div className="min-w-0 grow tabular-nums">{children}</div>
      <Button size="sm" aria-label={`Change: ${title}`} onClick={onChange}>
        Change
      </Button>
    </div>
  );
}
