import { useEffect, useMemo, useState } from 'react';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import type { Needs, RankedPlatform } from '../../../../routers/schemas/recommendations.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';

export type Ranker = {
  /** The platforms, best first; null before there are files or answers to rank them by. */
  ranking: readonly RankedPlatform[] | null;
  /** What the site needs: what was answered, and where nothing was, what the files and the form show. */
  needs: Needs;
  answer(needs: Needs): void;
  /** The platforms that have something against this need, by their titles; none before there is something to rank. */
  affectedBy(need: keyof Needs): readonly string[] | 'all';
};

type RankPlatforms = typeof import('../../../../routers/rules/uploads/rank-platforms.ts').rankPlatforms;

/** A file of this name holds the redirects of a site. */
const RULES = '_redirects';

/**
 * Ranks the platforms for what was chosen and what it needs, by the same rules as `recommendations.rank`. The rules are
 * fetched once there is something to rank; where they do not come, nothing is recommended.
 */
export function useRanking(report: SelectionReport | null, domain = ''): Ranker {
  const [rank, setRank] = useState<RankPlatforms | null>(null);
  const [answers, setAnswers] = useState<Needs | null>(null);
  const isAsked = report !== null || answers !== null;
  const ownDomain = domain.trim() !== '';

  useEffect(() => {
    if (!isAsked || rank !== null) return;
    import('../../../../routers/rules/uploads/rank-platforms.ts').then(
      ({ rankPlatforms }) => setRank(() => rankPlatforms),
      () => undefined,
    );
  }, [isAsked, rank]);

  const needs = useMemo(() => {
    const redirects = report?.reading.files.some(({ path }) => path === RULES) === true;
    return { ...(redirects && { redirects }), ...(ownDomain && { ownDomain }), ...answers };
  }, [report, ownDomain, answers]);
  const ranking = useMemo(() => {
    if (rank === null || !isAsked) return null;
    return rank(report && { ...report.inspection, files: report.reading.files }, needs);
  }, [rank, isAsked, report, needs]);
  const affectedBy = (need: keyof Needs) => (rank === null ? [] : affected(rank, need));
  return { ranking, needs, answer: setAnswers, affectedBy };
}

/** Returns where the need alone brings a reason against the platform. */
function affected(rank: RankPlatforms, need: keyof Needs): readonly string[] | 'all' {
  const against = ({ reasons }: RankedPlatform) =>
    reasons.flatMap(({ verdict, text }) => (verdict === 'good' ? [] : text));
  const before = new Map(rank(null, {}).map((one) => [one.platform, against(one)]));
  const ranked = rank(null, { [need]: true });
  const found = ranked.filter((one) => against(one).some((text) => before.get(one.platform)?.includes(text) !== true));
  return found.length === ranked.length ? 'all' : found.map(({ platform }) => PLATFORMS[platform].title);
}

/** Returns the platform that is recommended; undefined where none takes the site as it is. */
export function recommendedIn(ranking: Ranker['ranking']): RankedPlatform | undefined {
  const [first] = ranking ?? [];
  return first?.fits === true ? first : undefined;
}
