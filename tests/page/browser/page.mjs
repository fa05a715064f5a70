// Opens reports of the program in Chromium, offline, and listens for everything that goes wrong.
import {createRequire} from 'node:module';
import {join} from 'node:path';

import {folder} from './reports.mjs';

const {chromium} = createRequire(join(folder, 'package.json'))('playwright-core');

export function startBrowser() {
  return chromium.launch({executablePath: process.env.MHA_CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu']});
}

// `use(page)` on a page without a network; then nothing may have been said on the console, and
// nothing asked for beyond the file itself.
export async function withPage(browser, path, {hash = '', ...options}, use) {
  const context = await browser.newContext({viewport: {width: 1280, height: 720}, offline: true,
    ...options});
  const page = await context.newPage();
  const trouble = [];
  page.on('console', (message) => trouble.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => trouble.push(String(error.stack)));
  page.on('request', (request) => {
    if (!/^(file|data|blob):/.test(request.url())) trouble.push(`request: ${request.url()}`);
  });
  await page.goto(`file://${path}${hash}`);
  try {
    await use(page);
  } finally {
    await context.close();
  }
  if (trouble.length > 0) throw new Error(trouble.join('\n'));
}
