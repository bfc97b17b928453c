import { lazyComponent } from '../../../lib/lazy-component.tsx';
import type { NeedsQuestionProps } from './needs-question.tsx';
import type { RankReasonsProps } from './rank-reasons.tsx';

/** Fetched when they are first shown: the pages that choose a place are there without them. */
export const needsQuestion = lazyComponent<NeedsQuestionProps>(
  async () => (await import('./needs-question.tsx')).NeedsQuestion,
);
export const rankReasons = lazyComponent<RankReasonsProps>(
  async () => (await import('./rank-reasons.tsx')).RankReasons,
);
