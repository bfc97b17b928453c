import type { ReactNode } from 'react';
import { leadHere } from '../../../../routers/rules/lead-here.ts';
import type { Domain } from '../../../../routers/schemas/domains.ts';

type RecordsFoldProps = Pick<Domain, 'records'> & { children: ReactNode };

/** Folds records that lead everybody to their own computer: in sight they would ask for what the notice warns of. */
export function RecordsFold({ records, children }: RecordsFoldProps) {
  if (!leadHere(records)) return children;
  return (
    <details>
      <summary className="w-fit cursor-pointer rounded-tight py-1 text-sm text-ink-muted hover:text-ink touch:py-3">
        Show the records
      </summary>
      <div className="mt-2 flex flex-col gap-4">{children}</div>
    </details>
  );
}
