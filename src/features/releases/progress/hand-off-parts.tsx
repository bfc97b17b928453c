import { ExternalLink, Hand } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ReleaseHandOff } from '../../../../routers/schemas/releases.ts';
import { Button } from '../../../components/button.tsx';
import { Card } from '../../../components/card.tsx';
import { classNames } from '../../../components/class-names.ts';
import { Field } from '../../../components/fields/field.tsx';
import { Input } from '../../../components/fields/input.tsx';
import { LinkedText } from '../../../components/linked-text.tsx';
import { useSubmitOnce } from '../../../components/overlays/use-submit-once.ts';
import { WAITING_FOR_YOU } from '../../../components/states/waiting-for-you.ts';

type HandOffCardProps = {
  number: number;
  /** The platform's name. */
  title: string;
  className?: string | undefined;
  children: ReactNode;
};

/** The work for the person, for a release that waits as for a simulated one. */
export function HandOffCard({ number, title, className, children }: HandOffCardProps) {
  return (
    <Card aria-label={WAITING_FOR_YOU} className={classNames('p-4 sm:p-5', className)}>
      <h2 className="flex items-center gap-3 text-lg font-semibold">
        <span className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-soft text-accent">
          <Hand />
        </span>
        Finish release {number} at {title}
      </h2>
      {children}
    </Card>
  );
}

export function HandOffSteps({ steps, title }: { steps: ReleaseHandOff['steps']; title: string }) {
  return (
    <ol className="mt-3 flex list-decimal flex-col gap-2 pl-5 marker:text-ink-faint">
      {steps.map(({ text, url }) => (
        <li key={text}>
          {text}
          {url !== undefined && (
            <a
              href={url}
              target="_blank"
              rel="noreferrer"
              className="ml-2 inline-flex items-center gap-1 text-accent underline"
            >
              Open {title} <ExternalLink className="size-4" />
            </a>
          )}
        </li>
      ))}
    </ol>
  );
}

type HandOffAddressProps = {
  title: string;
  url: string;
  /** Absent when the address is given. */
  onUrl?: (url: string) => void;
  error: string | undefined;
  isPending?: boolean;
  onCheck: () => void;
};

/** Asks for the address where the person has published it, to check it from outside. */
export function HandOffAddress({ title, url, onUrl, error, isPending = false, onCheck }: HandOffAddressProps) {
  const check = useSubmitOnce(isPending, onCheck);
  return (
    <form onSubmit={check} noValidate className="mt-5 flex items-start gap-3 max-sm:flex-col">
      <Field label={`Address at ${title}`} error={error && <LinkedText text={error} />} className="w-full min-w-0">
        <Input
          type="url"
          placeholder="https://"
          value={url}
          readOnly={onUrl === undefined}
          onChange={(event) => onUrl?.(event.target.value)}
        />
      </Field>
      <Button
        type="submit"
        variant="primary"
        disabled={url.trim() === ''}
        isBusy={isPending}
        busyLabel="Checking…"
        // Beside the field, below its label.
        className="sm:mt-6.5"
      >
        Check now
      </Button>
    </form>
  );
}
