// Firefox through its own remote protocol, Marionette: over TCP, each message a length in bytes, a
// colon and JSON. Commands are [0, id, name, parameters], answers [1, id, error, result].
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, mkdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createConnection} from 'node:net';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';

import {scratchFolder} from '../scratch.mjs';

const kStartMs = 120000;
const kPollMs = 20;

const kFlags = ['--headless', '--no-remote', '--marionette', '--remote-allow-system-access',
  '--profile'];

// Any free port; what pages say on the console is on Firefox's standard output; Firefox itself
// asks for nothing, and whatever is asked for goes to a proxy that is not there.
const kPrefs = {
  'marionette.port': 0,
  'browser.dom.window.dump.enabled': true,
  'devtools.console.stdout.content': true,
  'browser.startup.page': 0,
  'browser.shell.checkDefaultBrowser': false,
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.reportingpolicy.firstRun': false,
  'services.settings.server': 'data:,',
  'network.connectivity-service.enabled': false,
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': 9,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': 9,
  'network.proxy.allow_hijacking_localhost': true,
};

// The whole messages at the start of `bytes`, parsed, and the bytes after them.
export function splitMessages(bytes) {
  const messages = [];
  let rest = bytes;
  for (;;) {
    const colon = rest.indexOf(':');
    if (colon < 0) break;
    const digits = rest.toString('latin1', 0, colon);
    if (!/^\d+$/.test(digits)) throw new Error(`no length before a message: ${digits}`);
    const end = colon + 1 + Number(digits);
    if (rest.length < end) break;
    messages.push(JSON.parse(rest.toString('utf8', colon + 1, end)));
    rest = rest.subarray(end);
  }
  return {messages, rest};
}

// Commands are answered in any order; all fail when the connection ends.
class Connection {
  constructor(socket) {
    this.socket_ = socket;
    this.rest_ = Buffer.alloc(0);
    this.lastId_ = 0;
    this.open_ = new Map();
    socket.on('data', (bytes) => this.onData_(bytes));
    socket.on('error', (error) => this.fail_(error));
    socket.on('close', () => this.fail_(new Error('Firefox closed the connection')));
  }

  send(name, parameters = {}) {
    const id = ++this.lastId_;
    const text = Buffer.from(JSON.stringify([0, id, name, parameters]));
    return new Promise((resolve, reject) => {
      this.open_.set(id, {name, resolve, reject});
      this.socket_.write(Buffer.concat([Buffer.from(`${text.length}:`), text]));
    });
  }

  onData_(bytes) {
    const {messages, rest} = splitMessages(Buffer.concat([this.rest_, bytes]));
    this.rest_ = rest;
    for (const message of messages) {
      if (!Array.isArray(message)) continue;  // the greeting
      const [, id, error, result] = message;
      const {name, resolve, reject} = this.open_.get(id);
      this.open_.delete(id);
      if (error === null) resolve(result);
      else reject(new Error(`${name}: ${error.error}: ${error.message}\n${error.stacktrace || ''}`));
    }
  }

  fail_(error) {
    for (const {reject} of this.open_.values()) reject(error);
    this.open_.clear();
  }
}

async function portOf(folder, hasEnded) {
  const path = join(folder, 'MarionetteActivePort');
  for (const end = Date.now() + kStartMs; Date.now() < end; await wait(kPollMs)) {
    if (hasEnded()) throw new Error('Firefox ended before it listened');
    const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
    if (text !== '') return Number(text);
  }
  throw new Error('Firefox does not listen');
}

// A Firefox of its own profile. `size`: of its screen, so of the largest window.
export async function startFirefox(program, size) {
  const home = scratchFolder('mha-viz-firefox-');
  const profile = join(home, 'profile');
  mkdirSync(profile);
  writeFileSync(join(profile, 'user.js'), Object.entries(kPrefs).map(([name, value]) =>
    `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`).join(''));
  const child = spawn(program, kFlags.concat(profile), {
    env: {...process.env, HOME: home, MOZ_CRASHREPORTER_DISABLE: '1',
      MOZ_HEADLESS_WIDTH: String(size.width), MOZ_HEADLESS_HEIGHT: String(size.height)},
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'exit');
  const output = [];
  child.stdout.setEncoding('utf8').on('data', (text) => output.push(text));
  const kill = () => child.kill('SIGKILL');
  process.prependListener('exit', kill); // before its folder goes
  const stop = async () => {
    kill();
    await ended;
    process.off('exit', kill);
    rmSync(home, {recursive: true, force: true, maxRetries: 10, retryDelay: 100});
  };
  try {
    const port = await portOf(profile, () => child.exitCode !== null);
    const socket = createConnection({host: '127.0.0.1', port});
    await once(socket, 'connect');
    return new Firefox(new Connection(socket), output, ended, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

class Firefox {
  constructor(connection, output, ended, stop) {
    this.connection_ = connection;
    this.output_ = output;
    this.ended_ = ended;
    this.stop_ = stop;
  }

  send(name, parameters) {
    return this.connection_.send(name, parameters);
  }

  // What Firefox has written since it was asked last.
  takeOutput() {
    return this.output_.splice(0).join('');
  }

  // `script`: a function of the page, or its text; awaits what it returns.
  async run(script, ...args) {
    const {value} = await this.send('WebDriver:ExecuteScript',
      {script: `return (${script})(...arguments)`, args});
    return value;
  }

  // The same with the rights of the browser itself.
  async runAsBrowser(script, ...args) {
    await this.send('Marionette:SetContext', {value: 'chrome'});
    try {
      return await this.run(script, ...args);
    } finally {
      await this.send('Marionette:SetContext', {value: 'content'});
    }
  }

  // Actions of one device at a time: the pointer or the keys.
  act(type, actions) {
    const device = type === 'pointer' ? {type, id: 'mouse', parameters: {pointerType: 'mouse'}} :
      {type, id: 'keys'};
    return this.send('WebDriver:PerformActions', {actions: [{...device, actions}]});
  }

  async quit() {
    this.send('Marionette:Quit', {flags: ['eForceQuit']}).catch(() => {});
    await Promise.race([this.ended_, wait(10000, null, {ref: false})]);
    await this.stop_();
  }
}
