import { hasUploadRecords } from '../lib/storage.ts';
import { session } from './session.ts';

/** What was kept of a folder follows its owner; who logs out takes it away, on whatever page (upload-copy.ts). */
session.onAccountChange(() => {
  if (!hasUploadRecords()) return;
  // What could not be taken away now is taken away by the next page that looks for what was left.
  import('./upload-copy.ts').then(
    ({ followAccount }) => followAccount(),
    () => {},
  );
});
