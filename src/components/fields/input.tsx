import type { ComponentProps } from 'react';
import { classNames } from '../class-names.ts';
import { useField } from './field.tsx';

export const controlLook =
  'w-full rounded-control border border-line-control bg-surface-raised px-3 text-ink transition-colors disabled:bg-surface-sunken disabled:text-ink-faint aria-invalid:border-bad focus-visible:border-accent focus-visible:outline-offset-1';

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...useField()} {...rest} className={classNames(controlLook, 'h-control', className)} />;
}
