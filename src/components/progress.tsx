import { classNames } from './class-names.ts';

export type ProgressProps = {
  /** Names the progress for screen readers. */
  label: string;
  /** The real fraction, 0 to 1; `null` when it is not known. */
  fraction: number | null;
  className?: string | undefined;
};

export function Progress({ label, fraction, className }: ProgressProps) {
  const percent = fraction === null ? null : Math.round(Math.min(1, Math.max(0, fraction)) * 100);
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent ?? undefined}
      className={classNames('relative h-1 w-full overflow-hidden rounded-full bg-line', className)}
    >
      <div
        className={classNames(
          'h-full origin-left rounded-full bg-accent',
          percent === null ? 'w-1/3 animate-run' : 'w-full transition-transform',
        )}
        {...(percent !== null && { style: { transform: `translateX(${percent - 100}%)` } })}
      />
    </div>
  );
}
