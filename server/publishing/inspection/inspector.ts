import { setImmediate as nextTurn } from 'node:timers/promises';
import { inspectionSteps, type UploadInspection } from '../../../routers/rules/uploads/upload-inspection.ts';
import type { OfferedFile } from '../../../routers/rules/uploads/upload-rules.ts';
import { inspectText, type TextFindings } from '../../../routers/rules/uploads/upload-text-problems.ts';
import { startThread } from '../../lib/thread/thread.ts';
import { runInTimeSlices } from '../../lib/time-slices.ts';

/** Messages to the thread (inspection.worker.ts), each of which has one answer. */
export type ToInspection =
  | { kind: 'files'; files: readonly OfferedFile[] }
  | { kind: 'texts'; texts: readonly TextOfFile[] }
  | { kind: 'conclude'; texts: ReadonlyMap<string, string>; isSinglePage: boolean };
export type TextOfFile = { file: OfferedFile; text: string };
export type FromInspection = { links: number } | { inspection: UploadInspection };

/** Examines the files of one release. */
export type Inspector = {
  /** Examines some texts, each of one file; resolves with how many of their links are remembered. */
  look(texts: readonly TextOfFile[]): Promise<number>;
  /** Returns the findings of all files; the parameters are those of `inspectUpload`. */
  conclude(texts: ReadonlyMap<string, string>, isSinglePage: boolean): Promise<UploadInspection>;
  end(): Promise<void>;
};

/** Files below these limits are examined within some milliseconds at most, less than a thread takes to start. */
const SMALL = { textBytes: 32 * 1024, allBytes: 256 * 1024, files: 1_000 };
/** Copying this many for the thread takes about a millisecond. */
const FILES_A_MESSAGE = 1_000;
const HEAP_MAX_MB = 256;

/**
 * Returns an inspector of these files, the `read` ones of which are examined: here when they are small, otherwise in a
 * thread.
 */
export async function openInspector(
  files: readonly OfferedFile[],
  read: readonly OfferedFile[],
  signal: AbortSignal,
): Promise<Inspector> {
  const allBytes = read.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const isSmall = files.length <= SMALL.files && allBytes <= SMALL.allBytes;
  if (isSmall && read.every(({ sizeBytes }) => sizeBytes <= SMALL.textBytes)) return inspectorHere(files);
  return inspectorInThread(files, signal);
}

function inspectorHere(files: readonly OfferedFile[]): Inspector {
  const looks = new Map<string, TextFindings>();
  return {
    async look(texts) {
      let links = 0;
      for (const { file, text } of texts) {
        const look = inspectText(file, text);
        looks.set(file.path, look);
        links += look.links.length;
        await nextTurn();
      }
      return links;
    },
    conclude: (texts, isSinglePage) => runInTimeSlices(inspectionSteps(files, texts, looks, isSinglePage)),
    end: async () => undefined,
  };
}

async function inspectorInThread(files: readonly OfferedFile[], signal: AbortSignal): Promise<Inspector> {
  const thread = startThread<ToInspection, FromInspection>({
    program: 'inspection-worker',
    heapMaxMb: HEAP_MAX_MB,
    signal,
  });
  async function ask(message: ToInspection): Promise<FromInspection> {
    thread.post(message);
    return thread.next();
  }
  try {
    for (let start = 0; start < files.length; start += FILES_A_MESSAGE) {
      await ask({ kind: 'files', files: files.slice(start, start + FILES_A_MESSAGE) });
    }
  } catch (error) {
    await thread.end();
    throw error;
  }
  return {
    async look(texts) {
      const answer = await ask({ kind: 'texts', texts });
      return 'links' in answer ? answer.links : 0;
    },
    async conclude(texts, isSinglePage) {
      const answer = await ask({ kind: 'conclude', texts, isSinglePage });
      if (!('inspection' in answer)) throw new Error('The thread answered something other than what was asked.');
      return answer.inspection;
    },
    end: thread.end,
  };
}
