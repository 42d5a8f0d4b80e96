// Which known advisories fail CI: those of high and critical severity in packages that are not for development alone.

/**
 * Advisories that do not concern us: their id, such as GHSA-xxxx-xxxx-xxxx, why, and the day until which that is
 * believed (UTC, exclusive). Look again then.
 */
const allowedAdvisories = [];

/**
 * @param report what `npm audit --json` printed
 * @param {string} today YYYY-MM-DD
 * @returns {{isAnswered: boolean, faults: string[]}} unanswered when the registry keeps no advisories
 */
export function judgeAdvisories(report, today, allowed = allowedAdvisories) {
  if (report?.vulnerabilities === undefined) return { isAnswered: false, faults: [] };
  const serious = new Map();
  for (const { name, via } of Object.values(report.vulnerabilities)) {
    // A text names another package of the report, through which this one is concerned.
    for (const advisory of via.filter((one) => typeof one === 'object')) {
      if (['high', 'critical'].includes(advisory.severity))
        serious.set(`${name} ${advisory.url}`, { name, ...advisory });
    }
  }
  const faults = [...serious.values()]
    .filter(({ url }) => !allowed.some(({ id, until }) => url.endsWith(`/${id}`) && today < until))
    .map(({ name, severity, title, url }) => `${name}: ${severity}: ${title} (${url})`);
  return { isAnswered: true, faults };
}
