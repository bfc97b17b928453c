import { Link } from 'wouter';
import type { HostingPlatform } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { Card, CardBody, CardHeader } from '../../../components/card.tsx';
import { paths } from '../../../lib/paths/paths.ts';
import { NeedsQuestion } from '../rank/needs-question.tsx';
import { RankReasons } from '../rank/rank-reasons.tsx';
import { praiseOf, recommendedIn, useRanking } from '../rank/use-ranking.ts';
import { useWaitingSelection } from '../select/use-chosen-selection.ts';

/** Shows whether one platform suits the waiting files, or the answers alone. */
export function PlatformFit({ platform }: { platform: HostingPlatform }) {
  const { report } = useWaitingSelection();
  const ranker = useRanking(report);
  const recommended = recommendedIn(ranker.ranking);
  const ranked = ranker.ranking?.find((one) => one.platform === platform);
  return (
    <Card>
      <CardHeader title={`Does ${PLATFORMS[platform].title} suit your site?`} />
      <CardBody>
        <p className="mb-4 text-ink-muted">Say what your site needs.</p>
        <NeedsQuestion ranker={ranker} />
      </CardBody>
      {ranked !== undefined && (
        <CardBody className="flex flex-col gap-2">
          <RankReasons ranked={ranked} isRecommended={ranked === recommended} isOpen />
          {recommended !== undefined && recommended !== ranked && (
            <p className="text-sm">
              {praiseOf(recommended.platform)}:{' '}
              <Link
                to={`${paths.newDeployment}?platform=${recommended.platform}`}
                className="rounded-tight text-accent underline"
              >
                {PLATFORMS[recommended.platform].title}
              </Link>
            </p>
          )}
        </CardBody>
      )}
    </Card>
  );
}
