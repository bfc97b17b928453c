import { outboxCommand } from '../../../routers/schemas/outbox-command.ts';

/** The command that shows the newest mail to an address, in its exact form, in the middle of a sentence. */
export function OutboxCommand({ to }: { to: string }) {
  return (
    <code className="rounded-tight bg-surface-sunken box-decoration-clone px-1 font-mono text-sm wrap-anywhere">
      {outboxCommand(to)}
    </code>
  );
}
