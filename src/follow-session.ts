import { isSignedOut, session } from './api/session.ts';
import { followDrafts } from './lib/draft-storage.ts';
import { hasUploadRecords } from './lib/storage.ts';

/** Lets what this browser keeps for a person follow the account: drafts of forms, and selections to be published. */
export function followSession(): void {
  const follow = () => followDrafts({ accountId: session.accountId(), isSignedOut: isSignedOut() });
  session.onAccountChange(() => {
    follow();
    if (hasUploadRecords() || isSignedOut()) void followUploads();
  });
  // What another tab did before this page began is seen at once.
  follow();
}

async function followUploads(): Promise<void> {
  try {
    const { followAccount } = await import('./uploads/stored-selections.ts');
    followAccount();
  } catch {
    // The next page looks again, and shows nothing of another account until then.
  }
}
