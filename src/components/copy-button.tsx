import { Check, Copy } from 'lucide-react';
import { useEffect, useState } from 'react';
import { copyText } from './copy-text.ts';
import { IconButton } from './icon-button.tsx';
import { showToast } from './overlays/toast-store.ts';

/** The tick stays this long: long enough to be seen, and gone before the next copy. */
const TICK_MS = 2_000;

export type CopyButtonProps = {
  text: string;
  /** Names the copied text: "Copy address". */
  label: string;
  className?: string | undefined;
};

export function CopyButton({ text, label, className }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);

  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), TICK_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);

  async function copy() {
    const done = await copyText(text);
    setCopied(done);
    if (!done)
      showToast({
        title: 'Not copied',
        description: 'The browser did not allow it. Select the text and copy it.',
        variant: 'destructive',
      });
  }

  return (
    <>
      <IconButton label={label} onClick={copy} className={className}>
        {isCopied ? <Check className="animate-tick text-good" /> : <Copy />}
      </IconButton>
      <span role="status" className="sr-only">
        {isCopied ? 'Copied' : ''}
      </span>
    </>
  );
}
