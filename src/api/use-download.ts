import { showToast } from '../components/overlays/toast-store.ts';
import { formatSize } from '../lib/format.ts';
import { noticeDetail } from '../lib/notice-detail.ts';
import { errorToast } from './errors.ts';
import { rewriteApiPath } from './session/rewrite.ts';
import { trpc } from './trpc.ts';

/** Returns the act "Download as ZIP" of a release. */
export function useDownload() {
  return trpc.releases.download.useMutation({
    // It changes nothing that a screen shows.
    meta: { refresh: false },
    onSuccess: (link) => {
      saveDownload(link);
      const started = `${link.fileName}, ${formatSize(link.sizeBytes)}`;
      const notices = link.notices.map((notice) => ` ${notice.message} ${noticeDetail(notice)}`);
      showToast({
        title: 'Download started',
        description: `${started}${notices.length > 0 ? '.' : ''}${notices.join('')}`,
      });
    },
    onError: (error) => void showToast(errorToast('Could not download', error)),
  });
}

/**
 * Saves a download. The link carries its own right, so the browser itself streams the file to disk and shows the
 * progress.
 */
export function saveDownload({ url, fileName }: { url: string; fileName: string }): void {
  const link = document.createElement('a');
  link.href = rewriteApiPath(url, location.host, __FUNCTION_API_HOST__);
  link.download = fileName;
  link.click();
}
