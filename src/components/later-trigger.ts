import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import { type Later, useLater } from '../lib/later.ts';
import { showToast } from './toast-store.ts';

const OPENING_KEYS = ['ArrowDown', 'ArrowUp'];

export type LaterTrigger<Part, Trigger> = {
  part: Part | null;
  /** The trigger was pressed before the part was here: it opens as it comes. */
  isOpenAtFirst: boolean;
  trigger: RefObject<Trigger | null>;
  /** For the button that stands in the trigger's place until then. */
  standIn: {
    'aria-expanded': false;
    'data-state': 'closed';
    onPointerEnter: () => void;
    onFocus: () => void;
    onBlur: () => void;
    onClick: () => void;
    onKeyDown: (event: KeyboardEvent) => void;
  };
};

/** A button whose popup comes later. The popup's own trigger takes its place, and its focus, when it is here. */
export function useLaterTrigger<Part, Trigger extends HTMLElement = HTMLButtonElement>(
  source: Later<Part>,
): LaterTrigger<Part, Trigger> {
  const part = useLater(source);
  const [isWanted, setWanted] = useState(false);
  const trigger = useRef<Trigger>(null);
  const hasFocus = useRef(false);
  const isHere = part !== null;

  useLayoutEffect(() => {
    if (isHere && hasFocus.current) trigger.current?.focus({ preventScroll: true });
    hasFocus.current = false;
  }, [isHere]);

  function fetchAhead() {
    source.fetch().catch(() => {});
  }

  function want() {
    setWanted(true);
    source.fetch().catch(() => {
      setWanted(false);
      showToast({
        title: 'Could not open',
        description: 'Fairlead cannot be reached. Check your connection and try again.',
        variant: 'destructive',
      });
    });
  }

  return {
    part,
    isOpenAtFirst: isWanted,
    trigger,
    standIn: {
      'aria-expanded': false,
      'data-state': 'closed',
      onPointerEnter: fetchAhead,
      onFocus: () => {
        hasFocus.current = true;
        fetchAhead();
      },
      onBlur: () => {
        hasFocus.current = false;
      },
      onClick: want,
      onKeyDown: (event) => {
        if (!OPENING_KEYS.includes(event.key)) return;
        event.preventDefault();
        want();
      },
    },
  };
}
