import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import { Card, CardBody, CardHeader } from '../../../components/card.tsx';
import { PlatformMark } from '../../../components/states/platform-mark.tsx';
import type { SelectionReport } from '../../../uploads/inspect.ts';
import { NeedsQuestion } from './needs-question.tsx';
import { RankReasons } from './rank-reasons.tsx';
import { recommendedIn, useRanking } from './use-ranking.ts';

/** Lists every platform in the order in which it suits the files and the answers, or only the answers. */
export function WhereItFits({ report }: { report: SelectionReport | null }) {
  const ranker = useRanking(report);
  const recommended = recommendedIn(ranker.ranking);
  return (
    <Card>
      <CardHeader title="Where it fits" />
      <CardBody>
        <p className="mb-4 text-ink-muted">
          {report === null
            ? 'Say what your site needs. If you choose a folder above, its files count too.'
            : 'For the files above. Say what else your site needs.'}
        </p>
        <NeedsQuestion ranker={ranker} />
      </CardBody>
      {ranker.ranking !== null && (
        <ol aria-label="Where it fits" className="divide-y divide-line border-t border-line">
          {ranker.ranking.map((ranked) => (
            <li key={ranked.platform} className="flex items-start gap-3 px-4 py-3.5 sm:px-5">
              <PlatformMark platform={ranked.platform} className="mt-0.5 size-5" />
              <div className="min-w-0">
                <h3 className="font-medium">{PLATFORMS[ranked.platform].title}</h3>
                <RankReasons ranked={ranked} isRecommended={ranked === recommended} />
              </div>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
