import type { ComponentProps } from 'react';
import { classNames } from '../class-names.ts';
import { useField } from './field.tsx';
import { controlLook } from './input.tsx';

export function Textarea({ className, rows = 4, ...rest }: ComponentProps<'textarea'>) {
  return (
    <textarea {...useField()} {...rest} rows={rows} className={classNames(controlLook, 'resize-y py-2', className)} />
  );
}
