// Starts the page.
import { openReport } from './data.js';

export function startPage() {
  const report = openReport(document);
  document.documentElement.classList.add('with-script');
  document.title = report.title;
}
