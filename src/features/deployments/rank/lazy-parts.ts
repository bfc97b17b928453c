import { lazyComponent } from '../../../lib/lazy-component.tsx';
import type { NeedsQuestionProps } from './needs-question.tsx';
import type { RankReasonsProps } from './rank-reasons.tsx';

/** Loaded when first shown: pages for choosing a platform work without them. */
export const needsQuestion = lazyComponent<NeedsQuestionProps>(
  async () => (await import('./needs-question.tsx')).NeedsQuestion,
);
export const rankReasons = lazyComponent<RankReasonsProps>(
  async () => (await import('./rank-reasons.tsx')).RankReasons,
);
