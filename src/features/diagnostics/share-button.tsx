import { Share2 } from 'lucide-react';
import { Button } from '../../components/button.tsx';

/** Opens the dialog for sharing a report, which is loaded then. */
export function ShareButton({ onShare }: { onShare: () => void }) {
  return (
    <Button size="sm" onClick={onShare}>
      <Share2 /> Share
    </Button>
  );
}
