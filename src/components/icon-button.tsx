import type { ComponentProps } from 'react';
import { classNames } from './class-names.ts';

export type IconButtonProps = ComponentProps<'button'> & {
  /** The act; it is read aloud, and a tooltip around it should say the same. */
  label: string;
  size?: 'md' | 'sm' | undefined;
};

/** A square button with only an icon; the height of the controls gives a finger its 44 px. */
export function IconButton({ label, size = 'sm', className, children, type = 'button', ...rest }: IconButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={classNames(
        'inline-flex shrink-0 items-center justify-center rounded-control text-ink-muted transition-colors enabled:hover:bg-surface-hover enabled:hover:text-ink disabled:opacity-50 data-[state=open]:bg-surface-hover data-[state=open]:text-ink touch:size-11',
        size === 'sm' ? 'size-control-sm' : 'size-control',
        className,
      )}
    >
      {children}
      <span className="sr-only">{label}</span>
    </button>
  );
}
