import { classNames } from './class-names.ts';

export type MarkProps = {
  /** The progress of the line through the ring, 0 to 1; when absent, it is complete. */
  progress?: number | undefined;
  className?: string | undefined;
};

/**
 * A ring with a line that runs true through it; decoration beside the name. The favicon, `src/public/favicon.svg`, is
 * the same drawing.
 */
export function Mark({ progress = 1, className }: MarkProps) {
  const drawn = Math.min(1, Math.max(0, progress));
  return (
    <svg
      viewBox="0 0 28 28"
      fill="none"
      strokeLinecap="round"
      className={classNames('shrink-0', className ?? 'size-7')}
      aria-hidden="true"
    >
      <circle cx="14" cy="14" r="8" strokeWidth="2.75" className="stroke-accent" />
      <path
        d="M1.5 22.5 26.5 5.5"
        pathLength={1}
        strokeWidth="2.25"
        strokeDasharray="1 2"
        strokeDashoffset={1 - drawn}
        className="stroke-ink transition-[stroke-dashoffset]"
        visibility={drawn === 0 ? 'hidden' : undefined}
      />
    </svg>
  );
}
