import { Share2 } from 'lucide-react';
import { Button } from '../../components/button.tsx';

/** Opens the dialog that shares a report, which is fetched then. */
export function ShareButton({ onShare }: { onShare: () => void }) {
  return (
    <Button size="sm" onClick={onShare}>
      <Share2 /> Share
    </Button>
  );
}
