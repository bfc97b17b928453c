import type { LinkMail } from '../../routers/schemas/outbox-command.ts';
import { OutboxCommand } from '../components/outbox-command.tsx';
import { useKeepsMail } from './keeps-mail.ts';
import { SentOrKept } from './sent-or-kept.tsx';

/** Says where the link is that was mailed to an address: the one that confirms it, or of another kind. */
export function LinkPlace({ to, kind = 'confirm-email' }: { to: string; kind?: LinkMail }) {
  const keepsMail = useKeepsMail();
  return (
    <SentOrKept
      // A long address is cut; a command is there to be copied, and is not.
      sent={<span className="block sm:truncate">Link sent to {to}</span>}
      kept={
        // The toast about the link makes way for it where it is seen.
        <span data-notice={keepsMail === true ? 'warn' : undefined}>
          Get the link on the computer where Fairlead runs: <OutboxCommand to={to} kind={kind} />
        </span>
      }
    />
  );
}
