import type { LinkMail } from '../../routers/schemas/outbox-command.ts';
import { OutboxCommand } from '../components/outbox-command.tsx';
import { showToast } from '../components/overlays/toast-store.ts';
import { askKeepsMail } from './keeps-mail.ts';

/** Shows where a link that was mailed to an address is: `sentText` if mail is sent, else how to read it in the outbox. */
export async function showLinkToast(to: string, kind: LinkMail, sentText: string): Promise<void> {
  showToast(
    (await askKeepsMail()) === true
      ? {
          title: 'Link created',
          description: (
            <>
              It is in the outbox. To see it, run <OutboxCommand to={to} kind={kind} />
            </>
          ),
        }
      : { title: 'Link sent', description: sentText },
  );
}
