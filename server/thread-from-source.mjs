// Node 20 reads no TypeScript, and tsx's `--import` does not reach into threads: what is built starts without this.
import { register } from 'tsx/esm/api';

register();
await import(process.argv[2]);
