// What the program says, for tests of the page.
import {execFileSync} from 'node:child_process';
import {writeFileSync} from 'node:fs';

// What `command` prints on stdout.
export function programSays(program, command, args) {
  return execFileSync(program, [command, ...args, '-o', '-', '--quiet'],
    {maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8'});
}

// The document that `run` prints for each sentence, with its weights. They go through `file`.
export function programSaysOfLines(program, sentences, file) {
  writeFileSync(file, `${sentences.join('\n')}\n`);
  return programSays(program, 'run', ['--text-file', file, '--weights', 'json']).trim().split('\n')
    .map((line) => JSON.parse(line));
}
