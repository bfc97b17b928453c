import { useCallback, useEffect } from 'react';
import { useSearchParams } from 'wouter';
import { CONNECTION_TITLES } from '../../../routers/schemas/connection-titles.ts';
import { CONNECTION_PROVIDERS } from '../../../routers/schemas/platforms/ids.ts';
import { errorToast } from '../../api/errors.ts';
import { trpc } from '../../api/trpc.ts';
import { showToast } from '../../components/overlays/toast-store.ts';
import { useNavigate, useVisit } from '../../lib/browser/location.ts';
import { CONNECT, REPLACE, returnAddress } from '../../lib/paths/connection-links.ts';
import { paths } from '../../lib/paths/paths.ts';
import { SESSION_KEYS, tryStorage } from '../../lib/storage/storage.ts';
import { ConnectDialog } from './connect-dialog.tsx';
import { ReplaceConnectionDialog } from './connection-rows.tsx';

/**
 * Handles requests in the address: a link from a broken or lost connection, to replace its token or to connect its
 * platform again, and the return of the browser from a platform's sign-in. Who came from something that waits for the
 * connection returns to it.
 */
export function AskedByAddress() {
  const [search, setSearch] = useSearchParams();
  const { data } = trpc.connections.list.useQuery();
  const replacing = data?.items.find(({ id }) => id === search.get(REPLACE));
  const connecting = CONNECTION_PROVIDERS.find((id) => id === search.get(CONNECT));
  useFinishAuthorization();
  const returnTo = returnAddress(useVisit());
  const close = () => (returnTo === null ? setSearch({}, { replace: true }) : history.back());
  if (replacing !== undefined) return <ReplaceConnectionDialog connection={replacing} onClose={close} />;
  if (connecting === undefined || data === undefined) return null;
  return (
    <ConnectDialog
      providers={[connecting]}
      signIn={data.signIn}
      returnTo={returnTo ?? paths.settings}
      onClose={close}
    />
  );
}

/**
 * Completes a sign-in at a platform that sent the browser back here with a code, removes the code from the address,
 * and returns to where the sign-in was begun.
 */
function useFinishAuthorization(): void {
  const [search, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const leave = useCallback(() => {
    const returnTo = tryStorage(() => sessionStorage.getItem(SESSION_KEYS.returnTo));
    if (returnTo !== null) navigate(returnTo, { replace: true });
  }, [navigate]);
  const { mutate } = trpc.connections.finishAuthorization.useMutation({
    onSuccess: ({ provider, identity }) =>
      showToast({
        title: `${CONNECTION_TITLES[provider]} connected`,
        description: `Fairlead publishes as ${identity}.`,
      }),
    onError: (error) => showToast(errorToast('Could not connect', error)),
    onSettled: leave,
  });
  const code = search.get('code');
  const state = search.get('state');
  const refusal = search.get('error');

  useEffect(() => {
    const provider = CONNECTION_PROVIDERS.find((id) => state?.startsWith(`${id}.`));
    if (state === null || provider === undefined) return;
    setSearch({}, { replace: true });
    if (code !== null) mutate({ provider, code, state });
    else if (refusal !== null) {
      showToast({
        title: `${CONNECTION_TITLES[provider]} was not connected`,
        description: 'The sign-in was cancelled.',
      });
      leave();
    }
  }, [code, state, refusal, mutate, setSearch, leave]);
}
