import { CircleAlert, X } from 'lucide-react';
import { Toast } from 'radix-ui';
import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { TOAST_DURATION_MS, TOAST_HOTKEY, TOAST_SWIPE_THRESHOLD_PX } from '../../../routers/schemas/limits.ts';
import { useAddress } from '../../lib/browser/location.ts';
import { useStore } from '../../lib/store.ts';
import { classNames } from '../class-names.ts';
import { dismissLeftToasts, dismissToast, type ToastItem, toasts } from './toast-store.ts';

/** The one toast area of the app: F8 moves the focus to it, and a swipe to the right closes a toast. */
export function Toaster() {
  const shown = useStore(toasts);
  const { pathname } = useAddress();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each screen that is left
  useEffect(dismissLeftToasts, [pathname]);
  const list = useRef<HTMLOListElement>(null);
  useLift(
    list,
    shown.some(({ isOpen }) => isOpen),
  );
  return (
    <Toast.Provider duration={TOAST_DURATION_MS} swipeDirection="right" swipeThreshold={TOAST_SWIPE_THRESHOLD_PX}>
      {shown.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
      <Toast.Viewport
        ref={list}
        hotkey={[TOAST_HOTKEY]}
        // A toast comes from below, where it hides no title; beside a wide page, above the floating button of the same
        // corner. The list is as tall as the window, since one that grows counts as a jump of the page.
        className="pointer-events-none fixed inset-0 z-50 flex print:hidden w-full flex-col justify-end gap-2 p-4 pb-[max(1rem,env(safe-area-inset-bottom))] outline-none md:left-auto md:bottom-12 md:max-w-toast"
      />
    </Toast.Provider>
  );
}

function ToastCard({ toast }: { toast: ToastItem }) {
  const isDestructive = toast.variant === 'destructive';
  return (
    <Toast.Root
      open={toast.isOpen}
      onOpenChange={(isOpen) => {
        if (!isOpen) dismissToast(toast.id);
      }}
      duration={toast.durationMs}
      type={isDestructive ? 'foreground' : 'background'}
      data-toast={toast.variant}
      className={classNames(
        'pointer-events-auto relative flex items-start gap-3 rounded-card border border-line bg-surface-raised p-4 pr-12 shadow-float',
        'data-[state=open]:animate-rise data-[state=closed]:animate-leave',
        'data-[swipe=move]:translate-x-(--radix-toast-swipe-move-x) data-[swipe=cancel]:translate-x-0 data-[swipe=cancel]:transition-transform',
        'data-[swipe=end]:translate-x-(--radix-toast-swipe-end-x) data-[swipe=end]:opacity-0',
      )}
    >
      {isDestructive && <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" strokeWidth={1.75} />}
      <div className="min-w-0 grow">
        <Toast.Title className={classNames('font-medium wrap-anywhere', isDestructive && 'text-bad')}>
          {toast.title}
        </Toast.Title>
        {toast.description !== undefined && toast.description !== '' && (
          <Toast.Description className="mt-0.5 text-sm wrap-anywhere text-ink-muted">
            {toast.description}
          </Toast.Description>
        )}
      </div>
      <Toast.Close
        aria-label="Close"
        className="absolute top-2.5 right-2.5 flex size-8 items-center justify-center rounded-control text-ink-faint hover:bg-surface-hover hover:text-ink touch:top-1 touch:right-1 touch:size-11"
      >
        <X aria-hidden className="size-4" strokeWidth={1.75} />
      </Toast.Close>
    </Toast.Root>
  );
}

/**
 * Moves the list by `liftOver` of what is on the page, which scrolls, changes and is left while a toast is open. It is
 * moved and not laid out anew, so that nothing counts as a jump of the page.
 */
function useLift(list: RefObject<HTMLElement | null>, isOpen: boolean): void {
  // A toast that leaves stays where it is.
  const lift = useRef(0);
  useLayoutEffect(() => {
    if (!isOpen) return;
    let frame = 0;
    function look() {
      const first = list.current?.firstElementChild?.getBoundingClientRect();
      const last = list.current?.lastElementChild?.getBoundingClientRect();
      if (!list.current || !first || !last) return;
      const place = new DOMRect(first.x, first.y + lift.current, first.width, last.bottom - first.top);
      // Of what lies under a dialog nothing can be pressed, and above its buttons any place will do.
      const dialog = Array.from(document.querySelectorAll(DIALOG)).at(-1);
      const rects = (selector: string) => rectsOf(dialog ?? document, selector);
      const highest = dialog ? 0 : window.innerHeight / 2;
      // Where there is no room above all of them, there may be some above those that matter most.
      lift.current = liftOver(rects(`${MAIN}, ${FURTHER}`), place, highest) || liftOver(rects(MAIN), place, highest);
      list.current.style.translate = `0 ${-lift.current}px`;
    }
    function lookSoon() {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(look);
    }
    look();
    const changes = new MutationObserver(lookSoon);
    changes.observe(document.body, { subtree: true, childList: true, attributeFilter: ['class'] });
    for (const name of EVENTS) window.addEventListener(name, lookSoon, true);
    return () => {
      cancelAnimationFrame(frame);
      changes.disconnect();
      for (const name of EVENTS) window.removeEventListener(name, lookSoon, true);
    };
  }, [list, isOpen]);
}

const EVENTS = ['scroll', 'resize', 'focusin'];

const GAP_PX = 8;

/** The buttons that complete or leave a screen or a dialog, and the field that is typed into. */
const MAIN = '[data-variant="primary"], [data-variant="danger"], input:focus, textarea:focus';
/** Other buttons, what must be read, and an open menu. */
const FURTHER = '[data-variant="secondary"], [data-notice="warn"], [data-notice="bad"], [role="menu"]';

const DIALOG = '[role$="dialog"][data-state="open"]';

function rectsOf(within: ParentNode, selector: string): DOMRect[] {
  return Array.from(within.querySelectorAll(selector), (element) => element.getBoundingClientRect());
}

/** Returns by how many pixels a toast must be lifted to cover none of `places`; 0 when that would pass `highest`. */
export function liftOver(places: readonly DOMRect[], card: DOMRect, highest: number): number {
  let lift = 0;
  for (const place of [...places].sort((one, other) => other.bottom - one.bottom)) {
    const isBeside = place.right <= card.left || place.left >= card.right;
    const isClear = place.top >= card.bottom - lift || place.bottom <= card.top - lift;
    if (!isBeside && !isClear) lift = card.bottom - place.top + GAP_PX;
  }
  return card.top - lift < highest ? 0 : lift;
}
