// Folders of tests go with their process, however it ends.
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {existsSync, mkdtempSync, rmdirSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {test} from 'node:test';
import {fileURLToPath} from 'node:url';

const kModule = join(dirname(fileURLToPath(import.meta.url)), '../scratch.mjs');

// Starts a process that writes into a folder of its own, and ends it once it has said which.
function folderOf(end) {
  const script = `import {scratchFolder} from ${JSON.stringify(kModule)};
    import {writeFileSync} from 'node:fs';
    const folder = scratchFolder('mha-viz-report-');
    writeFileSync(folder + '/a.txt', 'a');
    console.log(folder);
    process.stdin.on('end', () => console.log('end')).resume();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script],
      {stdio: ['pipe', 'pipe', 'inherit']});
  return new Promise((resolve) => {
    let folder = '';
    child.stdout.on('data', (text) => {
      if (folder.endsWith('\n')) return;
      folder += text;
      if (!folder.endsWith('\n')) return;
      assert.ok(existsSync(join(folder.trim(), 'a.txt')));
      end(child);
    });
    child.on('exit', (code) => resolve({folder: folder.trim(), code}));
  });
}

test('a folder goes where nobody reads the output any more', async () => {
  const {folder, code} = await folderOf((child) => {
    child.stdout.destroy();
    child.stdin.end();
  });
  assert.equal(code, 1);
  assert.equal(existsSync(folder), false, folder);
});

test('a folder goes at the end, at SIGTERM and at SIGINT; others stay', async () => {
  const other = mkdtempSync(join(tmpdir(), 'mha-viz-report-'));
  const ends = [[(child) => child.stdin.end(), 0], [(child) => child.kill('SIGTERM'), 143],
    [(child) => child.kill('SIGINT'), 130]];
  for (const [end, expected] of ends) {
    const {folder, code} = await folderOf(end);
    assert.match(folder, /mha-viz-report-/);
    assert.equal(code, expected);
    assert.equal(existsSync(folder), false, folder);
  }
  assert.ok(existsSync(other));
  rmdirSync(other);
});
