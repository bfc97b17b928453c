import type { LinkMail } from '../../routers/schemas/outbox-command.ts';
import { OutboxCommand } from '../components/outbox-command.tsx';
import { showToast } from '../components/overlays/toast-store.ts';
import { askKeepsMail } from './keeps-mail.ts';

/**
 * Shows where a link that was mailed to an address is: `sentText` if mail is sent, how to read it in the outbox if it is
 * kept there, and that it was made if nobody knows.
 */
export async function showLinkToast(to: string, kind: LinkMail, sentText: string): Promise<void> {
  const keepsMail = await askKeepsMail();
  showToast(
    keepsMail === false
      ? { title: 'Link sent', description: sentText }
      : {
          title: 'Link created',
          description:
            keepsMail === true ? (
              <>
                It is in the outbox. To see it, run <OutboxCommand to={to} kind={kind} />
              </>
            ) : undefined,
        },
  );
}
