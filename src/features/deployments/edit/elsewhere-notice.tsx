import { useEffect, useState } from 'react';
import { Notice } from '../../../components/notice.tsx';

/** Warns when another tab may overwrite the stored changes of this one. */
export function ElsewhereNotice({ draftKey }: { draftKey: string }) {
  if (!useElsewhere(draftKey)) return null;
  return (
    <Notice tone="warn" title="These files are open in another tab as well" className="mb-4">
      Each tab has its own changes. If you reload one, it shows the changes from the tab you edited last.
    </Notice>
  );
}

/**
 * Returns whether another tab of this browser has the same files open. Each tab has its own changes, and the browser
 * stores one set of them.
 */
function useElsewhere(key: string): boolean {
  const [isElsewhere, setIsElsewhere] = useState(false);
  useEffect(() => {
    const channel = new BroadcastChannel(`fairlead.editor ${key}`);
    channel.onmessage = ({ data }) => {
      // Of several others one may stay: those that are left answer.
      setIsElsewhere(data !== 'left');
      if (data !== 'here') channel.postMessage(data === 'opened' ? 'here' : 'opened');
    };
    channel.postMessage('opened');
    const leave = () => channel.postMessage('left');
    addEventListener('pagehide', leave);
    return () => {
      leave();
      removeEventListener('pagehide', leave);
      channel.close();
    };
  }, [key]);
  return isElsewhere;
}
