import { parentPort } from 'node:worker_threads';
import { inspectUpload } from '../../../routers/rules/uploads/upload-inspection.ts';
import type { OfferedFile } from '../../../routers/rules/uploads/upload-rules.ts';
import { inspectText, type TextFindings } from '../../../routers/rules/uploads/upload-text-problems.ts';
import type { FromInspection, ToInspection } from './inspector.ts';

/** A thread examines the files of one release; each message has one answer. */
const files: OfferedFile[] = [];
const looks = new Map<string, TextFindings>();

function answer(message: ToInspection): FromInspection {
  if (message.kind === 'conclude')
    return { inspection: inspectUpload(files, message.texts, looks, message.isSinglePage) };
  if (message.kind === 'files') {
    files.push(...message.files);
    return { links: 0 };
  }
  let links = 0;
  for (const { file, text } of message.texts) {
    const look = inspectText(file, text);
    looks.set(file.path, look);
    links += look.links.length;
  }
  return { links };
}

parentPort?.on('message', (message: ToInspection) => parentPort?.postMessage(answer(message)));
