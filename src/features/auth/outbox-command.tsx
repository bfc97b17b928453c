import { OUTBOX_COMMAND } from '../../api/keeps-mail.ts';

/** The command in its exact form, in the middle of a sentence. */
export function OutboxCommand() {
  return (
    <code className="rounded-tight bg-surface-sunken px-1 font-mono text-sm whitespace-nowrap">{OUTBOX_COMMAND}</code>
  );
}
