import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { License } from '../../../routers/schemas/licenses.ts';
import { PLANS } from '../../../routers/schemas/plan-table.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Card, CardHeader } from '../../components/card.tsx';
import { Setting } from '../../components/fields/setting.tsx';
import { ListStates } from '../../components/lists/list-states.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { LicenseHistory } from './license-history.tsx';
import { STATUS_BADGES, statusText } from './license-status.ts';
import { RevokeTransferDialog } from './revoke-transfer-dialog.tsx';
import { TransferDialog } from './transfer-dialog.tsx';

/** Lists the licenses that the account has redeemed, with their acts and their history. */
export function LicenseList() {
  const list = trpc.licenses.list.useQuery();
  const [transferring, setTransferring] = useState<License | null>(null);
  const [revoking, setRevoking] = useState<License | null>(null);
  const licenses = list.data?.items ?? [];
  return (
    <>
      <Card>
        <CardHeader title="License keys" count={licenses.length === 0 ? undefined : licenses.length} />
        <ListStates
          list={list}
          count={licenses.length}
          skeleton={<SkeletonRows rows={1} lines={2} />}
          failure={shownFailure('Your license keys could not be loaded', list.error)}
          empty={{
            icon: KeyRound,
            text: 'No license keys yet. The operator of this Fairlead issues them; redeem one above.',
          }}
        >
          <ul aria-label="License keys" className="divide-y divide-line">
            {licenses.map((license) => (
              <li key={license.id}>
                <LicenseRow
                  license={license}
                  onTransfer={() => setTransferring(license)}
                  onRevoke={() => setRevoking(license)}
                />
              </li>
            ))}
          </ul>
        </ListStates>
      </Card>
      {licenses.length > 0 && <LicenseHistory licenses={licenses} />}
      {transferring !== null && <TransferDialog license={transferring} onClose={() => setTransferring(null)} />}
      {revoking !== null && <RevokeTransferDialog license={revoking} onClose={() => setRevoking(null)} />}
    </>
  );
}

type LicenseRowProps = { license: License; onTransfer: () => void; onRevoke: () => void };

function LicenseRow({ license, onTransfer, onRevoke }: LicenseRowProps) {
  const { prefix, plan, status, redeemedAt } = license;
  const { tone, icon, word } = STATUS_BADGES[status];
  return (
    <Setting
      title={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {PLANS[plan].title}
          <Badge tone={tone} icon={icon}>
            {word}
          </Badge>
        </span>
      }
      action={
        <>
          {(status === 'running' || status === 'waiting') && (
            <Button size="sm" onClick={onTransfer} aria-label={`Transfer ${prefix}`}>
              Transfer
            </Button>
          )}
          {status === 'transferring' && (
            <Button size="sm" onClick={onRevoke} aria-label={`Revoke the transfer of ${prefix}`}>
              Revoke transfer
            </Button>
          )}
        </>
      }
    >
      <p>{statusText(license)}</p>
      <p className="text-sm">
        <code className="font-mono text-xs">{prefix}…</code> · redeemed <Time at={redeemedAt} />
      </p>
    </Setting>
  );
}
