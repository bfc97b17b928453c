import { classNames } from './class-names.ts';

/** Shows a text of any length in one line, cut off at its end; the whole text is in its tooltip. */
export function OneLine({ children, className }: { children: string; className?: string | undefined }) {
  return (
    <span title={children} dir="auto" className={classNames('block truncate', className)}>
      {children}
    </span>
  );
}
