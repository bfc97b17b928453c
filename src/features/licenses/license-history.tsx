import { useState } from 'react';
import type { License } from '../../../routers/schemas/licenses.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import { Button } from '../../components/button.tsx';
import { Card, CardHeader } from '../../components/card.tsx';
import { Table, TableCell, TableRow } from '../../components/lists/table.tsx';
import { Time } from '../../components/time.tsx';
import { ACTS } from './license-status.ts';

/** A person reads this many at a glance; the others are shown on request. */
const SHOWN_AT_FIRST = 10;

const COLUMNS = [
  { key: 'what', title: 'What' },
  { key: 'license', title: 'License' },
  { key: 'when', title: 'When' },
];

/** Shows the history of all licenses of the account, newest first. */
export function LicenseHistory({ licenses }: { licenses: readonly License[] }) {
  const [isWhole, setWhole] = useState(false);
  const acts = licenses
    .flatMap(({ id, prefix, plan, history }) =>
      history.map(({ at, what }, index) => ({ key: `${id} ${index}`, prefix, plan, at, what })),
    )
    // Acts of one moment keep their order, the last of them first.
    .reverse()
    .sort((one, other) => other.at.getTime() - one.at.getTime());
  const shown = isWhole ? acts : acts.slice(0, SHOWN_AT_FIRST);
  return (
    <Card>
      <CardHeader title="History" />
      <Table label="History" columns={COLUMNS}>
        {shown.map(({ key, prefix, plan, at, what }) => (
          <TableRow key={key}>
            <TableCell label="What">{ACTS[what]}</TableCell>
            <TableCell label="License">
              <span>
                {PLANS[plan].title} <code className="font-mono text-xs text-ink-muted">{prefix}…</code>
              </span>
            </TableCell>
            <TableCell label="When" className="text-ink-muted">
              <Time at={at} />
            </TableCell>
          </TableRow>
        ))}
      </Table>
      {shown.length < acts.length && (
        <div className="border-t border-line p-3">
          <Button size="sm" variant="quiet" onClick={() => setWhole(true)}>
            Show all {acts.length}
          </Button>
        </div>
      )}
    </Card>
  );
}
