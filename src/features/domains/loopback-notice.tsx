import { leadHere } from '../../../routers/rules/lead-here.ts';
import { LOOPBACK_WARNING } from '../../../routers/rules/loopback-warning.ts';
import type { Domain } from '../../../routers/schemas/domains.ts';
import { Notice } from '../../components/notice.tsx';
import { LOOPBACK_TITLE } from '../../lib/loopback.ts';

/** Warns that a host which nobody else can reach would be offline under its records. */
export function LoopbackNotice({ records }: Pick<Domain, 'records'>) {
  if (!leadHere(records)) return null;
  return (
    <Notice tone="warn" title={LOOPBACK_TITLE}>
      {LOOPBACK_WARNING}
    </Notice>
  );
}
