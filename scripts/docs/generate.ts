/**
 * Generates parts of the documents from the code: the settings in docs/operate/settings.md and
 * .env.example, the tables of findings, rules, access, reports and metrics, and the dashboards of Grafana. `npm run docs` writes them; with
 * `--check` it only fails when a document is out of date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { documentSchema } from '../../src/cli/configuration/document.ts'
import { packageRoot } from '../../src/platform/package-root.ts'
import { accessTable } from './access-table.ts'
import { cashierTables } from './cashier-tables.ts'
import { checkTables } from './check-tables.ts'
import { mdmTables } from './mdm-tables.ts'
import { DASHBOARDS } from './monitoring/dashboards.ts'
import { grafanaJson } from './monitoring/grafana.ts'
import { metricsTable } from './monitoring/metrics-table.ts'
import { orderRulesTable } from './order-rules.ts'
import { orderTables } from './order-tables.ts'
import { pushTables } from './push-tables.ts'
import { ruleFactTables } from './rule-facts.ts'
import { environmentExample, settingsTables } from './settings.ts'

/** `before` is the current content of the file, `after` the generated one. */
export type Document = { file: string; before: string; after: string }

export async function renderDocuments(root: string): Promise<Document[]> {
  const access = await accessTable()
  const metrics = await metricsTable()
  return [
    render(root, 'docs/access.md', (text) => replaceBetween(text, 'access', access)),
    render(root, 'docs/operate/settings.md', (text) =>
      replaceBetween(text, 'settings', settingsTables()),
    ),
    render(root, '.env.example', environmentExample),
    render(
      root,
      'docs/configuration.schema.json',
      () => `${JSON.stringify(documentSchema, null, 2)}\n`,
    ),
    render(root, 'docs/operate/watch.md', (text) => replaceBetween(text, 'metrics', metrics)),
    ...DASHBOARDS.map((dashboard) =>
      render(root, `deploy/grafana/${dashboard.name}.json`, () => grafanaJson(dashboard)),
    ),
    render(root, 'docs/checks.md', (text) => withTables(text, checkTables())),
    render(root, 'docs/orders.md', (text) => withTables(text, orderTables())),
    render(root, 'docs/cashier.md', (text) => withTables(text, cashierTables())),
    render(root, 'docs/mdm.md', (text) => withTables(text, mdmTables())),
    render(root, 'docs/push.md', (text) => withTables(text, pushTables())),
    render(root, 'docs/rules.md', (text) => withTables(text, ruleFactTables())),
    render(root, 'docs/operate/rules.md', (text) =>
      replaceBetween(text, 'order rules', orderRulesTable()),
    ),
  ]
}

/** Inserts each table between the markers of its name. */
const withTables = (text: string, tables: Readonly<Record<string, string>>): string =>
  Object.entries(tables).reduce(
    (result, [name, table]) => replaceBetween(result, name, table),
    text,
  )

/**
 * Replaces the text between `<!-- name -->` and `<!-- /name -->`.
 *
 * @throws Error when a marker is missing
 */
export function replaceBetween(text: string, name: string, content: string): string {
  const start = `<!-- ${name} -->`
  const end = `<!-- /${name} -->`
  const from = text.indexOf(start)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`The markers ${start} and ${end} are missing`)
  return `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`
}

/** Returns a message for each document that is out of date. */
export const describeOutdated = (documents: readonly Document[]): string[] =>
  documents
    .filter(({ before, after }) => before !== after)
    .map(({ file }) => `${file} is out of date. Run \`npm run docs\`.`)

function render(root: string, file: string, change: (text: string) => string): Document {
  const path = join(root, file)
  const before = existsSync(path) ? readFileSync(path, 'utf8') : ''
  return { file, before, after: change(before) }
}

async function main(isCheck: boolean): Promise<number> {
  const root = packageRoot()
  const documents = await renderDocuments(root)
  if (isCheck) {
    const faults = describeOutdated(documents)
    for (const fault of faults) process.stderr.write(`${fault}\n`)
    return faults.length === 0 ? 0 : 1
  }
  for (const { file, before, after } of documents) {
    if (before !== after) writeFileSync(join(root, file), after)
  }
  return 0
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.exitCode = await main(process.argv.includes('--check'))
}
