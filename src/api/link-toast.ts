import { showToast } from '../components/toast-store.ts';
import { askKeepsMail, OUTBOX_COMMAND } from './keeps-mail.ts';

/** Tells where a mailed link is: `sentText` where mail is sent, and how to read it where it stays in the outbox. */
export async function showLinkToast(sentText: string): Promise<void> {
  showToast(
    (await askKeepsMail()) === true
      ? { title: 'Link created', description: `It is in the outbox: ${OUTBOX_COMMAND}` }
      : { title: 'Link sent', description: sentText },
  );
}
