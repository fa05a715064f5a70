// A folder for the files of one test process, which goes with the process: also when that is ended by
// a signal. Nothing else is ever removed.
import {mkdtempSync, rmSync} from 'node:fs';
import {constants, tmpdir} from 'node:os';
import {join} from 'node:path';

const kSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export function scratchFolder(prefix) {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  process.prependListener('exit', () => rmSync(folder,
      {recursive: true, force: true, maxRetries: 10, retryDelay: 50}));
  for (const signal of kSignals) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
  // The runner of tests was ended and nobody reads: left to itself that would skip the exit above.
  process.stdout.on('error', () => process.exit(1));
  return folder;
}
