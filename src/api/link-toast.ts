import { showToast } from '../components/overlays/toast-store.ts';
import { askKeepsMail } from './keeps-mail.ts';

/**
 * Shows where a link that was mailed to an address is: `sentText` if mail is sent, and that it was made if nobody knows.
 * If mail is kept in the outbox, the page has the command that shows it.
 */
export async function showLinkToast(sentText: string): Promise<void> {
  const keepsMail = await askKeepsMail();
  showToast(
    keepsMail === false
      ? { title: 'Link sent', description: sentText }
      : {
          title: 'Link created',
          description: keepsMail === true ? 'This page shows how to open it.' : undefined,
        },
  );
}
