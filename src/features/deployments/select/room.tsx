import type { ReleaseRoom, SentFiles } from '../../../../routers/schemas/releases.ts';
import { LinkPlace } from '../../../api/link-place.tsx';
import { SendConfirmation, unconfirmedEmail } from '../../../api/send-confirmation.tsx';
import { trpc } from '../../../api/trpc.ts';
import { useUser } from '../../../api/user.ts';
import { Notice } from '../../../components/notice.tsx';
import { isZip, type Selection, selectionNoun } from '../../../uploads/selection/selection.ts';
import type { FindingsContext } from './findings.ts';

export type Room = {
  /** The reason why the account may have no room for the files; null when it has, or nothing is known. */
  refusal: ReleaseRoom['refusal'];
  isAsked: boolean;
};

/** Asks the server about the room for files before they are sent, by its own rule. Without an answer nothing is held up. */
export function useRoom(files: SentFiles | null): Room {
  const room = trpc.releases.room.useQuery(files ?? { count: 1, totalBytes: 0 }, { enabled: files !== null });
  return { refusal: (files !== null && room.data?.refusal) || null, isAsked: files !== null && room.isPending };
}

/**
 * Returns why nothing can be published; null when it can. The files of a folder are compared with those that are stored
 * before one of them is sent; a ZIP is sent as a whole, and would be refused after that.
 */
export function roomRefusal({ refusal }: Room, selection: Selection): string | null {
  if (refusal === null || !(refusal.isCertain || isZip(selection))) return null;
  return refusal.asksToConfirm ? 'Confirm your email address first.' : 'Your account has no room for these files.';
}

/** Says what the account has room for, and how it gets more. */
export function RoomNotice({ room, selection }: { room: Room; selection: Selection }) {
  const { user } = useUser();
  if (room.refusal === null) return null;
  const { message, hint, asksToConfirm } = room.refusal;
  const email = asksToConfirm && user !== null ? (unconfirmedEmail(user) ?? user.email) : null;
  const isBlocking = roomRefusal(room, selection) !== null;
  const noun = selectionNoun(selection);
  const title = asksToConfirm ? `Confirm your email address to publish this ${noun}` : `No room for this ${noun}`;
  return (
    <div className="p-4 sm:px-5">
      <Notice
        tone="warn"
        title={isBlocking ? title : `This ${noun} may not fit`}
        action={email !== null && <SendConfirmation email={email} size="sm" />}
      >
        {message} {hint} {!isBlocking && 'Files published before do not count again.'}
        {/* The banner that says it too may have been put away. */}
        {email !== null && <LinkPlace to={email} />}
      </Notice>
    </div>
  );
}

type HoldLineProps = NonNullable<FindingsContext['hold']>;

/** Says at the top of the files what holds up their publication, and leads to where that is decided. */
export function HoldLine({ text, onDecide }: HoldLineProps) {
  return (
    <p className="mt-0.5 text-sm">
      {text}{' '}
      {onDecide && (
        <button
          type="button"
          className="rounded-tight text-left text-accent underline touch:-my-3 touch:py-3"
          onClick={onDecide}
        >
          Choose how to publish
        </button>
      )}
    </p>
  );
}
