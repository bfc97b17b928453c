import { useEffect, useMemo, useState } from 'react';
import type { PlatformId } from '../../../../routers/schemas/platforms/ids.ts';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import type { Needs, RankedPlatform } from '../../../../routers/schemas/recommendations.ts';
import { areSitesLocal } from '../../../lib/sites-address.ts';
import type { SelectionReport } from '../../../uploads/inspect.ts';

export type Ranker = {
  /** The platforms, best first; null before there are files or answers to rank by. */
  ranking: readonly RankedPlatform[] | null;
  /**
   * The ranking as a list shows it. A domain is typed below the list, where nothing may move: it changes this only
   * with the next files or answers.
   */
  listed: Ranker['ranking'];
  /** The needs of the site: the answers, and for missing ones those that the files and the form show. */
  needs: Needs;
  answer(needs: Needs): void;
  /** Returns the platforms that cannot meet this need, by their titles; empty before there is something to rank. */
  affectedBy(need: keyof Needs): readonly string[] | 'all';
};

type RankPlatforms = typeof import('../../../../routers/rules/uploads/rank-platforms.ts').rankPlatforms;

/** A file with this name holds the redirects of a site. */
const RULES = '_redirects';

/**
 * Ranks the platforms for the selection and its needs, by the same rules as `recommendations.rank`. The rules are
 * loaded once there is something to rank; if that fails, nothing is recommended.
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
    return rank(report && { ...report.inspection, files: report.reading.files }, needs, areSitesLocal());
  }, [rank, isAsked, report, needs]);
  const [shown, setShown] = useState({ listed: ranking, report, answers });
  const isSame = (shown.listed === null) === (ranking === null) && shown.report === report;
  if (!isSame || shown.answers !== answers) setShown({ listed: ranking, report, answers });
  const affectedBy = (need: keyof Needs) => (rank === null ? [] : affected(rank, need));
  return { ranking, listed: shown.listed, needs, answer: setAnswers, affectedBy };
}

/** Returns the platforms with a reason against them that comes from this need alone. */
function affected(rank: RankPlatforms, need: keyof Needs): readonly string[] | 'all' {
  const against = ({ reasons }: RankedPlatform) =>
    reasons.flatMap(({ verdict, text }) => (verdict === 'good' ? [] : text));
  const before = new Map(rank(null, {}, areSitesLocal()).map((one) => [one.platform, against(one)]));
  const ranked = rank(null, { [need]: true }, areSitesLocal());
  const found = ranked.filter((one) => against(one).some((text) => before.get(one.platform)?.includes(text) !== true));
  return found.length === ranked.length ? 'all' : found.map(({ platform }) => PLATFORMS[platform].title);
}

/** Returns the recommended platform; undefined when none takes the site as it is. */
export function recommendedIn(ranking: Ranker['ranking']): RankedPlatform | undefined {
  const [first] = ranking ?? [];
  return first?.fits === true ? first : undefined;
}

/** Returns the word for a recommended platform; one whose sites only this computer opens is good for a first try. */
export function praiseOf(platform: PlatformId): string {
  return PLATFORMS[platform].isServedHere && areSitesLocal() ? 'Easiest to try' : 'Recommended';
}
