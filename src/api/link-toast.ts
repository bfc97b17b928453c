import { showToast } from '../components/overlays/toast-store.ts';
import { askKeepsMail, OUTBOX_COMMAND } from './keeps-mail.ts';

/** Shows where a mailed link is: `sentText` if mail is sent, else how to read it in the outbox. */
export async function showLinkToast(sentText: string): Promise<void> {
  showToast(
    (await askKeepsMail()) === true
      ? { title: 'Link created', description: `It is in the outbox. To see it, run ${OUTBOX_COMMAND}` }
      : { title: 'Link sent', description: sentText },
  );
}
