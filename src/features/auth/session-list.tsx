import { MonitorSmartphone } from 'lucide-react';
import type { Session } from '../../../routers/schemas/auth.ts';
import { errorToast } from '../../api/errors.ts';
import { shownFailure } from '../../api/shown-failure.ts';
import { trpc } from '../../api/trpc.ts';
import { Button } from '../../components/button.tsx';
import { Card } from '../../components/card.tsx';
import { Setting } from '../../components/fields/setting.tsx';
import { ListStates } from '../../components/lists/list-states.tsx';
import { showToast } from '../../components/overlays/toast-store.ts';
import { Section } from '../../components/page/section.tsx';
import { SkeletonRows } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';

/** Lists the signed-in browsers; each but this one can be signed out from here. */
export function SessionList() {
  const list = trpc.auth.sessions.useQuery();
  const sessions = list.data?.items ?? [];
  return (
    <Section
      title="Logged-in browsers"
      count={sessions.length === 0 ? undefined : sessions.length}
      description="Log out any browser you don’t recognise, then change your password."
    >
      <Card>
        <ListStates
          list={list}
          count={sessions.length}
          skeleton={<SkeletonRows rows={1} />}
          failure={shownFailure('Your sessions could not be loaded', list.error)}
          empty={{ icon: MonitorSmartphone, text: 'No browser is logged in.' }}
        >
          <ul className="divide-y divide-line">
            {sessions.map((session) => (
              <li key={session.id}>
                <SessionRow session={session} />
              </li>
            ))}
          </ul>
        </ListStates>
      </Card>
    </Section>
  );
}

function SessionRow({ session: { id, device, address, isCurrent, createdAt, lastUsedAt } }: { session: Session }) {
  const revoke = trpc.auth.revokeSession.useMutation({
    onSuccess: () => void showToast({ title: 'Logged out', description: `${device} is logged out.` }),
    onError: (error) => void showToast(errorToast('The browser could not be logged out', error)),
  });
  return (
    <Setting
      title={device}
      action={
        isCurrent ? (
          <p className="text-sm text-ink-muted">This browser</p>
        ) : (
          <Button
            size="sm"
            aria-label={`Log out ${device}`}
            isBusy={revoke.isPending}
            busyLabel="Logging out…"
            onClick={() => revoke.mutate({ sessionId: id })}
          >
            Log out
          </Button>
        )
      }
    >
      <p className="text-sm">
        From {address} ·{' '}
        {isCurrent ? (
          'in use now'
        ) : (
          <>
            last used <Time at={lastUsedAt} />
          </>
        )}{' '}
        · logged in <Time at={createdAt} />
      </p>
    </Setting>
  );
}
