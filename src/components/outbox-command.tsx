import { type LinkMail, outboxCommand } from '../../routers/schemas/outbox-command.ts';

/** The command that shows the newest mail of a kind to an address, whole on one line wherever a line has the room. */
export function OutboxCommand({ to, kind }: { to: string; kind: LinkMail }) {
  return (
    <code className="mt-1 inline-block rounded-tight bg-surface-sunken px-1 font-mono text-sm wrap-anywhere">
      {outboxCommand(to, kind).slice(0, -kind.length)}
      {/* Broken at its hyphen it would read as two words. */}
      <span className="whitespace-nowrap">{kind}</span>
    </code>
  );
}
