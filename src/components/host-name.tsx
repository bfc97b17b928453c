import { type ClipboardEvent, Fragment } from 'react';
import { classNames } from './class-names.ts';

export type HostNameProps = {
  /** A host name, or an address without its scheme. */
  name: string;
  /** `truncate`: one line, shortened in the middle; `wrap`: whole, broken at its dots alone. */
  fit?: 'truncate' | 'wrap' | undefined;
  className?: string | undefined;
};

/** The end of a shortened name that stays visible: its domain. */
const TAIL_LENGTH = 18;

/**
 * The beginning of a shortened name that stays visible in the narrowest place, with the ellipsis: without it, it would
 * look like another name.
 */
const HEAD_LENGTH = 3;

/** Cuts the shortened part after a whole letter, so that no piece of one leaves a gap before the tail; 18 as above. */
const WHOLE_LETTERS = 'max-w-[calc(round(down,100%-18ch+0.1px,1ch)+0.1px)]';

export function HostName({ name, fit = 'truncate', className }: HostNameProps) {
  if (fit === 'wrap') return <BrokenAtDots name={name} className={className} />;
  const cut = Math.max(0, name.length - TAIL_LENGTH);
  return (
    <span
      title={name}
      onCopy={(event) => copyWhole(event, name)}
      // Selected as one: of two boxes a triple click takes that under the pointer alone.
      className={classNames('inline-flex max-w-full min-w-0 font-mono text-sm whitespace-nowrap select-all', className)}
    >
      {/* Two boxes are two words to a screen reader and one name to a person: the name is read from here. */}
      <span className="sr-only select-none">{name}</span>
      {cut > 0 && (
        <span
          aria-hidden
          // It shrinks alone: the loss of a part of a pixel would cost the tail a letter.
          style={{ minWidth: `${Math.min(cut, HEAD_LENGTH)}ch` }}
          className={classNames('shrink-99999 overflow-hidden text-ellipsis', WHOLE_LETTERS)}
        >
          {name.slice(0, cut)}
        </span>
      )}
      <span aria-hidden className="min-w-0 overflow-hidden text-ellipsis">
        {name.slice(cut)}
      </span>
    </span>
  );
}

function BrokenAtDots({ name, className }: { name: string; className?: string | undefined }) {
  const labels = name.split(/(?<=\.)/);
  return (
    <span className={classNames('font-mono text-sm wrap-anywhere', className)}>
      {labels.map((label, index) => (
        <Fragment key={labels.slice(0, index + 1).join('')}>
          {index > 0 && <wbr />}
          {/* One piece: a line would also end at its hyphens. */}
          <span className="inline-block max-w-full">{label}</span>
        </Fragment>
      ))}
    </span>
  );
}

function copyWhole(event: ClipboardEvent, name: string): void {
  event.clipboardData.setData('text/plain', name);
  event.preventDefault();
}
