import { createContext, type ReactNode, useContext, useId } from 'react';
import { classNames } from '../class-names.ts';

type FieldWiring = { id: string; 'aria-describedby': string | undefined; 'aria-invalid': true | undefined };

const FieldContext = createContext<FieldWiring | null>(null);

export type FieldProps = {
  label: ReactNode;
  hint?: ReactNode;
  /** Replaces the hint while it is set. */
  error?: ReactNode;
  /** Shown beside the label, at the far end: a link or a badge of the field. */
  aside?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
};

/**
 * Shows the label above, the hint below, and an error in the hint's place; the control inside is tied to them
 * automatically.
 */
export function Field({ label, hint, error, aside, className, children }: FieldProps) {
  const id = useId();
  const messageId = `${id}-message`;
  const hasError = error !== undefined && error !== null && error !== '';
  const hasMessage = hasError || (hint !== undefined && hint !== null && hint !== false);
  return (
    <div className={classNames('flex flex-col', className)}>
      <div className="mb-1.5 flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        {aside}
      </div>
      <FieldContext
        value={{ id, 'aria-describedby': hasMessage ? messageId : undefined, 'aria-invalid': hasError || undefined }}
      >
        {children}
      </FieldContext>
      <div
        id={messageId}
        aria-live="polite"
        // In a form with `data-steady` its line is kept, so that nothing below moves when an error comes or goes.
        className={classNames('text-xs group-data-steady:min-h-7', hasError ? 'text-bad' : 'text-ink-muted')}
      >
        {hasMessage && <p className="mt-1.5">{hasError ? error : hint}</p>}
      </div>
    </div>
  );
}

/** Returns the attributes of a control that belongs to the field around it; empty outside of one. */
export function useField(): Partial<FieldWiring> {
  return useContext(FieldContext) ?? {};
}
