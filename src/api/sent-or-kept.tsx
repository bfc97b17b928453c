import type { ReactNode } from 'react';
import { classNames } from '../components/class-names.ts';
import { useKeepsMail } from './keeps-mail.ts';

/**
 * One of two texts: of mail that this Fairlead sends, or keeps in its outbox. Until that is known neither shows, and the
 * room of the longer one, which is `kept`, is there from the start.
 */
export function SentOrKept({ sent, kept }: { sent: ReactNode; kept: ReactNode }) {
  const keepsMail = useKeepsMail();
  return (
    <span className="grid">
      <span className={classNames('[grid-area:1/1]', keepsMail !== true && 'invisible')}>{kept}</span>
      {keepsMail === false && <span className="min-w-0 [grid-area:1/1]">{sent}</span>}
    </span>
  );
}
