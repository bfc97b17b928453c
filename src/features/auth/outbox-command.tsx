import { OUTBOX_COMMAND } from '../../api/keeps-mail.ts';

/** The command as it is typed, in the middle of a sentence. */
export function OutboxCommand() {
  return (
    <code className="rounded-tight bg-surface-sunken px-1 font-mono text-sm whitespace-nowrap">{OUTBOX_COMMAND}</code>
  );
}
