import { type LucideIcon, Minus } from 'lucide-react';
import { Link } from 'wouter';
import { Badge, type BadgeTone } from '../../components/badge.tsx';
import { Skeleton, SkeletonGroup } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import type { Check, Verdict } from './checks.ts';
import { VERDICT_LOOKS } from './verdict-looks.ts';

const looks: Record<Verdict, { tone: BadgeTone; icon: LucideIcon; word: string }> = {
  ...VERDICT_LOOKS,
  nothing: { tone: 'unknown', icon: Minus, word: 'Nothing to check' },
};

/** The report: each check with its verdict, its finding and its time. */
export function CheckList({ checks }: { checks: readonly Check[] }) {
  return (
    <ul aria-label="Checks" className="divide-y divide-line">
      {checks.map(({ id, title, verdict, seen, at, link }) => {
        const { tone, icon, word } = looks[verdict];
        return (
          <li
            key={id}
            className="grid grid-cols-[1fr_auto] gap-x-6 gap-y-1 px-4 py-3.5 sm:grid-cols-[8.5rem_minmax(0,1fr)_auto] sm:px-5"
          >
            <span className="-mt-px flex">
              <Badge tone={tone} icon={icon}>
                {word}
              </Badge>
            </span>
            <div className="order-last col-span-2 min-w-0 sm:order-none sm:col-span-1">
              <h3 className="font-medium">{title}</h3>
              <p className="text-sm wrap-anywhere text-ink-muted">{seen}</p>
              {link !== null && (
                <Link
                  to={link.to}
                  className="-my-0.5 inline-block rounded-tight py-0.5 text-sm font-medium text-accent hover:underline touch:my-0 touch:py-3"
                >
                  {link.label}
                </Link>
              )}
            </div>
            {at !== null && <Time at={at} className="text-sm whitespace-nowrap text-ink-muted" />}
          </li>
        );
      })}
    </ul>
  );
}

export function CheckListSkeleton() {
  return (
    <SkeletonGroup label="Loading the report" className="divide-y divide-line">
      {['w-40', 'w-56', 'w-36', 'w-44', 'w-48', 'w-52'].map((width) => (
        <div key={width} className="grid gap-x-6 gap-y-2 px-4 py-3.5 sm:grid-cols-[8.5rem_minmax(0,1fr)] sm:px-5">
          <Skeleton className="h-5.5 w-20" />
          <div className="flex flex-col gap-2">
            <Skeleton className={`h-4 ${width}`} />
            <Skeleton className="h-3.5 w-full max-w-96" />
          </div>
        </div>
      ))}
    </SkeletonGroup>
  );
}
