import type { LucideIcon } from 'lucide-react';
import { classNames } from './class-names.ts';

export type BadgeTone = 'good' | 'warn' | 'bad' | 'unknown' | 'accent';

/** The appearance of one state as a badge. */
export type BadgeLook = { tone: BadgeTone; icon: LucideIcon; word: string; isRunning?: boolean };

export type BadgeProps = {
  tone: BadgeTone;
  icon: LucideIcon;
  children: string;
  /** Turns the icon, because something runs. */
  isRunning?: boolean | undefined;
};

const tones: Record<BadgeTone, string> = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  unknown: 'bg-unknown-soft text-unknown',
  accent: 'bg-accent-soft text-accent',
};

/** Shows a state by colour, icon and word, always all three. */
export function Badge({ tone, icon: Icon, children, isRunning = false }: BadgeProps) {
  return (
    <span
      className={classNames(
        'inline-flex h-5.5 shrink-0 items-center gap-1.5 rounded-tight px-2 text-xs font-medium whitespace-nowrap',
        tones[tone],
      )}
    >
      <Icon className={classNames('size-3.5', isRunning && 'animate-turn')} />
      {children}
    </span>
  );
}

/** A word beside an entry of the navigation or a plan ("New", "Beta"); it names a kind, not a state. */
export function Tag({ children }: { children: string }) {
  return (
    <span className="inline-flex h-4.5 shrink-0 items-center rounded-tight bg-accent-soft px-1.5 text-xs font-medium text-accent">
      {children}
    </span>
  );
}
