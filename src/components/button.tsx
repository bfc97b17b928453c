import { LoaderCircle } from 'lucide-react';
import { Slot } from 'radix-ui';
import { Children, type ComponentProps, type MouseEvent, type ReactNode, useState } from 'react';
import { classNames } from './class-names.ts';

export type ButtonVariant = 'primary' | 'secondary' | 'quiet' | 'danger';
export type ButtonSize = 'md' | 'sm';

export type ButtonProps = ComponentProps<'button'> & {
  variant?: ButtonVariant | undefined;
  size?: ButtonSize | undefined;
  isBusy?: boolean | undefined;
  /** The label of the running act, "Publishing…"; the button has the width of its wider label from the start. */
  busyLabel?: string | undefined;
  /** Gives the look to the single child, for instance a link; such a button is never busy. */
  asChild?: boolean | undefined;
};

const base =
  'inline-flex shrink-0 items-center justify-center gap-2 rounded-control border font-medium whitespace-nowrap select-none transition-colors disabled:opacity-50 aria-disabled:not-aria-busy:opacity-50 aria-busy:cursor-progress';

const variants: Record<ButtonVariant, string> = {
  primary: 'border-transparent bg-accent text-accent-ink enabled:hover:bg-accent-hover [a&]:hover:bg-accent-hover',
  secondary: 'border-line-strong bg-surface-raised text-ink enabled:hover:bg-surface-hover [a&]:hover:bg-surface-hover',
  quiet:
    'border-transparent text-ink-muted enabled:hover:bg-surface-hover enabled:hover:text-ink [a&]:hover:bg-surface-hover [a&]:hover:text-ink',
  danger: 'border-transparent bg-bad text-bad-ink enabled:hover:bg-bad-hover [a&]:hover:bg-bad-hover',
};

const sizes: Record<ButtonSize, string> = {
  md: 'h-control px-3.5 text-base',
  sm: 'h-control-sm px-2.5 text-sm',
};

export function Button({
  variant = 'secondary',
  size = 'md',
  isBusy = false,
  busyLabel,
  asChild = false,
  className,
  children,
  type = 'button',
  onClick,
  ...rest
}: ButtonProps) {
  const look = classNames(base, variants[variant], sizes[size], className);
  const [cameAt] = useState(() => performance.now());
  if (asChild) {
    return (
      <Slot.Root data-variant={variant} className={look} {...rest}>
        {children}
      </Slot.Root>
    );
  }
  return (
    <button
      {...rest}
      type={type}
      data-variant={variant}
      className={look}
      // This is not `disabled`: a busy button keeps the focus, so that a keyboard is not thrown to the top of the page.
      aria-disabled={isBusy || rest['aria-disabled']}
      aria-busy={isBusy || undefined}
      onClick={(event: MouseEvent<HTMLButtonElement>) => {
        if (isBusy || isMeantForAnother(event, cameAt)) event.preventDefault();
        else onClick?.(event);
      }}
    >
      {busyLabel === undefined ? (
        children
      ) : (
        <BusyLabel isBusy={isBusy} busyLabel={busyLabel}>
          {children}
        </BusyLabel>
      )}
    </button>
  );
}

/** Two clicks within this time are one double click (the default of Windows). */
const DOUBLE_CLICK_MS = 500;

/**
 * Detects the second click of a double click on the button that was here before: Cancel, and then Try again in its
 * place.
 */
function isMeantForAnother({ detail }: MouseEvent, cameAt: number): boolean {
  return detail > 1 && performance.now() - cameAt < DOUBLE_CLICK_MS;
}

/**
 * Shows one label over the other, which is generated content: it gives its width and is not read aloud. An icon beside
 * a label takes the same room as the spinner of the busy one.
 */
function BusyLabel({ isBusy, busyLabel, children }: { isBusy: boolean; busyLabel: string; children: ReactNode }) {
  const parts = Children.toArray(children);
  const idleLabel = parts.filter((part) => typeof part === 'string').join('');
  const isTwinWide = !isBusy || parts.some((part) => typeof part !== 'string');
  return (
    <span
      data-other-label={isBusy ? idleLabel : busyLabel}
      className={classNames(
        'flex flex-col items-center after:invisible after:h-0 after:overflow-hidden after:content-[attr(data-other-label)]',
        isTwinWide && 'after:pl-6',
      )}
    >
      <span className="inline-flex items-center gap-2">
        {isBusy && <LoaderCircle className="animate-turn" />}
        {isBusy ? busyLabel : children}
      </span>
    </span>
  );
}
