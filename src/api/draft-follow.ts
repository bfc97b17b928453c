import { followDrafts } from '../lib/draft-storage.ts';
import { isSignedOut, session } from './session.ts';

function follow(): void {
  followDrafts({ accountId: session.accountId(), isSignedOut: isSignedOut() });
}

// With the client, without which no account comes; what another tab did before that is seen at once.
session.onAccountChange(follow);
follow();
