import { showToast } from '../components/overlays/toast-store.ts';
import { askKeepsMail } from './keeps-mail.ts';

/**
 * Shows where a link that was mailed to an address is: `sentText` if mail is sent, and that it was made if nobody knows.
 * If mail is kept in the outbox, it says so; the command that shows the link stands on the page.
 */
export async function showLinkToast(sentText: string): Promise<void> {
  const keepsMail = await askKeepsMail();
  showToast(
    keepsMail === false
      ? { title: 'Link sent', description: sentText }
      : {
          title: 'Link created',
          description: keepsMail === true ? 'It is in the outbox, on the computer where Fairlead runs.' : undefined,
        },
  );
}
