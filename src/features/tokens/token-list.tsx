import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { ApiToken } from '../../../routers/schemas/tokens.ts';
import { errorToast } from '../../api/errors.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Setting } from '../../components/fields/setting.tsx';
import { ListStates } from '../../components/lists/list-states.tsx';
import { OneLine } from '../../components/one-line.tsx';
import { ConfirmDialog } from '../../components/overlays/confirm-dialog.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { Section } from '../../components/page/section.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { formatDate } from '../../lib/format.ts';

import { CreateTokenDialog } from './create-token-dialog.tsx';

/** Lists the API tokens of the account, which are made, shown once and revoked here. */
export function TokenList() {
  const list = trpc.tokens.list.useQuery();
  const [isMaking, setMaking] = useState(false);
  const [revoking, setRevoking] = useState<ApiToken | null>(null);
  const tokens = list.data?.items ?? [];
  const make = (
    <Button size="sm" onClick={() => setMaking(true)}>
      New token
    </Button>
  );
  return (
    <Section
      title="API tokens"
      count={tokens.length === 0 ? undefined : tokens.length}
      description="For scripts and build servers, in place of your password. A token is shown once, when it is created."
      action={make}
    >
      <Card>
        <ListStates
          list={list}
          count={tokens.length}
          skeleton={<SkeletonRows rows={1} lines={2} />}
          failure={shownFailure('The tokens could not be loaded', list.error)}
          empty={{
            icon: KeyRound,
            text: 'No tokens yet. A token lets a script publish for you without your password.',
            isRow: true,
          }}
        >
          <ul className="divide-y divide-line">
            {tokens.map((token) => (
              <li key={token.id}>
                <TokenRow token={token} onRevoke={() => setRevoking(token)} />
              </li>
            ))}
          </ul>
        </ListStates>
      </Card>
      {isMaking && <CreateTokenDialog onClose={() => setMaking(false)} />}
      {revoking !== null && <RevokeTokenDialog token={revoking} onClose={() => setRevoking(null)} />}
    </Section>
  );
}

function TokenRow({ token, onRevoke }: { token: ApiToken; onRevoke: () => void }) {
  const { name, prefix, scopes, createdAt, expiresAt, lastUsedAt } = token;
  const may = scopes.includes('write') ? 'Reads and writes' : 'Reads only';
  return (
    <Setting
      title={<OneLine>{name}</OneLine>}
      action={
        <Button size="sm" onClick={onRevoke} aria-label={`Revoke ${name}`}>
          Revoke
        </Button>
      }
    >
      <p className="text-sm">
        <code className="font-mono text-xs">{prefix}…</code> · {may} · created <Time at={createdAt} />
      </p>
      <p className="text-sm">
        {lastUsedAt === null ? (
          'Never used'
        ) : (
          <>
            Last used <Time at={lastUsedAt} />
          </>
        )}{' '}
        · {expiresAt === null ? 'works until it is revoked' : `works until ${formatDate(expiresAt)}`}
      </p>
    </Setting>
  );
}

function RevokeTokenDialog({ token, onClose }: { token: ApiToken; onClose: () => void }) {
  const revoke = trpc.tokens.revoke.useMutation({
    onSuccess() {
      onClose();
      showToast({ title: 'Token revoked', description: `“${token.name}” no longer works.` });
    },
    onError(error) {
      onClose();
      showToast(errorToast('The token was not revoked', error));
    },
  });
  return (
    <ConfirmDialog
      isOpen
      onOpenChange={(isOpen) => {
        if (!isOpen) onClose();
      }}
      title={`Revoke “${token.name}”?`}
      description="Anything that uses it stops working at once. This cannot be undone."
      confirmLabel="Revoke"
      busyLabel="Revoking…"
      isBusy={revoke.isPending}
      onConfirm={() => revoke.mutate({ tokenId: token.id })}
    />
  );
}
