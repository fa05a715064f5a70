// The page in Firefox: opens files, waits, moves the mouse, types, and listens for everything that
// goes wrong.
import {setTimeout as wait} from 'node:timers/promises';
import {pathToFileURL} from 'node:url';

import {startFirefox} from './marionette.mjs';

const kLargestWindow = {width: 4000, height: 2500};
const kWaitMs = 30000;
const kPollMs = 25;

export const keys = {enter: '\uE007', left: '\uE012', up: '\uE013', right: '\uE014', down: '\uE015',
  control: '\uE009'};

// Runs in the browser: keeps what pages on disk ask the network for.
const kKeepRequests = `() => {
  const {window: keeper} = Services.wm.getMostRecentWindow('navigator:browser');
  keeper.mhaRequests = [];
  keeper.mhaObserver = {observe(subject) {
    const channel = subject.QueryInterface(Ci.nsIHttpChannel);
    if (channel.loadInfo.triggeringPrincipal.schemeIs('file')) {
      keeper.mhaRequests.push(channel.URI.spec);
    }
  }};
  Services.obs.addObserver(keeper.mhaObserver, 'http-on-modify-request');
}`;

// Runs in the browser: messages about pages on disk, and requests of theirs, since the last time.
const kTakeTrouble = `() => {
  const {window: keeper} = Services.wm.getMostRecentWindow('navigator:browser');
  const messages = Services.console.getMessageArray()
    .filter((message) => message instanceof Ci.nsIScriptError)
    .filter(({sourceName, category}) => sourceName.startsWith('file:') ||
      /^content javascript$|CSP|CORS/.test(category))
    .map((message) => message.message);
  Services.console.reset();
  return [...messages, ...keeper.mhaRequests.splice(0).map((address) => 'request: ' + address)];
}`;

export class FirefoxPage {
  static async start(program) {
    const firefox = await startFirefox(program, kLargestWindow);
    const page = new FirefoxPage(firefox);
    try {
      const {capabilities} = await firefox.send('WebDriver:NewSession', {});
      page.version = capabilities.browserVersion;
      await firefox.runAsBrowser(kKeepRequests);
      await page.resize(1280, 720);
      await page.takeTrouble();
    } catch (error) {
      await firefox.quit();
      throw error;
    }
    return page;
  }

  constructor(firefox) {
    this.firefox_ = firefox;
  }

  quit() {
    return this.firefox_.quit();
  }

  // The size of the page within the window.
  async resize(width, height) {
    const [dx, dy] = await this.run(() =>
      [window.outerWidth - window.innerWidth, window.outerHeight - window.innerHeight]);
    await this.firefox_.send('WebDriver:SetWindowRect', {width: width + dx, height: height + dy});
    await this.until((w, h) => window.innerWidth === w && window.innerHeight === h, width, height);
  }

  setDark(isDark) {
    return this.firefox_.runAsBrowser(`(value) =>
      Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', value)`,
    isDark ? 0 : 1);
  }

  // A document of its own, even where only what stands behind the '#' differs.
  async open(path, hash = '') {
    await this.firefox_.send('WebDriver:Navigate', {url: 'about:blank'});
    await this.firefox_.send('WebDriver:Navigate', {url: `${pathToFileURL(path)}${hash}`});
  }

  run(script, ...args) {
    return this.firefox_.run(script, ...args);
  }

  // Waits for `script` to give something that is true, and returns it.
  async until(script, ...args) {
    for (const end = Date.now() + kWaitMs; Date.now() < end; await wait(kPollMs)) {
      const value = await this.run(script, ...args);
      if (value) return value;
    }
    throw new Error(`never happened: ${script} (${args.join(', ')})`);
  }

  exists(selector) {
    return this.until((wanted) => document.querySelector(wanted) !== null, selector);
  }

  // Moves the pointer to a place in an element, its middle by default; scrolls the element there.
  async point(selector, across = 0.5, down = 0.5) {
    await this.exists(selector);
    const [x, y] = await this.run((wanted, ...parts) => {
      const element = document.querySelector(wanted);
      element.scrollIntoView({block: 'center'});
      const box = element.getBoundingClientRect();
      return [box.x + parts[0] * box.width, box.y + parts[1] * box.height].map(Math.round);
    }, selector, across, down);
    await this.firefox_.act('pointer', [{type: 'pointerMove', duration: 0, x, y}]);
  }

  async click(selector) {
    await this.point(selector);
    await this.firefox_.act('pointer', [{type: 'pointerDown', button: 0},
      {type: 'pointerUp', button: 0}]);
  }

  press(...names) {
    return this.firefox_.act('key', names.flatMap((value) =>
      [{type: 'keyDown', value}, {type: 'keyUp', value}]));
  }

  // Types a text in the place of what the box holds.
  async type(selector, text) {
    await this.click(selector);
    await this.firefox_.act('key', [{type: 'keyDown', value: keys.control},
      {type: 'keyDown', value: 'a'}, {type: 'keyUp', value: 'a'},
      {type: 'keyUp', value: keys.control}]);
    await this.press(...text);
  }

  // PNG of the page as it is seen.
  async screenshot() {
    const {value} = await this.firefox_.send('WebDriver:TakeScreenshot', {full: false, hash: false});
    return Buffer.from(value, 'base64');
  }

  // What pages said, which errors they had and what they asked the network for since the last time.
  async takeTrouble() {
    const messages = await this.firefox_.runAsBrowser(kTakeTrouble);
    const said = this.firefox_.takeOutput().split('\n')
      .filter((line) => /^console\.\w+: /.test(line));
    return [...messages, ...said];
  }
}
