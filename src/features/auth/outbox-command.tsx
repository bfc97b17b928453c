/** Shows the newest mail of the outbox, on the computer that Fairlead runs on. */
export const OUTBOX_COMMAND = 'npx fairlead outbox show';

/** The command as it is typed, in the middle of a sentence. */
export function OutboxCommand() {
  return (
    <code className="rounded-tight bg-surface-sunken px-1 font-mono text-sm whitespace-nowrap">{OUTBOX_COMMAND}</code>
  );
}
