import { isSignedOut, session } from './api/session/session.ts';
import { followDrafts } from './lib/storage/draft-storage.ts';
import { hasUploadRecords } from './lib/storage/storage.ts';

/** Makes the browser's stored data follow the account: drafts of forms, and selections to publish. */
export function followSession(): void {
  const follow = () => followDrafts({ accountId: session.accountId(), isSignedOut: isSignedOut() });
  session.onAccountChange(() => {
    follow();
    if (hasUploadRecords() || isSignedOut()) void followUploads();
  });
  // Changes by another tab before this page began are noticed at once.
  follow();
}

async function followUploads(): Promise<void> {
  try {
    const { followAccount } = await import('./uploads/stored-selections.ts');
    followAccount();
  } catch {
    // The next page checks again, and shows nothing of another account until then.
  }
}
