import type { ComponentProps } from 'react';
import { classNames } from '../class-names.ts';
import { useField } from './field.tsx';

/** The margins keep its name, below a bar, and the line that may say what is wrong, in sight when it gets the focus. */
export const controlLook =
  'w-full scroll-mt-24 scroll-mb-14 rounded-control border border-line-control bg-surface-raised px-3 text-ink transition-colors disabled:bg-surface-sunken disabled:text-ink-faint aria-invalid:border-bad focus-visible:border-accent focus-visible:outline-offset-1';

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...useField()} {...rest} className={classNames(controlLook, 'h-control', className)} />;
}
