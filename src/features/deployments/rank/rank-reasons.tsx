import { Check, CircleX, type LucideIcon, Minus } from 'lucide-react';
import { PLATFORMS } from '../../../../routers/schemas/platforms/list.ts';
import type { RankedPlatform, Reason } from '../../../../routers/schemas/recommendations.ts';
import { classNames } from '../../../components/class-names.ts';
import { praiseOf } from './use-ranking.ts';

const looks: Record<Reason['verdict'], { icon: LucideIcon; look: string; word: string }> = {
  good: { icon: Check, look: 'text-good', word: 'Good for' },
  note: { icon: Minus, look: 'text-ink-muted', word: 'Good to know' },
  no: { icon: CircleX, look: 'text-bad', word: 'Does not fit' },
};

export type RankReasonsProps = {
  ranked: RankedPlatform;
  isRecommended: boolean;
  /** Shown without a press. */
  isOpen?: boolean;
};

/** Explains why a platform fits the site or does not: every reason with its numbers, their sources, and a remedy. */
export function RankReasons({ ranked: { platform, fits, reasons }, isRecommended, isOpen = false }: RankReasonsProps) {
  const named = platform === 'built-in' ? 'the built-in host' : PLATFORMS[platform].title;
  const question = fits
    ? `Why ${named} ${isRecommended ? `is ${praiseOf(platform).toLowerCase()}` : 'fits as well'}`
    : `Why ${named} does not fit`;
  return (
    <details key={platform} open={isOpen || !fits} className="text-sm">
      <summary className="w-fit cursor-pointer rounded-tight py-1 text-ink-muted hover:text-ink touch:py-3">
        {question}
      </summary>
      <ul aria-label={question} className="mt-1 flex flex-col gap-2">
        {reasons.map((reason) => (
          <ReasonRow key={reason.text} reason={reason} />
        ))}
      </ul>
    </details>
  );
}

function ReasonRow({ reason: { verdict, text, change, source } }: { reason: Reason }) {
  const { icon: Icon, look, word } = looks[verdict];
  return (
    <li className="flex items-start gap-2.5">
      <Icon className={classNames('mt-0.5 shrink-0', look)} />
      <span className="sr-only">{word}:</span>
      <div className="min-w-0 wrap-anywhere">
        <p className="tabular-nums">{text}</p>
        {change !== null && <p className="font-medium">{change}</p>}
        {source !== null && (
          <p className="text-xs text-ink-muted">
            Source: {source.title}, read {source.readOn}
          </p>
        )}
      </div>
    </li>
  );
}
