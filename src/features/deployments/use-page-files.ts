import { useState } from 'react';
import type { Picked } from '../../api/upload-picks.ts';
import type { UploadRecord } from '../../api/upload-record.ts';
import { type ChosenFiles, useUnderstood } from './chosen-files.ts';

/** A folder or ZIP that lives in the page where it was chosen, and in no other; `first` is chosen from the start. */
export function usePageFiles(asked: UploadRecord | null, first: Picked | null = null): ChosenFiles {
  const [folder, choose] = useState(first);
  return useUnderstood({ folder, asked, choose });
}
